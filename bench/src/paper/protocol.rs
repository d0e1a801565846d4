//! One trial of the paper's protocol (section 5 and appendix).
//!
//! Beforehand features are scaled to [0, 1] and the target to [-1, 1] on the whole table. A trial
//! punches fresh holes into the whole table and draws 1000 training rows; the rest, holes and all, is
//! the test set.

use crate::score;
use anyhow::{Result, ensure};
use gapfit::corrupt::Mechanism;
use gapfit::data::{Dataset, MaskedMatrix};
use gapfit::prepare::{Intercept, Preparation, Scale};
use gapfit::tune::{self, Search, Tuned};
use gapfit::{Learner, Method, Parameters};
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use serde::Serialize;
use std::ops::ControlFlow;

/// Training rows of a trial.
pub(crate) const TRAIN: usize = 1000;

/// Nothing is left to do to the scaled table; the constant is a feature like any other.
const PREPARATION: Preparation = Preparation {
    scale: Scale::None,
    clip: 0.0,
    intercept: Intercept::Penalised,
};

/// Rows to learn from, and rows to predict.
#[derive(Debug)]
pub(crate) struct Split {
    train: Dataset,
    test: Dataset,
}

/// The split of a trial, without holes and with.
#[derive(Debug)]
pub(crate) struct Trial {
    pub(crate) complete: Split,
    pub(crate) holey: Split,
}

/// The chosen parameters and the error on the test rows that they led to.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct Choice {
    pub(crate) rmse: f64,
    pub(crate) alpha: f64,
    /// Absent where the method has none.
    pub(crate) gamma: Option<f64>,
}

impl Trial {
    /// A trial on a scaled, complete table; `seed` decides rows and holes.
    pub(crate) fn draw(complete: &Dataset, mechanism: &Mechanism, seed: u64) -> Result<Self> {
        let (rows, holey) = shuffled(complete, Some(mechanism), seed)?;
        let (train, test) = rows.split_at(TRAIN);
        let split = |data: &Dataset| Split {
            train: data.select(train),
            test: data.select(test),
        };
        Ok(Self {
            complete: split(complete),
            holey: split(&holey),
        })
    }
}

/// The rows in random order, more than [`TRAIN`] of them, and the table with fresh holes, if any are
/// to be punched.
pub(crate) fn shuffled(
    data: &Dataset,
    mechanism: Option<&Mechanism>,
    seed: u64,
) -> Result<(Vec<usize>, Dataset)> {
    let n_rows = data.n_rows();
    ensure!(
        n_rows > TRAIN,
        "expected more than {TRAIN} rows, got {n_rows}"
    );
    let rng = &mut ChaCha8Rng::seed_from_u64(seed);
    let mut rows: Vec<usize> = (0..n_rows).collect();
    rows.shuffle(rng);
    let mut holey = data.clone();
    if let Some(mechanism) = mechanism {
        holey = holey.with_features(mechanism.apply(data.features(), rng)?)?;
    }
    Ok((rows, holey))
}

impl Split {
    /// Parameters that are best on the test rows themselves, as in the paper.
    pub(crate) fn optimistic(&self, method: Method) -> Result<Choice> {
        let go_on = |_, _| ControlFlow::Continue(());
        let (learner, search) = (learner(method), Search::paper());
        let tuned = tune::optimistic(&learner, &self.train, &self.test, &search, &go_on)?;
        self.choose(&learner, &tuned)
    }

    /// Parameters chosen by cross-validation inside the training rows, from the same grid.
    pub(crate) fn cross_validated(&self, method: Method) -> Result<Choice> {
        let go_on = |_, _| ControlFlow::Continue(());
        let (learner, search) = (learner(method), Search::paper());
        let tuned = tune::cross_validate(&learner, &self.train, &search, &go_on)?;
        self.choose(&learner, &tuned)
    }

    fn choose(&self, learner: &Learner, tuned: &Tuned) -> Result<Choice> {
        let Parameters { alpha, gamma } = tuned.best.parameters;
        let scores = score::given(learner, tuned.best.parameters, &self.train, &self.test)?;
        Ok(Choice {
            rmse: scores.rmse,
            alpha,
            gamma: learner.method.has_gamma().then_some(gamma),
        })
    }
}

fn learner(method: Method) -> Learner {
    Learner {
        preparation: PREPARATION,
        ..Learner::new(method)
    }
}

/// The complete table with features scaled to [0, 1] and the target to [-1, 1]; a feature that never
/// changes becomes 0.
pub(crate) fn scaled(data: &Dataset) -> Result<Dataset> {
    let columns = 0..data.n_features();
    let ranges: Vec<_> = columns
        .map(|j| range(data.features().rows().map(|row| row.values()[j])))
        .collect();
    let mut table = MaskedMatrix::new(data.n_features());
    for row in data.features().rows() {
        let cells = row.values().iter().zip(&ranges);
        let scaled = |(x, (low, high)): (&f64, &(f64, f64))| match high > low {
            true => (x - low) / (high - low),
            false => 0.0,
        };
        table.push_row(cells.map(scaled).map(Some))?;
    }
    let (low, high) = range(data.target().iter().copied());
    let target = data.target().iter();
    let target = target.map(|y| 2.0 * (y - low) / (high - low) - 1.0);
    Ok(Dataset::new(table, target.collect())?)
}

fn range(values: impl Iterator<Item = f64>) -> (f64, f64) {
    values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| {
        (low.min(x), high.max(x))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::synthetic::linear;

    #[test]
    fn scaling_reaches_both_ends() {
        let data = scaled(&linear(50, 2, 1).unwrap()).unwrap();
        for j in 0..2 {
            let column = data.features().rows().map(|row| row.values()[j]);
            assert_eq!(range(column), (0.0, 1.0));
        }
        assert_eq!(range(data.target().iter().copied()), (-1.0, 1.0));
    }

    #[test]
    fn a_trial_cuts_both_tables_alike_and_corrupts_the_test_rows_too() {
        let data = scaled(&linear(1500, 3, 1).unwrap()).unwrap();
        let trial = Trial::draw(&data, &Mechanism::Mcar { rate: 0.5 }, 0).unwrap();
        assert_eq!(trial.complete.train.n_rows(), TRAIN);
        assert_eq!(trial.complete.test.target(), trial.holey.test.target());
        assert!(trial.holey.test.features().observed_fraction() < 0.6);
        let again = Trial::draw(&data, &Mechanism::Mcar { rate: 0.5 }, 0).unwrap();
        assert_eq!(again.holey.train, trial.holey.train);
    }
}
