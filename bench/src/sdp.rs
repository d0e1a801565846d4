//! The exact solver beside the paper's own: same optimum, how much faster.

use crate::report::{Machine, Report, Table};
use crate::synthetic;
use anyhow::Result;
use gapfit::corrupt::Mechanism;
use gapfit::data::Dataset;
use gapfit::prepare::{Intercept, Preparation};
use gapfit::rival::Solver;
use gapfit::{Base, Fitted, Learner, Method, Parameters};
use serde::Serialize;
use std::time::Instant;

/// Compares the exact solver with the semidefinite program, cutting planes and alternating turns.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Fits of the exact solver per table, of which the median counts.
    #[arg(long, default_value_t = 101)]
    repeats: usize,
}

/// The comparison over all tables.
#[derive(Debug, Serialize)]
pub(crate) struct Comparison {
    machine: Machine,
    lines: Vec<Line>,
}

/// One solver on one table.
#[derive(Debug, Serialize)]
struct Line {
    rows: usize,
    columns: usize,
    alpha: f64,
    gamma: f64,
    solver: String,
    status: String,
    objective: f64,
    /// Relative to the exact objective.
    above_exact: f64,
    /// Largest difference to the exact predictions over the spread of the target.
    predictions_off: f64,
    seconds: f64,
    exact_seconds: f64,
}

/// Tables with at least d² rows, where the program has the same optimum.
const TABLES: [(usize, usize); 3] = [(12, 2), (25, 3), (40, 4)];
const PARAMETERS: [(f64, f64); 2] = [(0.01, 0.5), (0.05, 1.0)];

/// Runs all solvers on all tables.
pub(crate) fn run(args: &Args) -> Result<Comparison> {
    let mut lines = Vec::new();
    for (rows, columns) in TABLES {
        let data = synthetic::linear(rows, columns, 1)?;
        let data = synthetic::with_holes(&data, &Mechanism::Mcar { rate: 0.3 }, 2)?;
        for (alpha, gamma) in PARAMETERS {
            let parameters = Parameters { alpha, gamma };
            eprintln!("{rows} x {columns}, alpha {alpha}, gamma {gamma}");
            lines.extend(compare(&data, parameters, args.repeats)?);
        }
    }
    let machine = Machine::here();
    Ok(Comparison { machine, lines })
}

/// The paper's problem: zero base, no intercept beside the constant.
fn learner(solver: Solver) -> Learner {
    Learner {
        preparation: Preparation {
            intercept: Intercept::Penalised,
            clip: 0.0,
            ..Preparation::default()
        },
        tol: solver.usual_tol(),
        solver,
        ..Learner::new(Method::Irr(Base::Zero))
    }
}

fn compare(data: &Dataset, parameters: Parameters, repeats: usize) -> Result<Vec<Line>> {
    let mut times = Vec::new();
    let (exact, _) = timed(data, parameters, Solver::Exact)?;
    for _ in 0..repeats.max(1) {
        times.push(timed(data, parameters, Solver::Exact)?.1);
    }
    times.sort_by(f64::total_cmp);
    let exact_seconds = times[times.len() / 2];
    let mut lines = Vec::new();
    for solver in [Solver::Sdp, Solver::Silp, Solver::Alternating] {
        let (fitted, seconds) = timed(data, parameters, solver)?;
        lines.push(Line {
            rows: data.n_rows(),
            columns: data.n_features(),
            alpha: parameters.alpha,
            gamma: parameters.gamma,
            solver: solver.to_string(),
            status: fitted.outcome.status.to_string(),
            objective: fitted.outcome.objective,
            above_exact: fitted.outcome.objective / exact.outcome.objective - 1.0,
            predictions_off: apart(&exact, &fitted, data)?,
            seconds,
            exact_seconds,
        });
    }
    Ok(lines)
}

fn timed(data: &Dataset, parameters: Parameters, solver: Solver) -> Result<(Fitted, f64)> {
    let start = Instant::now();
    let fitted = learner(solver).fit(data, parameters)?;
    Ok((fitted, start.elapsed().as_secs_f64()))
}

fn apart(one: &Fitted, two: &Fitted, data: &Dataset) -> Result<f64> {
    let one = one.model.predict(data.features())?;
    let two = two.model.predict(data.features())?;
    let off = one.iter().zip(two).map(|(a, b)| (a - b).abs());
    let largest = data.target().iter().fold(f64::MIN, |m, &y| m.max(y));
    let least = data.target().iter().fold(f64::MAX, |m, &y| m.min(y));
    Ok(off.fold(0.0, f64::max) / (largest - least))
}

impl Report for Comparison {
    fn markdown(&self) -> String {
        let mut table = Table::new([
            "rows x columns",
            "alpha, gamma",
            "solver",
            "status",
            "objective",
            "above exact",
            "predictions off",
            "seconds",
            "exact, ms",
            "times the exact",
        ]);
        for line in &self.lines {
            table.push([
                format!("{} x {}", line.rows, line.columns),
                format!("{}, {}", line.alpha, line.gamma),
                line.solver.clone(),
                line.status.clone(),
                format!("{:.8}", line.objective),
                format!("{:.1e}", line.above_exact),
                format!("{:.1e}", line.predictions_off),
                format!("{:.3}", line.seconds),
                format!("{:.3}", line.exact_seconds * 1e3),
                format!("{:.0}", line.seconds / line.exact_seconds),
            ]);
        }
        format!(
            "{}. Penalised constant, zero base; whole fits, preparation included.\n\n{table}",
            self.machine
        )
    }
}
