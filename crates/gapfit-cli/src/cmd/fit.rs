//! `gapfit fit`: learns a model from a table.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::time::Instant;

use anyhow::Result;
use gapfit::data::Dataset;
use gapfit::tune::{self, Search};
use gapfit::{Base, Fitted, Learner, Method, Parameters};
use gapfit_io::{Roles, Source, Supervised};
use serde::Serialize;

use crate::args::{Dialect, Preparing, Usage, folds, seed};
use crate::folding::FoldRule;
use crate::output::Output;
use crate::talk::Talk;
use crate::text_table::short;
use crate::tuning::Tuning;
use crate::{caution, input};

/// Learns a model from a table and writes it to a file.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Of --alpha and --gamma, what is not given is tuned by cross-validation. The gap in the result is \
certified: it says how far from the best possible value of its objective the model can be. \
Choose the folds as the model will be used: --group where it will meet groups it has not seen, --time \
where it will predict the future.

Examples:
  gapfit fit houses.csv --target price -o houses.gapfit
  gapfit fit houses.csv --target price --base zero --alpha 0.01 --gamma 0.5 -o houses.gapfit
  gapfit fit visits.csv --target dose --group patient -o dose.gapfit
")]
pub(crate) struct Args {
    /// The table, `-` for standard input.
    file: PathBuf,
    /// Column to predict.
    #[arg(long, value_name = "COL")]
    target: String,
    /// Where the model goes, `-` for standard output.
    #[arg(long, short, value_name = "MODEL")]
    output: PathBuf,
    /// What is fitted: irr, zero, mean, independent, mask or lifted.
    #[arg(long, default_value_t)]
    method: Method,
    /// What irr starts from: zero, mean or independent [default: mean].
    #[arg(long)]
    base: Option<Base>,
    /// Weight of the penalty [default: tuned].
    #[arg(long, allow_negative_numbers = true, conflicts_with = "alphas")]
    alpha: Option<f64>,
    /// How much the learnt imputation of irr may do [default: tuned].
    #[arg(long, allow_negative_numbers = true, conflicts_with = "gammas")]
    gamma: Option<f64>,
    /// Column of row weights.
    #[arg(long, value_name = "COL")]
    weight: Option<String>,
    /// Columns that are not looked at; they may hold text.
    #[arg(long, value_name = "COL,...", value_delimiter = ',')]
    ignore: Vec<String>,
    /// Number of folds for tuning.
    #[arg(long, value_name = "K", default_value_t = Search::default().folds, value_parser = folds, allow_negative_numbers = true)]
    folds: usize,
    /// Seed of the folds.
    #[arg(long, default_value_t = 0, value_parser = seed, allow_negative_numbers = true)]
    seed: u64,
    /// Relative gap to the optimum that the solver has to certify.
    #[arg(long, default_value = "1e-8", allow_negative_numbers = true)]
    tol: f64,
    /// Writes what came out as JSON to standard output.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    fold_rule: FoldRule,
    #[command(flatten)]
    tuning: Tuning,
    #[command(flatten)]
    preparing: Preparing,
    #[command(flatten)]
    dialect: Dialect,
}

/// What the JSON says.
#[derive(Debug, Serialize)]
struct Report {
    method: String,
    base: String,
    alpha: f64,
    /// Absent where the method has none.
    gamma: Option<f64>,
    n_rows: usize,
    n_features: usize,
    observed_fraction: f64,
    objective: f64,
    lower_bound: f64,
    gap: f64,
    iterations: usize,
    status: String,
    seconds: Seconds,
}

#[derive(Debug, Serialize)]
struct Seconds {
    read: f64,
    tune: f64,
    fit: f64,
    total: f64,
}

/// Runs the command.
pub(crate) fn run(args: &Args, talk: &Talk) -> Result<()> {
    let start = Instant::now();
    let learner = args.learner()?;
    let mut search = args.search()?;
    let output = Output::new(&args.output)?;
    if args.json && output.is_stdout() {
        let message = "--json: expected a file for --output, got standard output for both";
        return Err(Usage(message.to_owned()).into());
    }
    output.check_keeps(&[&args.file])?;
    let Supervised { data, folding, .. } = args.read(talk)?;
    search.folding = args.fold_rule.folding(folding);
    let read = start.elapsed().as_secs_f64();
    let fault = |error| input::fault(&Source::from(args.file.as_path()).name(), &error);
    let parameters = args.parameters(&learner, &data, &search, talk);
    let parameters = parameters.map_err(fault)?;
    let tuned = start.elapsed().as_secs_f64();
    let fitted = learner.fit(&data, parameters).map_err(fault)?;
    let fit = start.elapsed().as_secs_f64() - tuned;
    let gap = caution::gap(&fitted.outcome, learner.tol);
    for warning in fitted.warnings.iter().chain(&gap) {
        talk.warn(warning);
    }
    output.write(|out| Ok(out.write_all(&fitted.model.to_bytes())?))?;
    let seconds = Seconds {
        read,
        tune: tuned - read,
        fit,
        total: start.elapsed().as_secs_f64(),
    };
    let report = Report::new(&data, &fitted, seconds);
    if args.json {
        return Output::stdout().write_json(&report);
    }
    talk.note(report.sentence());
    Ok(())
}

