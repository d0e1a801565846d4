//! The quadratic part as a dense matrix.

use super::blocks::{Blocks, Hessian};
use super::solver::Normal;
use crate::error::Result;
use crate::features::Layout;
use crate::gram::Gram;
use crate::linalg::{Matrix, dot};
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

    fn solve(&self, scale: f64, penalty: &Hessian<'_>, rhs: &[f64]) -> Result<Vec<f64>> {
        let mut system = self.h.clone();
        for x in system.as_mut_slice() {
            *x *= scale;
        }
        penalty.add_to(&mut system);
        let mut solution = rhs.to_vec();
        system.cholesky()?.solve(&mut solution);
        Ok(solution)
    }
}

impl Dense {
    /// The penalised part of the normal equations: a free intercept is eliminated, which centres
    /// the lifted features and the target; an absent one is dropped.
    pub(crate) fn new(gram: &Gram, intercept: Intercept) -> Self {
        if intercept == Intercept::Penalised {
            return Self {
                h: gram.h.clone(),
                r: gram.r.clone(),
                yy: gram.yy,
            };
        }
        let dim = gram.r.len() - 1;
        let means = Means::of(gram, intercept);
        let mut h = Matrix::zeros(dim, dim);
        for j in 0..dim {
            let (column, full) = (h.col_mut(j), &gram.h.col(j + 1)[1..]);
            let mean = means.features[j + 1];
            for (i, (x, full)) in column.iter_mut().zip(full).enumerate() {
                *x = full - gram.h[(i + 1, 0)] * mean;
            }
        }
        let r = (1..=dim).map(|i| gram.r[i] - gram.h[(i, 0)] * means.target).collect();
        Self {
            h,
            r,
            yy: (gram.yy - gram.r[0] * means.target).max(0.0),
        }
    }

    /// Of no unknowns.
    pub(crate) fn empty() -> Self {
        Self {
            h: Matrix::zeros(0, 0),
            r: Vec::new(),
            yy: 0.0,
        }
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

/// Means of the lifted features and of the target in units of the constant entry; 0 without a free
/// intercept.
struct Means {
    features: Vec<f64>,
    target: f64,
}

impl Means {
    fn of(gram: &Gram, intercept: Intercept) -> Self {
        let constant = gram.h[(0, 0)];
        let share = if intercept == Intercept::Free && constant > 0.0 { 1.0 / constant } else { 0.0 };
        Self {
            features: gram.h.col(0).iter().map(|x| x * share).collect(),
            target: gram.r[0] * share,
        }
    }
}

/// The layout of the penalised unknowns.
pub(crate) fn blocks(layout: &Layout, intercept: Intercept) -> Blocks {
    let dropped = usize::from(intercept != Intercept::Penalised);
    Blocks {
        n_weights: layout.n_entries - dropped,
        partners: layout.holes.iter().map(|e| e - dropped).collect(),
        len: layout.shifted.len(),
    }
}

/// The unknowns of the full layout from the penalised ones: puts the intercept back.
pub(crate) fn restore(v: &[f64], gram: &Gram, intercept: Intercept) -> Vec<f64> {
    if intercept == Intercept::Penalised {
        return v.to_vec();
    }
    let means = Means::of(gram, intercept);
    let constant = means.target - dot(&means.features[1..], v);
    std::iter::once(constant).chain(v.iter().copied()).collect()
}
