//! The paper's own ways to imputed ridge regression, as independent checks and for comparison.
//!
//! [`joint`](crate::joint) solves the relaxation exactly. The paper poses it as a semidefinite program
//! (`sdp`), solves that by cutting planes (`silp`), and starts from a non-convex problem in the predictor
//! and the imputation (`alternating`). The first two share no formula with the exact solver, the third
//! takes a bound and one of its starts from it; all return the same [`Model`](crate::Model). docs/math.md
//! 12 has the derivations.

mod alternating;
mod ball;
mod conic;
mod kernel;
mod master;
mod name;
mod report;
mod sample;
#[cfg(feature = "sdp")]
mod sdp;
mod silp;

pub use name::Solver;
#[cfg(feature = "sdp")]
pub use report::Sdp;
pub use report::{Alternating, Report, Silp};

use crate::error::{Error, Result};
use crate::features::LiftedRows;
use crate::joint::Outcome;
use crate::learn::Parameters;
use crate::moments::Rows;
use crate::pipeline::{Problem, SMALL};
use alternating::Equations;
use sample::Sample;

/// A rival's solution: the penalised unknowns in the units of the problem, the objective in units of
/// `1/c`, and its figures.
#[derive(Clone, Debug)]
pub(crate) struct Rival {
    pub(crate) v: Vec<f64>,
    pub(crate) outcome: Outcome,
    pub(crate) report: Report,
}

/// Solves the problem of these rows by another solver than the exact one, for `gamma > 0`.
///
/// # Errors
/// [`Error::TooLarge`] beyond what the solver can do, [`Error::Numerical`] when it breaks down.
pub(crate) fn solve(
    problem: &Problem<'_>,
    rows: &Rows<'_>,
    parameters: Parameters,
) -> Result<Rival> {
    let learner = problem.learner;
    let (tol, max_iter) = (learner.tol, learner.max_iter);
    check_size(problem, rows)?;
    let scales = (problem.c(parameters), parameters.gamma);
    let sample = || {
        let lifted = LiftedRows::new(rows, &problem.units);
        let centre = (&problem.centre, learner.preparation.intercept);
        Sample::new(&lifted, centre, &problem.blocks, scales)
    };
    let solved = match learner.solver {
        Solver::Exact => unreachable!("the exact solver is no rival"),
        Solver::Silp => silp::solve(&sample(), tol, max_iter),
        Solver::Alternating => {
            let (_, relaxed) = problem.solve(parameters, tol, None);
            let parts = problem.normal_equations().expect("checked with the size");
            let equations = Equations::new(parts, &problem.blocks, scales);
            return alternating::solve(&equations, &relaxed, tol, max_iter);
        }
        #[cfg(feature = "sdp")]
        Solver::Sdp => sdp::solve(&sample(), tol),
    };
    solved.ok_or_else(|| Error::Numerical {
        what: format!("solver {}", learner.solver),
    })
}

/// `(upper - lower)/upper`, 0 where there is nothing between them.
fn relative_gap(upper: f64, lower: f64) -> f64 {
    if upper > lower {
        (upper - lower) / upper
    } else {
        0.0
    }
}

/// Rows and unknowns up to which a solver is practical.
fn limits(solver: Solver) -> (usize, usize) {
    match solver {
        Solver::Exact => (usize::MAX, usize::MAX),
        Solver::Silp => (10_000, 100),
        Solver::Alternating => (usize::MAX, SMALL),
        #[cfg(feature = "sdp")]
        Solver::Sdp => (60, 60),
    }
}

fn check_size(problem: &Problem<'_>, rows: &Rows<'_>) -> Result<()> {
    let solver = problem.learner.solver;
    let (most_rows, most_unknowns) = limits(solver);
    let sizes = [
        ("rows", rows.len(), most_rows),
        ("unknowns", problem.blocks.dim(), most_unknowns),
    ];
    for (what, got, limit) in sizes {
        if got > limit {
            let what = format!("{what} for solver {solver}");
            return Err(Error::TooLarge { what, limit, got });
        }
    }
    Ok(())
}
