//! How good predictions are: of numbers, and of classes.

mod classes;
mod curve;
mod probability;
mod squared;

pub use classes::{ClassScores, accuracy, auc};
pub use curve::{Reliability, RocPoint, reliability, roc};
pub use probability::Probabilities;
pub use squared::SquaredErrors;

/// Scores of predictions against a target; weighted where weights are given.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scores {
    /// Root mean squared error.
    pub rmse: f64,
    /// Mean absolute error.
    pub mae: f64,
    /// Share of the target's variance that is explained; NaN for a constant target.
    pub r2: f64,
}

impl Scores {
    /// The scores of `predicted`; NaN where no row has weight.
    ///
    /// ```
    /// use gapfit::eval::Scores;
    /// let scores = Scores::of(&[1.0, 3.0], &[1.0, 2.0], None);
    /// assert_eq!(scores.mae, 0.5);
    /// assert_eq!(scores.r2, 0.5);
    /// ```
    ///
    /// # Panics
    /// When the lengths differ.
    pub fn of(target: &[f64], predicted: &[f64], weights: Option<&[f64]>) -> Self {
        assert_eq!(
            target.len(),
            predicted.len(),
            "one prediction per target value"
        );
        let weight = |i: usize| weights.map_or(1.0, |w| w[i]);
        let average = |f: &dyn Fn(usize) -> f64| {
            let (mut sum, mut total) = (0.0, 0.0);
            for i in 0..target.len() {
                sum += weight(i) * f(i);
                total += weight(i);
            }
            sum / total
        };
        let mean = average(&|i| target[i]);
        let squared = average(&|i| (target[i] - predicted[i]).powi(2));
        let variance = average(&|i| (target[i] - mean).powi(2));
        Self {
            rmse: squared.sqrt(),
            mae: average(&|i| (target[i] - predicted[i]).abs()),
            r2: if variance > 0.0 {
                1.0 - squared / variance
            } else {
                f64::NAN
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weight_two_is_the_row_twice_and_weight_zero_no_row() {
        let twice = Scores::of(&[1.0, 2.0, 2.0], &[0.0, 3.0, 3.0], None);
        let weighted = Scores::of(&[1.0, 2.0, 9.0], &[0.0, 3.0, 0.0], Some(&[1.0, 2.0, 0.0]));
        assert_eq!(twice, weighted);
    }

    #[test]
    fn a_constant_target_has_no_explained_share() {
        assert!(Scores::of(&[2.0, 2.0], &[1.0, 2.0], None).r2.is_nan());
    }
}
