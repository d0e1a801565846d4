//! `gapfit impute`: fills the holes of a table as a model learnt to.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Result;
use gapfit::Model;
use gapfit::data::{MaskedMatrix, Schema};
use gapfit::joint::Imputation;
use gapfit_io::{Encoder, Format, Reader, Source, csv, decode};
use serde::Serialize;

use super::predict::check_inputs;
use crate::any_model::load_batch;
use crate::args::Dialect;
use crate::hint::Hinted;
use crate::matching::{self, Known};
use crate::output::Output;
use crate::talk::Talk;

/// Fills the holes of a table as a model learnt to.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Columns are matched by name. Observed cells and columns that are no features of the model are copied byte \
by byte. Holes get the value of the model's base imputer and, with a model of irr that learnt one, the \
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
    let text = Arc::<[u8]>::from(source.read_all()?);
    let options = args.dialect.options();
    let mut reader = Reader::new(Arc::clone(&text), &source.name(), &options)?;
    if reader.format() != Format::Csv {
        return Err(Hinted::error(
            format!("{}: expected CSV, got {}", reader.file(), reader.format()),
            "write the table as CSV first",
        ));
    }
    let known = Known::from(&model);
    matching::keep_features(&mut reader, &known, &[], talk)?;
    let filling = Filling::read(&mut reader, &known.schema, &model, args.by)?;
    output.write(|out| {
        let fill = |row, column| filling.cell(row, column);
        Ok(csv::replace(&text, options.delimiter, out, fill)?)
    })?;
    let report = filling.report(&model, args.by);
    if args.json {
        return Output::stdout().write_json(&report);
    }
    talk.note(report.sentence());
    Ok(())
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

/// Which cells of a file are filled, with what.
struct Filling<'a> {
    schema: &'a Schema,
    /// The column of the schema that each column of the file is, where it is one.
    columns: HashMap<usize, usize>,
    /// Whether the cells are holes, a column of the schema each, row by row.
    holes: Vec<bool>,
    filled: MaskedMatrix,
}

impl<'a> Filling<'a> {
    /// Reads all rows.
    fn read(reader: &mut Reader, schema: &'a Schema, model: &Model, by: By) -> Result<Self> {
        let mut encoder = Encoder::new(reader, schema);
        let (mut features, mut holes) = (MaskedMatrix::new(schema.n_features()), Vec::new());
        while encoder.next_row(reader, &mut features)? {
            holes.extend_from_slice(encoder.holes());
        }
        if features.n_rows() == 0 {
            return Err(reader.no_rows().into());
        }
        let index = |column| Some((reader.columns()[encoder.place(column)?].index, column));
        let columns = (0..schema.columns().len()).filter_map(index).collect();
        let filled = match by {
            By::Learnt => model.impute(&features)?,
            By::Base => model.fill(&features)?,
        };
        Ok(Self {
            schema,
            columns,
            holes,
            filled,
        })
    }

    /// The text that fills a cell of the file, if it is a hole.
    fn cell(&self, row: usize, column: usize) -> Option<String> {
        let column = *self.columns.get(&column)?;
        let is_hole = self.holes[row * self.schema.columns().len() + column];
        is_hole.then(|| self.filled(row, column)).flatten()
    }

    /// What stands in a cell once it is filled; `None` in a column that was never observed in training.
    fn filled(&self, row: usize, column: usize) -> Option<String> {
        let features = self.schema.features(column);
        let values = features.map(|j| self.filled.get(row, j));
        let values: Option<Vec<f64>> = values.collect();
        Some(decode(&self.schema.columns()[column].kind, &values?))
    }

    fn report(&self, model: &Model, by: By) -> Report {
        let n_columns = self.schema.columns().len();
        let holes = self
            .holes
            .iter()
            .enumerate()
            .filter(|(_, is_hole)| **is_hole);
        let is_filled = |(cell, _): &(usize, &bool)| {
            let first = self.schema.features(cell % n_columns).start;
            self.filled.get(cell / n_columns, first).is_some()
        };
        let (filled, left): (Vec<_>, Vec<_>) = holes.partition(is_filled);
        Report {
            n_rows: self.filled.n_rows(),
            filled: filled.len(),
            left: left.len(),
            base: model.method().base().to_string(),
            corrected: match by {
                By::Learnt => Some(Imputation::of(model).is_some()),
                By::Base => None,
            },
        }
    }
}
