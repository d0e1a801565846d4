//! Weights `exp(-η L_k)`, and means under them, without overflow for any η from 0 to infinity.

/// The weights of experts with these losses at some rate, the best one's 1.
pub(super) struct Shares {
    weights: Vec<f64>,
    total: f64,
}

impl Shares {
    /// At an infinite rate the best experts share everything; at a rate that is not a number, which is
    /// 0/0, all do.
    pub(super) fn new(losses: &[f64], rate: f64) -> Self {
        let best = losses.iter().copied().fold(f64::INFINITY, f64::min);
        let weight = |&loss: &f64| match loss - best {
            behind if behind > 0.0 => libm::exp(-rate * behind),
            _ => 1.0,
        };
        let weights: Vec<f64> = losses.iter().map(weight).collect();
        let total = weights.iter().sum();
        Self { weights, total }
    }

    pub(super) fn normalised(self) -> Vec<f64> {
        let total = self.total;
        self.weights.into_iter().map(|w| w / total).collect()
    }

    pub(super) fn mean(&self, numbers: impl Iterator<Item = f64>) -> f64 {
        let sum: f64 = self.weights.iter().zip(numbers).map(|(w, x)| w * x).sum();
        sum / self.total
    }

    /// `-(1/η) ln Σ w_k exp(-η ℓ_k)`: its limit for an infinite rate is what the best sum grows by.
    pub(super) fn mixed(&self, sums: &[f64], losses: &[f64], rate: f64) -> f64 {
        if rate.is_finite() {
            return -log_mean_exp(self, losses.iter().map(|loss| -rate * loss)) / rate;
        }
        let least = |numbers: &mut dyn Iterator<Item = f64>| numbers.fold(f64::INFINITY, f64::min);
        let before = least(&mut sums.iter().copied());
        least(&mut sums.iter().zip(losses).map(|(sum, loss)| sum + loss)) - before
    }
}

/// `-(1/η) ln (1/N) Σ exp(-η L_k)`: what the sum of the mixed losses is at one rate throughout.
pub(super) fn potential(losses: &[f64], rate: f64) -> f64 {
    let best = losses.iter().copied().fold(f64::INFINITY, f64::min);
    if !rate.is_finite() {
        return best;
    }
    let total = Shares::new(losses, rate).total;
    best - libm::log(total / losses.len() as f64) / rate
}

/// `ln Σ w_k exp(x_k)`, the weights adding up to 1.
pub(super) fn log_mean_exp(shares: &Shares, exponents: impl Iterator<Item = f64> + Clone) -> f64 {
    let terms = shares.weights.iter().zip(exponents);
    let counted = terms.filter(|(w, _)| **w > 0.0);
    let largest = counted
        .clone()
        .map(|(_, x)| x)
        .fold(f64::NEG_INFINITY, f64::max);
    let sum: f64 = counted.map(|(w, x)| w * libm::exp(x - largest)).sum();
    largest + libm::log(sum / shares.total)
}
