//! The dense linear algebra gapfit needs, on plain slices.
//!
//! The only folder that names the linear-algebra crates. Everything is sequential: parallel work is
//! spread over independent problems, which keeps results identical for any number of threads.

mod bits;
mod kernel;
mod pack;
mod prefetch;
mod rows;
mod short;
pub(crate) mod spd;
mod spectral;

pub(crate) use bits::{cells_of_bits, push_bits_of_rows};
pub(crate) use kernel::{
    LANES, Loop, Simd, add_gram, add_gram_columns, add_gram_of_rows, add_product, dots_of_columns,
    long_dot, set_gram_of_rows, set_products_of_columns, vectorised, vectorised_with,
};
pub(crate) use pack::{bits_of, pack};
pub(crate) use prefetch::prefetch;
pub(crate) use rows::{add_scaled_rows, dots_of_rows, set_weighted_gram};
pub(crate) use short::{SHORT, add_short_rows};
pub(crate) use spectral::{Eigen, Singular};

use crate::error::{Error, Result};
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt;
use faer::linalg::matmul::matmul;
use faer::linalg::triangular_solve::{
    solve_lower_triangular_in_place, solve_upper_triangular_in_place,
};
use faer::{Accum, MatMut, MatRef, Par};

/// A dense matrix, stored column by column.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Matrix {
    n_rows: usize,
    n_cols: usize,
    data: Vec<f64>,
}

impl Matrix {
    pub(crate) fn zeros(n_rows: usize, n_cols: usize) -> Self {
        Self {
            n_rows,
            n_cols,
            data: vec![0.0; n_rows * n_cols],
        }
    }

    /// From the columns, one after the other.
    pub(crate) fn from_columns(n_rows: usize, n_cols: usize, data: Vec<f64>) -> Self {
        assert_eq!(data.len(), n_rows * n_cols, "cells of the matrix");
        Self {
            n_rows,
            n_cols,
            data,
        }
    }

    pub(crate) fn n_rows(&self) -> usize {
        self.n_rows
    }

    pub(crate) fn n_cols(&self) -> usize {
        self.n_cols
    }

    pub(crate) fn col(&self, j: usize) -> &[f64] {
        &self.data[j * self.n_rows..(j + 1) * self.n_rows]
    }

    pub(crate) fn col_mut(&mut self, j: usize) -> &mut [f64] {
        &mut self.data[j * self.n_rows..(j + 1) * self.n_rows]
    }

    pub(crate) fn as_slice(&self) -> &[f64] {
        &self.data
    }

    /// Some cells of some columns.
    pub(crate) fn pick(
        &self,
        rows: &(impl ExactSizeIterator<Item = usize> + Clone),
        columns: &[u32],
    ) -> Self {
        let mut data = Vec::with_capacity(rows.len() * columns.len());
        for &j in columns {
            let column = self.col(j as usize);
            data.extend(rows.clone().map(|i| column[i]));
        }
        Self::from_columns(rows.len(), columns.len(), data)
    }

    /// Some cells of some columns, transposed: a row for each of `columns`, zeros below to a multiple of [`LANES`] rows.
    pub(crate) fn tile(&self, rows: impl ExactSizeIterator<Item = usize>, columns: &[u32]) -> Self {
        let mut tile = Self::zeros(columns.len().next_multiple_of(LANES), rows.len());
        for (at, i) in rows.enumerate() {
            for (cell, &j) in tile.col_mut(at).iter_mut().zip(columns) {
                *cell = self[(i, j as usize)];
            }
        }
        tile
    }

    /// Multiplies every cell.
    pub(crate) fn scale(&mut self, factor: f64) {
        self.data.iter_mut().for_each(|x| *x *= factor);
    }

    /// Adds another matrix of the same shape.
    pub(crate) fn add(&mut self, other: &Self) {
        add_scaled(&mut self.data, 1.0, &other.data);
    }

    /// `self * x`.
    pub(crate) fn times(&self, x: &[f64]) -> Vec<f64> {
        let mut out = vec![0.0; self.n_rows];
        let x = MatRef::from_column_major_slice(x, self.n_cols, 1);
        let dst = MatMut::from_column_major_slice_mut(&mut out, self.n_rows, 1);
        matmul(dst, Accum::Replace, self.view(), x, 1.0, Par::Seq);
        out
    }

    /// The lower triangle times `scale`; the upper one is left at zero.
    pub(crate) fn scaled_lower(&self, scale: f64) -> Self {
        self.scaled_trailing(0, scale)
    }

