//! Independent linear imputation (paper, section 5).
//!
//! ```text
//! column k of M = argmin_m  Σ_{i: k observed} s_i (x_ik - Σ_{j≠k} m_j x'_ij)²
//! ```
//!
//! the others zero-filled in the scaled units, the constant among them. Each needs the Gram matrix of
//! the rows where k is observed, a sum over the masks that contain k.

use super::{Imputer, Scaled};
use crate::error::Result;
use crate::linalg::{Cholesky, Matrix};
use crate::moments::{Frame, Source};
use crate::prepare::Prepared;

/// Added to each diagonal entry, relative to the largest: picks the small solution where features are
/// collinear and changes nothing else that matters.
const RIDGE: f64 = 1e-10;

pub(super) fn fit(
    prepared: &Prepared,
    has_constant: bool,
    frame: &Frame,
    source: &Source<'_>,
) -> Result<Imputer> {
    let n = prepared.n_entries();
    let grams = grams_by_observed(prepared, frame, source);
    let mut coefficients = Matrix::zeros(n, n);
    for k in 1..n {
        let skipped = |e: usize| e == k || (e == 0 && !has_constant);
        let others: Vec<_> = (0..n).filter(|&e| !skipped(e)).collect();
        let gram = &grams[k];
        let mut system = Matrix::zeros(others.len(), others.len());
        let largest = others.iter().fold(0.0f64, |m, &e| m.max(gram[(e, e)]));
        if largest == 0.0 {
            continue;
        }
        for (j, &q) in others.iter().enumerate() {
            for (i, &p) in others.iter().enumerate() {
                system[(i, j)] = gram[(p, q)];
            }
            system[(j, j)] += RIDGE * largest;
        }
        let mut solution: Vec<_> = others.iter().map(|&e| gram[(e, k)]).collect();
        Cholesky::of(|| system.clone())?.solve(&mut solution);
        for (&e, m) in others.iter().zip(solution) {
            coefficients[(e, k)] = m;
        }
    }
    Ok(Imputer::Linear(coefficients))
}

/// For each entry k the Gram matrix of the zero-filled rows in which k is observed.
fn grams_by_observed(prepared: &Prepared, frame: &Frame, source: &Source<'_>) -> Vec<Matrix> {
    let n = prepared.n_entries();
    let mut grams = vec![Matrix::zeros(n, n); n];
    let shrink = prepared.shrink(frame);
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
