//! `gapfit stream`: predicts each row of a stream, then learns from it.

mod checkpoint;
mod columns;
mod label;
mod page;
mod rule;
mod run;
mod said;
mod score;
mod session;
mod start;
mod timeline;

pub(crate) use checkpoint::{Progress, parse as parse_state};
pub(crate) use said::Said;
pub(crate) use score::Line;

use std::path::PathBuf;

use anyhow::Result;

use crate::args::{Dialect, Usage};
use crate::interrupt;
use crate::output::Output;
use crate::reporting::{Destination, Reporting};
use crate::talk::Talk;
use rule::Learning;
use run::Run;

/// Predicts each row of a stream, then learns from it.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Every row is predicted before its target is looked at, so the scores are honest. A line is printed after \
1, 2, 4, 8, ... rows, and a summary at the end; Ctrl-C ends the run with both checkpoint and summary. A row \
without a target is predicted and not learnt from. Columns may appear and vanish by name.

The default, --step auto, needs no settings. The others are the paper's algorithm and relatives: --step \
theory --radius R is its Theorem 1, and --regret prints the regret beside the bound of that theorem.

Examples:
  gapfit stream visits.csv --target relapse
  tail -f log.ndjson | gapfit stream --target failed --predictions -
  gapfit stream visits.csv --target dose --checkpoint dose.gapfit --every 1000 --resume
  gapfit stream visits.csv --target dose --step theory --radius 5 --regret --report dose.html
")]
pub(crate) struct Args {
    /// The stream, `-` for standard input.
    #[arg(default_value = "-")]
    file: PathBuf,
    /// Column to predict.
    #[arg(long, value_name = "COL")]
    target: String,
    /// Column of row weights.
    #[arg(long, value_name = "COL")]
    weight: Option<String>,
    /// Column that tells rows apart; it is carried along into the predictions.
    #[arg(long, value_name = "COL")]
    id: Option<String>,
    /// Columns that are not looked at; they may hold text.
    #[arg(long, value_name = "COL,...", value_delimiter = ',')]
    ignore: Vec<String>,
    /// The two classes, the one that counts as negative first [default: as they come; 0 and 1, no and yes
    /// and their like are known].
    #[arg(long, value_name = "A,B", value_parser = label::classes)]
    classes: Option<std::vec::Vec<String>>,
    /// Where the predictions go, one line a row, `-` for standard output.
    #[arg(long, value_name = "OUT")]
    predictions: Option<PathBuf>,
    /// Where the learner goes at the end.
    #[arg(long, value_name = "OUT")]
    model: Option<PathBuf>,
    /// Where the state goes on the way and at the end, so that a run can be resumed.
    #[arg(long, value_name = "FILE")]
    checkpoint: Option<PathBuf>,
    /// Rows between checkpoints.
    #[arg(long, value_name = "N", default_value_t = 10_000, value_parser = clap::value_parser!(u64).range(1..), requires = "checkpoint")]
    every: u64,
    /// Goes on where the checkpoint was left, and skips the rows that were learnt; begins anew if there is
    /// none.
    #[arg(long, requires = "checkpoint")]
    resume: bool,
    /// A learner to start from, as written by --model or --checkpoint; all rows are new to it.
    #[arg(long, value_name = "MODEL", conflicts_with = "resume")]
    start_from: Option<PathBuf>,
    /// Predicts and scores, learns nothing.
    #[arg(long, requires = "start_from")]
    test_only: bool,
    /// Writes the lines as JSON, one object each, the last one the summary.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    reporting: Reporting,
    #[command(flatten)]
    learning: Learning,
    #[command(flatten)]
    reading: Reading,
    #[command(flatten)]
    dialect: Dialect,
}

/// How the stream is read.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Reading")]
struct Reading {
    /// csv or ndjson [default: recognised].
    #[arg(long)]
    format: Option<FormatFlag>,
    /// What an infinite value is: hole or error.
    #[arg(long, default_value = "error")]
    infinite: InfiniteFlag,
    /// What a malformed row does: stop or skip.
    #[arg(long, default_value = "stop")]
    on_error: OnError,
    /// Columns that there may be when new ones appear on the way.
    #[arg(long, value_name = "N", default_value_t = 1000)]
    max_columns: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, clap::ValueEnum)]
enum FormatFlag {
    Csv,
    Ndjson,
}

#[derive(Clone, Copy, Debug, PartialEq, clap::ValueEnum)]
enum InfiniteFlag {
    Hole,
    Error,
}

#[derive(Clone, Copy, Debug, PartialEq, clap::ValueEnum)]
enum OnError {
    Stop,
    Skip,
}

/// Runs the command.
pub(crate) fn run(args: &Args, talk: &Talk) -> Result<()> {
    args.learning.check()?;
    let outputs = Outputs::new(args)?;
    interrupt::listen()?;
    let mut run = Run::start(args, &outputs, talk)?;
    let ended = run.go().and_then(|()| run.check_any());
    // Whatever ended it, what was learnt is kept.
    run.keep()?;
    let summary = run.summary()?;
    ended?;
    if let Some(model) = &outputs.model {
        run.session.progress.save(&run.session.learner, model)?;
    }
    match &outputs.report {
        None => Ok(()),
        Some(to) => to.write(&page::page(&run, &summary)),
    }
}

/// Files that appear whole.
struct Outputs {
    model: Option<Output>,
    checkpoint: Option<Output>,
    report: Option<Destination>,
}

impl Outputs {
    fn new(args: &Args) -> Result<Self> {
        let output = |path: &Option<PathBuf>| -> Result<Option<Output>> {
            let Some(path) = path else { return Ok(None) };
            let output = Output::new(path)?;
            output.check_keeps(&[&args.file])?;
            if output.is_stdout() {
                let message = "--model, --checkpoint: expected a file, got standard output";
                return Err(Usage(message.to_owned()).into());
            }
            Ok(Some(output))
        };
        let (model, checkpoint) = (output(&args.model)?, output(&args.checkpoint)?);
        if let (Some(a), Some(b)) = (&model, &checkpoint)
            && a.is_same(b)
        {
            let message = "--model, --checkpoint: expected different files, got the same for both";
            return Err(Usage(message.to_owned()).into());
        }
        let others: Vec<&Output> = model.iter().chain(&checkpoint).collect();
        Ok(Self {
            report: args.reporting.open(&[&args.file], &others)?,
            model,
            checkpoint,
        })
    }
}
