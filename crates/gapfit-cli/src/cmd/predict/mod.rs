//! `gapfit predict`: applies a model to a table.

mod answer;
mod ids;
mod object;
mod unseen;

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::Result;
use gapfit::data::MaskedMatrix;
use gapfit_io::{Encoder, Reader, Row, Source};

use crate::any_model::AnyModel;
use crate::args::{Dialect, Usage};
use crate::hint::Hinted;
use crate::matching::Known;
use crate::output::Output;
use crate::tables::Tables;
use crate::talk::Talk;
use crate::{input, matching};
use answer::{Answer, Layout};
use ids::Ids;
use unseen::{OnNewMissing, Unseen};

/// Rows that are predicted at once: enough work for every thread, little memory.
const CHUNK: usize = 1 << 16;
/// Cells at most that are predicted at once.
const CELLS: usize = 1 << 22;

/// Predicts the target of each row of a table.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Columns are matched by name. A feature that the table lacks is missing in every row; a column that \
the model does not know is ignored, and so is its target. A category that training did not have is \
missing. The result has one column, prediction, in \
the order of the rows; a model of classes adds a column proba_LABEL for the probability of each class, models without \
probabilities (gapfit stream, or the loss squared-hinge) and two classes a column score. A model of several targets \
writes prediction_NAME for each of them. Rows are read in chunks and not kept; those of several tables follow each other.

--intervals adds the columns lower and upper, between which the target is expected in that many rows \
out of 100, also among rows with equally many missing features; of several targets lower_NAME and upper_NAME for \
each. --explain adds the prediction for an \
average row (base) and what each feature, observed or missing, adds to it; the sum is the prediction or, \
of two classes, the logarithm of the odds of the second. Of several targets, or the scores of more than two \
classes, each has columns of its own: base[NAME], contribution_COLUMN[NAME].

Examples:
  gapfit predict houses.gapfit new.csv -o predictions.csv
  gapfit predict houses.gapfit new.csv --id number --intervals 90 --explain
  gapfit predict houses.gapfit 'new-*.parquet' -o predictions.csv
  cat new.csv | gapfit predict houses.gapfit - > predictions.csv
")]
pub(crate) struct Args {
    /// The model, as written by gapfit fit or gapfit stream.
    model: PathBuf,
    /// The table or tables, also patterns such as 'may-*.csv'; `-` for standard input.
    #[arg(required = true)]
    file: Vec<PathBuf>,
    /// Where the predictions go, `-` for standard output.
    #[arg(long, short, value_name = "OUT", default_value = "-")]
    output: PathBuf,
    /// Adds intervals that hold the target in this many rows out of 100.
    #[arg(long, value_name = "PERCENT", value_parser = percent, allow_negative_numbers = true)]
    intervals: Option<f64>,
    /// Adds what each feature contributes: wide, a column for each, or long, a line for each.
    #[arg(
        long,
        value_name = "LAYOUT",
        value_enum,
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "wide"
    )]
    explain: Option<Layout>,
    /// Columns that stand before each prediction as they are in the table.
    #[arg(long, value_name = "COL,...", value_delimiter = ',')]
    id: Vec<String>,
    /// What to do about holes in features that had none in training; with error, whatever the method.
    #[arg(long, value_name = "WHAT", value_enum, default_value_t)]
    on_new_missing: OnNewMissing,
    /// Writes a JSON object for each row, one a line, instead of CSV.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    dialect: Dialect,
}

/// The share of rows, in percent, that intervals are to cover.
fn percent(text: &str) -> Result<f64, String> {
    let percent = text.parse().ok().filter(|p| (50.0..=99.9).contains(p));
    percent.ok_or_else(|| "expected a number from 50 to 99.9".to_owned())
}