impl Args {
    /// The settings, checked.
    fn learner(&self) -> Result<Learner, Usage> {
        let method = match (self.method, self.base) {
            (method, None) => method,
            (Method::Irr(_), Some(base)) => Method::Irr(base),
            (method, Some(_)) => {
                let message = format!("--base: expected --method irr with it, got {method}");
                return Err(Usage(message));
            }
        };
        let given = [
            ("gamma", self.gamma.is_some()),
            ("gammas", self.tuning.has_gammas()),
        ];
        if let Some((flag, _)) = given.iter().find(|(_, is_given)| *is_given)
            && !method.has_gamma()
        {
            let message = format!("--{flag}: expected --method irr with it, got {method}");
            return Err(Usage(message));
        }
        let learner = Learner {
            preparation: self.preparing.preparation()?,
            tol: self.tol,
            ..Learner::new(method)
        };
        learner.validate().map_err(|error| Usage::flag(&error))?;
        let given = Parameters {
            alpha: self.alpha.unwrap_or(1.0),
            gamma: self.gamma.unwrap_or(0.0),
        };
        given.validate().map_err(|error| Usage::flag(&error))?;
        Ok(learner)
    }

    fn read(&self, talk: &Talk) -> Result<Supervised> {
        let mut reader = input::open(&self.file, &self.dialect.options(), talk)?;
        reader.ignore(&self.ignore)?;
        let roles = Roles {
            target: self.target.clone(),
            weight: self.weight.clone(),
            folds_by: self.fold_rule.column(),
        };
        input::supervised(&mut reader, &roles, talk)
    }

    /// Where what is not given is looked for.
    fn search(&self) -> Result<Search, Usage> {
        let mut search = Search {
            folds: self.folds,
            seed: self.seed,
            ..self.tuning.search()?
        };
        if let Some(alpha) = self.alpha {
            search.alphas = vec![alpha];
        }
        if let Some(gamma) = self.gamma {
            search.gammas = vec![gamma];
        }
        Ok(search)
    }

    /// The parameters: those given, the others tuned.
    fn parameters(
        &self,
        learner: &Learner,
        data: &Dataset,
        search: &Search,
        talk: &Talk,
    ) -> gapfit::Result<Parameters> {
        match (self.alpha, self.gamma) {
            (Some(alpha), Some(gamma)) => return Ok(Parameters { alpha, gamma }),
            (Some(alpha), None) if !learner.method.has_gamma() => {
                return Ok(Parameters { alpha, gamma: 0.0 });
            }
            _ => {}
        }
        let bar = talk.bar("tuning");
        let tuned = tune::cross_validate(learner, data, search, &|done, planned| {
            bar.set_length(planned as u64);
            bar.set_position(done as u64);
            ControlFlow::Continue(())
        });
        bar.finish_and_clear();
        let tuned = tuned?;
        for warning in caution::grid_ends(&tuned, search, learner.method) {
            talk.warn(warning);
        }
        Ok(tuned.best.parameters)
    }
}

impl Report {
    fn new(data: &Dataset, fitted: &Fitted, seconds: Seconds) -> Self {
        let (method, outcome) = (fitted.model.method(), fitted.outcome);
        let parameters = fitted.model.parameters();
        Self {
            method: match method {
                Method::Irr(_) => "irr".to_owned(),
                other => other.to_string(),
            },
            base: method.base().to_string(),
            alpha: parameters.alpha,
            gamma: method.has_gamma().then_some(parameters.gamma),
            n_rows: data.n_rows(),
            n_features: data.n_features(),
            observed_fraction: data.features().observed_fraction(),
            objective: outcome.objective,
            lower_bound: outcome.lower_bound,
            gap: outcome.gap,
            iterations: outcome.iterations,
            status: outcome.status.to_string(),
            seconds,
        }
    }

    fn sentence(&self) -> String {
        let gamma = self
            .gamma
            .map_or(String::new(), |gamma| format!(", gamma {}", short(gamma)));
        format!(
            "{} on base {}: alpha {}{gamma}; {} rows, {} features, {:.1} % observed; {} with gap {:.1e} in {:.2} s",
            self.method,
            self.base,
            short(self.alpha),
            self.n_rows,
            self.n_features,
            100.0 * self.observed_fraction,
            self.status,
            self.gap,
            self.seconds.total
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[test]
    fn defaults_are_those_of_the_library() {
        let line = ["gapfit", "fit", "t.csv", "--target", "y", "-o", "m"];
        let crate::args::Command::Fit(args) = crate::args::Args::parse_from(line).command else {
            panic!("the command is fit");
        };
        assert_eq!(args.learner().unwrap(), Learner::default());
    }
}
