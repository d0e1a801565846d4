//! What a method did on rows that it had not seen.

use gapfit::data::{Dataset, MaskedMatrix};
use gapfit::tune::{HeldOut, Tuned};
use gapfit::{Learner, Model, Parameters, Result};

use crate::class_weight::ClassWeight;
use crate::metric::{Error, Predicted};

/// A method in one fold.
#[derive(Debug)]
pub(crate) struct Trial {
    pub(crate) learner: Learner,
    pub(crate) parameters: Parameters,
    /// What the search found; absent where there was none.
    pub(crate) tuned: Option<Tuned>,
    pub(crate) held_out: HeldOut,
    /// What the model says of the rows held out.
    pub(crate) predicted: Predicted,
}

/// A method in all folds.
#[derive(Debug)]
pub(crate) struct Contender<'a> {
    pub(crate) name: &'a str,
    /// What it learns from, and is judged on.
    pub(crate) data: &'a Dataset,
    /// What rows of a class count for when it learns.
    pub(crate) class_weight: &'a ClassWeight,
    /// One for each fold, in order.
    pub(crate) trials: &'a [Trial],
}

impl Trial {
    /// The error on the rows held out.
    pub(crate) fn error(&self, data: &Dataset) -> f64 {
        let scores = self.predicted.scores(data, &self.held_out.rows);
        Error::of(self.learner.loss).among(&scores)
    }
}

impl Contender<'_> {
    /// What its errors are.
    pub(super) fn error(&self) -> Error {
        let loss = self.trials.first().map(|trial| trial.learner.loss);
        Error::of(loss.unwrap_or_default())
    }

    /// The error of a model on these rows, which may have been changed into `table`.
    pub(super) fn error_of(
        &self,
        model: &Model,
        table: &MaskedMatrix,
        rows: &[usize],
    ) -> Result<f64> {
        let scores = Predicted::of(model, table)?.scores(self.data, rows);
        Ok(self.error().among(&scores))
    }

    /// All rows that some of its models has not seen, and what that says of them.
    pub(super) fn held_out(&self) -> (Vec<usize>, Predicted) {
        let rows = self.trials.iter().flat_map(|trial| &trial.held_out.rows);
        let said = self.trials.iter().map(|trial| trial.predicted.clone());
        (rows.copied().collect(), Predicted::joined(said))
    }
}
