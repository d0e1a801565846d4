//! Rows of a few cells: products with all sums in registers.

use super::kernel::{LANES, Simd, add_rows_to_lower};

/// Cells of a short row at most: two of the widest vectors.
pub(crate) const SHORT: usize = 2 * LANES;

/// Adds `Σ row rowᵀ` to the lower triangle of `gram`, of short rows of `order` cells; rows and those of `gram` are padded to whole
/// vectors of [`LANES`], with anything.
#[inline(always)]
pub(crate) fn add_short_rows<S: Simd>(simd: S, gram: &mut [f64], rows: &[f64], order: usize) {
    if S::F64_LANES != LANES {
        let stride = order.next_multiple_of(LANES);
        return add_rows_to_lower(simd, gram, &rows.chunks_exact(stride), stride);
    }
    // loops of known length: all sums stay in registers
    match order {
        1 => add_one::<S, 1>(simd, gram, rows),
        2 => add_one::<S, 2>(simd, gram, rows),
        3 => add_one::<S, 3>(simd, gram, rows),
        4 => add_one::<S, 4>(simd, gram, rows),
        5 => add_one::<S, 5>(simd, gram, rows),
        6 => add_one::<S, 6>(simd, gram, rows),
        7 => add_one::<S, 7>(simd, gram, rows),
        8 => add_one::<S, 8>(simd, gram, rows),
        9 => add_two::<S, 1>(simd, gram, rows),
        10 => add_two::<S, 2>(simd, gram, rows),
        11 => add_two::<S, 3>(simd, gram, rows),
        12 => add_two::<S, 4>(simd, gram, rows),
        13 => add_two::<S, 5>(simd, gram, rows),
        14 => add_two::<S, 6>(simd, gram, rows),
        15 => add_two::<S, 7>(simd, gram, rows),
        _ => add_two::<S, 8>(simd, gram, rows),
    }
}

/// Rows of `N` cells in one vector.
#[inline(always)]
fn add_one<S: Simd, const N: usize>(simd: S, gram: &mut [f64], rows: &[f64]) {
    let gram = S::as_mut_simd_f64s(gram).0;
    let gram: &mut [S::f64s; N] = gram.try_into().expect("a vector for each cell");
    let mut sums = *gram;
    for row in rows.as_chunks::<LANES>().0 {
        let vector = S::as_simd_f64s(row).0[0];
        for (sum, &x) in sums.iter_mut().zip(row) {
            *sum = simd.mul_add_e_f64s(simd.splat_f64s(x), vector, *sum);
        }
    }
    *gram = sums;
}

/// Rows of one vector and `N` more cells.
#[inline(always)]
fn add_two<S: Simd, const N: usize>(simd: S, gram: &mut [f64], rows: &[f64]) {
    let gram = S::as_mut_simd_f64s(gram).0.as_chunks_mut::<2>().0;
    let (square, below) = gram.split_at_mut(LANES);
    let square: &mut [[S::f64s; 2]; LANES] = square.try_into().expect("two vectors for each cell");
    let below: &mut [[S::f64s; 2]; N] = below.try_into().expect("two vectors for each cell");
    // what the first cells have in the second vector is above the diagonal
    let mut first = square.map(|[vector, _]| vector);
    let mut last = *below;
    for row in rows.as_chunks::<SHORT>().0 {
        let vectors = S::as_simd_f64s(row).0;
        let (one, two) = (vectors[0], vectors[1]);
        for (sum, &x) in first.iter_mut().zip(row) {
            *sum = simd.mul_add_e_f64s(simd.splat_f64s(x), one, *sum);
        }
        for (sums, &x) in last.iter_mut().zip(&row[LANES..]) {
            let x = simd.splat_f64s(x);
            sums[0] = simd.mul_add_e_f64s(x, one, sums[0]);
            sums[1] = simd.mul_add_e_f64s(x, two, sums[1]);
        }
    }
    for (into, sum) in square.iter_mut().zip(first) {
        into[0] = sum;
    }
    *below = last;
}

#[cfg(test)]
mod tests {
    use super::super::kernel::{Loop, vectorised};
    use super::*;

    struct Add<'a>(&'a mut [f64], &'a [f64], usize);

    impl Loop for Add<'_> {
        #[inline(always)]
        fn run<S: Simd>(self, simd: S) {
            add_short_rows(simd, self.0, self.1, self.2);
        }
    }

    #[test]
    fn lower_triangles_are_sums_of_products_of_cells() {
        for order in 1..=SHORT {
            let stride = order.next_multiple_of(LANES);
            let rows: Vec<f64> = (0..5 * stride).map(|i| (i as f64).sin()).collect();
            let mut gram = vec![1.0; order * stride];
            let mut portable = gram.clone();
            vectorised(Add(&mut gram, &rows, order));
            add_short_rows(pulp::Scalar, &mut portable, &rows, order);
            for i in 0..order {
                for j in 0..=i {
                    let products = rows.chunks(stride).map(|row| row[i] * row[j]);
                    let sum = 1.0 + products.sum::<f64>();
                    for gram in [&gram, &portable] {
                        assert!((gram[i * stride + j] - sum).abs() < 1e-14, "{order}");
                    }
                }
            }
        }
    }
}
