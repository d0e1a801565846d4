//! Base imputers: how a hole is filled from what is observed, before the target is looked at.
//!
//! Each is affine in the observed entries for a given mask, `x̃_k = m_k0 + Σ_{j observed} m_kj x_j`,
//! in the scaled units of [`Prepared`]. Everything downstream uses only that.

mod filler;
pub(crate) mod gaussian;
mod independent;

pub(crate) use filler::Filler;
pub(crate) use gaussian::Report;

use crate::linalg::Matrix;
use crate::method::Base;
use crate::moments::{Frame, MaskMoments};
use crate::prepare::{Prepared, Sample};
use gaussian::Gaussian;

/// A fitted base imputer over the entries (1, live features) of a completed row.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Imputer {
    /// Holes stay zero.
    Zero,
    /// One value per entry (entry 0 unused).
    Constant(Vec<f64>),
    /// Column k holds the coefficients of entry k over all entries; `m_kk = 0`.
    Linear(Matrix),
    /// Conditional means.
    Gaussian(Gaussian),
}

impl Imputer {
    /// Fits a base; also says how the fit went where it is more than a formula.
    pub(crate) fn fit(
        base: Base,
        prepared: &Prepared,
        has_constant: bool,
        sample: &Sample<'_>,
    ) -> (Self, Option<Report>) {
        let (frame, source) = (&sample.reading.frame, &sample.reading.source);
        let imputer = match base {
            Base::Zero => Self::Zero,
            Base::Mean => Self::Constant(prepared.means(sample.means, frame)),
            Base::Independent => independent::fit(prepared, has_constant, frame, source),
            Base::Gaussian => {
                let (gaussian, report) = gaussian::fit(prepared, sample);
                return (Self::Gaussian(gaussian), Some(report));
            }
        };
        (imputer, None)
    }

    /// How the holes of one mask are filled: column m has the coefficients of the `observed` entries
    /// in the value of entry `missing[m]`. Entry 0, the constant, is the first of the observed.
    pub(crate) fn for_mask(&self, observed: &[usize], missing: &[usize]) -> Matrix {
        let mut coefficients = Matrix::zeros(observed.len(), missing.len());
        match self {
            Self::Zero => {}
            Self::Constant(values) => {
                for (m, &hole) in missing.iter().enumerate() {
                    coefficients[(0, m)] = values[hole];
                }
            }
            Self::Linear(all) => {
                for (m, &hole) in missing.iter().enumerate() {
                    for (o, &from) in observed.iter().enumerate() {
                        coefficients[(o, m)] = all[(from, hole)];
                    }
                }
            }
            Self::Gaussian(gaussian) => {
                let is_observed = |l: usize| observed.binary_search(&(l + 1)).is_ok();
                return gaussian.condition(is_observed).coefficients(gaussian);
            }
        }
        coefficients
    }
}

/// The moments of one mask over the scaled, zero-filled entries (1, live features), all times
/// `shrink`, and the targets in their frame: how everything that reads moments in model units begins.
pub(crate) struct Scaled {
    /// Entries that are observed, ascending; entry 0 always.
    pub(crate) entries: Vec<usize>,
    /// Symmetric, over `entries` then the targets.
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
        for t in 0..moments.n_targets {
            kept.push(1 + moments.observed.len() + t);
            slopes.push((1.0, 0.0)); // targets stay in their frame
        }
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
