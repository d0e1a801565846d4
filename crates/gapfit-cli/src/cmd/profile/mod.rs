//! `gapfit profile`: what is missing in a table, and whether that says something.

mod report;

use std::path::PathBuf;

use anyhow::Result;
use gapfit::data::Dataset;
use gapfit::profile::{Association, Profile};
use gapfit_io::{Error, Reading, Table};

use crate::args::Dialect;
use crate::input;
use crate::output::Output;
use crate::talk::Talk;
use report::Report;

/// Says what is missing in a table, and whether that is informative.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Columns may hold anything, only the target must be numbers: what counts is whether a cell is there. \
With --target, the mean of the target where a column is missing is compared with that where it is observed. The p-value is \
corrected for the number of columns (Holm): below 0.05, holes in this column say something about the target, by \
themselves or through other columns. The estimate of time and memory for gapfit fit gives the order of magnitude only, and counts a category as one feature.

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
    /// Columns that are not looked at.
    #[arg(long, value_name = "COL,...", value_delimiter = ',')]
    ignore: Vec<String>,
    /// Lines at most in each table.
    #[arg(long, value_name = "N", default_value_t = 10)]
    top: usize,
    /// Writes JSON instead of tables.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    dialect: Dialect,
}

/// Runs the command.
pub(crate) fn run(args: &Args, talk: &Talk) -> Result<()> {
    let mut reader = input::open(&args.file, &args.dialect.options(), talk)?;
    reader.ignore(&args.ignore, "ignored")?;
    let target = match &args.target {
        Some(name) => Some(reader.position(name, "target")?),
        None => None,
    };
    let features: Vec<Option<usize>> = (0..reader.columns().len())
        .filter(|j| Some(*j) != target)
        .map(Some)
        .collect();
    if features.is_empty() {
        let file = reader.file().to_owned();
        return Err(Error::NoFeatures { file }.into());
    }
    if let Some(target) = target {
        reader.read_as(target, Reading::Number);
    }
    let table = Table::read_any(&mut reader)?;
    let names = features.iter().flatten();
    let names: Vec<String> = names.map(|&j| table.columns()[j].name.clone()).collect();
    let cells = table.cells().select_columns(&features);
    let associations = match target {
        Some(target) => Association::all(&with_target(&table, target, &features)?),
        None => Vec::new(),
    };
    let report = Report::new(&Profile::of(&cells), &names, &associations, args.top);
    if args.json {
        return Output::stdout().write_json(&report);
    }
    Output::stdout().write(|out| Ok(write!(out, "{}", report.text(args.target.as_deref()))?))
}

/// The rows that have a target.
fn with_target(table: &Table, target: usize, features: &[Option<usize>]) -> Result<Dataset> {
    let cells = table.cells();
    let rows: Vec<usize> = (0..cells.n_rows())
        .filter(|&i| cells.get(i, target).is_some())
        .collect();
    let values = rows.iter().filter_map(|&i| cells.get(i, target)).collect();
    let features = cells.select_rows(&rows).select_columns(features);
    Ok(Dataset::new(features, values)?)
}