/// Runs the command.
pub(crate) fn run(args: &Args, talk: &Talk) -> Result<()> {
    let tables = Tables::new(&args.file, args.dialect.options(), talk)?;
    check_inputs(&args.model, tables.is_stdin())?;
    let output = Output::new(&args.output)?;
    output.check_keeps(&[&[args.model.as_path()], &tables.paths()[..]].concat())?;
    if args.json && args.explain == Some(Layout::Long) {
        let message = "--explain: expected wide beside --json, got long";
        return Err(Usage(message.to_owned()).into());
    }
    let model = AnyModel::load(&args.model)?;
    let name = Source::from(args.model.as_path()).name();
    let answer = Answer::new(&model, args.intervals, args.explain, &name)?;
    let policy = args.on_new_missing;
    let unseen = model.batch().map(|model| Unseen::new(model, policy));
    if unseen.is_none() && policy == OnNewMissing::Error {
        return Err(Hinted::error(
            format!(
                "{name}: --on-new-missing error: expected a model of gapfit fit, got one of gapfit stream"
            ),
            "a stream takes holes as they come: leave the flag out",
        ));
    }
    let known = model.known();
    let ids = Ids::new(&args.id, &known, &answer.columns())?;
    let mut prediction = Prediction {
        args,
        known,
        answer,
        unseen,
        ids,
        n_rows: 0,
    };
    // what is wrong with the first table is said before anything is written
    let mut first = Some(prediction.open(&tables, 0, talk)?);
    output.write(|out| {
        for i in 0..tables.len() {
            let reader = match first.take() {
                Some(reader) => reader,
                None => prediction.open(&tables, i, talk)?,
            };
            let left = prediction.of_table(reader, out, talk)?;
            if prediction.n_rows == 0 && i + 1 == tables.len() {
                return Err(left.no_rows().into());
            }
        }
        Ok(())
    })?;
    drop(tables);
    if let Some(unseen) = prediction.unseen {
        unseen.warn(talk);
    }
    Ok(())
}

/// The predictions for one table after the other.
struct Prediction<'a> {
    args: &'a Args,
    known: Known<'a>,
    answer: Answer<'a>,
    unseen: Option<Unseen<'a>>,
    ids: Ids,
    /// Written so far.
    n_rows: usize,
}

impl Prediction<'_> {
    /// A reader of the features and ids of a table.
    fn open(&mut self, tables: &Tables, i: usize, talk: &Talk) -> Result<Reader> {
        let mut reader = tables.open(i)?;
        let ids = self.args.id.iter().map(|name| ("id", name.as_str()));
        matching::keep_features(&mut reader, &self.known, &ids.collect::<Vec<_>>(), talk)?;
        self.ids.find(&mut reader)?;
        Ok(reader)
    }

    /// Writes the predictions for all rows of a table; gives back the reader.
    fn of_table(&mut self, mut reader: Reader, out: &mut dyn Write, talk: &Talk) -> Result<Reader> {
        let n_features = self.known.schema.n_features();
        let n_chunk = CHUNK.min(1 + CELLS / n_features);
        let mut encoder = Encoder::new(&mut reader, &self.known.schema);
        loop {
            let mut chunk = MaskedMatrix::new(n_features);
            self.ids.clear();
            let mut keep = |row: Row<'_>| self.ids.push(row);
            while chunk.n_rows() < n_chunk
                && encoder.next_row_shown(&mut reader, &mut chunk, &mut keep)?
            {}
            if chunk.n_rows() == 0 {
                break;
            }
            if let Some(unseen) = &mut self.unseen {
                unseen.count(&chunk, reader.file())?;
            }
            if self.n_rows == 0 && !self.args.json {
                writeln!(out, "{}{}", self.ids.header(), self.answer.header())?;
            }
            self.n_rows += chunk.n_rows();
            match self.args.json {
                true => self.answer.write_json(&chunk, &self.ids, out)?,
                false => self.answer.write(&chunk, &self.ids.prefixes(), out)?,
            }
        }
        input::warn_of_levels(encoder.unseen(), reader.file(), talk);
        Ok(reader)
    }
}

/// Refuses to read both model and table from standard input.
pub(super) fn check_inputs(model: &Path, is_table_stdin: bool) -> Result<(), Usage> {
    if is_table_stdin && Source::from(model) == Source::Stdin {
        let message = "MODEL and FILE: expected one of them in a file, got standard input for both";
        return Err(Usage(message.to_owned()));
    }
    Ok(())
}
