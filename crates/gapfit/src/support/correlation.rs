//! Pairs of columns with holes: their correlations, and how often one is there without the other.

use crate::data::MaskedMatrix;
use crate::linalg::{Matrix, transpose_product};

/// What a sample says of each pair of columns.
pub(super) struct Pairs {
    /// The correlation over the rows that have both; 0 where it is not defined.
    pub(super) correlations: Matrix,
    /// The weight of the rows that have both; on the diagonal, of those that have the column.
    both: Matrix,
    /// The weight of all rows.
    total: f64,
}

impl Pairs {
    /// The pairs of a sample whose rows have weights with these roots.
    pub(super) fn of(sample: &MaskedMatrix, roots: &[f64]) -> Self {
        let (n, d) = (sample.n_rows(), sample.n_cols());
        let [mut x, mut z, mut squares] = [(); 3].map(|()| Matrix::zeros(n, d));
        for j in 0..d {
            let rows: Vec<_> = (0..n).filter(|&i| sample.get(i, j).is_some()).collect();
            let values = rows.iter().filter_map(|&i| sample.get(i, j)).collect();
            for (&i, value) in rows.iter().zip(standardised(values)) {
                x[(i, j)] = value * roots[i];
                z[(i, j)] = roots[i];
                squares[(i, j)] = value * value * roots[i];
            }
        }
        let times = |a, b| move || transpose_product(a, b);
        let ((both, sums), (squares, products)) = rayon::join(
            || rayon::join(times(&z, &z), times(&x, &z)),
            || rayon::join(times(&squares, &z), times(&x, &x)),
        );
        let mut correlations = Matrix::zeros(d, d);
        for j in 0..d {
            for i in 0..d {
                let n = both[(i, j)];
                let (mean_i, mean_j) = (sums[(i, j)] / n, sums[(j, i)] / n);
                let spread_i = squares[(i, j)] / n - mean_i * mean_i;
                let spread_j = squares[(j, i)] / n - mean_j * mean_j;
                // Values reach 1, so that less than this is rounding: a constant, or a single row.
                if spread_i > 1e-14 && spread_j > 1e-14 {
                    let covariance = products[(i, j)] / n - mean_i * mean_j;
                    correlations[(i, j)] = covariance / (spread_i * spread_j).sqrt();
                }
            }
        }
        Self {
            correlations,
            both,
            total: roots.iter().map(|root| root * root).sum(),
        }
    }

    /// The pairs of a sample whose rows count alike.
    pub(super) fn of_rows(sample: &MaskedMatrix) -> Self {
        Self::of(sample, &vec![1.0; sample.n_rows()])
    }

    /// For each column the `m` others that say most where it is missing, ascending: by the square of
    /// the correlation, times the share of the rows without the column that have the other. Columns
    /// that say nothing are left out.
    pub(super) fn top(&self, m: usize) -> Vec<Vec<u32>> {
        let d = self.both.n_cols();
        let of_column = |k: usize| {
            let others = (0..d)
                .filter(|&j| j != k)
                .map(|j| (self.says(j, k), j as u32));
            let mut others: Vec<_> = others.filter(|other| other.0 > 0.0).collect();
            others.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
            others.truncate(m);
            let mut top: Vec<u32> = others.into_iter().map(|other| other.1).collect();
            top.sort_unstable();
            top
        };
        (0..d).map(of_column).collect()
    }

    fn says(&self, j: usize, k: usize) -> f64 {
        let without = self.total - self.both[(k, k)];
        let share = match without > 1e-9 * self.total {
            true => (self.both[(j, j)] - self.both[(j, k)]).max(0.0) / without,
            false => 1.0, // never missing here
        };
        self.correlations[(j, k)].powi(2) * share
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_together_says_nothing() {
        // Column 1 equals column 0 but goes missing with it; column 2 is a rougher copy.
        let hole = f64::NAN;
        #[rustfmt::skip]
        let cells = [
            1.0,  1.0,  1.2,
            2.0,  2.0,  1.9,
            3.0,  3.0,  3.3,
            4.0,  4.0,  3.9,
            hole, hole, 2.0,
            hole, hole, 3.0,
        ];
        let sample = MaskedMatrix::from_nan(6, 3, &cells).unwrap();
        let pairs = Pairs::of(&sample, &[1.0; 6]);
        assert!((pairs.correlations[(0, 1)] - 1.0).abs() < 1e-12);
        assert_eq!(pairs.top(1), [vec![2], vec![2], vec![0]]);
        assert_eq!(pairs.top(5), [vec![2], vec![2], vec![0, 1]]);
    }

    #[test]
    fn a_weight_of_two_is_the_row_twice() {
        let cells = |i: usize| [(i as f64).sin(), (1.7 * i as f64).cos(), (i * i % 7) as f64];
        let table = |rows: &[usize]| {
            let cells: Vec<f64> = rows.iter().flat_map(|&i| cells(i)).collect();
            let mut table = MaskedMatrix::from_nan(rows.len(), 3, &cells).unwrap();
            (0..rows.len())
                .filter(|&i| rows[i] == 2)
                .for_each(|i| table.hide(i, 1));
            table
        };
        let twice = Pairs::of(&table(&[0, 1, 1, 2, 3, 3, 4]), &[1.0; 7]);
        let root = 2f64.sqrt();
        let weighted = Pairs::of(&table(&[0, 1, 2, 3, 4]), &[1.0, root, 1.0, root, 1.0]);
        for (a, b) in [
            (&twice.correlations, &weighted.correlations),
            (&twice.both, &weighted.both),
        ] {
            let pairs = a.as_slice().iter().zip(b.as_slice());
            assert!(pairs.into_iter().all(|(a, b)| (a - b).abs() < 1e-12));
        }
    }
}
