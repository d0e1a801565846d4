//! Correlations of columns with holes.

use crate::data::MaskedMatrix;
use crate::linalg::{Matrix, transpose_product};

/// The correlation of each pair over the rows that have both; 0 where it is not defined.
pub(super) fn correlations(sample: &MaskedMatrix) -> Matrix {
    let (n, d) = (sample.n_rows(), sample.n_cols());
    let (mut x, mut z) = (Matrix::zeros(n, d), Matrix::zeros(n, d));
    for j in 0..d {
        let rows: Vec<_> = (0..n).filter(|&i| sample.get(i, j).is_some()).collect();
        let values = rows.iter().filter_map(|&i| sample.get(i, j)).collect();
        for (&i, value) in rows.iter().zip(standardised(values)) {
            x[(i, j)] = value;
            z[(i, j)] = 1.0;
        }
    }
    let mut squares = x.clone();
    for j in 0..d {
        squares.col_mut(j).iter_mut().for_each(|x| *x *= *x);
    }
    let both = transpose_product(&z, &z);
    let sums = transpose_product(&x, &z);
    let squares = transpose_product(&squares, &z);
    let mut r = transpose_product(&x, &x);
    for j in 0..d {
        for i in 0..d {
            let n = both[(i, j)].max(1.0);
            let (mean_i, mean_j) = (sums[(i, j)] / n, sums[(j, i)] / n);
            let spread_i = squares[(i, j)] / n - mean_i * mean_i;
            let spread_j = squares[(j, i)] / n - mean_j * mean_j;
            // Values reach 1, so that less than this is rounding: a constant, or a single row.
            let defined = spread_i > 1e-14 && spread_j > 1e-14;
            let covariance = r[(i, j)] / n - mean_i * mean_j;
            r[(i, j)] = if defined {
                covariance / (spread_i * spread_j).sqrt()
            } else {
                0.0
            };
        }
    }
    r
}

/// The values with mean 0 and largest size 1; neither sums nor squares overflow on the way.
fn standardised(mut values: Vec<f64>) -> Vec<f64> {
    let divide_by_largest = |values: &mut [f64]| {
        let largest = values.iter().fold(0.0f64, |m, x| m.max(x.abs()));
        if largest > 0.0 {
            values.iter_mut().for_each(|x| *x /= largest);
        }
    };
    divide_by_largest(&mut values);
    let mean = values.iter().sum::<f64>() / values.len().max(1) as f64;
    values.iter_mut().for_each(|x| *x -= mean);
    divide_by_largest(&mut values);
    values
}
