//! Rows that lie one after the other, each padded with zeros to `stride` cells, a multiple of [`LANES`].

use super::kernel::{BLOCKED, LANES, Loop, set_gram_of_rows, vectorised};
use faer::linalg::matmul::triangular::{BlockStructure, matmul as triangular_matmul};
use faer::{Accum, MatMut, MatRef, Par};
use pulp::Simd;

/// Rows that are worked on at once: so many sums stay in registers.
const AT_ONCE: usize = 4;

/// Writes the dot product of each row with `weights`, of length `stride`.
pub(crate) fn dots_of_rows(rows: &[f64], weights: &[f64], out: &mut [f64]) {
    debug_assert!(weights.len().is_multiple_of(LANES) && rows.len() == out.len() * weights.len());
    vectorised(Dots { rows, weights, out });
}

struct Dots<'a> {
    rows: &'a [f64],
    weights: &'a [f64],
    out: &'a mut [f64],
}

impl Loop for Dots<'_> {
    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let Self { rows, weights, out } = self;
        let stride = weights.len();
        let weights = S::as_simd_f64s(weights).0;
        let some = rows.chunks_exact(AT_ONCE * stride);
        let rest = some.remainder();
        let mut places = out.chunks_exact_mut(AT_ONCE);
        for (rows, out) in some.zip(places.by_ref()) {
            out.copy_from_slice(&dots::<S, AT_ONCE>(simd, rows, weights));
        }
        let places = places.into_remainder().iter_mut();
        for (row, out) in rest.chunks_exact(stride).zip(places) {
            [*out] = dots::<S, 1>(simd, row, weights);
        }
    }
}

/// The dot products of `N` rows.
#[inline(always)]
fn dots<S: Simd, const N: usize>(simd: S, rows: &[f64], weights: &[S::f64s]) -> [f64; N] {
    let (rows, stride) = (S::as_simd_f64s(rows).0, weights.len());
    let mut sums = [simd.splat_f64s(0.0); N];
    for (v, &w) in weights.iter().enumerate() {
        for (sum, row) in sums.iter_mut().zip(rows.chunks_exact(stride)) {
            *sum = simd.mul_add_e_f64s(row[v], w, *sum);
        }
    }
    // A loop: what closures do is not compiled for the vector instructions.
    let mut dots = [0.0; N];
    for (dot, sum) in dots.iter_mut().zip(sums) {
        *dot = simd.reduce_sum_f64s(sum);
    }
    dots
}

/// Adds each row times its factor to `sum`, of length `stride`.
pub(crate) fn add_scaled_rows(sum: &mut [f64], rows: &[f64], factors: &[f64]) {
    debug_assert!(sum.len().is_multiple_of(LANES) && rows.len() == factors.len() * sum.len());
    vectorised(AddScaled { sum, rows, factors });
}

struct AddScaled<'a> {
    sum: &'a mut [f64],
    rows: &'a [f64],
    factors: &'a [f64],
}

impl Loop for AddScaled<'_> {
    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let Self { sum, rows, factors } = self;
        let stride = sum.len();
        let sum = S::as_mut_simd_f64s(sum).0;
        let some = rows.chunks_exact(AT_ONCE * stride);
        let rest = some.remainder();
        let factors = factors.chunks_exact(AT_ONCE);
        let last = factors.remainder();
        for (rows, factors) in some.zip(factors) {
            add_some::<S, AT_ONCE>(simd, sum, rows, factors);
        }
        for (row, factor) in rest.chunks_exact(stride).zip(last) {
            add_some::<S, 1>(simd, sum, row, std::slice::from_ref(factor));
        }
    }
}

/// Adds `N` rows times their factors.
#[inline(always)]
fn add_some<S: Simd, const N: usize>(simd: S, sum: &mut [S::f64s], rows: &[f64], factors: &[f64]) {
    let (rows, n) = (S::as_simd_f64s(rows).0, sum.len());
    let mut spread = [simd.splat_f64s(0.0); N];
    for (spread, &factor) in spread.iter_mut().zip(factors) {
        *spread = simd.splat_f64s(factor);
    }
    for (v, sum) in sum.iter_mut().enumerate() {
        for (row, &factor) in rows.chunks_exact(n).zip(&spread) {
            *sum = simd.mul_add_e_f64s(row[v], factor, *sum);
        }
    }
}

