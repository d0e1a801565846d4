//! How much several targets at once save over fits to each of them.

use crate::report::{Machine, Report, Table};
use crate::synthetic;
use anyhow::{Result, ensure};
use gapfit::corrupt::Mechanism;
use gapfit::data::Dataset;
use gapfit::tune::{self, Search};
use gapfit::{Learner, Method, Model, Parameters};
use serde::Serialize;
use std::ops::ControlFlow;
use std::time::Instant;

/// Times fits to eight targets at once beside fits to each of them.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Rows of the table.
    #[arg(long, default_value_t = 100_000)]
    rows: usize,
}

const FEATURES: usize = 20;
const TARGETS: usize = 8;
const RATE: f64 = 0.1;
const METHODS: [&str; 4] = ["irr:mean", "irr:gaussian", "gaussian", "lifted"];
const GIVEN: Parameters = Parameters {
    alpha: 0.01,
    gamma: 1.0,
};

/// The times of every method.
#[derive(Debug, Serialize)]
pub(crate) struct Times {
    machine: Machine,
    rows: usize,
    cases: Vec<Case>,
}

#[derive(Debug, Serialize)]
struct Case {
    method: String,
    what: &'static str,
    /// Seconds of all targets at once, and one after the other.
    together: f64,
    apart: f64,
}

/// Fits with given parameters, and with tuned ones; the models must be the same.
pub(crate) fn run(args: &Args) -> Result<Times> {
    let data = table(args.rows)?;
    let mut cases = Vec::new();
    for name in METHODS {
        eprintln!("{name}");
        let learner = Learner::new(name.parse::<Method>()?);
        let given = |data: &Dataset| Ok(learner.fit(data, GIVEN)?.model);
        let tuned = |data: &Dataset| {
            let go_on = |_, _| ControlFlow::Continue(());
            let tuned = tune::cross_validate_each(&learner, data, &Search::default(), &go_on)?;
            let parameters: Vec<_> = tuned.iter().map(|tuned| tuned.best.parameters).collect();
            Ok(learner.fit_each(data, &parameters)?.model)
        };
        cases.push(case(name, "fit", &data, &given)?);
        cases.push(case(name, "tuning and fit", &data, &tuned)?);
    }
    Ok(Times {
        machine: Machine::here(),
        rows: args.rows,
        cases,
    })
}

/// Linear targets of the same rows, which have holes at random.
fn table(rows: usize) -> Result<Dataset> {
    let hole = Mechanism::Mcar { rate: RATE };
    let mut data = synthetic::with_holes(&synthetic::linear(rows, FEATURES, 1)?, &hole, 2)?;
    let first = data.target().to_vec();
    for t in 1..TARGETS {
        // each the first one, and a column more than that
        let rows = data.features().rows().zip(&first);
        let value =
            |(row, y): (gapfit::data::MaskedRow<'_>, &f64)| y + 2.0 * row.get(t).unwrap_or(0.5);
        let values = rows.map(value).collect();
        data = data.with_further_target(&format!("y{t}"), values)?;
    }
    Ok(data)
}

fn case(
    method: &str,
    what: &'static str,
    data: &Dataset,
    fit: &dyn Fn(&Dataset) -> Result<Model>,
) -> Result<Case> {
    let start = Instant::now();
    let model = fit(data)?;
    let together = start.elapsed().as_secs_f64();
    let mut apart = 0.0;
    for (t, of_target) in model.each_target().enumerate() {
        let alone = data.of_target(t);
        let start = Instant::now();
        let single = fit(&alone)?;
        apart += start.elapsed().as_secs_f64();
        ensure!(single == of_target, "{method}, target {t}: another model");
    }
    Ok(Case {
        method: method.to_owned(),
        what,
        together,
        apart,
    })
}

impl Report for Times {
    fn markdown(&self) -> String {
        let mut table = Table::new(["method", "what", "together", "one by one", "saved"]);
        for case in &self.cases {
            table.push([
                case.method.clone(),
                case.what.to_owned(),
                format!("{:.2} s", case.together),
                format!("{:.2} s", case.apart),
                format!("{:.1} x", case.apart / case.together),
            ]);
        }
        format!(
            "{}. {} rows, {FEATURES} features, {:.0} % missing, {TARGETS} targets; all at once, and one after the other. \
             The models are the same to the bit.\n\n{table}",
            self.machine,
            self.rows,
            100.0 * RATE
        )
    }
}
