//! `gapfit datasets`: the embedded tables, listed or written out.

use std::path::PathBuf;

use anyhow::Result;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use gapfit_paper::Embedded;
use serde::Serialize;

use crate::output::Output;
use crate::text_table::TextTable;

/// Lists the embedded data sets, or writes one out.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Files are CSV: a header, the features, the target last, an empty cell for a hole, rows in the order of \
the source. The licence of each set is the one that its source is known to state; the licences of the program do \
not extend to them.

Examples:
  gapfit datasets
  gapfit datasets abalone -o abalone.csv
")]
pub(crate) struct Args {
    /// The set to write out [default: lists all].
    #[arg(value_parser = name_parser())]
    name: Option<Embedded>,
    /// Where it goes, `-` for standard output.
    #[arg(
        long,
        short,
        value_name = "OUT",
        default_value = "-",
        requires = "name"
    )]
    output: PathBuf,
    /// Lists them as JSON.
    #[arg(long, conflicts_with = "name")]
    json: bool,
}

fn name_parser() -> impl TypedValueParser<Value = Embedded> {
    PossibleValuesParser::new(Embedded::ALL.map(Embedded::name)).map(|name| {
        let set = Embedded::ALL.into_iter().find(|set| set.name() == name);
        set.expect("the possible values are names of sets")
    })
}

/// One set, as JSON has it.
#[derive(Debug, Serialize)]
struct Listed {
    name: &'static str,
    rows: usize,
    features: usize,
    holes: usize,
    target: &'static str,
    licence: &'static str,
    source: &'static str,
    description: &'static str,
}

/// Runs the command.
pub(crate) fn run(args: &Args) -> Result<()> {
    let output = Output::new(&args.output)?;
    if let Some(set) = args.name {
        return output.write(|out| Ok(out.write_all(&set.csv())?));
    }
    let sets = Embedded::ALL.map(Listed::new);
    if args.json {
        return output.write_json(&sets);
    }
    let mut table = TextTable::new([
        "name", "rows", "features", "holes", "target", "licence", "source",
    ]);
    for set in &sets {
        table.push([
            set.name.to_owned(),
            set.rows.to_string(),
            set.features.to_string(),
            set.holes.to_string(),
            set.target.to_owned(),
            set.licence.to_owned(),
            set.source.to_owned(),
        ]);
    }
    output.write(|out| Ok(write!(out, "{table}")?))
}

impl Listed {
    fn new(set: Embedded) -> Self {
        let data = set.load();
        let missing = data
            .features()
            .rows()
            .map(|row| row.observed().missing().count());
        Self {
            name: set.name(),
            rows: data.n_rows(),
            features: data.n_features(),
            holes: missing.sum(),
            target: set.target_name(),
            licence: set.licence(),
            source: set.attribution(),
            description: set.description(),
        }
    }
}