    /// The lower triangle behind the first `skipped` rows and columns, times `scale`.
    pub(crate) fn scaled_trailing(&self, skipped: usize, scale: f64) -> Self {
        let n = self.n_rows - skipped;
        let mut out = Self::zeros(n, n);
        for j in 0..n {
            let from = &self.col(skipped + j)[skipped + j..];
            for (x, y) in out.col_mut(j)[j..].iter_mut().zip(from) {
                *x = scale * y;
            }
        }
        out
    }

    /// `r - self * x`, as if computed with twice the digits and then rounded.
    pub(crate) fn residual(&self, r: &[f64], x: &[f64]) -> Vec<f64> {
        let mut sums = r.to_vec();
        let mut errors = vec![0.0; r.len()];
        for (j, &x) in x.iter().enumerate() {
            kernel::subtract_scaled(&mut sums, &mut errors, self.col(j), x);
        }
        sums.iter().zip(errors).map(|(s, e)| s + e).collect()
    }

    /// Copies the lower triangle onto the upper one.
    pub(crate) fn mirror_lower(&mut self) {
        let n = self.n_rows;
        for j in 0..n {
            for i in j + 1..n {
                self.data[i * n + j] = self.data[j * n + i];
            }
        }
    }

    fn view(&self) -> MatRef<'_, f64> {
        MatRef::from_column_major_slice(&self.data, self.n_rows, self.n_cols)
    }

    fn view_mut(&mut self) -> MatMut<'_, f64> {
        MatMut::from_column_major_slice_mut(&mut self.data, self.n_rows, self.n_cols)
    }

    fn factor_in_place(&mut self) -> bool {
        let n = self.n_rows;
        let scratch =
            llt::factor::cholesky_in_place_scratch::<f64>(n, Par::Seq, Default::default());
        let mut memory = MemBuffer::new(scratch);
        llt::factor::cholesky_in_place(
            self.view_mut(),
            Default::default(),
            Par::Seq,
            MemStack::new(&mut memory),
            Default::default(),
        )
        .is_ok()
            && (0..n).all(|j| self[(j, j)].is_finite())
    }
}

impl std::ops::Index<(usize, usize)> for Matrix {
    type Output = f64;
    fn index(&self, (i, j): (usize, usize)) -> &f64 {
        &self.data[j * self.n_rows + i]
    }
}

impl std::ops::IndexMut<(usize, usize)> for Matrix {
    fn index_mut(&mut self, (i, j): (usize, usize)) -> &mut f64 {
        &mut self.data[j * self.n_rows + i]
    }
}

/// A Cholesky factor.
#[derive(Debug)]
pub(crate) struct Cholesky {
    factor: Matrix,
}

impl Cholesky {
    /// The factor of the symmetric matrix that `build` makes, of which the lower triangle is read.
    ///
    /// A matrix that is positive definite but for rounding gets a diagonal shift, relative to each
    /// diagonal entry and as small as will do; a shift above 1e-6 is an error.
    pub(crate) fn of(build: impl Fn() -> Matrix) -> Result<Self> {
        let mut shift = 0.0;
        loop {
            let mut factor = build();
            for j in 0..factor.n_cols {
                factor[(j, j)] *= 1.0 + shift;
            }
            if factor.factor_in_place() {
                return Ok(Self { factor });
            }
            shift = if shift > 0.0 { shift * 100.0 } else { 1e-15 };
            if shift > 1e-6 {
                let size = factor.n_rows;
                return Err(Error::NotPositiveDefinite { size });
            }
        }
    }

    /// The diagonal of the factor.
    pub(crate) fn pivots(&self) -> impl Iterator<Item = f64> {
        (0..self.factor.n_cols).map(|j| self.factor[(j, j)])
    }

    /// Replaces `rhs` by the solution of the system of the factor L alone.
    pub(crate) fn solve_lower(&self, rhs: &mut [f64]) {
        let rhs = MatMut::from_column_major_slice_mut(rhs, self.factor.n_cols, 1);
        solve_lower_triangular_in_place(self.factor.view(), rhs, Par::Seq);
    }

    /// The same with Lᵀ.
    pub(crate) fn solve_upper(&self, rhs: &mut [f64]) {
        let rhs = MatMut::from_column_major_slice_mut(rhs, self.factor.n_cols, 1);
        solve_upper_triangular_in_place(self.factor.view().transpose(), rhs, Par::Seq);
    }

    /// Replaces `rhs` by the solution.
    pub(crate) fn solve(&self, rhs: &mut [f64]) {
        let n = rhs.len();
        let rhs = MatMut::from_column_major_slice_mut(rhs, n, 1);
        let mut memory = MemBuffer::new(llt::solve::solve_in_place_scratch::<f64>(n, 1, Par::Seq));
        let stack = MemStack::new(&mut memory);
        llt::solve::solve_in_place(self.factor.view(), rhs, Par::Seq, stack);
    }
}

