//! The fitted hypothesis: weights that depend on what is missing.

use crate::features::Shifted;
use crate::linalg::dot;

/// `f(x̃, z) = <w, x̃> + Σ_{k missing} <u_k, x̃>` over completed rows (docs/math.md 2).
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct MaskLinear {
    /// One weight per entry of a completed row; entry 0 is the intercept.
    pub(crate) weights: Vec<f64>,
    /// The entries that have a shift, ascending.
    pub(crate) holes: Vec<usize>,
    /// The entries that each of them shifts.
    pub(crate) shifted: Shifted,
    /// How the weights of these shift, hole after hole.
    pub(crate) shifts: Vec<f64>,
}

impl MaskLinear {
    /// The number of an entry among those that have a shift.
    pub(crate) fn block(&self, entry: usize) -> Option<usize> {
        self.holes.binary_search(&entry).ok()
    }

    /// The shift of `holes[b]`, over the entries that it shifts.
    pub(crate) fn shift(&self, b: usize) -> &[f64] {
        &self.shifts[self.shifted.range(b)]
    }

    /// The shift of `holes[b]` over all entries.
    pub(crate) fn full_shift(&self, b: usize) -> Vec<f64> {
        let mut full = vec![0.0; self.weights.len()];
        self.shifted.spread(b, self.shift(b), &mut full);
        full
    }

    /// Adds the shift of `holes[b]` to weights over all entries.
    pub(crate) fn add_shift(&self, b: usize, weights: &mut [f64]) {
        for (e, x) in self.shifted.entries(b).zip(self.shift(b)) {
            weights[e] += x;
        }
    }

    /// What is added to the prediction for a completed row where `holes[b]` is missing.
    pub(crate) fn absence(&self, b: usize, row: &[f64]) -> f64 {
        self.shifted.dot(b, self.shift(b), row)
    }

    /// The prediction for a completed row; `is_missing` tells which entries were filled.
    pub(crate) fn predict(&self, row: &[f64], is_missing: impl Fn(usize) -> bool) -> f64 {
        let shift = |(b, &entry): (usize, &usize)| {
            if is_missing(entry) {
                self.absence(b, row)
            } else {
                0.0
            }
        };
        dot(&self.weights, row) + self.holes.iter().enumerate().map(shift).sum::<f64>()
    }
}
