//! The command line: what every command shares.

use std::path::PathBuf;

use anyhow::Result;
use clap::{Parser, Subcommand};
use gapfit::data::LevelRule;
use gapfit::prepare::{Intercept, Preparation, Scale};
use gapfit_io::{Kinds, Missing, Reader, csv};

use crate::cmd;
use crate::talk::Talk;

/// Learns to predict straight from tables with holes.
#[derive(Debug, Parser)]
#[command(
    name = "gapfit",
    version,
    arg_required_else_help = true,
    after_help = "\
New here? gapfit demo walks through the commands in seconds. A table is CSV, NDJSON, Parquet or Arrow; \
a cell is missing when it is empty, null, NA or ? (--missing sets the list).

--config FILE.toml sets flags by their long names: those of every command at the top, those of one command \
in a table of its name; switches are true, lists are lists. What is typed wins.

  threads = 2
  [fit]
  target = \"price\"
  ignore = [\"id\", \"street\"]

Exit code 0: done, 1: failed, 2: used wrongly. Data and JSON go to standard output, talk to standard \
error, in colour on a terminal unless NO_COLOR is set.

Examples:
  gapfit compare houses.csv --target price
  gapfit fit houses.csv --target price -o houses.gapfit
  gapfit predict houses.gapfit new.csv --intervals 90 -o predictions.csv
"
)]
pub(crate) struct Args {
    /// Says nothing but errors.
    #[arg(long, short, global = true, help_heading = "General")]
    pub(crate) quiet: bool,
    /// Number of threads [default: one per core]; results do not depend on it.
    #[arg(long, global = true, value_name = "N", value_parser = threads, allow_negative_numbers = true, help_heading = "General")]
    pub(crate) threads: Option<usize>,
    /// Flags from a TOML file, see gapfit --help; what is typed wins.
    #[arg(long, global = true, value_name = "FILE", help_heading = "General")]
    config: Option<PathBuf>,
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Profile(cmd::profile::Args),
    Compare(cmd::compare::Args),
    Fit(cmd::fit::Args),
    Predict(cmd::predict::Args),
    Evaluate(cmd::evaluate::Args),
    Inspect(cmd::inspect::Args),
    Impute(cmd::impute::Args),
    Stats(cmd::stats::Args),
    Stream(Box<cmd::stream::Args>),
    Bounds(cmd::bounds::Args),
    Corrupt(cmd::corrupt::Args),
    Datasets(cmd::datasets::Args),
    Reproduce(cmd::reproduce::Args),
    Demo(cmd::demo::Args),
    Completions(cmd::completions::Args),
    Man(cmd::man::Args),
}

impl Command {
    /// Runs it.
    pub(crate) fn run(&self, talk: &Talk) -> Result<()> {
        match self {
            Self::Profile(args) => cmd::profile::run(args, talk),
            Self::Compare(args) => cmd::compare::run(args, talk),
            Self::Fit(args) => cmd::fit::run(args, talk),
            Self::Predict(args) => cmd::predict::run(args, talk),
            Self::Evaluate(args) => cmd::evaluate::run(args, talk),
            Self::Inspect(args) => cmd::inspect::run(args),
            Self::Impute(args) => cmd::impute::run(args, talk),
            Self::Stats(args) => cmd::stats::run(args, talk),
            Self::Stream(args) => cmd::stream::run(args, talk),
            Self::Bounds(args) => cmd::bounds::run(args, talk),
            Self::Corrupt(args) => cmd::corrupt::run(args, talk),
            Self::Datasets(args) => cmd::datasets::run(args),
            Self::Reproduce(args) => cmd::reproduce::run(args, talk),
            Self::Demo(args) => cmd::demo::run(args, talk),
            Self::Completions(args) => cmd::completions::run(args),
            Self::Man(args) => cmd::man::run(args, talk),
        }
    }
}

/// How the tables that a command reads are written.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Table")]
pub(crate) struct Dialect {
    /// Byte between cells: one character, or `tab` [default: recognised from the header].
    #[arg(long, value_name = "BYTE", value_parser = delimiter)]
    delimiter: Option<u8>,
    /// Texts that mark a missing cell, besides the empty one.
    #[arg(
        long,
        value_name = "TEXT,...",
        value_delimiter = ',',
        default_values_t = Missing::MARKS.map(str::to_owned),
        hide_default_value = true,
        allow_hyphen_values = true,
        help = format!("Texts that mark a missing cell, besides the empty one [default: {}]", Missing::MARKS.join(","))
    )]
    missing: Vec<String>,
}

impl Dialect {
    /// The settings of the reader.
    pub(crate) fn options(&self) -> csv::Options {
        csv::Options {
            delimiter: self.delimiter,
            missing: Missing::new(&self.missing),
        }
    }
}

