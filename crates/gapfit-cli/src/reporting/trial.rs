//! What a method did on rows that it had not seen.

use gapfit::data::Dataset;
use gapfit::eval::Scores;
use gapfit::tune::{HeldOut, Tuned};
use gapfit::{Learner, Parameters};

/// A method in one fold.
#[derive(Debug)]
pub(crate) struct Trial {
    pub(crate) learner: Learner,
    pub(crate) parameters: Parameters,
    /// What the search found; absent where there was none.
    pub(crate) tuned: Option<Tuned>,
    pub(crate) held_out: HeldOut,
}

/// A method in all folds.
#[derive(Debug)]
pub(crate) struct Contender<'a> {
    pub(crate) name: &'a str,
    /// What it learns from, and is judged on.
    pub(crate) data: &'a Dataset,
    /// One for each fold, in order.
    pub(crate) trials: &'a [Trial],
}

impl Trial {
    /// The error on the rows held out.
    pub(crate) fn rmse(&self, data: &Dataset) -> f64 {
        rmse(data, &self.held_out.rows, &self.held_out.predictions)
    }
}

/// The error of predictions for these rows.
pub(super) fn rmse(data: &Dataset, rows: &[usize], predictions: &[f64]) -> f64 {
    let target: Vec<f64> = rows.iter().map(|&i| data.target()[i]).collect();
    let weights = data.weights();
    let weights = weights.map(|w| rows.iter().map(|&i| w[i]).collect::<Vec<f64>>());
    Scores::of(&target, predictions, weights.as_deref()).rmse
}
