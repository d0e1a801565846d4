//! Predictions of several learners made into one, nearly as good as the best of them (docs/math.md 13.10).
//!
//! Expert k with the cumulative loss `L_k` has the weight `w_k ~ exp(-η L_k)`. What is predicted, and at
//! which rate, depends on the loss; N is the number of experts, p the largest row weight (or 1).
//!
//! | loss | combined by | η | at most this much worse than the best |
//! |---|---|---|---|
//! | logistic | the mean of the probabilities | 1/p | `p ln N` |
//! | squared | Vovk's substitution on the range of the targets, of width 2B | 1/(2B²p) | `2B²p ln N` + growth of the range |
//! | squared hinge | the same on [-1, 1] | 1/(2p) | `2p ln N` |
//! | absolute, ε-insensitive, hinge, linear | the mean | ln N / Δ | 2Δ (`AdaHedge`), of the order of `√(T ln N)` |
//!
//! Predictions are cut to the range of the targets so far (to [-1, 1] for the hinges), which costs
//! something only in rounds whose target lies outside. [`Mixture::bound`] adds that up: it is what the
//! theory promises for the very sequence that was met, whoever made it. A round in which a loss beyond
//! 1e130 had to be cut is left out of the promise.

mod combine;

use crate::loss::Loss;
use combine::{Shares, log_mean_exp, potential};

/// Weighted losses are cut here, so that sums of them stay finite.
const HEAVIEST_LOSS: f64 = 1e130;

/// Rates are not below this, so that numbers can be divided by them.
const SLOWEST: f64 = 1e-300;

/// Experts' predictions made into one, by their losses so far.
///
/// ```
/// use gapfit::loss::Loss;
/// use gapfit::online::Mixture;
///
/// let mut mixture = Mixture::new(Loss::Logistic, 2);
/// for _ in 0..20 {
///     let experts = [3.0, -1.0]; // log-odds
///     let combined = mixture.combine(&experts);
///     assert!(combined <= 3.0 && combined >= -1.0);
///     mixture.update(&experts, 1.0, 1.0); // the first was right
/// }
/// assert!(mixture.shares()[0] > 0.99);
/// assert!(mixture.bound() <= f64::ln(2.0));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Mixture {
    loss: Loss,
    pub(crate) tally: Tally,
    /// The cumulative loss of each expert.
    pub(crate) losses: Vec<f64>,
}

/// What the rounds so far add up to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Tally {
    /// The range of the targets.
    pub(crate) range: Option<(f64, f64)>,
    /// The largest row weight, at least 1.
    pub(crate) heaviest: f64,
    /// `AdaHedge`'s Δ: how much worse the mean loss was than the mixed one.
    pub(crate) excess: f64,
    /// What rounds with targets out of range may have cost.
    pub(crate) surprise: f64,
    /// The sum of the mixed losses, `-(1/η) ln Σ w exp(-η ℓ)`.
    pub(crate) mixed: f64,
}

/// How the predictions for a loss are combined.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Probabilities,
    Squares,
    Mean,
}

impl Mixture {
    /// A combination of this many experts, all alike at first.
    pub fn new(loss: Loss, n_experts: usize) -> Self {
        let is_hinge = matches!(loss, Loss::Hinge | Loss::SquaredHinge);
        Self {
            loss,
            tally: Tally {
                range: is_hinge.then_some((-1.0, 1.0)),
                heaviest: 1.0,
                excess: 0.0,
                surprise: 0.0,
                mixed: 0.0,
            },
            losses: vec![0.0; n_experts],
        }
    }

    /// The number of experts.
    pub fn n_experts(&self) -> usize {
        self.losses.len()
    }

    /// One more expert. It is taken to have done so far as well as the combination.
    pub fn push(&mut self) {
        self.losses.push(self.tally.mixed);
        // `AdaHedge` speeds up with the number of experts, and nothing was promised for that.
        let reached = potential(&self.losses, self.rate());
        self.tally.surprise += (self.tally.mixed - reached).max(0.0);
    }

    /// The weights of the experts; they add up to 1.
    pub fn shares(&self) -> Vec<f64> {
        Shares::new(&self.losses, self.rate()).normalised()
    }

    /// How much larger the sum of the losses of the combination can be than that of the best expert, by
    /// theory, on the rounds so far.
    pub fn bound(&self) -> f64 {
        let count = (self.n_experts() as f64).ln();
        let mixing = match self.kind() {
            Kind::Mean => 2.0 * self.tally.excess,
            _ => count / self.rate(),
        };
        mixing + self.tally.surprise
    }

    fn kind(&self) -> Kind {
        match self.loss {
            Loss::Logistic => Kind::Probabilities,
            Loss::Squared | Loss::SquaredHinge => Kind::Squares,
            Loss::Huber(_)
            | Loss::Absolute
            | Loss::EpsInsensitive(_)
            | Loss::Hinge
            | Loss::Linear => Kind::Mean,
        }
    }

