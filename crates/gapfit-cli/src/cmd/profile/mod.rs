//! `gapfit profile`: what is missing in a table, and whether that says something.

mod report;

use std::path::PathBuf;

use anyhow::Result;
use gapfit::data::Dataset;
use gapfit::profile::Association;
use gapfit_io::Survey;

use crate::args::{Columns, Dialect};
use crate::input;
use crate::output::Output;
use crate::talk::Talk;
use report::Report;

/// Says what is missing in a table, and whether that is informative.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
With --target, the mean of the target, or the share of each of its classes, where a column is missing is compared with that where it is \
observed. The p-value is corrected for the number of comparisons (Holm): below 0.05, holes in this column say something about the target, by \
themselves or through other columns. The estimate of time and memory for gapfit fit gives the order of magnitude only.

Kinds are as gapfit fit would take the columns. It refuses one that is id or mixed: --id or --ignore leaves it out, --categorical \
takes it as categories. A date is a category unless --dates names it.

Examples:
  gapfit profile houses.csv --target price
  gapfit profile houses.csv --ignore id,street --json
")]
pub(crate) struct Args {
    /// The table, `-` for standard input.
    file: PathBuf,
    /// Column to predict: no feature, and what holes may tell about.
    #[arg(long, value_name = "COL")]
    target: Option<String>,
    /// Lines at most in each table.
    #[arg(long, value_name = "N", default_value_t = 10)]
    top: usize,
    /// Writes JSON instead of tables.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    columns: Columns,
    #[command(flatten)]
    dialect: Dialect,
}

/// Runs the command.
pub(crate) fn run(args: &Args, talk: &Talk) -> Result<()> {
    let mut reader = input::open(&args.file, &args.dialect.options(), talk)?;
    args.columns.leave_out(&mut reader)?;
    let survey = Survey::read(&mut reader, args.target.as_deref(), &args.columns.kinds())?;
    let associations = Association::all(&with_target(&survey)?);
    let report = Report::new(&survey, &associations, args.top);
    if args.json {
        return Output::stdout().write_json(&report);
    }
    Output::stdout().write(|out| Ok(write!(out, "{}", report.text(args.target.as_deref()))?))
}

/// The rows that have a target.
fn with_target(survey: &Survey) -> Result<Dataset> {
    let targets = survey.target.iter().enumerate();
    let (rows, values): (Vec<usize>, Vec<f64>) =
        targets.filter_map(|(i, y)| Some((i, (*y)?))).unzip();
    let data = Dataset::new(survey.cells.select_rows(&rows), values)?;
    match &survey.classes[..] {
        [] => Ok(data),
        classes => Ok(data.with_classes(classes.to_vec())?),
    }
}
