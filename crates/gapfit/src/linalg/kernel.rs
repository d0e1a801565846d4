//! Loops that are worth vector instructions.

use super::Matrix;
use faer::linalg::matmul::matmul;
use faer::linalg::matmul::triangular::{BlockStructure, matmul as triangular_matmul};
use faer::{Accum, MatMut, MatRef, Par};
pub(crate) use pulp::Simd;
use std::ops::Range;

/// Columns of a tile are padded with zeros to a multiple of this length.
pub(crate) const LANES: usize = 8;

/// From this order on a blocked matrix product beats dot products of columns.
pub(crate) const BLOCKED: usize = 32;

/// Adds `tileᵀ tile` to the lower triangle of the square matrix `gram`; the columns of `tile` have
/// length `stride`, a multiple of [`LANES`].
pub(crate) fn add_gram(gram: &mut [f64], tile: &[f64], stride: usize) {
    let order = tile.len() / stride;
    if order < BLOCKED {
        return vectorised(SmallGram { gram, tile, stride });
    }
    let tile = MatRef::from_column_major_slice(tile, stride, order);
    triangular_matmul(
        MatMut::from_column_major_slice_mut(gram, order, order),
        BlockStructure::TriangularLower,
        Accum::Add,
        tile.transpose(),
        BlockStructure::Rectangular,
        tile,
        BlockStructure::Rectangular,
        1.0,
        Par::Seq,
    );
}

/// Adds some columns, from `first` on, of the lower triangle of `Σ t tᵀ` over the `order` cells of every
/// `t`, which lie one after the other.
pub(crate) fn add_gram_columns(columns: &mut [f64], all: &[f64], order: usize, first: usize) {
    let count = columns.len() / order;
    let all = MatRef::from_column_major_slice(all, order, all.len() / order);
    let below = MatMut::from_column_major_slice_mut(columns, order, count);
    let below = below.subrows_mut(first, order - first);
    let left = all.subrows(first, order - first);
    let right = all.subrows(first, count).transpose();
    matmul(below, Accum::Add, left, right, 1.0, Par::Seq);
}

/// Adds `left rightᵀ` to some rows of a matrix with as many columns as `right` has rows.
pub(crate) fn add_product(columns: &mut [f64], rows: Range<usize>, left: &Matrix, right: &Matrix) {
    let (left, right) = (left.view(), right.view());
    if left.ncols() == 0 || right.nrows() == 0 {
        return;
    }
    let height = columns.len() / right.nrows();
    let into = MatMut::from_column_major_slice_mut(columns, height, right.nrows());
    let into = into.subrows_mut(rows.start, rows.len());
    matmul(into, Accum::Add, left, right.transpose(), 1.0, Par::Seq);
}

/// A loop to be compiled for the vector instructions of the machine it runs on.
pub(crate) trait Loop {
    /// Runs the loop; must be `#[inline(always)]`.
    fn run<S: Simd>(self, simd: S);
}

struct Vectorised<L>(L);

impl<L: Loop> pulp::WithSimd for Vectorised<L> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        self.0.run(simd);
    }
}

/// Runs a loop with the best vector instructions at hand.
pub(crate) fn vectorised(work: impl Loop) {
    pulp::Arch::new().dispatch(Vectorised(work));
}

/// Runs a loop with these vector instructions, compiled on its own.
#[inline(always)]
pub(crate) fn vectorised_with<S: Simd>(simd: S, work: impl Loop) {
    simd.vectorize(Vectorised(work));
}

struct SmallGram<'a> {
    gram: &'a mut [f64],
    tile: &'a [f64],
    stride: usize,
}

impl Loop for SmallGram<'_> {
    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let Self { gram, tile, stride } = self;
        let order = tile.len() / stride;
        let column = |j: usize| S::as_simd_f64s(&tile[j * stride..(j + 1) * stride]).0;
        for j in 0..order {
            let sums = &mut gram[j * order..(j + 1) * order];
            let left = column(j);
            let mut i = j;
            while i + 4 <= order {
                let dots = dots(simd, [0, 1, 2, 3].map(|k| column(i + k)), left);
                for (sum, dot) in sums[i..].iter_mut().zip(dots) {
                    *sum += dot;
                }
                i += 4;
            }
            while i < order {
                sums[i] += dots(simd, [column(i)], left)[0];
                i += 1;
            }
        }
    }
}

