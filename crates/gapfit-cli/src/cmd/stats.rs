//! `gapfit stats`: sums over the rows of tables, from which `fit --from-stats` learns.

use std::path::PathBuf;

use anyhow::Result;
use gapfit::{Gathering, Statistics};
use gapfit_io::{Roles, Task};
use serde::Serialize;

use crate::args::{Columns, Dialect, Usage};
use crate::input::Opened;
use crate::output::Output;
use crate::tables::Tables;
use crate::talk::Talk;

/// Sums up the rows of one or more tables, for fit --from-stats.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
What comes out stands for the rows in fits with the squared loss, takes little room however many they are, and adds \
up: parts of a table can be summed on different days or machines. Tables are read in chunks and need not fit into memory; \
those with columns of text are read twice, and so are those whose first rows mislead about the others, as in a sorted table. Rows with a cell in a tail are kept as they are, since where fit clips is known \
only when all rows have been seen; --clip 0 keeps none. Sums are kept for each pattern of holes; where patterns are too many (256 MB) they \
are added up, and what comes out is for the bases mean and zero alone.

Categories have the levels of all parts; those that are rare in one part, and share a feature there, share it in the sum. \
Tables that are read together have the levels that a fit to all rows has.

Examples:
  gapfit stats 'may-*.parquet' --target price -o may.gapstats
  gapfit fit --from-stats may.gapstats june.gapstats --target price -o price.gapfit
")]
pub(crate) struct Args {
    /// The tables, or patterns such as 'may-*.csv'; they have the same columns. `-` for standard input.
    #[arg(required = true, value_name = "FILE")]
    file: Vec<PathBuf>,
    /// Column to predict.
    #[arg(long, value_name = "COL")]
    target: String,
    /// Where the statistics go, `-` for standard output.
    #[arg(long, short, value_name = "STATS")]
    output: PathBuf,
    /// Column of row weights.
    #[arg(long, value_name = "COL")]
    weight: Option<String>,
    /// Largest quantile at which fits can clip; 0 keeps no rows for that.
    #[arg(long, default_value_t = Gathering::default().clip, allow_negative_numbers = true)]
    clip: f64,
    /// Leaves out the blocks that tuning needs: faster, and a tenth of the room.
    #[arg(long)]
    no_tuning: bool,
    /// Writes what came out as JSON to standard output.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    columns: Columns,
    #[command(flatten)]
    dialect: Dialect,
}

/// Runs the command.
pub(crate) fn run(args: &Args, talk: &Talk) -> Result<()> {
    let gathering = Gathering {
        clip: args.clip,
        is_blocked: !args.no_tuning,
    };
    gathering.validate().map_err(|error| Usage::flag(&error))?;
    let output = Output::new(&args.output)?;
    output.check_beside_json(args.json)?;
    let tables = Tables::new(&args.file, args.dialect.options(), talk)?;
    output.check_keeps(&tables.paths())?;
    let statistics = args.gather(&tables, gathering, talk)?;
    let n_tables = tables.len();
    drop(tables);
    let mut bytes = 0;
    output.write(|out| {
        bytes = statistics.write(out)?;
        Ok(())
    })?;
    let report = Report::new(&statistics, n_tables, bytes);
    if args.json {
        return Output::stdout().write_json(&report);
    }
    talk.note(report.sentence());
    Ok(())
}

impl Args {
    fn gather(&self, tables: &Tables, gathering: Gathering, talk: &Talk) -> Result<Statistics> {
        let roles = Roles {
            target: self.target.clone(),
            further_targets: Vec::new(),
            weight: self.weight.clone(),
            folds_by: None,
            task: Task::Regression,
        };
        let opened = Opened::new(tables, &self.columns)?;
        if tables.is_stdin() {
            // a pipe is read once, and texts need two passes
            let rows = opened.rows(&roles, talk)?.data;
            return Ok(Statistics::of(&rows, gathering)?);
        }
        opened.sums(&roles, gathering, talk)
    }
}

/// What came out.
#[derive(Debug, Serialize)]
struct Report<'a> {
    files: usize,
    target: &'a str,
    n_rows: usize,
    n_features: usize,
    kept_rows: usize,
    /// Whether patterns of holes are told apart.
    by_pattern: bool,
    bytes: usize,
}

impl<'a> Report<'a> {
    fn new(statistics: &'a Statistics, files: usize, bytes: usize) -> Self {
        Self {
            files,
            target: statistics.target_name(),
            n_rows: statistics.n_rows(),
            n_features: statistics.names().len(),
            kept_rows: statistics.n_kept(),
            by_pattern: !statistics.is_folded(),
            bytes,
        }
    }

    fn sentence(&self) -> String {
        let Self {
            n_rows, kept_rows, ..
        } = self;
        let megabytes = self.bytes as f64 / 1e6;
        let kept = match kept_rows {
            0 => String::new(),
            all if all == n_rows => ", so few that all are kept as they are".to_owned(),
            some => format!(", {some} of them with cells in a tail and kept as they are"),
        };
        let limits = match self.by_pattern {
            true => "",
            false => {
                "; patterns of holes are too many to be told apart: fits from these statistics are on the bases mean and zero"
            }
        };
        format!("{n_rows} rows summed up{kept}: {megabytes:.1} MB{limits}")
    }
}
