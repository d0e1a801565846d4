//! A document of headings, paragraphs, lists, tables and charts, whatever it is written as.

use super::{Chart, NOTE, section};
use crate::experiment::Work;
use crate::outcome::{Outcome, verdicts};
use crate::runner::Settings;

/// A document.
#[derive(Clone, Debug)]
pub struct Document {
    /// Its title.
    pub title: String,
    /// Its parts, in order.
    pub blocks: Vec<Block>,
}

/// A part of a document.
#[derive(Clone, Debug)]
pub enum Block {
    /// A heading below the title.
    Heading(String),
    /// A paragraph.
    Text(String),
    /// Points.
    List(Vec<String>),
    /// A table.
    Table(Table),
    /// A chart, with the name of its file.
    Figure(String, Chart),
}

/// Rows of cells under a header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    /// The header.
    pub header: Vec<String>,
    /// The rows, each as long as the header.
    pub rows: Vec<Vec<String>>,
}

impl Document {
    /// What a run came to; `what` is the name that was asked for.
    pub fn new(outcomes: &[Outcome], settings: &Settings, what: &str) -> Self {
        let is_benchmark = |of: &Outcome| matches!(of.experiment.work, Work::Neumiss { .. });
        let (title, reading) = match outcomes.iter().all(is_benchmark) {
            true => ("The linear-Gaussian benchmark", BENCHMARK),
            false => ("The paper, reproduced", READING),
        };
        let mut blocks = vec![
            Block::Text(head(settings, what)),
            Block::Text(reading.to_owned()),
        ];
        if settings.quick {
            blocks.push(Block::Text(QUICK.to_owned()));
        } else {
            blocks.push(Block::Heading("What was promised".to_owned()));
            blocks.push(Block::List(promises(outcomes)));
            if reading == READING {
                blocks.push(Block::Text(CHANCE.to_owned()));
            }
        }
        for outcome in outcomes {
            blocks.extend(section::blocks(outcome));
        }
        blocks.push(Block::Text(NOTE.to_owned()));
        Self {
            title: title.to_owned(),
            blocks,
        }
    }

    /// The charts with the names of their files.
    pub fn figures(&self) -> impl Iterator<Item = (&str, &Chart)> {
        self.blocks.iter().filter_map(|block| match block {
            Block::Figure(name, chart) => Some((name.as_str(), chart)),
            _ => None,
        })
    }
}

const READING: &str = "Figures are mean ± sample standard deviation over the trials. *Tuned as in the paper* means that the parameters of each \
    method are those with the best mean on the very rows that are judged, which is optimistic; *honest* means that they were chosen without \
    a look at those rows: in batch by cross-validation inside the training rows, online by following, at each row, the setting with the \
    fewest mistakes so far. The difference to the paper is in units of the combined standard deviation √(sd² + sd²), taken as at least half \
    a unit of the last digit that the paper prints; within one it is called equal. The paper also tunes a parameter C that it never \
    explains; there is none here. All methods of a cell see the same rows and the same holes, which are not those of the paper.";

const BENCHMARK: &str = "Figures are mean ± sample standard deviation over the draws, in which all methods see the same rows and holes.";

const CHANCE: &str = "About the promise trial by trial: a method that is equal in truth to one rival is behind it by more than a standard error of the difference, over \
    five trials, in 19 of 100 cells (Student's t with four degrees of freedom), and behind the best of several that are as good more often, since that one is \
    the best partly by luck: of fifteen cells, three or more are expected to fail so. Where a promise is broken, the experiment says below what is known about it.";

const QUICK: &str = "This was a quick run: a few cells on a coarse grid. It says whether everything works, not how well.";

fn head(settings: &Settings, what: &str) -> String {
    let quick = if settings.quick { " --quick" } else { "" };
    let trials = settings.trials.map(|n| format!(" --trials {n}"));
    let trials = trials.unwrap_or_default();
    let folder = settings
        .data_dir
        .as_ref()
        .map_or("", |_| " --data-dir DATA");
    let features = match cfg!(feature = "sdp") {
        true => " built with `--features sdp`",
        false => "",
    };
    format!(
        "gapfit {}{features}, seed {}, by `gapfit reproduce {what}{trials}{quick} --seed {}{folder} --out DIR`.",
        env!("CARGO_PKG_VERSION"),
        settings.seed,
        settings.seed
    )
}

fn promises(outcomes: &[Outcome]) -> Vec<String> {
    let line = |verdict: crate::outcome::Verdict| {
        let (broken, n) = (verdict.broken.len(), verdict.n_cells);
        let holds = match broken {
            0 => format!("holds in all {n} cells"),
            _ => format!(
                "**does not hold in {broken} of {n} cells**: {}",
                verdict.broken.join("; ")
            ),
        };
        format!("{}: {holds}.", verdict.promise)
    };
    verdicts(outcomes).into_iter().map(line).collect()
}
