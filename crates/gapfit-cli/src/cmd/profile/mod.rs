//! `gapfit profile`: what is missing in a table, and whether that says something.

mod report;

use std::path::PathBuf;

use anyhow::Result;
use gapfit_io::Survey;

use crate::args::{Columns, Dialect};
use crate::output::Output;
use crate::tables::Tables;
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

Rows are looked at one by one and not kept: memory grows with the number of different masks, of which about a million \
are told apart, not with that of rows. Several tables are one, with the columns of the first.

Examples:
  gapfit profile houses.csv --target price
  gapfit profile houses.csv --ignore id,street --json
  gapfit profile 'may-*.parquet' --target price
")]
pub(crate) struct Args {
    /// The table or tables, also patterns such as 'may-*.csv'; `-` for standard input.
    #[arg(required = true)]
    file: Vec<PathBuf>,
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
    let tables = Tables::new(&args.file, args.dialect.options(), talk)?;
    let open = |i: usize| {
        let mut reader = tables.open(i)?;
        args.columns.leave_out(&mut reader)?;
        Ok(reader)
    };
    let kinds = args.columns.kinds();
    let survey = Survey::read_files(tables.len(), open, args.target.as_deref(), &kinds)?;
    drop(tables);
    let report = Report::new(&survey, args.top);
    if args.json {
        return Output::stdout().write_json(&report);
    }
    Output::stdout().write(|out| Ok(write!(out, "{}", report.text(args.target.as_deref()))?))
}
