//! `gapfit impute`: fills the holes of a table as a model learnt to.

mod filling;

use std::path::PathBuf;

use anyhow::{Result, ensure};
use gapfit::Model;
use gapfit::joint::Imputation;
use gapfit_io::Encoder;
use gapfit_io::csv::CopyError;
use serde::Serialize;

use super::predict::check_inputs;
use crate::any_model::load_batch;
use crate::args::Dialect;
use crate::input;
use crate::matching::{self, Known};
use crate::output::Output;
use crate::talk::Talk;
use filling::Filling;

/// Fills the holes of a table as a model learnt to.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Columns are matched by name. Observed cells and columns that are no features of the model are copied byte \
by byte from CSV; tables of other formats come out as CSV. Holes get the value of the model's base imputer and, with a model of irr that learnt one, the \
correction it makes for the sake of the prediction (--by base leaves that out). What it says about a cell is what the \
predictor was best served by, not what the cell most likely held. A model of several targets fills with its base alone: what a hole is best seen as differs by target. Categories are filled with the likeliest. Features that were never observed in training keep their \
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
    let (mut reader, mut rewriter) = input::open_twice(&args.file, &args.dialect.options(), talk)?;
    let known = Known::from(&model);
    matching::keep_features(&mut reader, &known, &[], talk)?;
    let mut encoder = Encoder::new(&mut reader, &known.schema);
    let mut report = Report::new(&model, args.by);
    output.write(|out| {
        let by = (&model, args.by);
        while let Some(filling) = Filling::next(&mut reader, &mut encoder, by)? {
            for i in 0..filling.n_rows() {
                let is_row = rewriter.next_row(out, |column| filling.cell(i, column));
                ensure!(
                    is_row.map_err(unwritten)?,
                    "{}: changed while it was read",
                    reader.file()
                );
            }
            report.count(&filling);
        }
        match report.n_rows {
            0 => Err(reader.no_rows().into()),
            // what stands behind the last row
            _ => rewriter
                .next_row(out, |_| None)
                .map(drop)
                .map_err(unwritten),
        }
    })?;
    input::warn_of_levels(encoder.unseen(), reader.file(), talk);
    if args.json {
        return Output::stdout().write_json(&report);
    }
    talk.note(report.sentence());
    Ok(())
}

/// What cannot be written is named by the output, what cannot be read by itself.
fn unwritten(error: CopyError) -> anyhow::Error {
    match error {
        CopyError::Io(cause) => cause.into(),
        other => other.into(),
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
    #[serde(skip)]
    n_targets: usize,
}

impl Report {
    /// Nothing is filled yet.
    fn new(model: &Model, by: By) -> Self {
        Self {
            n_rows: 0,
            filled: 0,
            left: 0,
            base: model.method().base().to_string(),
            n_targets: model.n_targets(),
            corrected: match by {
                By::Learnt => Some(Imputation::of(model).is_some()),
                By::Base => None,
            },
        }
    }

    /// Takes note of some more rows.
    fn count(&mut self, filling: &Filling<'_>) {
        let (filled, left) = filling.count();
        self.filled += filled;
        self.left += left;
        self.n_rows += filling.n_rows();
    }

    fn sentence(&self) -> String {
        let base = &self.base;
        let how = match self.corrected {
            Some(true) => format!("by the base {base} and the correction that was learnt"),
            Some(false) if self.n_targets > 1 => format!(
                "by the base {base}; each of the {} targets has a correction of its own, so none is made",
                self.n_targets
            ),
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