/// `a * b`.
pub(crate) fn product(a: &Matrix, b: &Matrix) -> Matrix {
    let mut out = Matrix::zeros(a.n_rows, b.n_cols);
    matmul(
        out.view_mut(),
        Accum::Replace,
        a.view(),
        b.view(),
        1.0,
        Par::Seq,
    );
    out
}

/// `a * bᵀ`.
pub(crate) fn product_transpose(a: &Matrix, b: &Matrix) -> Matrix {
    let mut out = Matrix::zeros(a.n_rows, b.n_rows);
    let rhs = b.view().transpose();
    matmul(out.view_mut(), Accum::Replace, a.view(), rhs, 1.0, Par::Seq);
    out
}

/// `aᵀ * b`.
pub(crate) fn transpose_product(a: &Matrix, b: &Matrix) -> Matrix {
    let mut out = Matrix::zeros(a.n_cols, b.n_cols);
    let lhs = a.view().transpose();
    matmul(out.view_mut(), Accum::Replace, lhs, b.view(), 1.0, Par::Seq);
    out
}

/// Adds `aᵀ * b` to `sum`.
pub(crate) fn add_transpose_product(sum: &mut Matrix, a: &Matrix, b: &Matrix) {
    let lhs = a.view().transpose();
    matmul(sum.view_mut(), Accum::Add, lhs, b.view(), 1.0, Par::Seq);
}

/// `Σ a_i b_i`, in four interleaved partial sums.
#[inline(always)]
pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    let mut sums = [0.0; 4];
    let (a4, b4) = (a.chunks_exact(4), b.chunks_exact(4));
    let tail: f64 = a4
        .remainder()
        .iter()
        .zip(b4.remainder())
        .map(|(x, y)| x * y)
        .sum();
    for (x, y) in a4.zip(b4) {
        for lane in 0..4 {
            sums[lane] += x[lane] * y[lane];
        }
    }
    (sums[0] + sums[1]) + (sums[2] + sums[3]) + tail
}

/// `Σ a_i²`.
pub(crate) fn norm_squared(a: &[f64]) -> f64 {
    dot(a, a)
}

/// `y += t x`.
pub(crate) fn add_scaled(y: &mut [f64], t: f64, x: &[f64]) {
    for (y, x) in y.iter_mut().zip(x) {
        *y += t * x;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hilbert(n: usize) -> Matrix {
        let mut a = Matrix::zeros(n, n);
        for j in 0..n {
            for i in 0..n {
                a[(i, j)] = 1.0 / (i + j + 1) as f64;
            }
        }
        a
    }

    #[test]
    fn cholesky_solves_what_it_factored() {
        let a = hilbert(6);
        let x: Vec<f64> = (0..6).map(|i| f64::from(i) - 2.5).collect();
        let mut rhs = a.times(&x);
        Cholesky::of(|| a.clone()).unwrap().solve(&mut rhs);
        let residual = a.times(&rhs);
        for (got, want) in residual.iter().zip(a.times(&x)) {
            assert!((got - want).abs() < 1e-14);
        }
    }

    #[test]
    fn residual_keeps_the_digits_that_cancel() {
        // Powers of two with small perturbations: every sum below is exact in 106 bits.
        let n = 21;
        let mut a = Matrix::zeros(n, n);
        let tiny = 2f64.powi(-40);
        for j in 0..n {
            for i in 0..n {
                a[(i, j)] = 1.0 + tiny * (i + 2 * j) as f64;
            }
        }
        let x: Vec<f64> = (0..n).map(|j| 1.0 + tiny * j as f64).collect();
        let square = (0..n).map(|j| (j * j) as f64).sum::<f64>();
        let linear = (0..n).map(|j| j as f64).sum::<f64>();
        let first = |i: usize| n as f64 + tiny * (n * i) as f64 + tiny * 3.0 * linear;
        let r: Vec<f64> = (0..n).map(first).collect();
        for (i, got) in a.residual(&r, &x).iter().enumerate() {
            let want = -tiny * tiny * (i as f64 * linear + 2.0 * square);
            assert!((got - want).abs() <= 1e-12 * want.abs(), "{got:e} {want:e}");
        }
    }

    #[test]
    fn cholesky_shifts_a_singular_matrix_and_refuses_an_indefinite_one() {
        let mut ones = Matrix::zeros(2, 2);
        ones.data.fill(1.0);
        assert!(Cholesky::of(|| ones.clone()).is_ok());
        let mut indefinite = Matrix::zeros(2, 2);
        indefinite[(0, 0)] = 1.0;
        indefinite[(1, 1)] = -1.0;
        assert!(matches!(
            Cholesky::of(|| indefinite.clone()),
            Err(Error::NotPositiveDefinite { size: 2 })
        ));
    }
}
