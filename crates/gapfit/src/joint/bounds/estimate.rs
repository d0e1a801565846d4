//! The Rademacher complexity itself, by drawing signs.

use super::Measurement;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

/// A mean over random draws.
///
/// ```
/// use gapfit::joint::bounds::Estimate;
///
/// let estimate = Estimate::of(&[1.0, 2.0, 3.0]);
/// assert_eq!(estimate.value, 2.0);
/// assert!((estimate.error - (1.0f64 / 3.0).sqrt()).abs() < 1e-15);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The mean.
    pub value: f64,
    /// Its standard error; NaN for fewer than two draws.
    pub error: f64,
}

impl Estimate {
    /// The mean of `draws` and its standard error.
    pub fn of(draws: &[f64]) -> Self {
        let n = draws.len() as f64;
        let value = draws.iter().sum::<f64>() / n;
        let squares: f64 = draws.iter().map(|x| (x - value).powi(2)).sum();
        Self {
            value,
            error: (squares / (n - 1.0) / n).sqrt(),
        }
    }
}

impl Measurement {
    /// The Rademacher complexity of the class of radius [`Facts::radius`](super::Facts::radius) on
    /// these rows, estimated from `draws` vectors of random signs.
    ///
    /// The least upper bound of `Σ_i σ_i (p_i/W) f_i` over the class is `Λ √Ω°` of the signed sum of
    /// the lifted rows (docs/math.md 11.2), so only the expectation over σ is estimated.
    pub fn complexity(&self, draws: usize, rng: &mut ChaCha8Rng) -> Estimate {
        let radius = self.facts().radius();
        let draw = |_| {
            let signed = self
                .per_sign
                .iter()
                .map(|&x| if rng.random() { x } else { -x });
            let sum = self.rows.adjoint_times(&signed.collect::<Vec<f64>>());
            radius * self.ball.polar(&sum).sqrt()
        };
        Estimate::of(&(0..draws).map(draw).collect::<Vec<f64>>())
    }
}