/// Writes `Σ row rowᵀ` to the upper triangle of `gram`; rows are padded to `stride` cells, a multiple of [`LANES`], which also
/// is the stride of `gram`.
#[inline(always)]
pub(crate) fn set_gram_of_rows<'a, S: Simd>(
    simd: S,
    gram: &mut [f64],
    rows: &(impl Iterator<Item = &'a [f64]> + Clone),
    stride: usize,
) {
    gram_of_rows::<S, false>(simd, gram, rows, stride);
}

/// Adds `Σ row rowᵀ` to the lower triangle of `gram`, of rows as those of [`set_gram_of_rows`].
#[inline(always)]
pub(super) fn add_rows_to_lower<'a, S: Simd>(
    simd: S,
    gram: &mut [f64],
    rows: &(impl Iterator<Item = &'a [f64]> + Clone),
    stride: usize,
) {
    gram_of_rows::<S, true>(simd, gram, rows, stride);
}

#[inline(always)]
fn gram_of_rows<'a, S: Simd, const ADD: bool>(
    simd: S,
    gram: &mut [f64],
    rows: &(impl Iterator<Item = &'a [f64]> + Clone),
    stride: usize,
) {
    let order = gram.len() / stride;
    let mut i = 0;
    // Twice as many sums as a block is high stay in registers, of which there are more where vectors are widest.
    while i < order {
        i += match order - i {
            8.. if S::F64_LANES >= 8 => gram_block::<S, 8, ADD>(simd, gram, rows, stride, i),
            6.. => gram_block::<S, 6, ADD>(simd, gram, rows, stride, i),
            4.. => gram_block::<S, 4, ADD>(simd, gram, rows, stride, i),
            2.. => gram_block::<S, 2, ADD>(simd, gram, rows, stride, i),
            _ => gram_block::<S, 1, ADD>(simd, gram, rows, stride, i),
        };
    }
}

/// Writes rows `i..i + I` of a Gram matrix from the vector with the diagonal on, or adds to them up to it; returns `I`.
#[inline(always)]
fn gram_block<'a, S: Simd, const I: usize, const ADD: bool>(
    simd: S,
    gram: &mut [f64],
    rows: &(impl Iterator<Item = &'a [f64]> + Clone),
    stride: usize,
    i: usize,
) -> usize {
    let (mut v, end) = match ADD {
        true => (0, (i + I).div_ceil(S::F64_LANES)),
        false => (i / S::F64_LANES, stride / S::F64_LANES),
    };
    let gram = &mut gram[i * stride..(i + I) * stride];
    while v < end {
        let rows = rows.clone();
        if v + 2 <= end {
            gram_sums::<S, I, 2, ADD>(simd, (gram, stride), rows, i, v);
        } else {
            gram_sums::<S, I, 1, ADD>(simd, (gram, stride), rows, i, v);
        }
        v += 2;
    }
    I
}

/// Cells `i..i + I` times vectors `v..v + V`, summed over the rows: to `I` rows of a Gram matrix.
#[inline(always)]
fn gram_sums<'a, S: Simd, const I: usize, const V: usize, const ADD: bool>(
    simd: S,
    (gram, stride): (&mut [f64], usize),
    rows: impl Iterator<Item = &'a [f64]>,
    i: usize,
    v: usize,
) {
    let mut sums = [[simd.splat_f64s(0.0); V]; I];
    if ADD {
        for (sums, from) in sums.iter_mut().zip(gram.chunks_exact(stride)) {
            sums.copy_from_slice(&S::as_simd_f64s(from).0[v..v + V]);
        }
    }
    for row in rows {
        let left: &[f64; I] = row[i..i + I].try_into().expect("I cells");
        let right: &[S::f64s; V] = S::as_simd_f64s(row).0[v..v + V]
            .try_into()
            .expect("V vectors");
        for (sums, &x) in sums.iter_mut().zip(left) {
            let x = simd.splat_f64s(x);
            for (sum, &y) in sums.iter_mut().zip(right) {
                *sum = simd.mul_add_e_f64s(x, y, *sum);
            }
        }
    }
    for (into, sums) in gram.chunks_exact_mut(stride).zip(sums) {
        S::as_mut_simd_f64s(into).0[v..v + V].copy_from_slice(&sums);
    }
}

/// Takes `x column` from `sums`; what rounding loses goes to `errors`.
pub(super) fn subtract_scaled(sums: &mut [f64], errors: &mut [f64], column: &[f64], x: f64) {
    vectorised(SubtractScaled {
        sums,
        errors,
        column,
        x,
    });
}

