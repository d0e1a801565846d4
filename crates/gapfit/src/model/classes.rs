//! Models of classes: probabilities, decisions, and the weights of each class.

use super::Model;
use crate::data::MaskedMatrix;
use crate::error::{Error, Result};
use crate::eval::Probabilities;
use crate::joint::curved::shares;
use crate::learn::Multiclass;
use crate::loss::Loss;

impl Model {
    /// The labels of the classes; none where the target is numbers.
    pub fn classes(&self) -> &[String] {
        &self.classes
    }

    /// The probabilities of the classes for the rows of a table: finite, and 1 in sum.
    ///
    /// # Errors
    /// [`Error::Shape`] when the number of columns differs, [`Error::Setting`] unless the loss is
    /// logistic.
    pub fn predict_proba(&self, table: &MaskedMatrix) -> Result<Probabilities> {
        if self.loss != Loss::Logistic {
            return Err(Error::Setting {
                name: "loss",
                expected: "logistic, for probabilities",
                got: self.loss.to_string(),
            });
        }
        let scores = self.scores(table)?;
        let n = self.classes.len();
        let values = scores.chunks_exact(1 + self.others.len()).flat_map(|row| {
            let logarithms: Vec<f64> = match (row, self.multiclass) {
                (&[score], _) => vec![0.0, score],
                (_, Multiclass::Joint) => row.to_vec(),
                // of the probability of each class against the others
                _ => row.iter().map(|&f| -Loss::Logistic.value(f, 1.0)).collect(),
            };
            shares(&logarithms)
        });
        Probabilities::new(n, values.collect())
    }

    /// The scores of the classes for the rows of a table, row after row: of two classes one, positive for the
    /// second, otherwise one for each.
    ///
    /// # Errors
    /// [`Error::Shape`] when the number of columns differs.
    pub fn class_scores(&self, table: &MaskedMatrix) -> Result<Vec<f64>> {
        self.scores(table)
    }

    /// The number of the class that each row of a table most likely has: that of the highest score.
    ///
    /// # Errors
    /// [`Error::Shape`] when the number of columns differs, [`Error::Setting`] where the target is
    /// numbers.
    pub fn decide(&self, table: &MaskedMatrix) -> Result<Vec<usize>> {
        if self.classes.is_empty() {
            return Err(Error::Setting {
                name: "target",
                expected: "classes, to decide between",
                got: "numbers".to_owned(),
            });
        }
        let scores = self.scores(table)?;
        let decide = |row: &[f64]| match row {
            &[score] => usize::from(score > 0.0),
            _ => highest(row),
        };
        let rows = scores.chunks_exact(1 + self.others.len());
        Ok(rows.map(decide).collect())
    }

    /// The weights of a class with everything observed, as [`Model::weights`] has them; of two classes
    /// they are those of the score for both.
    ///
    /// # Panics
    /// If there is no such class.
    pub fn class_weights(&self, class: usize) -> (f64, Vec<f64>) {
        self.original_units(&self.predictor(class).weights)
    }

    /// How the weights of a class shift when `feature` is missing, as [`Model::shift`] has it.
    ///
    /// # Panics
    /// If there is no such class.
    pub fn class_shift(&self, class: usize, feature: usize) -> Option<(f64, Vec<f64>)> {
        self.shift_of(self.predictor(class), feature)
    }

    pub(super) fn predictor(&self, class: usize) -> &super::MaskLinear {
        assert!(class < self.classes.len().max(1), "a class of the model");
        match class {
            0 => &self.linear,
            _ if self.others.is_empty() => &self.linear,
            _ => &self.others[class - 1],
        }
    }
}

/// Where the largest number is; the first of equal ones.
fn highest(row: &[f64]) -> usize {
    let mut best = 0;
    for (j, score) in row.iter().enumerate() {
        if *score > row[best] {
            best = j;
        }
    }
    best
}
