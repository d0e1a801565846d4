//! Slopes that a certificate can use: with a free intercept they must add up to zero.
//!
//! At the optimum they do; elsewhere they are moved, within the domain of the conjugate, and what that
//! costs each row, `loss + conjugate - slope · prediction >= 0`, goes into the gap (docs/math.md 15.2).

use super::link::{is_class, signs};
use super::rows::Chunk;
use super::{At, Curved, Part, Sample};
use crate::linalg::dot;
use crate::loss::Loss;
use rayon::prelude::*;

/// The pull of slopes whose weighted sum is zero in each output, and `Σ s_i (loss + conjugate - slope · f)`.
pub(super) fn pull(risk: &Curved<'_>, at: &At) -> (Vec<f64>, f64) {
    let sample = risk.sample;
    if sample.link.is_coupled() {
        let mixture = Mixture::new(sample, at);
        return moved(risk, at, |chunk, part| mixture.slopes(sample, chunk, part));
    }
    let balances: Vec<Balance> = (0..risk.outputs.count)
        .map(|j| Balance::new(sample, at, j))
        .collect();
    moved(risk, at, |chunk, part| {
        let (mut slopes, mut slack) = (part.slopes.clone(), 0.0);
        let n = part.losses.len();
        for (j, balance) in balances.iter().enumerate() {
            let predictions = &part.predictions[j * n..(j + 1) * n];
            let slopes = &mut slopes[j * n..(j + 1) * n];
            slack += balance.shrink(sample, chunk, predictions, slopes);
        }
        (slopes, slack)
    })
}

/// The pull of the slopes that `make` gives for each chunk, and the sum of what they cost.
fn moved(
    risk: &Curved<'_>,
    at: &At,
    make: impl Fn(&Chunk, &Part) -> (Vec<f64>, f64) + Sync,
) -> (Vec<f64>, f64) {
    let chunks = risk.sample.rows.chunks().par_iter().zip(&at.parts);
    let parts = chunks.map(|(chunk, part)| {
        let (slopes, slack) = make(chunk, part);
        (risk.push(chunk, &slopes), slack)
    });
    let (pushes, slack): (Vec<_>, Vec<f64>) = parts.collect::<Vec<_>>().into_iter().unzip();
    (risk.pull(pushes), slack.iter().sum())
}

/// How the slopes of one output are made to add up to zero: those of the sign that weighs more are shrunk
/// to the weight of the others.
struct Balance {
    output: usize,
    sign: f64,
    factor: f64,
}

impl Balance {
    fn new(sample: &Sample, at: &At, output: usize) -> Self {
        let (mut up, mut down) = (0.0, 0.0);
        for (chunk, part) in sample.rows.chunks().iter().zip(&at.parts) {
            let n = part.losses.len();
            let slopes = &part.slopes[output * n..(output + 1) * n];
            for (slope, weight) in slopes.iter().zip(sample.weights(chunk)) {
                let push = slope * weight;
                up += push.max(0.0);
                down -= push.min(0.0);
            }
        }
        let (sign, factor) = match up > down {
            true => (1.0, down / up),
            false if down > 0.0 => (-1.0, up / down),
            false => (1.0, 1.0),
        };
        Self {
            output,
            sign,
            factor,
        }
    }

    /// Shrinks the slopes of some rows; returns the sum of what it costs them.
    fn shrink(
        &self,
        sample: &Sample,
        chunk: &Chunk,
        predictions: &[f64],
        slopes: &mut [f64],
    ) -> f64 {
        let (targets, weights) = (sample.targets(chunk), sample.weights(chunk));
        let (loss, targets) = match sample.link.part() {
            Some((loss, true)) => (loss, &*signs(self.output, targets)),
            Some((loss, false)) => (loss, targets),
            None => return f64::INFINITY, // coupled outputs are mixed instead
        };
        let mut slack = 0.0;
        for (i, slope) in slopes.iter_mut().enumerate() {
            if self.sign * *slope <= 0.0 {
                continue;
            }
            let shrunk = self.factor * *slope;
            slack += weights[i]
                * match loss {
                    Loss::Logistic => apart(slope.abs(), self.factor),
                    _ => loose(loss, targets[i], predictions[i], shrunk),
                };
            *slope = shrunk;
        }
        slack
    }
}

/// At least `loss + conjugate - slope · prediction` of the logistic loss where the share, the size of its
/// slope, is shrunk by `factor`: `κa ln κ + (1 - κa) ln(1 + q)`, `q = (1 - κ) a/(1 - a)`, with
/// `ln(1 + q) <= q/sqrt(1 + q)` (docs/math.md 15.2).
fn apart(share: f64, factor: f64) -> f64 {
    let shrunk = factor * share;
    if shrunk <= 0.0 {
        return f64::INFINITY;
    }
    let q = (1.0 - factor) * share / (1.0 - share);
    let grown = (1.0 - shrunk) * (q / (1.0 + q).sqrt());
    not_below_zero(grown, -shrunk * factor.ln())
}

/// `loss + conjugate - slope · prediction` of one output.
fn loose(loss: Loss, target: f64, prediction: f64, slope: f64) -> f64 {
    let sum = loss.value(prediction, target) + loss.conjugate(slope, target);
    not_below_zero(sum, slope * prediction)
}

/// A difference that is not negative but for rounding, which counts in full; infinite where a number
/// has overflowed.
fn not_below_zero(sum: f64, product: f64) -> f64 {
    let rounding = 4.0 * f64::EPSILON * (sum.abs() + product.abs());
    let difference = sum - product;
    if difference.is_finite() {
        difference.max(0.0) + rounding
    } else {
        f64::INFINITY
    }
}

