//! `gapfit bounds`: what theory promises about a model, against its error on rows it has not seen.

mod assumption;
mod held_out;
mod report;
mod text;

use std::path::{Path, PathBuf};

use anyhow::Result;
use gapfit::Model;
use gapfit::data::Dataset;
use gapfit::joint::bounds::Measurement;
use gapfit::loss::Loss;
use gapfit::tune::Search;
use gapfit_io::{Roles, Source, Task};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;

use super::predict::check_inputs;
use crate::any_model::load_batch;
use crate::args::{Dialect, Usage, folds, seed};
use crate::hint::Hinted;
use crate::matching::Known;
use crate::output::Output;
use crate::talk::Talk;
use crate::text_table::short;
use crate::{input, matching};
use held_out::HeldOut;
use report::Report;

/// Prints what theory promises about a model, and how much it is worth.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
FILE is the table that the model was fitted to: the bounds are statements about its rows. The error \
on other rows is measured on --held-out, or else by cross-validation in FILE. A bound is vacuous when \
predicting a constant is known to do as well.

Examples:
  gapfit bounds houses.gapfit houses.csv
  gapfit bounds houses.gapfit houses.csv --held-out new.csv --delta 0.01 --json
")]
pub(crate) struct Args {
    /// The model, as written by gapfit fit.
    model: PathBuf,
    /// The table it was fitted to, `-` for standard input.
    file: PathBuf,
    /// A table of other rows to measure the error on [default: cross-validation in FILE].
    #[arg(long, value_name = "TEST")]
    held_out: Option<PathBuf>,
    /// Probability with which a bound may fail.
    #[arg(long, default_value_t = 0.05, value_parser = probability, allow_negative_numbers = true)]
    delta: f64,
    /// Column of row weights, if the model was fitted with it.
    #[arg(long, value_name = "COL")]
    weight: Option<String>,
    /// Number of folds.
    #[arg(long, value_name = "K", default_value_t = Search::default().folds, value_parser = folds, allow_negative_numbers = true)]
    folds: usize,
    /// Number of random sign vectors that the complexity is estimated from.
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = draws, allow_negative_numbers = true)]
    draws: usize,
    /// Seed of folds and signs.
    #[arg(long, default_value_t = 0, value_parser = seed, allow_negative_numbers = true)]
    seed: u64,
    /// Writes JSON instead of tables.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    dialect: Dialect,
}

/// Runs the command.
pub(crate) fn run(args: &Args, talk: &Talk) -> Result<()> {
    let is_stdin = Source::from(args.file.as_path()) == Source::Stdin;
    check_inputs(&args.model, is_stdin)?;
    args.check_held_out()?;
    let model = load_batch(&args.model)?;
    if model.loss() != Loss::Squared {
        return Err(Hinted::error(
            format!(
                "{}: expected a model of the squared loss, which the bounds are about, got {}",
                args.model.display(),
                model.loss()
            ),
            "gapfit evaluate scores any model on other rows; fit --loss squared for bounds",
        ));
    }
    if model.n_targets() > 1 {
        return Err(Hinted::error(
            format!(
                "{}: expected a model of one target, got one of {}",
                args.model.display(),
                model.n_targets()
            ),
            "fit to that target alone, with the base, alpha and gamma of gapfit inspect: the model is the same",
        ));
    }
    let fault = |path: &Path, error| input::fault(&Source::from(path).name(), error);
    let data = args.read(&args.file, &model, talk)?;
    let measured = Measurement::new(&model, &data).map_err(|error| fault(&args.file, error))?;
    warn_of_other_rows(&args.file, &model, &measured, talk);
    let held_out = match &args.held_out {
        Some(path) => {
            let test = args.read(path, &model, talk)?;
            HeldOut::on_table(&model, &test, &measured.facts())
                .map_err(|error| fault(path, error))?
        }
        None => HeldOut::by_folds(&model, &data, &measured.facts(), args.folds, args.seed)
            .map_err(|error| fault(&args.file, error))?,
    };
    let complexity = measured.complexity(args.draws, &mut ChaCha8Rng::seed_from_u64(args.seed));
    let report = Report::new(&model, &measured, held_out, complexity, args.delta);
    if args.json {
        return Output::stdout().write_json(&report);
    }
    Output::stdout().write(|out| Ok(write!(out, "{}", report.text())?))
}

impl Args {
    fn check_held_out(&self) -> Result<(), Usage> {
        let inputs = [&self.model, &self.file].map(|path| Source::from(path.as_path()));
        let held_out = self.held_out.as_deref().map(Source::from);
        if held_out == Some(Source::Stdin) && inputs.contains(&Source::Stdin) {
            let message = "--held-out: expected another input, got standard input for two";
            return Err(Usage(message.to_owned()));
        }
        Ok(())
    }

    /// The rows of a table that have the model's target, with the model's features in their order.
    fn read(&self, path: &Path, model: &Model, talk: &Talk) -> Result<Dataset> {
        let roles = Roles {
            target: model.target_name().to_owned(),
            further_targets: Vec::new(),
            weight: self.weight.clone(),
            folds_by: None,
            task: Task::Regression,
        };
        let known = Known::from(model);
        if let Some(name) = &self.weight
            && known.names().contains(&name.as_str())
        {
            return Err(Hinted::error(
                format!("--weight: expected a column that is no feature of the model, got {name}"),
                "name another column, or fit again with the feature left out by --ignore",
            ));
        }
        let mut reader = input::open(path, &self.dialect.options(), talk)?;
        matching::keep_features(&mut reader, &known, &matching::scored(&roles), talk)?;
        Ok(input::encoded(&mut reader, &roles, &known.schema, talk)?.data)
    }
}

/// Training errors that differ by less, in standard deviations of the target, are the same.
const ROUNDING: f64 = 1e-6;

/// Says so when the rows cannot be those that the model was fitted to.
fn warn_of_other_rows(path: &Path, model: &Model, measured: &Measurement, talk: &Talk) {
    let (training, facts) = (model.training(), measured.facts());
    let rmse = measured.reached().squared_error.sqrt();
    // squares of extreme targets leave the range of numbers and tell nothing
    let same_error = !facts.target_variance.is_normal()
        || (rmse - training.rmse).abs() <= ROUNDING * facts.target_variance.sqrt();
    if facts.n_rows == training.rows && same_error {
        return;
    }
    talk.warn(format_args!(
        "{}: expected the rows that the model was fitted to ({}, RMSE {}), got others ({}, RMSE {}): the bounds do not apply; see --weight if rows were weighted",
        Source::from(path).name(),
        training.rows,
        short(training.rmse),
        facts.n_rows,
        short(rmse),
    ));
}

fn probability(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(delta) if delta > 0.0 && delta < 1.0 => Ok(delta),
        _ => Err("expected a probability above 0 and below 1".to_owned()),
    }
}

fn draws(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(draws @ 2..=1_000_000) => Ok(draws),
        _ => Err("expected a whole number from 2 to 1000000".to_owned()),
    }
}