/// Error-free products and sums, in the manner of Dekker and Knuth.
struct SubtractScaled<'a> {
    sums: &'a mut [f64],
    errors: &'a mut [f64],
    column: &'a [f64],
    x: f64,
}

impl Loop for SubtractScaled<'_> {
    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let (sums, sums_tail) = S::as_mut_simd_f64s(self.sums);
        let (errors, errors_tail) = S::as_mut_simd_f64s(self.errors);
        let (column, column_tail) = S::as_simd_f64s(self.column);
        let x = simd.splat_f64s(-self.x);
        for ((sum, error), &a) in sums.iter_mut().zip(errors).zip(column) {
            let product = simd.mul_f64s(a, x);
            let lost = simd.mul_add_f64s(a, x, simd.neg_f64s(product));
            let total = simd.add_f64s(*sum, product);
            let part = simd.sub_f64s(total, *sum);
            let rest = simd.add_f64s(
                simd.sub_f64s(*sum, simd.sub_f64s(total, part)),
                simd.sub_f64s(product, part),
            );
            *sum = total;
            *error = simd.add_f64s(*error, simd.add_f64s(rest, lost));
        }
        for ((sum, error), &a) in sums_tail.iter_mut().zip(errors_tail).zip(column_tail) {
            let product = -a * self.x;
            let lost = (-a).mul_add(self.x, -product);
            let total = *sum + product;
            let part = total - *sum;
            *error += ((*sum - (total - part)) + (product - part)) + lost;
            *sum = total;
        }
    }
}

/// The dot products of some columns with `b`, each in two partial sums; reads `b` once.
#[inline(always)]
fn dots<S: Simd, const N: usize>(simd: S, columns: [&[S::f64s]; N], b: &[S::f64s]) -> [f64; N] {
    let mut even = [simd.splat_f64s(0.0); N];
    let mut odd = even;
    let columns = columns.map(|a| &a[..b.len()]);
    let pairs = b.len() / 2 * 2;
    for k in (0..pairs).step_by(2) {
        for n in 0..N {
            even[n] = simd.mul_add_e_f64s(columns[n][k], b[k], even[n]);
            odd[n] = simd.mul_add_e_f64s(columns[n][k + 1], b[k + 1], odd[n]);
        }
    }
    if pairs < b.len() {
        for n in 0..N {
            even[n] = simd.mul_add_e_f64s(columns[n][pairs], b[pairs], even[n]);
        }
    }
    std::array::from_fn(|n| simd.reduce_sum_f64s(simd.add_f64s(even[n], odd[n])))
}

/// `Σ a_i b_i` of long vectors, with the best vector instructions at hand.
pub(crate) fn long_dot(a: &[f64], b: &[f64]) -> f64 {
    let mut sum = 0.0;
    vectorised(LongDot {
        a,
        b,
        sum: &mut sum,
    });
    sum
}

struct LongDot<'a> {
    a: &'a [f64],
    b: &'a [f64],
    sum: &'a mut f64,
}

impl Loop for LongDot<'_> {
    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let ((a, a_tail), (b, b_tail)) = (S::as_simd_f64s(self.a), S::as_simd_f64s(self.b));
        let [sum] = dots::<S, 1>(simd, [a], b);
        let tail = a_tail.iter().zip(b_tail).map(|(x, y)| x * y);
        *self.sum = sum + tail.sum::<f64>();
    }
}

/// The dot product of each column of a matrix with that of another.
pub(crate) fn dots_of_columns(a: &Matrix, b: &Matrix) -> Vec<f64> {
    let mut dots = vec![0.0; a.n_cols()];
    vectorised(DotsOfColumns {
        a,
        b,
        dots: &mut dots,
    });
    dots
}

struct DotsOfColumns<'a> {
    a: &'a Matrix,
    b: &'a Matrix,
    dots: &'a mut [f64],
}

impl Loop for DotsOfColumns<'_> {
    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        for (j, sum) in self.dots.iter_mut().enumerate() {
            let (a, b) = (self.a.col(j), self.b.col(j));
            LongDot { a, b, sum }.run(simd);
        }
    }
}

/// Replaces `products` by the products of every two columns, cell by cell: of the first with itself and all behind it, then of the second,
/// and so on. The number of rows is a multiple of [`LANES`].
pub(crate) fn set_products_of_columns(products: &mut Matrix, of: &Matrix) {
    products.n_rows = of.n_rows;
    products.n_cols = of.n_cols * (of.n_cols + 1) / 2;
    let n_cells = products.n_rows * products.n_cols;
    products.data.resize(n_cells, 0.0);
    vectorised(Products {
        of,
        products: &mut products.data,
    });
}

