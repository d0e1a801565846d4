//! The steps of the walk: a sentence, a command, its output.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use clap::Parser;
use clap::builder::styling::Style;

use super::table::{FIRST, LATER};
use crate::args;
use crate::talk::Talk;

/// Lines that are shown of a file.
const SHOWN: usize = 4;

/// A sentence and the command it is about.
pub(super) struct Step {
    why: &'static str,
    /// What is typed after `gapfit`.
    words: Vec<String>,
    /// A file that the command writes and whose beginning is shown.
    shows: Option<PathBuf>,
}

impl Step {
    /// The walk, on the tables in `folder`.
    pub(super) fn all(folder: &Path) -> Vec<Self> {
        let file = |name: &str| folder.join(name).display().to_string();
        let (first, later) = (file(FIRST), file(LATER));
        let (model, predictions) = (file("rings.gapfit"), file("predictions.csv"));
        let page = file("rings.html");
        let step = |why, words: &[&str]| Self {
            why,
            words: words.iter().map(|&word| word.to_owned()).collect(),
            shows: None,
        };
        vec![
            step(
                "What is missing, and do the holes say something about the target?",
                &["profile", &first, "--target", "rings", "--top", "4"],
            ),
            step(
                "Which method predicts best through these holes? Each is tuned and judged on rows it has not seen. The page\nshows it in pictures: open it in a browser.",
                &[
                    "compare", &first, "--target", "rings", "--folds", "3", "--report", &page,
                ],
            ),
            step(
                "Imputed ridge regression learns imputation and predictor together. Fit it to all rows.",
                &["fit", &first, "--target", "rings", "-o", &model],
            ),
            step(
                "What did it learn, and what happens when something is missing?",
                &["inspect", &model, "--top", "3"],
            ),
            Self {
                shows: Some(folder.join("predictions.csv")),
                ..step(
                    "Predict rows that come later, with intervals that hold the truth in 90 of 100 rows.",
                    &[
                        "predict",
                        &model,
                        &later,
                        "--intervals",
                        "90",
                        "-o",
                        &predictions,
                    ],
                )
            },
            step(
                "Someone has counted their rings since. How good were the predictions?",
                &["evaluate", &model, &later],
            ),
        ]
    }

    /// Says what it is about, prints the command as it is typed, runs it.
    pub(super) fn run(&self, talk: &Talk) -> Result<()> {
        let typed: Vec<String> = self.words.iter().map(|word| quoted(word)).collect();
        let bold = Style::new().bold();
        say(&format!(
            "{}\n\n{bold}$ gapfit {}{bold:#}",
            self.why,
            typed.join(" ")
        ))?;
        let name = std::iter::once("gapfit");
        let words = name.chain(self.words.iter().map(String::as_str));
        args::Args::try_parse_from(words)?.command.run(talk)?;
        match &self.shows {
            Some(file) => say(&beginning(file)?),
            None => Ok(()),
        }
    }
}

/// Prints an empty line and a paragraph.
pub(super) fn say(text: &str) -> Result<()> {
    let mut out = anstream::stdout().lock();
    writeln!(out, "\n{text}")?;
    Ok(out.flush()?)
}

/// The first lines of a file, below its name.
fn beginning(file: &Path) -> Result<String> {
    let name = file.display();
    let text = fs::read_to_string(file).with_context(|| name.to_string())?;
    let lines: Vec<&str> = text.lines().take(SHOWN).collect();
    Ok(format!("{name} begins:\n{}", lines.join("\n")))
}

/// A word as a shell takes it for one.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-./,=:".contains(c);
    match !word.is_empty() && word.chars().all(is_plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_with_blanks_and_quotes_stay_words() {
        assert_eq!(quoted("a/b-c.csv"), "a/b-c.csv");
        assert_eq!(quoted("my demo"), "'my demo'");
        assert_eq!(quoted("it's"), r"'it'\''s'");
        assert_eq!(quoted(""), "''");
    }
}
