//! Theorem 2 and its corollary, evaluated beside what they bound.
//!
//! `alpha` and `gamma` are given beforehand, as the theorem asks; test rows measure, they choose nothing.

use super::super::batch::{learner, scores};
use super::super::{Draw, Finding, Tuning, draw};
use crate::Result;
use crate::experiment::Drawn;
use gapfit::data::Dataset;
use gapfit::joint::bounds::{Claim, Measurement};
use gapfit::{Base, Method, Parameters};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

/// Vectors of random signs behind the measured complexity.
const DRAWS: usize = 50;

/// One minus the probability with which bounds on the error hold.
const DELTA: f64 = 0.05;

pub(in crate::trial) fn run(
    cell: &Drawn,
    [alpha, gamma]: [f64; 2],
    table: &Dataset,
    draw: Draw,
) -> Result<Finding> {
    let rows = draw::rows(cell, table, draw)?.holey;
    let (learner, parameters) = (
        learner(Method::Irr(Base::Zero)),
        Parameters { alpha, gamma },
    );
    let model = learner.fit(&rows.train, parameters)?.model;
    let measured = Measurement::new(&model, &rows.train)?;
    let (facts, reached) = (measured.facts(), measured.reached());
    let mut signs = ChaCha8Rng::seed_from_u64(draw.seed);
    let complexity = measured.complexity(DRAWS, &mut signs).value;
    let test = scores(&learner, parameters, &rows.train, &rows.test)?;
    let mut finding = Finding::default();
    for (name, value) in [
        ("complexity, Theorem 2", facts.theorem_2()),
        ("complexity, ours", facts.complexity()),
        ("complexity, random signs", complexity),
        (
            "MSE, corollary",
            facts.corollary(reached.squared_error, DELTA),
        ),
        ("MSE, ours", facts.error_bound(&reached, DELTA, Claim::Cut)),
        ("MSE, test rows", test.rmse * test.rmse),
        ("dual norm, bound", facts.dual_norm()),
        ("dual norm, reached", reached.dual_norm),
    ] {
        finding.push(None, name, Tuning::None, value);
    }
    Ok(finding)
}
