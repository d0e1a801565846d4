//! Slopes that a certificate can use: with a free intercept they must add up to zero.
//!
//! At the optimum they do; elsewhere they are moved, within the domain of the conjugate, and what that
//! costs each row, `loss + conjugate - slope · prediction >= 0`, goes into the gap (docs/math.md 15.2).

use super::link::is_class;
use super::{At, Sample};
use crate::loss::Loss;

impl At {
    /// The shares of class `j` that the softmax makes of the predictions.
    pub(super) fn shares(&self, sample: &Sample, j: usize) -> Vec<f64> {
        let pairs = self.slopes[j].iter().zip(&sample.targets);
        pairs
            .map(|(slope, &target)| {
                if is_class(j, target) {
                    1.0 + slope
                } else {
                    *slope
                }
            })
            .collect()
    }
}

/// Slopes whose weighted sum is zero in each output, and `Σ s_i (loss + conjugate - slope · f)`.
pub(super) fn slopes(sample: &Sample, at: &At) -> (Vec<Vec<f64>>, f64) {
    if sample.link.is_coupled() {
        return mixed(sample, at);
    }
    let mut slack = 0.0;
    let outputs = (0..sample.kind.n_outputs).map(|j| {
        let (slopes, cost) = balanced(sample, at, j);
        slack += cost;
        slopes
    });
    (outputs.collect(), slack)
}

/// The slopes of output `j`, the sign that weighs more shrunk to the weight of the other.
fn balanced(sample: &Sample, at: &At, j: usize) -> (Vec<f64>, f64) {
    let slopes = &at.slopes[j];
    let weighs = |sign: f64| {
        let rows = slopes.iter().zip(&sample.roots);
        rows.map(|(s, root)| root * root * (sign * s).max(0.0))
            .sum::<f64>()
    };
    let (up, down) = (weighs(1.0), weighs(-1.0));
    if up <= down && down <= up {
        return (slopes.clone(), 0.0);
    }
    let (sign, factor) = if up > down {
        (1.0, down / up)
    } else {
        (-1.0, up / down)
    };
    let mut slack = 0.0;
    let mut shrink = |i: usize, slope: f64| {
        if sign * slope <= 0.0 {
            return slope;
        }
        let shrunk = factor * slope;
        if let Some((loss, y)) = sample.link.part(j, sample.targets[i]) {
            slack += sample.roots[i].powi(2) * loose(loss, y, at.predictions[j][i], shrunk);
        }
        shrunk
    };
    let shrunk = slopes
        .iter()
        .enumerate()
        .map(|(i, &s)| shrink(i, s))
        .collect();
    (shrunk, slack)
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

/// Shares moved a little towards one distribution for all rows, such that each class gets its weight.
fn mixed(sample: &Sample, at: &At) -> (Vec<Vec<f64>>, f64) {
    let n = sample.kind.n_outputs;
    let mut shares: Vec<Vec<f64>> = (0..n).map(|j| at.shares(sample, j)).collect();
    let weight = |i: usize| sample.roots[i] * sample.roots[i];
    let mut owed = vec![0.0; n];
    for (i, &target) in sample.targets.iter().enumerate() {
        owed[target as usize] += weight(i);
    }
    let total: f64 = owed.iter().sum();
    // A class that no row has gets nothing.
    for i in 0..sample.targets.len() {
        let kept: f64 = (0..n)
            .filter(|&j| owed[j] > 0.0)
            .map(|j| shares[j][i])
            .sum();
        for (shares, owed) in shares.iter_mut().zip(&owed) {
            shares[i] = match *owed > 0.0 {
                true if kept > 0.0 => shares[i] / kept,
                true => *owed / total,
                false => 0.0,
            };
        }
    }
    let given = |shares: &Vec<f64>| -> f64 {
        let rows = shares.iter().enumerate();
        rows.map(|(i, q)| weight(i) * q).sum()
    };
    let lacks: Vec<f64> = shares
        .iter()
        .zip(&owed)
        .map(|(q, owed)| owed - given(q))
        .collect();
    // (1 - t)(owed - lacks) + t total e = owed with e >= 0.
    let too_much = lacks.iter().zip(&owed).filter(|(_, owed)| **owed > 0.0);
    let t = too_much.map(|(lack, owed)| (-lack).max(0.0) / (owed - lack.min(0.0)));
    let t = t.fold(0.0, f64::max);
    if t > 0.0 {
        for (j, shares) in shares.iter_mut().enumerate() {
            let common = (t * owed[j] + (1.0 - t) * lacks[j]).max(0.0) / total;
            shares.iter_mut().for_each(|q| *q = (1.0 - t) * *q + common);
        }
    }
    let slack = sample.sum(|i, _| {
        let target = sample.targets[i] as usize;
        let conjugate: f64 = shares.iter().map(|q| entropy(q[i])).sum();
        let products: f64 = (0..n).map(|j| shares[j][i] * at.predictions[j][i]).sum();
        let product = products - at.predictions[target][i];
        not_below_zero(at.losses[i] + conjugate, product)
    });
    for (j, shares) in shares.iter_mut().enumerate() {
        for (q, &target) in shares.iter_mut().zip(&sample.targets) {
            *q -= f64::from(u8::from(is_class(j, target)));
        }
    }
    (shares, slack)
}

/// `q ln q`, 0 at 0.
fn entropy(q: f64) -> f64 {
    if q > 0.0 { q * libm::log(q) } else { 0.0 }
}