/// Which columns are features, and of what kind; what is not said is guessed from the rows.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Columns")]
pub(crate) struct Columns {
    /// Columns of numbers: anything else in them is an error.
    #[arg(long, value_name = "COL,...", value_delimiter = ',', requires = "file")]
    numeric: Vec<String>,
    /// Columns of categories, even if they look like numbers.
    #[arg(long, value_name = "COL,...", value_delimiter = ',', requires = "file")]
    categorical: Vec<String>,
    /// Columns of ISO 8601 dates or times, which become days.
    #[arg(long, value_name = "COL,...", value_delimiter = ',', requires = "file")]
    dates: Vec<String>,
    /// Columns that are not looked at; they may hold anything.
    #[arg(long, value_name = "COL,...", value_delimiter = ',', requires = "file")]
    ignore: Vec<String>,
    /// Columns that tell rows apart: no features.
    #[arg(long, value_name = "COL,...", value_delimiter = ',', requires = "file")]
    id: Vec<String>,
    /// Categories of a column with a feature of their own, at most; rarer ones share one.
    #[arg(long, value_name = "N", default_value_t = LevelRule::default().max_levels, value_parser = levels, allow_negative_numbers = true)]
    max_levels: usize,
}

impl Columns {
    /// Takes the columns out of `reader` that are no features.
    pub(crate) fn leave_out(&self, reader: &mut Reader) -> gapfit_io::Result<()> {
        reader.ignore(&self.id, "id")?;
        let both = |name: &&String| !self.id.contains(name);
        let ignored: Vec<&String> = self.ignore.iter().filter(both).collect();
        reader.ignore(&ignored, "ignored")
    }

    /// The kinds that are not guessed.
    pub(crate) fn kinds(&self) -> Kinds {
        Kinds {
            numeric: self.numeric.clone(),
            categorical: self.categorical.clone(),
            dates: self.dates.clone(),
            level_rule: LevelRule {
                max_levels: self.max_levels,
                ..LevelRule::default()
            },
        }
    }
}

/// How rows are prepared before a method sees them.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Preparation")]
pub(crate) struct Preparing {
    /// Unit of the columns: standard, minmax or none.
    #[arg(long, default_value_t)]
    scale: Scale,
    /// Cuts observed cells at this training quantile and its mirror image; 0 is off.
    #[arg(long, value_name = "Q", default_value_t = Preparation::default().clip, allow_negative_numbers = true)]
    clip: f64,
    /// Constant term: free, penalised or none.
    #[arg(long, default_value_t)]
    intercept: Intercept,
}

impl Preparing {
    /// The settings, checked.
    pub(crate) fn preparation(&self) -> Result<Preparation, Usage> {
        let preparation = Preparation {
            scale: self.scale,
            clip: self.clip,
            intercept: self.intercept,
        };
        preparation
            .validate()
            .map_err(|error| Usage::flag(&error))?;
        Ok(preparation)
    }
}

fn delimiter(text: &str) -> Result<u8, String> {
    let byte = match text.as_bytes() {
        b"tab" | b"\\t" => b'\t',
        [byte] => *byte,
        _ => return Err("expected one ASCII character or tab".to_owned()),
    };
    match byte {
        b'"' | b'\n' | b'\r' | b'.' | b'+' | b'-' => Err("cannot stand between numbers".to_owned()),
        _ if byte.is_ascii_alphanumeric() => Err("cannot stand between numbers".to_owned()),
        _ => Ok(byte),
    }
}

/// A number of levels; each is a feature.
fn levels(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(levels @ 1..=10_000) => Ok(levels),
        _ => Err("expected a whole number from 1 to 10000".to_owned()),
    }
}

/// A number of threads; beyond the largest, starting them takes longer than they save.
fn threads(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(threads @ 1..=1024) => Ok(threads),
        _ => Err("expected a whole number from 1 to 1024".to_owned()),
    }
}

/// A number of folds; only the table can tell how many are too many.
pub(crate) fn folds(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(folds @ 2..) => Ok(folds),
        _ => Err("expected a whole number from 2 to the number of rows".to_owned()),
    }
}

/// A seed of random choices.
pub(crate) fn seed(text: &str) -> Result<u64, String> {
    text.parse()
        .map_err(|_| format!("expected a whole number from 0 to {}", u64::MAX))
}

/// The command was used wrongly: flags that contradict each other, or one that is absent.
#[derive(Debug)]
pub(crate) struct Usage(pub(crate) String);

impl Usage {
    /// The library's word on a setting, as the word on the flag of that name.
    pub(crate) fn flag(error: &gapfit::Error) -> Self {
        Self(format!("--{error}"))
    }
}

impl std::error::Error for Usage {}

impl std::fmt::Display for Usage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}\n\nFor more information, try '--help'.", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_well_formed() {
        Args::command().debug_assert();
    }

    #[test]
    fn delimiters_are_one_byte_that_no_number_holds() {
        assert_eq!(delimiter("tab"), Ok(b'\t'));
        assert_eq!(delimiter("\t"), Ok(b'\t'));
        assert_eq!(delimiter("|"), Ok(b'|'));
        for bad in ["", ",,", "é", "1", "e", ".", "\""] {
            assert!(delimiter(bad).is_err(), "{bad:?}");
        }
    }
}
