//! `gapfit reproduce`: the paper's tables and figures, run again.

use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use gapfit_paper::experiment::Experiment;
use gapfit_paper::outcome::{Outcome, Row, Verdict, verdicts};
use gapfit_paper::render::Document;
use gapfit_paper::runner::{self, Settings};
use serde::Serialize;

use crate::args::{Usage, seed};
use crate::interrupt;
use crate::output::Output;
use crate::talk::Talk;

/// Runs the paper's experiments again and puts the results beside its figures.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
What can be run: all, table1 to table5, readings, fig1 (fig1a to fig1d), theory (theorem1, proposition1, theorem2, \
relaxation, program), and neumiss (neumiss-narrow, neumiss-wide), a benchmark beyond the paper that is not part of all.

Into the folder OUT go results.json, report.html, which stands alone, reproduction.md with its figures, and \
journal.ndjson, a line per finished trial: the same command, of the same build, goes on where it was interrupted.

Three tables of the paper are not embedded. From the folder DATA are read, each by either name: park.csv or UCI's \
parkinsons_updrs.data; thyroid.csv or UCI's sick-euthyroid.data; splice.csv or LIBSVM's splice (splice_scale). \
What is absent is not run, and the results say so.

Examples:
  gapfit reproduce table3 --out results
  gapfit reproduce all --trials 5 --data-dir uci --out results
")]
pub(crate) struct Args {
    /// An experiment, or a group of them.
    #[arg(default_value = "all")]
    what: String,
    /// Trials of each cell, each with fresh rows and holes [default: 5; for neumiss 20, and 5 of 50 features].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(2..=1000), allow_negative_numbers = true)]
    trials: Option<u64>,
    /// Seed of the first trial; each further one adds 1.
    #[arg(long, default_value_t = 0, value_parser = seed, allow_negative_numbers = true)]
    seed: u64,
    /// A few cells, two trials and a coarse grid: whether everything works, not how well.
    #[arg(long, conflicts_with = "trials")]
    quick: bool,
    /// Folder with the tables that are not embedded.
    #[arg(long, value_name = "DATA")]
    data_dir: Option<PathBuf>,
    /// Writes the results as JSON to standard output, instead of the document.
    #[arg(long)]
    json: bool,
    /// Folder for the results; it is made if need be.
    #[arg(long, value_name = "OUT")]
    out: PathBuf,
}

/// The folder of the figures, beside the page that shows them.
const FIGURES: &str = "reproduction";

/// Runs the command.
pub(crate) fn run(args: &Args, talk: &Talk) -> Result<()> {
    let experiments = Experiment::select(&args.what).map_err(|error| Usage(error.to_string()))?;
    let settings = Settings {
        trials: args.trials,
        seed: args.seed,
        quick: args.quick,
        data_dir: args.data_dir.clone(),
    };
    fs::create_dir_all(args.out.join(FIGURES)).with_context(|| args.out.display().to_string())?;
    interrupt::listen()?;
    let outcomes = watched(&experiments, &settings, &args.out, talk)?;
    let document = Document::new(&outcomes, &settings, &args.what);
    let results = Results::new(&outcomes);
    write_all(&results, &document, &args.out)?;
    if args.json {
        Output::stdout().write_json(&results)?;
    } else {
        Output::stdout().write(|out| Ok(write!(out, "{}", document.markdown(FIGURES))?))?;
    }
    talk.note(format_args!("written to {}", args.out.display()));
    Ok(())
}

/// Runs what is not in the journal, with a bar, until the end or Ctrl-C.
fn watched(
    experiments: &[Experiment],
    settings: &Settings,
    out: &Path,
    talk: &Talk,
) -> Result<Vec<Outcome>> {
    let bar = talk.trials();
    let progress = |done: usize, all: usize, what: &str| {
        bar.set_length(all as u64);
        bar.set_position(done as u64);
        bar.set_message(what.to_owned());
        match interrupt::is_asked() {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    };
    let outcomes = runner::run(
        experiments,
        settings,
        &out.join("journal.ndjson"),
        &progress,
    );
    bar.finish_and_clear();
    Ok(outcomes?)
}

/// `results.json`.
#[derive(Debug, Serialize)]
struct Results<'a> {
    version: &'static str,
    verdicts: Vec<Verdict>,
    rows: Vec<&'a Row>,
}

impl<'a> Results<'a> {
    fn new(outcomes: &'a [Outcome]) -> Self {
        Self {
            version: env!("CARGO_PKG_VERSION"),
            verdicts: verdicts(outcomes),
            rows: outcomes.iter().flat_map(|outcome| &outcome.rows).collect(),
        }
    }
}

fn write_all(results: &Results<'_>, document: &Document, out: &Path) -> Result<()> {
    Output::new(&out.join("results.json"))?.write_json(results)?;
    let write = |name: &str, text: &str| {
        Output::new(&out.join(name))?.write(|to| Ok(to.write_all(text.as_bytes())?))
    };
    write("report.html", &document.html())?;
    write("reproduction.md", &document.markdown(FIGURES))?;
    for (name, chart) in document.figures() {
        write(&format!("{FIGURES}/{name}"), &chart.svg())?;
    }
    Ok(())
}
