//! The shipped regularisers on dense matrices, step by step as defined (docs/math.md 13.2).

use super::ball;
use super::mask_map::MaskMap;
use super::mirror::{Feasible, Mirror, Regulariser};
use super::weights::Weights;
use crate::error::Result;

/// The shipped regularisers, written out densely: the reference for the fast learner.
///
/// ```
/// use gapfit::online::{Feasible, MaskFeatures, MaskMap, Mirror, Quadratic, Regulariser, Weights};
/// let psi = MaskMap::new(MaskFeatures::Identity, 2)?;
/// let frob = Quadratic::new(&psi, &Mirror::Frob, Feasible::Ball(1.0))?;
/// let mut dual = Weights::zeros(2, 2);
/// dual[(0, 1)] = 5.0;
/// assert_eq!(frob.inverse(dual)[(0, 1)], 1.0);
/// # Ok::<(), gapfit::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Quadratic {
    row_penalty: f64,
    set: Feasible,
    /// 1 where an entry is free, 0 elsewhere.
    free: Weights,
    /// The columns that add up to the weights of a complete row.
    complete: std::ops::Range<usize>,
}

impl Quadratic {
    /// The regulariser for matrices of this ψ; `pattern` must have its masks noted already.
    ///
    /// # Errors
    /// As [`Mirror::validate`] and [`Feasible::validate`].
    pub fn new(psi: &MaskMap, mirror: &Mirror, set: Feasible) -> Result<Self> {
        mirror.validate(psi.kind(), psi.n_features())?;
        set.validate()?;
        let mut free = Weights::zeros(psi.n_features(), psi.n_columns());
        let support = mirror.support();
        for j in 0..psi.n_columns() {
            let rows = match psi.members(j) {
                Some(members) => support.common(&members),
                None => None,
            };
            match rows {
                Some(rows) => rows.iter().for_each(|&i| free[(i as usize, j)] = 1.0),
                None => free.column_mut(j).fill(1.0),
            }
        }
        Ok(Self {
            row_penalty: mirror.row_penalty(),
            set,
            free,
            complete: psi.active_when_complete(),
        })
    }

    /// `A v` and `|v|` on the support, for v = ψ(1), in row i.
    fn complete_row(&self, weights: &Weights, i: usize) -> (f64, f64) {
        let columns = self.complete.clone();
        let add = |(sum, n): (f64, f64), j| {
            let free = self.free[(i, j)];
            (sum + free * weights[(i, j)], n + free)
        };
        columns.fold((0.0, 0.0), add)
    }

    /// Adds `amount(A v, |v|)` to the entries of v, row by row.
    fn shift_complete(&self, weights: &mut Weights, amount: impl Fn(f64, f64) -> f64) {
        for i in 0..weights.n_features() {
            let (sum, n) = self.complete_row(weights, i);
            let amount = amount(sum, n);
            for j in self.complete.clone() {
                weights[(i, j)] += self.free[(i, j)] * amount;
            }
        }
    }

    fn project(&self, weights: &mut Weights) {
        let d = weights.n_features();
        let rows: Vec<_> = (0..d).map(|i| self.complete_row(weights, i)).collect();
        let columns = 0..weights.n_columns();
        let frobenius: f64 = columns.flat_map(|j| weights.column(j)).map(|a| a * a).sum();
        let complete: f64 = rows.iter().map(|(sum, _)| sum * sum).sum();
        let scale = |weights: &mut Weights, by: f64| {
            for j in 0..weights.n_columns() {
                weights.column_mut(j).iter_mut().for_each(|a| *a *= by);
            }
        };
        match self.set {
            Feasible::Everything => {}
            Feasible::Ball(radius) => {
                let norm = (frobenius + self.row_penalty * complete).sqrt();
                if norm > radius {
                    scale(weights, radius / norm);
                }
            }
            Feasible::FrobeniusBall(radius) => {
                let shrink = ball::Shrink::into(radius, frobenius, self.row_penalty, &rows);
                if let Some(shrink) = shrink {
                    scale(weights, shrink.others);
                    self.shift_complete(weights, |sum, n| shrink.shift(sum, n));
                }
            }
        }
    }
}

impl Regulariser for Quadratic {
    fn gradient(&self, weights: &Weights) -> Weights {
        let mut dual = weights.clone();
        self.shift_complete(&mut dual, |sum, _| self.row_penalty * sum);
        dual
    }

    fn inverse(&self, mut dual: Weights) -> Weights {
        for j in 0..dual.n_columns() {
            for i in 0..dual.n_features() {
                dual[(i, j)] *= self.free[(i, j)];
            }
        }
        // Sherman-Morrison on every row (docs/math.md 13.2).
        let gamma = self.row_penalty;
        self.shift_complete(&mut dual, |sum, n| -gamma * sum / (1.0 + gamma * n));
        self.project(&mut dual);
        dual
    }
}
