//! Small symmetric positive definite matrices by the thousand: factored and inverted in place.
//!
//! Matrices are slices of `n²` numbers, column by column. Nothing is allocated below the order at
//! which a blocked algorithm pays.

use super::kernel::{Loop, Simd, vectorised};
use super::{Matrix, dot};
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt;
use faer::{MatMut, MatRef, Par};

/// From this order on the blocked algorithms win.
const BLOCKED: usize = 40;

/// Replaces the lower triangle of `a` by its Cholesky factor; `false` unless every squared pivot is
/// above `least`. The upper triangle is left alone.
pub(crate) fn factor(a: &mut [f64], n: usize, least: f64) -> bool {
    if n >= BLOCKED {
        return factor_blocked(a, n) && (0..n).all(|j| a[j * n + j] * a[j * n + j] > least);
    }
    let mut is_definite = false;
    vectorised(Factor {
        a,
        n,
        least,
        is_definite: &mut is_definite,
    });
    is_definite
}

/// Replaces `a`, of which the lower triangle is read, by its inverse and returns the logarithm of its
/// determinant; `None` unless every squared pivot is above `least`.
pub(crate) fn invert(a: &mut [f64], n: usize, least: f64) -> Option<f64> {
    if !factor(a, n, least) {
        return None;
    }
    let log_determinant = 2.0 * (0..n).map(|j| a[j * n + j].ln()).sum::<f64>();
    if n >= BLOCKED {
        invert_blocked(a, n);
    } else {
        vectorised(Invert { a, n });
    }
    for j in 0..n {
        for i in j + 1..n {
            a[i * n + j] = a[j * n + i];
        }
    }
    Some(log_determinant)
}

/// Replaces `x` by `L⁻¹x` for a factor from [`factor`].
pub(crate) fn solve_lower(factor: &[f64], x: &mut [f64]) {
    let n = x.len();
    for j in 0..n {
        let column = &factor[j * n..(j + 1) * n];
        let (head, tail) = x.split_at_mut(j + 1);
        head[j] /= column[j];
        super::add_scaled(tail, -head[j], &column[j + 1..]);
    }
}

/// Replaces `x` by `L⁻ᵀx` for a factor from [`factor`].
pub(crate) fn solve_upper(factor: &[f64], x: &mut [f64]) {
    let n = x.len();
    for j in (0..n).rev() {
        let column = &factor[j * n..(j + 1) * n];
        x[j] = (x[j] - dot(&column[j + 1..], &x[j + 1..])) / column[j];
    }
}

/// The product of two symmetric matrices of order `n`.
pub(crate) fn multiply(out: &mut [f64], a: &[f64], b: &[f64], n: usize) {
    if n >= BLOCKED {
        let view = |m| MatRef::from_column_major_slice(m, n, n);
        let out = MatMut::from_column_major_slice_mut(out, n, n);
        let (a, b) = (view(a), view(b));
        return faer::linalg::matmul::matmul(out, faer::Accum::Replace, a, b, 1.0, Par::Seq);
    }
    vectorised(Multiply { out, a, b, n });
}

fn factor_blocked(a: &mut [f64], n: usize) -> bool {
    let scratch = llt::factor::cholesky_in_place_scratch::<f64>(n, Par::Seq, Default::default());
    let mut memory = MemBuffer::new(scratch);
    llt::factor::cholesky_in_place(
        MatMut::from_column_major_slice_mut(a, n, n),
        Default::default(),
        Par::Seq,
        MemStack::new(&mut memory),
        Default::default(),
    )
    .is_ok()
}

fn invert_blocked(a: &mut [f64], n: usize) {
    let factor = Matrix::from_columns(n, n, a.to_vec());
    let mut memory = MemBuffer::new(llt::inverse::inverse_scratch::<f64>(n, Par::Seq));
    llt::inverse::inverse(
        MatMut::from_column_major_slice_mut(a, n, n),
        factor.view(),
        Par::Seq,
        MemStack::new(&mut memory),
    );
}

struct Factor<'a> {
    a: &'a mut [f64],
    n: usize,
    least: f64,
    is_definite: &'a mut bool,
}

impl Loop for Factor<'_> {
    #[inline(always)]
    fn run<S: Simd>(self, _: S) {
        let Self { a, n, least, .. } = self;
        for j in 0..n {
            let (before, rest) = a.split_at_mut(j * n);
            let column = &mut rest[j..n];
            for earlier in before.chunks_exact(n) {
                let factor = earlier[j];
                for (x, y) in column.iter_mut().zip(&earlier[j..]) {
                    *x -= factor * y;
                }
            }
            let pivot = column[0];
            // Not `<=`: a NaN has to end here as well.
            if !(pivot > least && pivot < f64::INFINITY) {
                return;
            }
            let root = pivot.sqrt();
            let per_root = 1.0 / root;
            column[0] = root;
            column[1..].iter_mut().for_each(|x| *x *= per_root);
        }
        *self.is_definite = true;
    }
}

