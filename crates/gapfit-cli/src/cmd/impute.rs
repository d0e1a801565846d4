//! `gapfit impute`: fills the holes of a table as a model learnt to.

use std::collections::HashMap;
use std::path::PathBuf;

use anyhow::Result;
use gapfit::Model;
use gapfit::data::MaskedMatrix;
use gapfit::joint::Imputation;
use gapfit_io::{Source, Table, csv};

use super::predict::check_inputs;
use crate::any_model::load_batch;
use crate::args::Dialect;
use crate::matching;
use crate::output::Output;
use crate::talk::Talk;

/// Fills the holes of a table as a model learnt to.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Columns are matched by name. Observed cells and columns that are no features of the model are copied byte \
by byte. Holes get the value of the model's base imputer and, with a model of irr that learnt one, the \
correction it makes for the sake of the prediction (--by base leaves that out). What it says about a cell is what the \
predictor was best served by, not what the cell most likely held. Features that were never observed in training keep their \
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
    output.check_keeps(&[&args.model, &args.file])?;
    let model = load_batch(&args.model)?;
    let source = Source::from(args.file.as_path());
    let text = source.read_all()?;
    let options = args.dialect.options();
    let mut reader = csv::Reader::new(&text[..], &source.name(), &options)?;
    let names: Vec<&str> = reader.columns().iter().map(|c| c.name.as_str()).collect();
    matching::check_features(reader.file(), &names, (&model).into(), &[], talk)?;
    reader.retain(|name| model.feature_names().iter().any(|feature| feature == name));
    let table = Table::read(&mut reader)?;
    let names = table.columns().iter().map(|c| c.name.as_str());
    let places = matching::places(model.feature_names(), names);
    let features = table.cells().select_columns(&places);
    let filled = match args.by {
        By::Learnt => model.impute(&features)?,
        By::Base => model.fill(&features)?,
    };
    let filling = Filling::new(&table, &places, &features, &filled);
    output.write(|out| {
        let fill = |row, column| filling.cell(row, column);
        Ok(csv::replace(&text, options.delimiter, out, fill)?)
    })?;
    talk.note(filling.sentence(&model, args.by));
    Ok(())
}

/// Which cells of a file are filled, with what.
struct Filling<'a> {
    /// The feature of each column of the file that is one.
    features: HashMap<usize, usize>,
    before: &'a MaskedMatrix,
    after: &'a MaskedMatrix,
}

impl<'a> Filling<'a> {
    fn new(
        table: &Table,
        places: &[Option<usize>],
        before: &'a MaskedMatrix,
        after: &'a MaskedMatrix,
    ) -> Self {
        let present = places.iter().enumerate();
        let features = present.filter_map(|(j, place)| Some((table.columns()[(*place)?].index, j)));
        Self {
            features: features.collect(),
            before,
            after,
        }
    }

    /// The text that fills a cell of the file, if it is a hole.
    fn cell(&self, row: usize, column: usize) -> Option<String> {
        let j = *self.features.get(&column)?;
        let value = self.after.get(row, j)?;
        // the shortest text that reads back as the same number
        self.before
            .get(row, j)
            .is_none()
            .then(|| format!("{value:?}"))
    }

    /// What was filled by what, and what was not.
    fn sentence(&self, model: &Model, by: By) -> String {
        let holes = |table: &MaskedMatrix| {
            let features = self.features.values();
            let of = |&j: &usize| table.rows().filter(|row| row.get(j).is_none()).count();
            features.map(of).sum::<usize>()
        };
        let (before, left) = (holes(self.before), holes(self.after));
        let base = model.method().base();
        let how = match by {
            By::Learnt if Imputation::of(model).is_some() => {
                format!("by the base {base} and the correction that was learnt")
            }
            By::Learnt => format!("by the base {base}; the model has no correction to it"),
            By::Base => format!("by the base {base}"),
        };
        let filled = before - left;
        let left = match left {
            0 => String::new(),
            n => format!("; {n} left in features that were never observed in training"),
        };
        format!("{filled} holes filled {how}{left}")
    }
}
