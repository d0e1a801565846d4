//! `gapfit corrupt`: punches holes into a table.

use std::collections::HashMap;
use std::path::PathBuf;

use anyhow::Result;
use clap::builder::PossibleValuesParser;
use gapfit::corrupt::Mechanism;
use gapfit::data::MaskedMatrix;
use gapfit_io::{Error, Source, Table, csv};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use serde::Serialize;

use crate::args::{Dialect, Usage, seed};
use crate::output::{Output, Staged};
use crate::talk::Talk;

/// Punches holes into a table, by one of nine mechanisms.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Cells that stay are copied byte by byte. The same seed makes the same holes.

Examples:
  gapfit corrupt houses.csv --mechanism mcar --rate 0.3 --target price -o holey.csv
  gapfit corrupt digits.csv --mechanism columns --columns p3,p11 --columns p4,p12 -o holey.csv
")]
pub(crate) struct Args {
    /// The table, `-` for standard input.
    file: PathBuf,
    /// How cells are chosen; independent and dependent take --beta, columns takes --columns, the
    /// others --rate.
    #[arg(long, value_name = "NAME", value_parser = PossibleValuesParser::new(Mechanism::NAMES))]
    mechanism: String,
    /// Fraction of the observed cells of each column that go missing.
    #[arg(long, conflicts_with = "beta", allow_negative_numbers = true)]
    rate: Option<f64>,
    /// Largest chance of a cell to go missing.
    #[arg(long, allow_negative_numbers = true)]
    beta: Option<f64>,
    /// A group of columns; each row loses one of the groups. Repeat for each group.
    #[arg(long, value_name = "COL,...")]
    columns: Vec<String>,
    /// Seed of the random choices.
    #[arg(long, default_value_t = 0, value_parser = seed, allow_negative_numbers = true)]
    seed: u64,
    /// Column left alone: the target.
    #[arg(long, value_name = "COL")]
    target: Option<String>,
    /// Other columns left alone; they may hold text.
    #[arg(long, value_name = "COL,...", value_delimiter = ',')]
    keep: Vec<String>,
    /// Where the table with holes goes, `-` for standard output.
    #[arg(long, short, value_name = "OUT", default_value = "-")]
    output: PathBuf,
    /// Where to write which cells are observed: 1 or 0, with the header of the table.
    #[arg(long, value_name = "MASK")]
    mask_out: Option<PathBuf>,
    /// Writes what was done as JSON to standard output.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    dialect: Dialect,
}

/// Runs the command.
pub(crate) fn run(args: &Args, talk: &Talk) -> Result<()> {
    let by_number = mechanism_with_number(args)?;
    let (output, mask_output) = outputs(args)?;
    output.check_beside_json(args.json)?;
    let source = Source::from(args.file.as_path());
    let text = source.read_all()?;
    let table = read(&text, &source, args)?;
    let mechanism = match by_number {
        Some(mechanism) => mechanism,
        None => deletion_of_columns(args, &table)?,
    };
    let mut rng = ChaCha8Rng::seed_from_u64(args.seed);
    let holey = mechanism.apply(table.cells(), &mut rng)?;

    let options = args.dialect.options();
    let mut copy = Vec::with_capacity(text.len());
    csv::blank(&text, options.delimiter, &mut copy, hidden(&table, &holey))?;
    let mut mask = None;
    if let Some(to) = mask_output {
        let mut bytes = Vec::new();
        csv::mask(&copy, options.delimiter, &options.missing, &mut bytes)?;
        mask = Some(to.stage(|out| Ok(out.write_all(&bytes)?))?);
    }
    output.write(|out| Ok(out.write_all(&copy)?))?;
    mask.map_or(Ok(()), Staged::commit)?;
    let report = Report::new(args, &table, &holey);
    if args.json {
        return Output::stdout().write_json(&report);
    }
    talk.note(report.sentence());
    Ok(())
}

