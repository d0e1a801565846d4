//! `gapfit predict`: applies a model to a table.

mod answer;
mod ids;
mod object;
mod unseen;

use std::path::{Path, PathBuf};

use anyhow::Result;
use gapfit::data::MaskedMatrix;
use gapfit_io::{Encoder, Row, Source};

use crate::any_model::AnyModel;
use crate::args::{Dialect, Usage};
use crate::hint::Hinted;
use crate::output::Output;
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
writes prediction_NAME for each of them.

--intervals adds the columns lower and upper, between which the target is expected in that many rows \
out of 100, also among rows with equally many missing features; of several targets lower_NAME and upper_NAME for \
each. --explain adds the prediction for an \
average row (base) and what each feature, observed or missing, adds to it; the sum is the prediction or, \
of two classes, the logarithm of the odds of the second. Of several targets, or the scores of more than two \
classes, each has columns of its own: base[NAME], contribution_COLUMN[NAME].

Examples:
  gapfit predict houses.gapfit new.csv -o predictions.csv
  gapfit predict houses.gapfit new.csv --id number --intervals 90 --explain
  cat new.csv | gapfit predict houses.gapfit - > predictions.csv
")]
pub(crate) struct Args {
    /// The model, as written by gapfit fit or gapfit stream.
    model: PathBuf,
    /// The table, `-` for standard input.
    file: PathBuf,
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
    check_inputs(&args.model, &args.file)?;
    let output = Output::new(&args.output)?;
    output.check_keeps(&[&args.model, &args.file])?;
    if args.json && args.explain == Some(Layout::Long) {
        let message = "--explain: expected wide beside --json, got long";
        return Err(Usage(message.to_owned()).into());
    }
    let model = AnyModel::load(&args.model)?;
    let name = Source::from(args.model.as_path()).name();
    let mut answer = Answer::new(&model, args.intervals, args.explain, &name)?;
    let policy = args.on_new_missing;
    let mut unseen = model.batch().map(|model| Unseen::new(model, policy));
    if unseen.is_none() && policy == OnNewMissing::Error {
        return Err(Hinted::error(
            format!(
                "{name}: --on-new-missing error: expected a model of gapfit fit, got one of gapfit stream"
            ),
            "a stream takes holes as they come: leave the flag out",
        ));
    }
    let mut reader = input::open(&args.file, &args.dialect.options(), talk)?;
    let known = model.known();
    let mut ids = Ids::new(&args.id, &known, &answer.columns())?;
    let id_names: Vec<_> = args.id.iter().map(|name| ("id", name.as_str())).collect();
    matching::keep_features(&mut reader, &known, &id_names, talk)?;
    ids.find(&mut reader)?;
    let n_features = known.schema.n_features();
    let mut encoder = Encoder::new(&mut reader, &known.schema);
    let n_chunk = CHUNK.min(1 + CELLS / n_features);
    output.write(|out| {
        let mut n_rows = 0;
        loop {
            let mut chunk = MaskedMatrix::new(n_features);
            ids.clear();
            let mut keep = |row: Row<'_>| ids.push(row);
            while chunk.n_rows() < n_chunk
                && encoder.next_row_shown(&mut reader, &mut chunk, &mut keep)?
            {}
            if chunk.n_rows() == 0 {
                break;
            }
            if let Some(unseen) = &mut unseen {
                unseen.count(&chunk, reader.file())?;
            }
            if n_rows == 0 && !args.json {
                writeln!(out, "{}{}", ids.header(), answer.header())?;
            }
            n_rows += chunk.n_rows();
            match args.json {
                true => answer.write_json(&chunk, &ids, out)?,
                false => answer.write(&chunk, &ids.prefixes(), out)?,
            }
        }
        if n_rows == 0 {
            return Err(reader.no_rows().into());
        }
        Ok(())
    })?;
    input::warn_of_levels(encoder.unseen(), reader.file(), talk);
    if let Some(unseen) = unseen {
        unseen.warn(talk);
    }
    Ok(())
}

/// Refuses to read both model and table from standard input.
pub(super) fn check_inputs(model: &Path, table: &Path) -> Result<(), Usage> {
    if [model, table].map(Source::from) == [Source::Stdin, Source::Stdin] {
        let message = "MODEL and FILE: expected one of them in a file, got standard input for both";
        return Err(Usage(message.to_owned()));
    }
    Ok(())
}