/// From the factor to the lower triangle of the inverse: `L⁻¹` in place, then `L⁻ᵀL⁻¹` in place.
struct Invert<'a> {
    a: &'a mut [f64],
    n: usize,
}

impl Loop for Invert<'_> {
    #[inline(always)]
    fn run<S: Simd>(self, _: S) {
        let Self { a, n } = self;
        for j in 0..n {
            // Column j of L⁻¹ needs the columns of L from j on, which are still there.
            let (before, after) = a.split_at_mut((j + 1) * n);
            let column = &mut before[j * n..];
            let first = 1.0 / column[j];
            column[j] = first;
            column[j + 1..].iter_mut().for_each(|x| *x *= -first);
            for (k, later) in (j + 1..n).zip(after.chunks_exact(n)) {
                column[k] /= later[k];
                let (head, tail) = column.split_at_mut(k + 1);
                for (x, y) in tail.iter_mut().zip(&later[k + 1..]) {
                    *x -= head[k] * y;
                }
            }
        }
        for j in 0..n {
            let (before, after) = a.split_at_mut((j + 1) * n);
            let column = &mut before[j * n..];
            column[j] = dot(&column[j..], &column[j..]);
            for (i, later) in (j + 1..n).zip(after.chunks_exact(n)) {
                column[i] = dot(&column[i..], &later[i..]);
            }
        }
    }
}

struct Multiply<'a> {
    out: &'a mut [f64],
    a: &'a [f64],
    b: &'a [f64],
    n: usize,
}

impl Loop for Multiply<'_> {
    #[inline(always)]
    fn run<S: Simd>(self, _: S) {
        let n = self.n;
        if n == 0 {
            return;
        }
        let columns = self.out.chunks_exact_mut(n).zip(self.b.chunks_exact(n));
        for (out, b) in columns {
            out.fill(0.0);
            for (&factor, a) in b.iter().zip(self.a.chunks_exact(n)) {
                for (x, y) in out.iter_mut().zip(a) {
                    *x += factor * y;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A matrix with eigenvalues from about 1e-3 up.
    fn definite(n: usize) -> Vec<f64> {
        let mut a = vec![0.0; n * n];
        for j in 0..n {
            for i in 0..n {
                let distance = (i as f64 - j as f64).abs();
                a[j * n + i] = (-0.1 * distance).exp() + if i == j { 0.01 } else { 0.0 };
            }
        }
        a
    }

    #[test]
    fn the_inverse_times_the_matrix_is_one() {
        for n in [1, 2, 3, 7, BLOCKED - 1, BLOCKED, BLOCKED + 9] {
            let a = definite(n);
            let mut inverse = a.clone();
            let log_determinant = invert(&mut inverse, n, 0.0).unwrap();
            let mut product = vec![0.0; n * n];
            multiply(&mut product, &a, &inverse, n);
            for j in 0..n {
                for i in 0..n {
                    let want = f64::from(u8::from(i == j));
                    assert!((product[j * n + i] - want).abs() < 1e-11, "order {n}");
                }
            }
            let mut again = inverse;
            let back = invert(&mut again, n, 0.0).unwrap();
            assert!((log_determinant + back).abs() < 1e-10, "order {n}");
        }
    }

    #[test]
    fn the_factor_solves() {
        for n in [1, 5, BLOCKED + 1] {
            let a = definite(n);
            let x: Vec<f64> = (0..n).map(|i| (i as f64).cos()).collect();
            let mut rhs: Vec<f64> = a.chunks_exact(n).map(|column| dot(column, &x)).collect();
            let mut lower = a;
            assert!(factor(&mut lower, n, 0.0));
            solve_lower(&lower, &mut rhs);
            solve_upper(&lower, &mut rhs);
            for (got, want) in rhs.iter().zip(&x) {
                assert!((got - want).abs() < 1e-11, "order {n}");
            }
        }
    }

    #[test]
    fn what_is_not_definite_is_refused() {
        for n in [2, BLOCKED + 1] {
            for spoilt in [-1.0, f64::NAN, f64::INFINITY] {
                let mut a = definite(n);
                a[n * n - 1] = spoilt;
                assert!(!factor(&mut a, n, 0.0), "order {n}, {spoilt}");
            }
            let mut a = definite(n);
            assert!(!factor(&mut a, n, 0.5), "a pivot below the least");
        }
    }
}
