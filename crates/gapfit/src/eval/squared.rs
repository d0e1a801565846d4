//! Squared errors as sums, which add up over parts of a table.

/// What root mean squared error and explained share are made of; it adds up over rows.
///
/// ```
/// use gapfit::eval::{Scores, SquaredErrors};
/// let (target, predicted) = ([1.0, 3.0, 4.0], [1.0, 2.0, 6.0]);
/// let mut all = SquaredErrors::of(&target[..1], &predicted[..1], None);
/// all.add(&SquaredErrors::of(&target[1..], &predicted[1..], None));
/// let scores = Scores::of(&target, &predicted, None);
/// assert!((all.rmse() - scores.rmse).abs() < 1e-15);
/// assert!((all.r2() - scores.r2).abs() < 1e-15);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SquaredErrors {
    /// The weight of the rows.
    pub weight: f64,
    /// Their weighted squared errors.
    pub squares: f64,
    /// The mean of the target.
    pub mean: f64,
    /// Its weighted squared differences from the mean.
    pub spread: f64,
}

impl SquaredErrors {
    /// Those of `predicted`.
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
        let total = |f: &dyn Fn(usize) -> f64| (0..target.len()).map(f).sum::<f64>();
        let all = total(&weight);
        let mean = total(&|i| weight(i) * target[i]) / all;
        Self {
            weight: all,
            squares: total(&|i| weight(i) * (target[i] - predicted[i]).powi(2)),
            mean,
            spread: total(&|i| weight(i) * (target[i] - mean).powi(2)),
        }
    }

    /// Adds those of other rows.
    pub fn add(&mut self, other: &Self) {
        let weight = self.weight + other.weight;
        let apart = other.mean - self.mean;
        self.spread += other.spread + apart * apart * (self.weight * other.weight / weight);
        self.mean += apart * (other.weight / weight);
        self.squares += other.squares;
        self.weight = weight;
    }

    /// The root mean squared error.
    pub fn rmse(&self) -> f64 {
        (self.squares / self.weight).sqrt()
    }

    /// The share of the target's variance that is explained; NaN for a constant target.
    pub fn r2(&self) -> f64 {
        match self.spread > 0.0 {
            true => 1.0 - self.squares / self.spread,
            false => f64::NAN,
        }
    }
}