    /// η, infinite where only the best expert counts.
    fn rate(&self) -> f64 {
        match self.kind() {
            Kind::Mean if self.n_experts() == 1 => f64::INFINITY,
            Kind::Mean => (self.n_experts() as f64).ln() / self.tally.excess,
            _ => (self.mixability() / self.tally.heaviest).max(SLOWEST),
        }
    }

    /// The largest rate at which some prediction is as good as any shares of experts, for rows of weight 1.
    fn mixability(&self) -> f64 {
        let half = 0.5 * self.width();
        match self.kind() {
            Kind::Squares => (1.0 / (2.0 * half * half)).max(SLOWEST),
            _ => 1.0,
        }
    }

    fn width(&self) -> f64 {
        self.tally.range.map_or(0.0, |(low, high)| high - low)
    }

    /// A prediction cut to where targets have been.
    fn cut(&self, prediction: f64) -> f64 {
        match self.tally.range {
            Some((low, high)) => prediction.clamp(low, high),
            None => prediction,
        }
    }

    /// The combined prediction.
    ///
    /// # Panics
    /// When there are not as many predictions as experts, or none.
    pub fn combine(&self, predictions: &[f64]) -> f64 {
        assert_eq!(predictions.len(), self.n_experts(), "predictions");
        assert!(!predictions.is_empty(), "experts");
        let shares = Shares::new(&self.losses, self.rate());
        // Not the rate of the shares: a row may be as heavy as the heaviest (docs/math.md 13.10).
        let rate = self.mixability();
        // What the shares make of the losses that a target would cause.
        let mixed = |y: f64| {
            let losses = predictions.iter().map(|&p| self.loss.value(self.cut(p), y));
            -log_mean_exp(&shares, losses.map(|loss| -rate * loss)) / rate
        };
        match (self.kind(), self.tally.range) {
            (Kind::Probabilities, _) => mixed(-1.0) - mixed(1.0),
            (Kind::Squares, Some((low, high))) if high > low && rate.is_finite() => {
                let middle = low + 0.5 * (high - low);
                middle + (mixed(low) - mixed(high)) / (2.0 * (high - low))
            }
            _ => shares.mean(predictions.iter().map(|&p| self.cut(p))),
        }
    }

    /// Lets the experts suffer the losses of a round.
    ///
    /// # Panics
    /// When there are not as many predictions as experts.
    pub fn update(&mut self, predictions: &[f64], target: f64, weight: f64) {
        assert_eq!(predictions.len(), self.n_experts(), "predictions");
        let is_unknown = self.loss.has_unit() && self.tally.range.is_none();
        let is_heavy = weight > self.tally.heaviest && self.kind() != Kind::Mean;
        // Nothing was promised for a row heavier than all before, or before there was a range.
        let suffered = (is_unknown || is_heavy)
            .then(|| self.suffered(self.combine(predictions), target, weight));
        self.tally.heaviest = self.tally.heaviest.max(weight);
        let rate = self.rate();
        let shares = Shares::new(&self.losses, rate);
        let loss = |&p: &f64| self.suffered(self.cut(p), target, weight);
        let losses: Vec<f64> = predictions.iter().map(loss).collect();
        let mixed = shares.mixed(&self.losses, &losses, rate);
        self.tally.mixed += mixed;
        if self.kind() == Kind::Mean {
            let mean = shares.mean(losses.iter().copied());
            self.tally.excess += (mean - mixed).max(0.0);
        }
        if let Some(suffered) = suffered {
            self.tally.surprise += (suffered - mixed).max(0.0);
        }
        for (sum, loss) in self.losses.iter_mut().zip(losses) {
            *sum += loss;
        }
        self.widen(target, weight);
    }

    /// The weighted loss of a prediction.
    fn suffered(&self, prediction: f64, target: f64, weight: f64) -> f64 {
        let loss = weight * self.loss.value(prediction, target);
        loss.clamp(-HEAVIEST_LOSS, HEAVIEST_LOSS)
    }

    /// Lets the range include a target, and counts what not knowing it may have cost.
    fn widen(&mut self, target: f64, weight: f64) {
        if !self.loss.has_unit() {
            return;
        }
        let (low, high) = self.tally.range.unwrap_or((target, target));
        let off = (target - high).max(low - target).max(0.0);
        let cost = match self.loss {
            Loss::Squared => off * (2.0 * (high - low) + off),
            Loss::Huber(_) => self.loss.value(off, 0.0),
            _ => off,
        };
        self.tally.surprise += (weight * cost).min(HEAVIEST_LOSS);
        self.tally.range = Some((low.min(target), high.max(target)));
    }
}

#[cfg(test)]
mod tests;
