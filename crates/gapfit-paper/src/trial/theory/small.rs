//! Small made-up tables, on which the paper's own solvers can run.

use crate::Result;
use crate::experiment::Small;
use gapfit::corrupt::Mechanism;
use gapfit::data::{Dataset, MaskedMatrix};
use gapfit::prepare::{Intercept, Preparation};
use gapfit::rival::Solver;
use gapfit::{Base, Fitted, Learner, Method, Parameters};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::StandardNormal;

/// Normal features that share a common part, a linear target with noise, and 30 % of the cells missing.
pub(super) fn table(of: &Small, seed: u64) -> Result<Dataset> {
    let rng = &mut ChaCha8Rng::seed_from_u64(seed);
    let mut normal = || -> f64 { rng.sample(StandardNormal) };
    let weights: Vec<f64> = (0..of.columns).map(|_| normal()).collect();
    let (mut table, mut target) = (MaskedMatrix::new(of.columns), Vec::new());
    for _ in 0..of.rows {
        let common = normal();
        let row: Vec<f64> = (0..of.columns)
            .map(|_| 0.7 * common + 0.7 * normal())
            .collect();
        let signal: f64 = row.iter().zip(&weights).map(|(x, w)| x * w).sum();
        target.push(signal + 0.5 * normal());
        table.push_row(row.into_iter().map(Some))?;
    }
    let holey = Mechanism::Mcar { rate: 0.3 }.apply(&table, rng)?;
    Ok(Dataset::new(holey, target)?)
}

/// The paper's problem by one of its solvers: zero base, no intercept beside the penalised constant.
pub(super) fn fit(of: &Small, data: &Dataset, solver: Solver) -> Result<Fitted> {
    let learner = Learner {
        preparation: Preparation {
            intercept: Intercept::Penalised,
            clip: 0.0,
            ..Preparation::default()
        },
        tol: solver.usual_tol(),
        solver,
        ..Learner::new(Method::Irr(Base::Zero))
    };
    let parameters = Parameters {
        alpha: of.alpha,
        gamma: of.gamma,
    };
    Ok(learner.fit(data, parameters)?)
}