struct Products<'a> {
    of: &'a Matrix,
    products: &'a mut [f64],
}

impl Loop for Products<'_> {
    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let mut into = self.products.chunks_exact_mut(self.of.n_rows());
        for i in 0..self.of.n_cols() {
            let left = S::as_simd_f64s(self.of.col(i)).0;
            for j in i..self.of.n_cols() {
                let right = S::as_simd_f64s(self.of.col(j)).0;
                let into = into.next().expect("a column for each pair");
                let into = S::as_mut_simd_f64s(into).0;
                for ((into, &x), &y) in into.iter_mut().zip(left).zip(right) {
                    *into = simd.mul_f64s(x, y);
                }
            }
        }
    }
}

/// Adds the Gram matrix of some entries of some rows to the lower triangle of `gram`; row r is column r
/// of `x`.
pub(crate) fn add_gram_of_rows(
    gram: &mut Matrix,
    x: &Matrix,
    rows: &[u32],
    entries: impl ExactSizeIterator<Item = usize>,
) {
    if rows.is_empty() {
        return;
    }
    let tile = x.tile(entries, rows);
    add_gram(&mut gram.data, &tile.data, tile.n_rows);
}

#[cfg(test)]
mod tests {
    use super::super::dot;
    use super::*;

    #[test]
    fn gram_of_a_tile_is_the_sum_of_outer_products() {
        let stride = 2 * LANES;
        for order in [1, 2, 5, 6, BLOCKED + 1] {
            let tile: Vec<f64> = (0..stride * order).map(|i| (i as f64).sin()).collect();
            let mut gram = vec![1.0; order * order];
            add_gram(&mut gram, &tile, stride);
            for j in 0..order {
                for i in j..order {
                    let columns = [i, j].map(|k| &tile[k * stride..(k + 1) * stride]);
                    let off = gram[j * order + i] - 1.0 - dot(columns[0], columns[1]);
                    assert!(off.abs() < 1e-13, "order {order}");
                }
            }
        }
    }

    struct GramOfRows<'a>(&'a mut [f64], &'a [f64], usize);

    impl Loop for GramOfRows<'_> {
        #[inline(always)]
        fn run<S: Simd>(self, simd: S) {
            set_gram_of_rows(simd, self.0, &self.1.chunks_exact(self.2), self.2);
        }
    }

    #[test]
    fn a_long_product_is_the_sum_of_products() {
        for n in [0, 1, 7, 64, 1001] {
            let (a, b): (Vec<f64>, Vec<f64>) = (0..n)
                .map(|i| ((i as f64).sin(), (0.3 * i as f64).cos()))
                .unzip();
            assert!((long_dot(&a, &b) - dot(&a, &b)).abs() < 1e-12, "{n}");
            let [twice, both] = [[&a[..], &a[..]], [&a[..], &b[..]]]
                .map(|of| Matrix::from_columns(n, 2, of.concat()));
            let dots = dots_of_columns(&twice, &both);
            assert!((dots[0] - dot(&a, &a)).abs() + (dots[1] - dot(&a, &b)).abs() < 1e-12);
        }
    }

    #[test]
    fn products_of_columns_are_those_of_every_pair() {
        let of = Matrix::from_columns(LANES, 3, (0..3 * LANES).map(|i| (i as f64).sin()).collect());
        let mut products = Matrix::zeros(0, 0);
        set_products_of_columns(&mut products, &of);
        let pairs = [(0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)];
        assert_eq!(products.n_cols(), pairs.len());
        for (at, (i, j)) in pairs.into_iter().enumerate() {
            for r in 0..LANES {
                assert!((products[(r, at)] - of[(r, i)] * of[(r, j)]).abs() < 1e-15);
            }
        }
    }

    #[test]
    fn gram_of_rows_is_the_sum_of_their_outer_products() {
        for (order, stride) in [(2, 16), (7, 16), (12, 16), (13, 16), (23, 24), (27, 32)] {
            let rows: Vec<f64> = (0..5 * stride).map(|i| (i as f64).cos()).collect();
            let mut gram = vec![f64::NAN; order * stride];
            vectorised(GramOfRows(&mut gram, &rows, stride));
            for i in 0..order {
                for j in i..order {
                    let products = rows.chunks_exact(stride).map(|row| row[i] * row[j]);
                    let off = gram[i * stride + j] - products.sum::<f64>();
                    assert!(off.abs() < 1e-14, "order {order}: {i} {j}");
                }
            }
        }
    }
}
