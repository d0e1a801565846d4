//! `gapfit impute`: fills the holes of a table as a model learnt to.

mod filling;

use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Result;
use gapfit::Model;
use gapfit::joint::Imputation;
use gapfit_io::{Cell, Encoder, Format, Reader, Reading, Source, csv};
use serde::Serialize;

use super::predict::check_inputs;
use crate::any_model::load_batch;
use crate::args::Dialect;
use crate::csv_cell::quoted;
use crate::input;
use crate::matching::{self, Known};
use crate::output::Output;
use crate::talk::Talk;
use filling::Filling;

/// Rows that are filled at once where the text is not kept.
const ROWS: usize = 1 << 14;

/// Fills the holes of a table as a model learnt to.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Columns are matched by name. Observed cells and columns that are no features of the model are copied byte \
by byte from CSV; tables of other formats, and compressed ones, come out as CSV. Holes get the value of the model's base imputer and, with a model of irr that learnt one, the \
correction it makes for the sake of the prediction (--by base leaves that out). What it says about a cell is what the \
predictor was best served by, not what the cell most likely held. Categories are filled with the likeliest. Features that were never observed in training keep their \
holes.

Examples:
  gapfit impute houses.gapfit new.csv -o filled.csv
  gapfit impute houses.gapfit new.csv --by base -o filled.csv
")]
pub(crate) struct Args {
    /// The model, as written by gapfit fit.
    model: PathBuf,
    /// The table, `-` for standard input.
    file: PathBuf,
    /// Where the filled table goes, `-` for standard output.
    #[arg(long, short, value_name = "OUT", default_value = "-")]
    output: PathBuf,
    /// What fills the holes.
    #[arg(long, value_enum, default_value_t)]
    by: By,
    /// Writes what was filled as JSON to standard output.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    dialect: Dialect,
}

/// What fills the holes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
enum By {
    /// The base, and the correction on top of it where there is one.
    #[default]
    Learnt,
    /// The base alone.
    Base,
}

/// Runs the command.
pub(crate) fn run(args: &Args, talk: &Talk) -> Result<()> {
    check_inputs(&args.model, &args.file)?;
    let output = Output::new(&args.output)?;
    output.check_beside_json(args.json)?;
    output.check_keeps(&[&args.model, &args.file])?;
    let model = load_batch(&args.model)?;
    let source = Source::from(args.file.as_path());
    let bytes = Arc::<[u8]>::from(source.read_all()?);
    let options = args.dialect.options();
    let open = || Reader::new(Arc::clone(&bytes), &source.name(), &options);
    let mut reader = open()?;
    let known = Known::from(&model);
    matching::keep_features(&mut reader, &known, &[], talk)?;
    let mut encoder = Encoder::new(&mut reader, &known.schema);
    let mut report = Report::new(&model, args.by);
    output.write(|out| {
        let is_text = reader.format() == Format::Csv && !is_packed(&bytes);
        let at_most = if is_text { usize::MAX } else { ROWS };
        let mut cells = if is_text {
            None
        } else {
            Some(Cells::new(open()?, out)?)
        };
        while let Some(filling) =
            Filling::next(&mut reader, &mut encoder, (&model, args.by), at_most)?
        {
            match &mut cells {
                Some(cells) => cells.write(&filling, out)?,
                None => csv::replace(&bytes, options.delimiter, out, |i, j| filling.cell(i, j))?,
            }
            let (filled, left) = filling.count();
            report.filled += filled;
            report.left += left;
            report.n_rows += filling.n_rows();
        }
        match report.n_rows {
            0 => Err(reader.no_rows().into()),
            _ => Ok(()),
        }
    })?;
    input::warn_of_levels(encoder.unseen(), reader.file(), talk);
    if args.json {
        return Output::stdout().write_json(&report);
    }
    talk.note(report.sentence());
    Ok(())
}

/// Whether these are the bytes of a gzip file.
fn is_packed(bytes: &[u8]) -> bool {
    bytes.starts_with(&[0x1F, 0x8B])
}

/// The cells of a table that is no plain text, written as CSV.
struct Cells {
    reader: Reader,
}

impl Cells {
    /// Reads every column as text, and writes the header.
    fn new(mut reader: Reader, out: &mut dyn Write) -> Result<Self> {
        let columns = 0..reader.columns().len();
        columns.for_each(|j| reader.read_as(j, Reading::Text));
        let names: Vec<String> = reader.columns().iter().map(|c| quoted(&c.name)).collect();
        writeln!(out, "{}", names.join(","))?;
        Ok(Self { reader })
    }

    /// Writes the next rows, those of the filling.
    fn write(&mut self, filling: &Filling<'_>, out: &mut dyn Write) -> Result<()> {
        let columns: Vec<usize> = self.reader.columns().iter().map(|c| c.index).collect();
        for i in 0..filling.n_rows() {
            let row = self.reader.next_row()?;
            let row = row.expect("the same rows as have been read before");
            for (j, &column) in columns.iter().enumerate() {
                let separator = if j == 0 { "" } else { "," };
                let text = match row.cell(j) {
                    Cell::Text(text) => quoted(text),
                    Cell::Number(number) => format!("{number:?}"),
                    Cell::Hole => filling
                        .cell(i, column)
                        .map_or(String::new(), |t| quoted(&t)),
                };
                write!(out, "{separator}{text}")?;
            }
            writeln!(out)?;
        }
        Ok(())
    }
}

/// What was filled by what, and what was not.
#[derive(Debug, Serialize)]
struct Report {
    n_rows: usize,
    filled: usize,
    /// Holes in features that were never observed in training.
    left: usize,
    base: String,
    /// Whether the correction that was learnt is on top of the base; absent if it was not asked for.
    corrected: Option<bool>,
}

impl Report {
    /// Nothing is filled yet.
    fn new(model: &Model, by: By) -> Self {
        Self {
            n_rows: 0,
            filled: 0,
            left: 0,
            base: model.method().base().to_string(),
            corrected: match by {
                By::Learnt => Some(Imputation::of(model).is_some()),
                By::Base => None,
            },
        }
    }

    fn sentence(&self) -> String {
        let base = &self.base;
        let how = match self.corrected {
            Some(true) => format!("by the base {base} and the correction that was learnt"),
            Some(false) => format!("by the base {base}; the model has no correction to it"),
            None => format!("by the base {base}"),
        };
        let left = match self.left {
            0 => String::new(),
            n => format!("; {n} left in features that were never observed in training"),
        };
        format!("{} holes filled {how}{left}", self.filled)
    }
}
