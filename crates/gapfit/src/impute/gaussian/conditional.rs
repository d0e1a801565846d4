//! A normal distribution over the features, and the conditional means that fill holes.
//!
//! ```text
//! x̃_m = μ_m + Σ_mo Σ_oo⁻¹ (x_o - μ_o)
//! ```
//!
//! One factorisation of `Σ_oo` per mask; the rest is a pair of triangular solves per row.

use super::likelihood::gather;
use crate::linalg::{Matrix, spd};

/// Squared pivots of a correlation matrix are above this: blocks of it can then be factored, too.
const PIVOT: f64 = 1e-12;

/// A normal distribution over the live features, in the units of the completed rows.
///
/// The covariance of features i and j is `spread_i spread_j correlation_ij`, which stays in the range
/// of numbers whatever the units.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Gaussian {
    pub(crate) mean: Vec<f64>,
    pub(crate) spread: Vec<f64>,
    pub(crate) correlation: Matrix,
}

impl Gaussian {
    /// Joins the parts; an error says what is wrong with the spreads or the correlations.
    pub(crate) fn new(
        mean: Vec<f64>,
        spread: Vec<f64>,
        correlation: Matrix,
    ) -> Result<Self, (&'static str, &'static str)> {
        let n = mean.len();
        if spread.iter().any(|s| *s <= 0.0) {
            return Err(("spread", "positive numbers"));
        }
        let cell = |i: usize, j: usize| correlation[(i, j)];
        if (0..n).any(|j| (cell(j, j) - 1.0).abs() > 1e-12) {
            return Err(("correlation", "ones on the diagonal"));
        }
        if (0..n).any(|j| (0..j).any(|i| (cell(i, j) - cell(j, i)).abs() > 0.0)) {
            return Err(("correlation", "a symmetric matrix"));
        }
        if !spd::factor(&mut correlation.as_slice().to_vec(), n, PIVOT) {
            return Err(("correlation", "a positive definite matrix"));
        }
        Ok(Self {
            mean,
            spread,
            correlation,
        })
    }

    /// What is known of the features that `is_observed` does not name, given the others.
    pub(crate) fn condition(&self, is_observed: impl Fn(usize) -> bool) -> Conditional {
        let (observed, missing): (Vec<_>, Vec<_>) =
            (0..self.mean.len()).partition(|&l| is_observed(l));
        let order = observed.len();
        let mut factor = vec![0.0; order * order];
        let (cells, n) = (self.correlation.as_slice(), self.mean.len());
        gather(&mut factor, cells, n, (&observed, &observed));
        // A block has larger pivots than the whole, which was factored when this was made.
        let is_definite = spd::factor(&mut factor, order, 0.0);
        debug_assert!(is_definite, "block of a positive definite matrix");
        Conditional {
            observed,
            missing,
            factor,
        }
    }
}

/// The distribution of some features given the others, for one mask.
#[derive(Debug)]
pub(crate) struct Conditional {
    observed: Vec<usize>,
    missing: Vec<usize>,
    /// Cholesky factor of the observed block of the correlations.
    factor: Vec<f64>,
}

impl Conditional {
    /// Fills the missing entries of a row (1, live features).
    pub(crate) fn fill(&self, gaussian: &Gaussian, row: &mut [f64], scratch: &mut Vec<f64>) {
        let Gaussian { mean, spread, .. } = gaussian;
        let standard = |&l: &usize| (row[l + 1] - mean[l]) / spread[l];
        scratch.clear();
        scratch.extend(self.observed.iter().map(standard));
        self.solve(scratch);
        for &k in &self.missing {
            let column = gaussian.correlation.col(k);
            let products = self
                .observed
                .iter()
                .zip(&*scratch)
                .map(|(&l, x)| column[l] * x);
            row[k + 1] = mean[k] + spread[k] * products.sum::<f64>();
        }
    }

    /// The coefficients of the conditional means: one column per missing feature, over the constant
    /// and the observed ones.
    pub(crate) fn coefficients(&self, gaussian: &Gaussian) -> Matrix {
        let Gaussian { mean, spread, .. } = gaussian;
        let mut coefficients = Matrix::zeros(self.observed.len() + 1, self.missing.len());
        for (c, &k) in self.missing.iter().enumerate() {
            let (constant, rest) = coefficients
                .col_mut(c)
                .split_first_mut()
                .expect("the constant is always there");
            for (x, &l) in rest.iter_mut().zip(&self.observed) {
                *x = gaussian.correlation[(l, k)];
            }
            self.solve(rest);
            *constant = mean[k];
            for (x, &l) in rest.iter_mut().zip(&self.observed) {
                *x = *x * spread[k] / spread[l]; // nothing remains nothing, whatever the units
                *constant -= *x * mean[l];
            }
        }
        coefficients
    }