/// Writes `Σ weight row rowᵀ` to the lower triangle of `gram`, whose columns have length `stride`, as many
/// as cells of a row count. `scratch` is room to work in.
pub(crate) fn set_weighted_gram(
    gram: &mut [f64],
    rows: &[f64],
    weights: &[f64],
    scratch: &mut Vec<f64>,
) {
    let stride = rows.len() / weights.len();
    scratch.resize(rows.len().max(scratch.len()), 0.0);
    let scaled = &mut scratch[..rows.len()];
    let pairs = scaled
        .chunks_exact_mut(stride)
        .zip(rows.chunks_exact(stride));
    for ((into, row), weight) in pairs.zip(weights) {
        let root = weight.sqrt();
        into.iter_mut()
            .zip(row)
            .for_each(|(into, x)| *into = root * x);
    }
    set_gram(gram, scaled, stride);
}

/// Writes `Σ row rowᵀ` to the lower triangle of `gram`, whose columns have length `stride`, as many as cells of a row count.
fn set_gram(gram: &mut [f64], rows: &[f64], stride: usize) {
    let order = gram.len() / stride;
    if order < BLOCKED {
        return vectorised(SetGram { gram, rows, stride });
    }
    let rows = MatRef::from_column_major_slice(rows, stride, rows.len() / stride);
    let rows = rows.subrows(0, order);
    let gram = MatMut::from_column_major_slice_mut(gram, stride, order);
    triangular_matmul(
        gram.subrows_mut(0, order),
        BlockStructure::TriangularLower,
        Accum::Replace,
        rows,
        BlockStructure::Rectangular,
        rows.transpose(),
        BlockStructure::Rectangular,
        1.0,
        Par::Seq,
    );
}

struct SetGram<'a> {
    gram: &'a mut [f64],
    rows: &'a [f64],
    stride: usize,
}

impl Loop for SetGram<'_> {
    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let rows = self.rows.chunks_exact(self.stride);
        set_gram_of_rows(simd, self.gram, &rows, self.stride);
    }
}

#[cfg(test)]
mod tests {
    use super::super::dot;
    use super::*;

    /// Some padded rows and a number for each.
    fn rows(n_rows: usize, order: usize) -> (Vec<f64>, Vec<f64>, usize) {
        let stride = order.next_multiple_of(LANES);
        let cell = |i: usize| {
            let is_padding = i % stride >= order;
            if is_padding { 0.0 } else { (i as f64).sin() }
        };
        let rows = (0..n_rows * stride).map(cell).collect();
        let numbers = (0..n_rows).map(|i| 1.5 + (i as f64).cos()).collect();
        (rows, numbers, stride)
    }

    #[test]
    fn products_and_sums_of_rows_are_those_cell_by_cell() {
        for (n_rows, order) in [(1, 3), (4, 8), (7, 11), (13, 20)] {
            let (rows, numbers, stride) = rows(n_rows, order);
            let weights: Vec<f64> = (0..stride).map(|i| 0.5 - (3.0 * i as f64).cos()).collect();
            let mut dots = vec![f64::NAN; n_rows];
            dots_of_rows(&rows, &weights, &mut dots);
            let mut sum = vec![1.0; stride];
            add_scaled_rows(&mut sum, &rows, &numbers);
            for (row, got) in rows.chunks_exact(stride).zip(&dots) {
                assert!((dot(row, &weights) - got).abs() < 1e-13);
            }
            for (j, got) in sum.iter().enumerate() {
                let column = rows.iter().skip(j).step_by(stride);
                let want: f64 = column.zip(&numbers).map(|(x, f)| x * f).sum();
                assert!((1.0 + want - got).abs() < 1e-13);
            }
        }
    }

    #[test]
    fn a_weighted_gram_matrix_is_the_sum_of_weighted_outer_products() {
        for (n_rows, order) in [(1, 3), (9, 11), (5, BLOCKED + 1)] {
            let (rows, weights, stride) = rows(n_rows, order);
            let mut gram = vec![f64::NAN; order * stride];
            set_weighted_gram(&mut gram, &rows, &weights, &mut Vec::new());
            for j in 0..order {
                for i in j..order {
                    let of_row = |(row, w): (&[f64], &f64)| w * row[i] * row[j];
                    let want: f64 = rows.chunks_exact(stride).zip(&weights).map(of_row).sum();
                    assert!(
                        (gram[j * stride + i] - want).abs() < 1e-13,
                        "{order}: {i} {j}"
                    );
                }
            }
        }
    }
}
