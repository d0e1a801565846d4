//! The fitted hypothesis: weights that depend on what is missing.

use crate::linalg::{Matrix, dot};

/// `f(x̃, z) = <w, x̃> + Σ_{k missing} <u_k, x̃>` over completed rows (docs/math.md 2).
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct MaskLinear {
    /// One weight per entry of a completed row; entry 0 is the intercept.
    pub(crate) weights: Vec<f64>,
    /// The entries that have a shift, ascending.
    pub(crate) holes: Vec<usize>,
    /// Column b: how the weights shift when entry `holes[b]` is missing.
    pub(crate) shifts: Matrix,
}

impl MaskLinear {
    /// The prediction for a completed row; `is_missing` tells which entries were filled.
    pub(crate) fn predict(&self, row: &[f64], is_missing: impl Fn(usize) -> bool) -> f64 {
        let shift = |(b, &entry): (usize, &usize)| {
            if is_missing(entry) {
                dot(self.shifts.col(b), row)
            } else {
                0.0
            }
        };
        dot(&self.weights, row) + self.holes.iter().enumerate().map(shift).sum::<f64>()
    }
}