/// How the shares of coupled outputs are moved, a little towards one distribution for all rows, such that
/// each class gets its weight.
struct Mixture {
    /// The weight of each class, and of all rows.
    owed: Vec<f64>,
    total: f64,
    /// How far shares are moved, to which distribution times this.
    t: f64,
    common: Vec<f64>,
}

impl Mixture {
    fn new(sample: &Sample, at: &At) -> Self {
        let n = sample.kind.n_outputs;
        let mut owed = vec![0.0; n];
        for (&target, weight) in sample.targets.iter().zip(&*sample.weights) {
            owed[target as usize] += weight;
        }
        let mut mixture = Self {
            total: owed.iter().sum(),
            owed,
            t: 0.0,
            common: vec![0.0; n],
        };
        let mut lacks = mixture.owed.clone();
        for (chunk, part) in sample.rows.chunks().iter().zip(&at.parts) {
            let shares = mixture.shares(sample, chunk, part);
            let weights = sample.weights(chunk);
            for (lack, shares) in lacks.iter_mut().zip(shares.chunks_exact(weights.len())) {
                *lack -= dot(shares, weights);
            }
        }
        // (1 - t)(owed - lacks) + t total e = owed with e >= 0.
        let pairs = lacks.iter().zip(&mixture.owed);
        let too_much = pairs.clone().filter(|(_, owed)| **owed > 0.0);
        let t = too_much.map(|(lack, owed)| (-lack).max(0.0) / (owed - lack.min(0.0)));
        let t = t.fold(0.0, f64::max);
        if t > 0.0 {
            let common = pairs.map(|(lack, owed)| (t * owed + (1.0 - t) * lack).max(0.0));
            mixture.common = common.map(|e| e / mixture.total).collect();
            mixture.t = t;
        }
        mixture
    }

    /// The shares that the softmax makes of the predictions; a class that no row has gets nothing.
    fn shares(&self, sample: &Sample, chunk: &Chunk, part: &Part) -> Vec<f64> {
        let mut shares = part.shares(sample, chunk);
        if self.owed.iter().all(|&owed| owed > 0.0) {
            return shares;
        }
        let n = part.losses.len();
        for i in 0..n {
            let taking = |j: &usize| self.owed[*j] > 0.0;
            let kept: f64 = (0..self.owed.len())
                .filter(taking)
                .map(|j| shares[j * n + i])
                .sum();
            for (j, &owed) in self.owed.iter().enumerate() {
                let share = &mut shares[j * n + i];
                *share = match owed > 0.0 {
                    true if kept > 0.0 => *share / kept,
                    true => owed / self.total,
                    false => 0.0,
                };
            }
        }
        shares
    }

    /// The slopes of the moved shares of some rows, and the sum of what they cost.
    fn slopes(&self, sample: &Sample, chunk: &Chunk, part: &Part) -> (Vec<f64>, f64) {
        let n = part.losses.len();
        let mut shares = self.shares(sample, chunk, part);
        for (shares, common) in shares.chunks_exact_mut(n).zip(&self.common) {
            shares
                .iter_mut()
                .for_each(|q| *q = (1.0 - self.t) * *q + common);
        }
        let (targets, weights) = (sample.targets(chunk), sample.weights(chunk));
        let mut slack = 0.0;
        for i in 0..n {
            let places = (i..shares.len()).step_by(n);
            let conjugate: f64 = places.clone().map(|at| entropy(shares[at])).sum();
            let products = places.map(|at| shares[at] * part.predictions[at]);
            let own = part.predictions[targets[i] as usize * n + i];
            let product = products.sum::<f64>() - own;
            slack += weights[i] * not_below_zero(part.losses[i] + conjugate, product);
        }
        for (j, shares) in shares.chunks_exact_mut(n).enumerate() {
            for (q, &target) in shares.iter_mut().zip(targets) {
                *q -= f64::from(u8::from(is_class(j, target)));
            }
        }
        (shares, slack)
    }
}

impl Part {
    /// The shares of the classes that the softmax makes of the predictions.
    pub(super) fn shares(&self, sample: &Sample, chunk: &Chunk) -> Vec<f64> {
        let (n, targets) = (self.losses.len(), sample.targets(chunk));
        let share = |(at, slope): (usize, &f64)| {
            let is_target = is_class(at / n, targets[at % n]);
            if is_target { 1.0 + slope } else { *slope }
        };
        self.slopes.iter().enumerate().map(share).collect()
    }
}

/// `q ln q`, 0 at 0.
fn entropy(q: f64) -> f64 {
    if q > 0.0 { q * libm::log(q) } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_shrinking_costs_the_logistic_loss_is_bounded_from_above_and_closely() {
        for margin in [-30.0, -3.0, -0.1, 0.0, 0.5, 4.0, 30.0f64] {
            for factor in [1e-3, 0.5, 0.9, 0.999, 1.0 - 1e-6] {
                let slope = Loss::Logistic.derivative(margin, 1.0);
                let exact = loose(Loss::Logistic, 1.0, margin, factor * slope);
                let bound = apart(slope.abs(), factor);
                assert!(bound >= exact * (1.0 - 1e-6) - 1e-14, "{margin} {factor}");
                if factor > 0.9 && margin > -1.0 {
                    assert!(
                        bound <= 1.1 * exact + 1e-14,
                        "{margin} {factor}: {bound} {exact}"
                    );
                }
            }
        }
    }
}
