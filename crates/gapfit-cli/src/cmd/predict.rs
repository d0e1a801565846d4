//! `gapfit predict`: applies a model to a table.

use std::path::{Path, PathBuf};

use anyhow::Result;
use gapfit::data::{MaskedMatrix, Schema};
use gapfit::{Method, Model};
use gapfit_io::{Encoder, Source};

use crate::any_model::AnyModel;
use crate::args::{Dialect, Usage};
use crate::output::Output;
use crate::talk::Talk;
use crate::{input, matching};

/// Rows that are predicted at once: enough work for every thread, little memory.
const CHUNK: usize = 1 << 16;

/// Predicts the target of each row of a table.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Columns are matched by name. A feature that the table lacks is missing in every row; a column that \
the model does not know is ignored, and so is its target. A category that training did not have is \
missing. The result has one column, prediction, in \
the order of the rows; models of gapfit stream for two classes add a column score.

Examples:
  gapfit predict houses.gapfit new.csv -o predictions.csv
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
    #[command(flatten)]
    dialect: Dialect,
}

/// Runs the command.
pub(crate) fn run(args: &Args, talk: &Talk) -> Result<()> {
    check_inputs(&args.model, &args.file)?;
    let output = Output::new(&args.output)?;
    output.check_keeps(&[&args.model, &args.file])?;
    let model = AnyModel::load(&args.model)?;
    let mut reader = input::open(&args.file, &args.dialect.options(), talk)?;
    let known = model.known();
    matching::keep_features(&mut reader, &known, &[], talk)?;
    let mut encoder = Encoder::new(&mut reader, &known.schema);
    let mut unseen = model.batch().map(|model| Unseen::new(model, &known.schema));
    output.write(|out| {
        let mut n_rows = 0;
        loop {
            let mut chunk = MaskedMatrix::new(known.schema.n_features());
            while chunk.n_rows() < CHUNK && encoder.next_row(&mut reader, &mut chunk)? {}
            if chunk.n_rows() == 0 {
                break;
            }
            if n_rows == 0 {
                writeln!(out, "{}", model.header())?;
            }
            n_rows += chunk.n_rows();
            if let Some(unseen) = &mut unseen {
                unseen.count(&chunk);
            }
            model.write(&chunk, out)?;
        }
        if n_rows == 0 {
            return Err(reader.no_rows().into());
        }
        Ok(())
    })?;
    input::warn_of_levels(encoder.unseen(), reader.file(), talk);
    if let (Some(unseen), Some(model)) = (unseen, model.batch())
        && let Some(sentence) = unseen.sentence(model, &known.schema)
    {
        talk.warn(sentence);
    }
    Ok(())
}

/// Holes in features that had none in training, of a model that looks at holes.
struct Unseen {
    /// Column, its first feature, and the number of its holes.
    counts: Vec<(usize, usize, usize)>,
}

impl Unseen {
    fn new(model: &Model, schema: &Schema) -> Self {
        let looks = !matches!(model.method(), Method::Impute(_));
        let was_complete = |j: usize| model.was_observed(j) && model.shift(j).is_none();
        let columns = 0..schema.columns().len();
        let first = |column: usize| (column, schema.features(column).start);
        let unseen = columns
            .map(first)
            .filter(|&(_, j)| looks && was_complete(j));
        Self {
            counts: unseen.map(|(column, j)| (column, j, 0)).collect(),
        }
    }

    fn count(&mut self, rows: &MaskedMatrix) {
        for (_, j, count) in &mut self.counts {
            *count += rows.rows().filter(|row| row.get(*j).is_none()).count();
        }
    }

    fn sentence(&self, model: &Model, schema: &Schema) -> Option<String> {
        let met = self.counts.iter().filter(|(.., count)| *count > 0);
        let name = |column: usize| &schema.columns()[column].name;
        let names = met.map(|(column, _, count)| format!("'{}' ({count})", name(*column)));
        let names: Vec<_> = names.collect();
        (!names.is_empty()).then(|| {
            let (names, base) = (names.join(", "), model.method().base());
            format!(
                "holes where training had none: {names}; filled by the base {base}, that they are missing was never seen to matter"
            )
        })
    }
}

/// Refuses to read both model and table from standard input.
pub(super) fn check_inputs(model: &Path, table: &Path) -> Result<(), Usage> {
    if [model, table].map(Source::from) == [Source::Stdin, Source::Stdin] {
        let message = "MODEL and FILE: expected one of them in a file, got standard input for both";
        return Err(Usage(message.to_owned()));
    }
    Ok(())
}
