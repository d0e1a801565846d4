//! The quadratic part as a dense matrix.

use super::blocks::Hessian;
use super::conjugate::Effort;
use super::intercept::Centre;
use super::quadratic::Normal;
use crate::error::Result;
use crate::gram::{Against, Gram};
use crate::linalg::{Cholesky, Matrix, dot};
use crate::prepare::Intercept;
use std::sync::Arc;

/// `H`, `r` and `yᵀy` of the penalised unknowns, or of all of them.
#[derive(Clone, Debug)]
pub(crate) struct Dense {
    /// Shared by the problems of several targets.
    h: Arc<Matrix>,
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
        let h = Arc::new(h);
        Self { h, r, yy }
    }

    /// The normal equations of each target as they are.
    pub(crate) fn whole(gram: Gram) -> Vec<Self> {
        let h = Arc::new(gram.h);
        let of_target = |Against { r, yy }: Against| Self {
            h: Arc::clone(&h),
            r,
            yy,
        };
        gram.against.into_iter().map(of_target).collect()
    }

    /// `Σ s_i (y_i - f_i)²` for the predictor v.
    pub(crate) fn squared_error(&self, v: &[f64]) -> f64 {
        (self.yy - 2.0 * dot(&self.r, v) + dot(v, &self.h.times(v))).max(0.0)
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

    /// The penalised part of the normal equations of each target, and what was taken out: a free
    /// intercept is eliminated, which centres the lifted features and the target; an absent one is
    /// dropped.
    pub(crate) fn each(gram: Gram, intercept: Intercept) -> Vec<(Self, Centre)> {
        let centre = |of: &Against| Centre::new(gram.h.col(0), of.r[0], intercept);
        let centres: Vec<Centre> = gram.against.iter().map(centre).collect();
        if intercept == Intercept::Penalised {
            return Self::whole(gram).into_iter().zip(centres).collect();
        }
        let (h, is_constant) = centred(&gram.h, &centres[0].features);
        let (h, sums) = (Arc::new(h), &gram.h.col(0)[1..]);
        let of_target = |(of, centre): (&Against, Centre)| {
            let pairs = of.r[1..].iter().zip(sums).zip(&is_constant);
            let of_feature = |((r, sum), is_constant): ((&f64, &f64), &bool)| match is_constant {
                true => 0.0,
                false => r - sum * centre.target,
            };
            let normal = Self {
                h: Arc::clone(&h),
                r: pairs.map(of_feature).collect(),
                yy: (of.yy - of.r[0] * centre.target).max(0.0),
            };
            (normal, centre)
        };
        gram.against.iter().zip(centres).map(of_target).collect()
    }

    /// The problem in the first `n` unknowns alone.
    pub(crate) fn leading(&self, n: usize) -> Self {
        let mut h = Matrix::zeros(n, n);
        for j in 0..n {
            h.col_mut(j).copy_from_slice(&self.h.col(j)[..n]);
        }
        Self::from_parts(h, self.r[..n].to_vec(), self.yy)
    }
}

/// `H` without the constant, centred at `means`; and which features are constant but for rounding, of which
/// it says nothing.
fn centred(full: &Matrix, means: &[f64]) -> (Matrix, Vec<bool>) {
    let dim = means.len();
    let sums = &full.col(0)[1..];
    let mut h = Matrix::zeros(dim, dim);
    for (j, mean) in means.iter().enumerate() {
        let column = &full.col(j + 1)[1..];
        for ((x, full), sum) in h.col_mut(j).iter_mut().zip(column).zip(sums) {
            *x = full - sum * mean;
        }
    }
    let constant = |i: usize| h[(i, i)] <= CONSTANT * full[(i + 1, i + 1)];
    let is_constant: Vec<bool> = (0..dim).map(constant).collect();
    for i in (0..dim).filter(|&i| is_constant[i]) {
        for j in 0..dim {
            h[(i, j)] = 0.0;
            h[(j, i)] = 0.0;
        }
    }
    (h, is_constant)
}