/// What was done.
#[derive(Debug, Serialize)]
struct Report<'a> {
    mechanism: &'a str,
    seed: u64,
    n_rows: usize,
    n_columns: usize,
    observed_fraction: f64,
    observed_fraction_before: f64,
}

impl<'a> Report<'a> {
    fn new(args: &'a Args, table: &Table, holey: &MaskedMatrix) -> Self {
        Self {
            mechanism: &args.mechanism,
            seed: args.seed,
            n_rows: holey.n_rows(),
            n_columns: holey.n_cols(),
            observed_fraction: holey.observed_fraction(),
            observed_fraction_before: table.cells().observed_fraction(),
        }
    }

    fn sentence(&self) -> String {
        format!(
            "{} rows, {} columns: {:.1} % of the cells observed, {:.1} % before",
            self.n_rows,
            self.n_columns,
            100.0 * self.observed_fraction,
            100.0 * self.observed_fraction_before
        )
    }
}

/// The mechanism with its rate or beta; `None` for the deletion of columns, which needs the table.
fn mechanism_with_number(args: &Args) -> Result<Option<Mechanism>, Usage> {
    let name = args.mechanism.as_str();
    let wanted = match name {
        "columns" => "--columns",
        "independent" | "dependent" => "--beta",
        _ => "--rate",
    };
    let given = [
        ("--columns", !args.columns.is_empty()),
        ("--beta", args.beta.is_some()),
        ("--rate", args.rate.is_some()),
    ];
    for (flag, is_given) in given {
        if is_given != (flag == wanted) {
            let got = if is_given { flag } else { "none" };
            return Err(Usage(format!(
                "--mechanism {name}: expected {wanted}, got {got}"
            )));
        }
    }
    let mechanism = match (args.rate, args.beta) {
        (Some(rate), _) => Mechanism::with_rate(name, rate),
        (_, Some(beta)) => Mechanism::with_beta(name, beta),
        _ => return Ok(None),
    };
    mechanism.map(Some).map_err(|error| Usage::flag(&error))
}

/// Where the table goes, and where the mask.
fn outputs(args: &Args) -> Result<(Output, Option<Output>)> {
    let output = Output::new(&args.output)?;
    let mask = args.mask_out.as_deref().map(Output::new).transpose()?;
    if mask.as_ref().is_some_and(|mask| mask.is_same(&output)) {
        let message = "--mask-out: expected another place than --output, got the same";
        return Err(Usage(message.to_owned()).into());
    }
    Ok((output, mask))
}

/// The columns of `text` that may lose cells.
fn read(text: &[u8], source: &Source, args: &Args) -> gapfit_io::Result<Table> {
    let file = source.name();
    let mut reader = csv::Reader::new(text, &file, &args.dialect.options())?;
    for (names, role) in [(args.target.as_slice(), "target"), (&args.keep, "kept")] {
        for name in names {
            reader.position(name, role)?;
        }
    }
    reader.retain(|name| {
        !args
            .target
            .iter()
            .chain(&args.keep)
            .any(|left| left == name)
    });
    if reader.columns().is_empty() {
        return Err(Error::NoFeatures { file });
    }
    Table::read(&mut reader)
}

/// The mechanism that deletes one of the groups of --columns in each row.
fn deletion_of_columns(args: &Args, table: &Table) -> Result<Mechanism> {
    let place = |name: &str| table.position(name, "corrupted");
    let group = |names: &String| names.split(',').map(|name| place(name.trim())).collect();
    let groups = args.columns.iter().map(group).collect::<Result<_, _>>()?;
    Ok(Mechanism::Columns { groups })
}

/// Whether the cell in a row and a column of the file has become a hole.
fn hidden(table: &Table, holey: &MaskedMatrix) -> impl Fn(usize, usize) -> bool {
    let places: HashMap<usize, usize> = table
        .columns()
        .iter()
        .enumerate()
        .map(|(j, column)| (column.index, j))
        .collect();
    move |row, column| match places.get(&column) {
        Some(&j) => table.cells().get(row, j).is_some() && holey.get(row, j).is_none(),
        None => false,
    }
}
