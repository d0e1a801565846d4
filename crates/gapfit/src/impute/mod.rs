//! Base imputers: how a hole is filled from what is observed, before the target is looked at.
//!
//! Each is affine in the observed entries for a given mask, `x̃_k = m_k0 + Σ_{j observed} m_kj x_j`,
//! in the scaled units of [`Prepared`]. Everything downstream uses only that.

mod independent;

use crate::data::Observed;
use crate::linalg::Matrix;
use crate::method::Base;
use crate::moments::{Frame, MaskMoments, Reading};
use crate::prepare::Prepared;

/// A fitted base imputer over the entries (1, live features) of a completed row.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Imputer {
    /// Holes stay zero.
    Zero,
    /// One value per entry (entry 0 unused).
    Constant(Vec<f64>),
    /// Column k holds the coefficients of entry k over all entries; `m_kk = 0`.
    Linear(Matrix),
}

impl Imputer {
    /// Fits a base; `means` has the mean of each entry over the rows where it is observed.
    pub(crate) fn fit(
        base: Base,
        prepared: &Prepared,
        has_constant: bool,
        means: &[f64],
        reading: &Reading<'_>,
    ) -> Self {
        let (frame, source) = (&reading.frame, &reading.source);
        match base {
            Base::Zero => Self::Zero,
            Base::Mean => Self::Constant(means.to_vec()),
            Base::Independent => independent::fit(prepared, has_constant, frame, source),
        }
    }

    /// Fills the entries of `row` (1, live features) whose feature is missing.
    pub(crate) fn fill(&self, observed: Observed<'_>, live: &[usize], row: &mut [f64]) {
        match self {
            Self::Zero => {}
            Self::Constant(values) => {
                for (l, &j) in live.iter().enumerate() {
                    if !observed.contains(j) {
                        row[l + 1] = values[l + 1];
                    }
                }
            }
            Self::Linear(coefficients) => {
                // Predictions must see zeros in the other holes: keep them aside until all are made.
                let missing: Vec<_> = (0..live.len())
                    .filter(|&l| !observed.contains(live[l]))
                    .collect();
                let filled: Vec<_> = missing
                    .iter()
                    .map(|&l| crate::linalg::dot(coefficients.col(l + 1), row))
                    .collect();
                for (&l, x) in missing.iter().zip(filled) {
                    row[l + 1] = x;
                }
            }
        }
    }

    /// The coefficient of entry `from` in the value filled into entry `hole`.
    pub(crate) fn coefficient(&self, hole: usize, from: usize) -> f64 {
        match self {
            Self::Zero => 0.0,
            Self::Constant(values) if from == 0 => values[hole],
            Self::Constant(_) => 0.0,
            Self::Linear(coefficients) => coefficients[(from, hole)],
        }
    }
}

/// The moments of one mask over the scaled, zero-filled entries (1, live features), all times
/// `shrink`, and the target in its frame: how everything that reads moments in model units begins.
pub(crate) struct Scaled {
    /// Entries that are observed, ascending; entry 0 always.
    pub(crate) entries: Vec<usize>,
    /// Symmetric, over `entries` then the target.
    pub(crate) sums: Matrix,
}

impl Scaled {
    /// Scales the moments of one mask; columns that are dead in training are left out.
    pub(crate) fn of(
        moments: &MaskMoments,
        prepared: &Prepared,
        frame: &Frame,
        shrink: f64,
    ) -> Self {
        let mut entries = vec![0];
        let mut kept = vec![0];
        let mut slopes = vec![(shrink, 0.0)];
        for (o, &j) in moments.observed.iter().enumerate() {
            if prepared.entry_of[j] > 0 {
                let (slope, offset) = prepared.unframe(j, frame);
                entries.push(prepared.entry_of[j]);
                kept.push(o + 1);
                slopes.push((slope * shrink, offset * shrink));
            }
        }
        kept.push(moments.order() - 1);
        slopes.push((1.0, 0.0)); // the target stays in its frame
        let mut sums = Matrix::zeros(kept.len(), kept.len());
        for (j, &from_j) in kept.iter().enumerate() {
            for (i, &from_i) in kept.iter().enumerate() {
                let ((a, p), (b, q)) = (slopes[i], slopes[j]);
                sums[(i, j)] = a * b * moments.sum(from_i, from_j)
                    + a * q * moments.sum(from_i, 0)
                    + p * b * moments.sum(0, from_j)
                    + p * q * moments.weight();
            }
        }
        Self { entries, sums }
    }
}
