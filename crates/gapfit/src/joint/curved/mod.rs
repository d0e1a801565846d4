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
mod inverse;
mod link;
mod newton;
mod rows;
mod sample;

pub(crate) use link::{Link, shares};
pub(crate) use sample::{Kind, Sample};

use super::blocks::{Blocks, Hessian};
use super::certificate::Certificate;
use super::outputs::Outputs;
use super::risk::Risk;
use crate::error::Result;
use crate::linalg::{add_scaled, dot};
use crate::loss::Derivatives;
use rayon::prelude::*;
use rows::{Chunk, total};

/// The risk of a sample over `c`.
pub(crate) struct Curved<'a> {
    sample: &'a Sample,
    outputs: Outputs<'a>,
    c: f64,
    /// The value where nothing is predicted.
    at_zero: f64,
}

/// The risk at a point.
pub(crate) struct At {
    /// Chunk by chunk of the rows.
    parts: Vec<Part>,
    value: f64,
    pull: Vec<f64>,
}

/// Some rows at a point: per output, one output after the other, one number per row.
struct Part {
    predictions: Vec<f64>,
    slopes: Vec<f64>,
    bends: Vec<f64>,
    /// The loss of each row.
    losses: Vec<f64>,
}

impl Part {
    fn new(sample: &Sample, chunk: &Chunk, predictions: Vec<f64>) -> Self {
        let mut part = Self {
            slopes: vec![0.0; predictions.len()],
            bends: vec![0.0; predictions.len()],
            losses: vec![0.0; chunk.rows.len()],
            predictions,
        };
        let into = Derivatives {
            values: &mut part.losses,
            slopes: &mut part.slopes,
            bends: &mut part.bends,
        };
        let targets = sample.targets(chunk);
        sample.link.derivatives(&part.predictions, targets, into);
        part
    }

    /// The bends of one output.
    fn bends(&self, output: usize) -> &[f64] {
        let n = self.losses.len();
        &self.bends[output * n..(output + 1) * n]
    }
}

impl<'a> Curved<'a> {
    pub(crate) fn new(sample: &'a Sample, blocks: &'a Blocks, c: f64) -> Self {
        Self {
            sample,
            outputs: sample.outputs(blocks),
            c,
            at_zero: sample.at_zero() / c,
        }
    }

    /// What a chunk adds to `Σ s_i slope_i Φ_i` for each output.
    fn push(&self, chunk: &Chunk, slopes: &[f64]) -> Vec<f64> {
        let weights = self.sample.weights(chunk).iter().cycle();
        let weighted = slopes.iter().zip(weights).map(|(s, w)| s * w);
        let weighted: Vec<f64> = weighted.collect();
        self.sample.rows.adjoint(chunk, &weighted)
    }

    /// `-1/(2c) Σ s_i slope_i Φ_i` for each output, from what the chunks add.
    fn pull(&self, pushes: impl IntoIterator<Item = Vec<f64>>) -> Vec<f64> {
        let mut pull = self.sample.reduced(total(pushes));
        pull.iter_mut().for_each(|g| *g *= -0.5 / self.c);
        pull
    }
}

impl Risk for Curved<'_> {
    type At = At;

    fn start(&self, penalty: &[Hessian<'_>]) -> Vec<f64> {
        let zeros = vec![0.0; self.outputs.dim()];
        let rhs: Vec<f64> = self.at(&zeros).pull.iter().map(|g| 2.0 * g).collect();
        newton::from_above(self, penalty, &rhs).unwrap_or(zeros)
    }

    fn at(&self, v: &[f64]) -> At {
        let sample = self.sample;
        let full = sample.full(v, self.outputs.count);
        let parts = sample.rows.each(&full, |chunk, predictions| {
            let part = Part::new(sample, chunk, predictions);
            let value = dot(&part.losses, sample.weights(chunk));
            let push = self.push(chunk, &part.slopes);
            (part, value, push)
        });
        let mut sum = 0.0;
        let mut pushes = Vec::with_capacity(parts.len());
        let part = |(part, value, push): (Part, f64, Vec<f64>)| {
            sum += value;
            pushes.push(push);
            part
        };
        let parts = parts.into_iter().map(part).collect();
        At {
            parts,
            value: sum / self.c,
            pull: self.pull(pushes),
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
            newton::by_output(self, at, penalty, rhs)
        }
    }

    fn line<'s>(&'s self, at: &'s At, direction: &[f64]) -> Box<dyn Fn(f64) -> f64 + 's> {
        let sample = self.sample;
        let full = sample.full(direction, self.outputs.count);
        let along = sample.rows.each(&full, |_, along| along);
        Box::new(move |t| {
            let chunks = sample.rows.chunks().par_iter().zip(&at.parts).zip(&along);
            let changes = chunks.map(|((chunk, part), along)| {
                let mut predictions = part.predictions.clone();
                add_scaled(&mut predictions, t, along);
                let mut changes = vec![0.0; part.losses.len()];
                let targets = sample.targets(chunk);
                sample.link.values(&predictions, targets, &mut changes);
                add_scaled(&mut changes, -1.0, &part.losses);
                dot(&changes, sample.weights(chunk))
            });
            changes.collect::<Vec<f64>>().iter().sum::<f64>() / self.c
        })
    }

    fn gap(&self, at: &At, v: &[f64], penalty: f64, certificate: &mut Certificate<'_>) -> f64 {
        let gap = if self.outputs.free == 0 {
            certificate.apart(v, &at.pull, penalty)
        } else {
            // A free intercept asks for slopes that add up to zero (docs/math.md 15.2).
            let (pull, slack) = feasible::pull(self, at);
            certificate.apart(v, &pull, penalty) + slack / self.c
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
