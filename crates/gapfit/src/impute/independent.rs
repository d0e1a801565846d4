//! Independent linear imputation (paper, section 5).
//!
//! ```text
//! column k of M = argmin_m  Σ_{i: k observed} s_i (x_ik - Σ_{j≠k} m_j x'_ij)²
//! ```
//!
//! the others zero-filled in the scaled units, the constant among them. Each needs the Gram matrix of
//! the rows where k is observed, a sum over the masks that contain k.

use super::{Imputer, Scaled};
use crate::linalg::{Cholesky, Matrix};
use crate::moments::{Frame, Source};
use crate::prepare::Prepared;

/// Added to each diagonal entry, relative to it: picks a small solution where features are collinear
/// and changes nothing else that matters.
const RIDGE: f64 = 1e-8;

/// Second moments below this share of the square of what an entry can reach are rounding.
const NOISE: f64 = 1e-12;

pub(super) fn fit(
    prepared: &Prepared,
    has_constant: bool,
    frame: &Frame,
    source: &Source<'_>,
) -> Imputer {
    let n = prepared.n_entries();
    let shrink = prepared.shrink(frame);
    let grams = grams_by_observed(prepared, frame, source, shrink);
    let reach: Vec<f64> = (0..n).map(|e| shrink * prepared.reach(e, frame)).collect();
    let mut coefficients = Matrix::zeros(n, n);
    for k in 1..n {
        let gram = &grams[k];
        let weight = gram[(0, 0)] / (shrink * shrink);
        let speaks = |e: usize| gram[(e, e)] > NOISE * weight * reach[e] * reach[e];
        let others: Vec<_> = (0..n)
            .filter(|&e| e != k && (e > 0 || has_constant) && speaks(e))
            .collect();
        let mut solution: Vec<_> = others.iter().map(|&e| gram[(e, k)]).collect();
        let factor = Cholesky::of(|| {
            let mut system = Matrix::zeros(others.len(), others.len());
            for (j, &q) in others.iter().enumerate() {
                for (i, &p) in others.iter().enumerate() {
                    system[(i, j)] = gram[(p, q)];
                }
                system[(j, j)] *= 1.0 + RIDGE;
            }
            system
        });
        // What rounding leaves without a solution is left at zero.
        let Ok(factor) = factor else { continue };
        factor.solve(&mut solution);
        for (&e, m) in others.iter().zip(solution) {
            coefficients[(e, k)] = m;
        }
    }
    Imputer::Linear(coefficients)
}

/// For each entry k the Gram matrix of the zero-filled rows in which k is observed.
fn grams_by_observed(
    prepared: &Prepared,
    frame: &Frame,
    source: &Source<'_>,
    shrink: f64,
) -> Vec<Matrix> {
    let n = prepared.n_entries();
    let mut grams = vec![Matrix::zeros(n, n); n];
    source.for_each(|moments| {
        let scaled = Scaled::of(moments, prepared, frame, shrink);
        for &k in &scaled.entries[1..] {
            for (j, &q) in scaled.entries.iter().enumerate() {
                for (i, &p) in scaled.entries.iter().enumerate() {
                    grams[k][(p, q)] += scaled.sums[(i, j)];
                }
            }
        }
    });
    grams
}
