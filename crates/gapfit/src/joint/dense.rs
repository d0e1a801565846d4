//! The quadratic part as a dense matrix.

use super::blocks::Hessian;
use super::conjugate::Effort;
use super::intercept::Centre;
use super::quadratic::Normal;
use crate::error::Result;
use crate::gram::Gram;
use crate::linalg::{Cholesky, Matrix};
use crate::prepare::Intercept;

/// `H`, `r` and `yᵀy` of the penalised unknowns.
#[derive(Clone, Debug)]
pub(crate) struct Dense {
    h: Matrix,
    r: Vec<f64>,
    yy: f64,
}

impl Normal for Dense {
    fn linear(&self) -> &[f64] {
        &self.r
    }

    fn constant(&self) -> f64 {
        self.yy
    }

    fn times(&self, v: &[f64]) -> Vec<f64> {
        self.h.times(v)
    }

    fn residual(&self, v: &[f64]) -> Vec<f64> {
        self.h.residual(&self.r, v)
    }

    fn solve(&self, scale: f64, penalty: &Hessian<'_>, rhs: &[f64], _: Effort) -> Result<Vec<f64>> {
        let factor = self.factor(scale, penalty)?;
        let mut solution = rhs.to_vec();
        factor.solve(&mut solution);
        Ok(solution)
    }
}

/// A centred sum of squares below this share of the raw one is rounding.
const CONSTANT: f64 = 1e-14;

impl Dense {
    pub(crate) fn from_parts(h: Matrix, r: Vec<f64>, yy: f64) -> Self {
        Self { h, r, yy }
    }

    /// The factor of `scale H + penalty`.
    pub(crate) fn factor(&self, scale: f64, penalty: &Hessian<'_>) -> Result<Cholesky> {
        Cholesky::of(|| {
            let mut system = self.h.scaled_lower(scale);
            penalty.add_to(&mut system);
            system
        })
    }

    /// `H`, `r` and `yᵀy`.
    pub(crate) fn parts(&self) -> (&Matrix, &[f64], f64) {
        (&self.h, &self.r, self.yy)
    }

    /// The penalised part of the normal equations: a free intercept is eliminated, which centres
    /// the lifted features and the target; an absent one is dropped.
    pub(crate) fn new(gram: &Gram, intercept: Intercept, centre: &Centre) -> Self {
        if intercept == Intercept::Penalised {
            return Self {
                h: gram.h.clone(),
                r: gram.r.clone(),
                yy: gram.yy,
            };
        }
        let dim = gram.r.len() - 1;
        let sums = &gram.h.col(0)[1..];
        let mut h = Matrix::zeros(dim, dim);
        for (j, mean) in centre.features.iter().enumerate() {
            let full = &gram.h.col(j + 1)[1..];
            for ((x, full), sum) in h.col_mut(j).iter_mut().zip(full).zip(sums) {
                *x = full - sum * mean;
            }
        }
        let mut r: Vec<f64> = gram.r[1..]
            .iter()
            .zip(sums)
            .map(|(r, sum)| r - sum * centre.target)
            .collect();
        // What is left of a feature that is constant but for rounding says nothing.
        for i in 0..dim {
            if h[(i, i)] <= CONSTANT * gram.h[(i + 1, i + 1)] {
                r[i] = 0.0;
                for j in 0..dim {
                    h[(i, j)] = 0.0;
                    h[(j, i)] = 0.0;
                }
            }
        }
        let yy = (gram.yy - gram.r[0] * centre.target).max(0.0);
        Self { h, r, yy }
    }

    /// The problem in the first `n` unknowns alone.
    pub(crate) fn leading(&self, n: usize) -> Self {
        let mut h = Matrix::zeros(n, n);
        for j in 0..n {
            h.col_mut(j).copy_from_slice(&self.h.col(j)[..n]);
        }
        Self {
            h,
            r: self.r[..n].to_vec(),
            yy: self.yy,
        }
    }
}