    fn solve(&self, x: &mut [f64]) {
        spd::solve_lower(&self.factor, x);
        spd::solve_upper(&self.factor, x);
    }

    /// Roughly the memory it takes.
    pub(crate) fn bytes(&self) -> usize {
        8 * (self.observed.len() + self.missing.len() + self.factor.len()) + 128
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::dot;

    fn example() -> Gaussian {
        let cells = [1.0, 0.5, -0.3, 0.5, 1.0, 0.2, -0.3, 0.2, 1.0];
        let correlation = Matrix::from_columns(3, 3, cells.to_vec());
        Gaussian::new(vec![1.0, -2.0, 0.5], vec![2.0, 1.0, 4.0], correlation).unwrap()
    }

    #[test]
    fn two_observed_features_predict_the_third_by_the_formula_for_two_regressors() {
        let gaussian = example();
        let mut row = [1.0, 3.0, -1.5, 0.0];
        let conditional = gaussian.condition(|l| l != 2);
        conditional.fill(&gaussian, &mut row, &mut Vec::new());
        let (r12, r13, r23): (f64, f64, f64) = (0.5, -0.3, 0.2);
        let (t1, t2) = ((3.0 - 1.0) / 2.0, -1.5 + 2.0);
        let below = 1.0 - r12 * r12;
        let want = 0.5 + 4.0 * ((r13 - r12 * r23) * t1 + (r23 - r12 * r13) * t2) / below;
        assert!((row[3] - want).abs() < 1e-14, "{} {want}", row[3]);
        let c = conditional.coefficients(&gaussian);
        let by_coefficients = c[(0, 0)] + c[(1, 0)] * 3.0 - c[(2, 0)] * 1.5;
        assert!((by_coefficients - want).abs() < 1e-14);
    }

    #[test]
    fn with_nothing_observed_the_mean_is_left() {
        let gaussian = example();
        let mut row = [1.0, 0.0, 0.0, 0.0];
        let conditional = gaussian.condition(|_| false);
        conditional.fill(&gaussian, &mut row, &mut Vec::new());
        assert_eq!(row[1..], gaussian.mean);
        let coefficients = conditional.coefficients(&gaussian);
        assert_eq!(coefficients.as_slice(), gaussian.mean);
    }

    #[test]
    fn parts_that_are_no_distribution_are_refused() {
        let sound = example();
        let with = |cells: &[(usize, usize, f64)], spread: f64| {
            let mut correlation = sound.correlation.clone();
            cells.iter().for_each(|&(i, j, x)| correlation[(i, j)] = x);
            Gaussian::new(sound.mean.clone(), vec![spread; 3], correlation).unwrap_err()
        };
        assert_eq!(with(&[], 0.0).0, "spread");
        assert_eq!(with(&[(1, 1, 1.5)], 1.0).1, "ones on the diagonal");
        assert_eq!(with(&[(0, 1, 0.4)], 1.0).1, "a symmetric matrix");
        let singular = with(&[(0, 1, 1.0), (1, 0, 1.0)], 1.0);
        assert_eq!(singular.1, "a positive definite matrix");
    }

    #[test]
    fn coefficients_and_rows_agree_beyond_the_first_blocks() {
        let n = 50;
        let mut correlation = Matrix::zeros(n, n);
        for j in 0..n {
            for i in 0..n {
                correlation[(i, j)] = 0.9f64.powf((i as f64 - j as f64).abs());
            }
        }
        let spread = (0..n).map(|j| 1.0 + j as f64).collect();
        let mean = (0..n).map(|j| (j as f64).sin()).collect();
        let gaussian = Gaussian::new(mean, spread, correlation).unwrap();
        let is_observed = |l: usize| l % 7 != 3;
        let conditional = gaussian.condition(is_observed);
        let mut row: Vec<f64> = (0..=n).map(|e| (e as f64).cos()).collect();
        let observed: Vec<f64> = std::iter::once(1.0)
            .chain((0..n).filter(|&l| is_observed(l)).map(|l| row[l + 1]))
            .collect();
        conditional.fill(&gaussian, &mut row, &mut Vec::new());
        let coefficients = conditional.coefficients(&gaussian);
        for (c, k) in (0..n).filter(|&l| !is_observed(l)).enumerate() {
            let want = dot(coefficients.col(c), &observed);
            assert!((row[k + 1] - want).abs() < 1e-10 * (1.0 + want.abs()));
        }
    }
}
