//! What a method did on rows that it had not seen.

use gapfit::data::{Dataset, MaskedMatrix};
use gapfit::tune::{HeldOut, Tuned};
use gapfit::{Learner, Model, Parameters, Result};

use crate::{ErrorMeasure, Predicted};

/// A method in one fold.
#[derive(Debug)]
pub struct Trial {
    /// What was fitted.
    pub learner: Learner,
    /// With which parameters.
    pub parameters: Parameters,
    /// What the search found; absent where there was none.
    pub tuned: Option<Tuned>,
    /// The model, and the rows it has not seen.
    pub held_out: HeldOut,
    /// What the model says of the rows held out.
    pub predicted: Predicted,
}

/// A method in all folds.
#[derive(Debug)]
pub struct Contender<'a> {
    /// What it is called.
    pub name: &'a str,
    /// What it learns from, and is judged on.
    pub data: &'a Dataset,
    /// One for each fold, in order.
    pub trials: &'a [Trial],
}

impl Trial {
    /// The error on the rows held out.
    pub fn error(&self, data: &Dataset) -> f64 {
        let scores = self.predicted.scores(data, &self.held_out.rows);
        ErrorMeasure::of(self.learner.loss).among(&scores)
    }
}

impl Contender<'_> {
    /// What its errors are.
    pub fn error(&self) -> ErrorMeasure {
        let loss = self.trials.first().map(|trial| trial.learner.loss);
        ErrorMeasure::of(loss.unwrap_or_default())
    }

    /// The error of a model on these rows, which may have been changed into `table`.
    pub fn error_of(&self, model: &Model, table: &MaskedMatrix, rows: &[usize]) -> Result<f64> {
        let scores = Predicted::of(model, table)?.scores(self.data, rows);
        Ok(self.error().among(&scores))
    }

    /// All rows that some of its models has not seen, and what that says of them.
    pub fn held_out(&self) -> (Vec<usize>, Predicted) {
        let rows = self.trials.iter().flat_map(|trial| &trial.held_out.rows);
        let said = self.trials.iter().map(|trial| trial.predicted.clone());
        (rows.copied().collect(), Predicted::joined(said))
    }
}
