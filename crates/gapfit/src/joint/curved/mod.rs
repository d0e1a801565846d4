//! The risk of losses other than the squared one, from the completed rows themselves.
//!
//! ```text
//! (1/c) Σ_i s_i loss(y_i, Φ_i v),        c = alpha Σ s_i
//! ```
//!
//! Curvature differs from row to row and from step to step, so sums by mask do not suffice: rows are
//! kept, completed and sorted by mask, and each Newton step forms `Σ s_i loss'' Φ_i Φ_iᵀ` mask by mask,
//! or only multiplies by it (docs/math.md 15). A free intercept is an unknown without a penalty.

mod feasible;
mod link;
mod newton;
mod sample;

pub(crate) use link::{Link, shares};
pub(crate) use sample::{Kind, Sample};

use super::blocks::{Blocks, Hessian};
use super::certificate::Certificate;
use super::outputs::Outputs;
use super::risk::Risk;
use crate::error::Result;
use sample::Part;

/// The risk of a sample over `c`.
pub(crate) struct Curved<'a> {
    sample: &'a Sample,
    outputs: Outputs<'a>,
    c: f64,
    /// The value where nothing is predicted.
    at_zero: f64,
}

/// The risk at a point: per output, one number per row.
pub(crate) struct At {
    predictions: Vec<Vec<f64>>,
    slopes: Vec<Vec<f64>>,
    bends: Vec<Vec<f64>>,
    /// The loss of each row.
    losses: Vec<f64>,
    value: f64,
    pull: Vec<f64>,
}

impl<'a> Curved<'a> {
    pub(crate) fn new(sample: &'a Sample, blocks: &'a Blocks, c: f64) -> Self {
        let zeros = vec![0.0; sample.kind.n_outputs];
        let at_zero = sample.sum(|i, _| sample.link.value(&zeros, sample.targets[i]));
        Self {
            sample,
            outputs: sample.outputs(blocks),
            c,
            at_zero: at_zero / c,
        }
    }

    /// `-1/(2c) Σ s_i slope_i Φ_i` for each output.
    fn pull(&self, slopes: &[Vec<f64>]) -> Vec<f64> {
        let sample = self.sample;
        let of_output = |slopes: &Vec<f64>| {
            let rooted = slopes.iter().zip(&sample.roots).map(|(s, root)| s * root);
            let mut pull = sample.rows.adjoint_times(&rooted.collect::<Vec<_>>());
            pull.iter_mut().for_each(|g| *g *= -0.5 / self.c);
            sample.reduced(pull)
        };
        slopes.iter().flat_map(of_output).collect()
    }

    /// `Φv` for each output.
    fn predict(&self, v: &[f64]) -> Vec<Vec<f64>> {
        let of_output = |j| {
            self.sample
                .predict(&self.sample.full(&v[self.outputs.range(j)]))
        };
        (0..self.outputs.count).map(of_output).collect()
    }
}

impl Risk for Curved<'_> {
    type At = At;

    fn start(&self, penalty: &[Hessian<'_>]) -> Vec<f64> {
        let zeros = vec![0.0; self.outputs.dim()];
        let at = self.at(&zeros);
        let rhs: Vec<f64> = at.pull.iter().map(|g| 2.0 * g).collect();
        let bend = self.sample.link.largest_bend();
        let bends = vec![vec![bend; self.sample.roots.len()]; self.outputs.count];
        newton::by_output(self, &bends, penalty, &rhs).unwrap_or(zeros)
    }

    fn at(&self, v: &[f64]) -> At {
        let predictions = self.predict(v);
        let parts = self.sample.derivatives(&predictions);
        let by_output = |of: fn(&Part) -> &[f64]| {
            let n = self.outputs.count;
            let numbers = |j: usize| {
                let parts = parts.iter().map(of);
                parts
                    .flat_map(|part| part.iter().skip(j).step_by(n).copied())
                    .collect()
            };
            (0..n).map(numbers).collect::<Vec<Vec<f64>>>()
        };
        let slopes = by_output(|part| &part.slopes);
        let bends = by_output(|part| &part.bends);
        let losses: Vec<f64> = parts.into_iter().flat_map(|part| part.losses).collect();
        At {
            pull: self.pull(&slopes),
            value: self.sample.sum(|i, _| losses[i]) / self.c,
            predictions,
            slopes,
            bends,
            losses,
        }
    }

    fn value(&self, at: &At) -> f64 {
        at.value
    }

    fn pull<'s>(&self, at: &'s At) -> &'s [f64] {
        &at.pull
    }

    fn direction(&self, at: &At, penalty: &[Hessian<'_>], rhs: &[f64]) -> Result<Vec<f64>> {
        if self.sample.link.is_coupled() {
            newton::jointly(self, at, penalty, rhs)
        } else {
            newton::by_output(self, &at.bends, penalty, rhs)
        }
    }

    fn line<'s>(&'s self, at: &'s At, direction: &[f64]) -> Box<dyn Fn(f64) -> f64 + 's> {
        let sample = self.sample;
        let along = self.predict(direction);
        Box::new(move |t| {
            let change = |i: usize, f: &mut [f64]| {
                for ((f, from), along) in f.iter_mut().zip(&at.predictions).zip(&along) {
                    *f = from[i] + t * along[i];
                }
                sample.link.value(f, sample.targets[i]) - at.losses[i]
            };
            sample.sum(change) / self.c
        })
    }

    fn gap(&self, at: &At, v: &[f64], penalty: f64, certificate: &mut Certificate<'_>) -> f64 {
        let gap = if self.outputs.free == 0 {
            certificate.apart(v, &at.pull, penalty)
        } else {
            // A free intercept asks for slopes that add up to zero (docs/math.md 15.2).
            let (slopes, slack) = feasible::slopes(self.sample, at);
            certificate.apart(v, &self.pull(&slopes), penalty) + slack / self.c
        };
        // What overflowed proves nothing.
        if gap.is_nan() {
            f64::INFINITY
        } else {
            gap.max(0.0)
        }
    }

    fn negligible(&self) -> f64 {
        1e-14 * self.at_zero
    }
}

#[cfg(test)]
mod tests;
