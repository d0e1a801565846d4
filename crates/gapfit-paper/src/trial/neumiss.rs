//! The linear-Gaussian benchmark: share of the target's variance explained, beside the best possible one.

use super::batch::{go_on, scores};
use super::{Draw, Finding, Tuning};
use crate::Result;
use crate::experiment::Synthetic;
use crate::neumiss::Population;
use gapfit::data::Dataset;
use gapfit::eval::Scores;
use gapfit::tune::{self, Search};
use gapfit::{Base, Learner, Method};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

/// Share of the cells that go missing.
const RATE: f64 = 0.5;

/// The rivals, by name.
const METHODS: [(&str, Method); 4] = [
    ("mean", Method::Impute(Base::Mean)),
    ("mean + mask", Method::Mask),
    ("lifted", Method::Lifted),
    ("gaussian", Method::Impute(Base::Gaussian)),
];

pub(super) fn run(cell: &Synthetic, search: &Search, draw: Draw) -> Result<Finding> {
    // Draws are paired: every kind of holes sees the same populations.
    let rng = &mut ChaCha8Rng::seed_from_u64(draw.seed);
    let population = Population::draw(cell.features, rng);
    let holes = population.hide(cell.hiding, RATE, rng)?;
    let n_rows = if draw.quick {
        cell.rows / 10
    } else {
        cell.rows
    };
    let train = population.sample(n_rows, &holes, rng)?;
    let test = population.sample(n_rows, &holes, rng)?;
    let mut finding = Finding::default();
    for (name, method) in METHODS {
        let learner = Learner::new(method);
        let tuned = tune::cross_validate(&learner, &train, search, &go_on)?;
        let explained = scores(&learner, tuned.best.parameters, &train, &test)?.r2;
        finding.push(None, name, Tuning::Honest, explained);
    }
    finding.push(None, "auto", Tuning::Honest, auto(&train, &test, search)?);
    if let Some(best) = population.bayes(test.features(), &holes) {
        let explained = Scores::of(test.target(), &best, None).r2;
        finding.push(None, "Bayes", Tuning::None, explained);
    }
    Ok(finding)
}

/// Imputed ridge regression on the base that cross-validation favours.
fn auto(train: &Dataset, test: &Dataset, search: &Search) -> Result<f64> {
    let chosen = tune::choose_base(&Learner::default(), &Base::ALL, train, search, &go_on)?;
    let learner = Learner::new(Method::Irr(chosen.base));
    Ok(scores(&learner, chosen.parameters, train, test)?.r2)
}
