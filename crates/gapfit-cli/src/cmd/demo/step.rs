//! A step of a walk: a sentence, a command, its output.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use clap::Parser;
use clap::builder::styling::Style;

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
    /// The step that runs these words after `gapfit`.
    pub(super) fn new(why: &'static str, words: &[&str]) -> Self {
        Self {
            why,
            words: words.iter().map(|&word| word.to_owned()).collect(),
            shows: None,
        }
    }

    /// The same step that shows how a file begins.
    pub(super) fn showing(self, file: PathBuf) -> Self {
        Self {
            shows: Some(file),
            ..self
        }
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
