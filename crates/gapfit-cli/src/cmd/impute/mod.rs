//! `gapfit impute`: fills the holes of a table as a model learnt to.

mod filling;
mod joined;
mod places;

use std::path::PathBuf;

use anyhow::{Result, ensure};
use gapfit::Model;
use gapfit::joint::Imputation;
use gapfit_io::csv::CopyError;
use gapfit_io::{Encoder, Reader, Rewriter};
use serde::Serialize;

use super::predict::check_inputs;
use crate::any_model::load_batch;
use crate::args::Dialect;
use crate::input;
use crate::matching::{self, Known};
use crate::output::{Output, Staged};
use crate::tables::Tables;
use crate::talk::Talk;
use filling::Filling;
use joined::Joined;
use places::Places;

/// Fills the holes of a table as a model learnt to.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Columns are matched by name. Observed cells and columns that are no features of the model are copied byte \
by byte from CSV; tables of other formats come out as CSV. Holes get the value of the model's base imputer and, with a model of irr that learnt one, the \
correction it makes for the sake of the prediction (--by base leaves that out). What it says about a cell is what the \
predictor was best served by, not what the cell most likely held. A model of several targets fills with its base alone: what a hole is best seen as differs by target. Categories are filled with the likeliest. Features that were never observed in training keep their \
holes.

Several tables go into a folder that is there, each under its own name and as .csv, or else one after the other into one \
table, for which they must have the same header. Rows are read in chunks and not kept.

Examples:
  gapfit impute houses.gapfit new.csv -o filled.csv
  gapfit impute houses.gapfit 'new-*.csv' -o filled/
  gapfit impute houses.gapfit new.csv --by base -o filled.csv
")]
pub(crate) struct Args {
    /// The model, as written by gapfit fit.
    model: PathBuf,
    /// The table or tables, also patterns such as 'may-*.csv'; `-` for standard input.
    #[arg(required = true)]
    file: Vec<PathBuf>,
    /// Where the filled table goes, `-` for standard output; a folder for a file per table.
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
    let tables = Tables::new(&args.file, args.dialect.options(), talk)?;
    check_inputs(&args.model, tables.is_stdin())?;
    let places = Places::new(&args.output, &tables)?;
    places.check(
        &[&[args.model.as_path()], &tables.paths()[..]].concat(),
        args.json,
    )?;
    let model = load_batch(&args.model)?;
    let mut task = Task {
        tables: &tables,
        known: Known::from(&model),
        report: Report::new(&model, args.by),
        model: &model,
        by: args.by,
        empty: None,
    };
    match &places {
        Places::One(output) => {
            // what is wrong with the first table is said before anything is written
            let mut first = Some(task.open(0, talk)?);
            output.write(|out| {
                let mut joined = Joined::new(out);
                for i in 0..tables.len() {
                    let opened = match first.take() {
                        Some(opened) => opened,
                        None => task.open(i, talk)?,
                    };
                    task.fill(opened, &mut joined, talk)?;
                }
                task.check_rows()?;
                joined.finish()
            })?;
        }
        Places::Each(outputs) => {
            let mut staged = Vec::with_capacity(outputs.len());
            for (i, output) in outputs.iter().enumerate() {
                let opened = task.open(i, talk)?;
                let filled = output.stage(|out| {
                    let mut joined = Joined::new(out);
                    task.fill(opened, &mut joined, talk)?;
                    joined.finish()
                });
                staged.push(filled?);
            }
            task.check_rows()?;
            // all of them, or none
            staged.into_iter().try_for_each(Staged::commit)?;
        }
    }
    let report = task.report;
    drop(tables);
    if args.json {
        return Output::stdout().write_json(&report);
    }
    talk.note(report.sentence());
    Ok(())
}

/// What is done with one table after the other.
struct Task<'a> {
    tables: &'a Tables,
    model: &'a Model,
    known: Known<'a>,
    by: By,
    report: Report,
    /// What is said of the last table if it has no rows.
    empty: Option<gapfit_io::Error>,
}

impl Task<'_> {
    /// A reader of the features of a table, and a writer that follows it.
    fn open(&self, i: usize, talk: &Talk) -> Result<(Reader, Rewriter)> {
        let (mut reader, rewriter) = self.tables.open_twice(i)?;
        matching::keep_features(&mut reader, &self.known, &[], talk)?;
        Ok((reader, rewriter))
    }

    /// Writes all rows of a table, with their holes filled.
    fn fill(
        &mut self,
        (mut reader, mut rewriter): (Reader, Rewriter),
        out: &mut Joined<'_>,
        talk: &Talk,
    ) -> Result<()> {
        out.begin(&mut rewriter, reader.file())?;
        let mut encoder = Encoder::new(&mut reader, &self.known.schema);
        let (by, before) = ((self.model, self.by), self.report.n_rows);
        self.empty = Some(reader.no_rows());
        while let Some(filling) = Filling::next(&mut reader, &mut encoder, by)? {
            for i in 0..filling.n_rows() {
                let is_row = rewriter.next_row(out, |column| filling.cell(i, column));
                ensure!(
                    is_row.map_err(unwritten)?,
                    "{}: changed while it was read",
                    reader.file()
                );
            }
            self.report.count(&filling);
        }
        if self.report.n_rows > before {
            // what stands behind the last row
            let rest = rewriter.next_row(out, |_| None);
            rest.map(drop).map_err(unwritten)?;
        }
        input::warn_of_levels(encoder.unseen(), reader.file(), talk);
        Ok(())
    }

    /// Refuses tables of which none has rows.
    fn check_rows(&mut self) -> Result<()> {
        match self.empty.take().filter(|_| self.report.n_rows == 0) {
            Some(error) => Err(error.into()),
            None => Ok(()),
        }
    }
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
