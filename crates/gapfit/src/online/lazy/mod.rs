//! A learner's matrix A, stored so that a row costs O(observed x missing) (docs/math.md 13.4).
//!
//! With v = ψ(1), the columns that are active for a complete row, and `J_i` the columns on the support of
//! row i,
//!
//! ```text
//! A_ij = s (B_ij + v_j c_i)    s: one scale, c: one offset per row, B: stored columns
//! s S_i = Σ_j v_j A_ij         the weights of a complete row, kept up to date
//! ```
//!
//! For ψ = z and the subsets, v is all ones: a step changes every active column of a row by the same
//! amount, which is a change of c and of the few *inactive* columns. For the others v is a single
//! column, which S itself stores, and c is not used.

mod grow;
mod linear;
mod project;

pub(crate) use project::SMALLEST_SCALE;

use super::columns::Columns;
use super::kernel::{add_scaled, dots};
use super::mask_map::MaskMap;
use super::mirror::{Feasible, Mirror};
use super::weights::Weights;
use crate::data::Observed;
use crate::support::Support;

/// The matrix A and what is carried along with it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Lazy {
    pub(crate) map: MaskMap,
    row_penalty: f64,
    support: Support,
    set: Feasible,
    /// B.
    pub(crate) columns: Columns,
    /// S.
    pub(crate) complete: Vec<f64>,
    /// c; zero where v is a single column.
    pub(crate) offset: Vec<f64>,
    /// s.
    pub(crate) scale: f64,
    /// ‖A‖² in the norm of the regulariser; kept up only where the feasible set is a ball.
    pub(crate) norm_squared: f64,
    /// |v| on the support of each row.
    n_complete: Vec<f64>,
    /// Scratch: how many of the selected columns have each row.
    counts: Vec<f64>,
}

/// What a row finds before a step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Measure {
    /// `<A ψ(z), x>`.
    pub(crate) product: f64,
    /// `‖x ψ(z)ᵀ‖²` in the dual norm of the regulariser.
    pub(crate) dual_squared: f64,
    /// `‖x‖²`.
    pub(crate) x_squared: f64,
    /// How many of the selected columns have each row, where it is the same for all.
    same: Option<f64>,
}

impl Lazy {
    /// The matrix of zeros; the settings are valid.
    pub(crate) fn new(map: MaskMap, mirror: &Mirror, set: Feasible) -> Self {
        let d = map.n_features();
        let support = mirror.support();
        let mut lazy = Self {
            columns: Columns::new(d, support.lists().is_none()),
            row_penalty: mirror.row_penalty(),
            support,
            set,
            complete: vec![0.0; d],
            offset: vec![0.0; d],
            scale: 1.0,
            norm_squared: 0.0,
            n_complete: Vec::new(),
            counts: vec![0.0; d],
            map,
        };
        lazy.push_columns();
        lazy
    }

    fn is_coupled(&self) -> bool {
        self.map.kind().is_coupled()
    }

    /// `<A ψ(z), x>`.
    pub(crate) fn product(&self, x: &[f64], observed: Observed<'_>) -> f64 {
        self.products(x, observed).0
    }

    /// `<A ψ(z), x>` and `‖x‖²`.
    fn products(&self, x: &[f64], observed: Observed<'_>) -> (f64, f64) {
        let selection = self.map.select(observed);
        let ([complete, x_squared], offsets) = if selection.subtracts {
            let [complete, x_squared, offsets] = dots([&self.complete, x, &self.offset], x);
            ([complete, x_squared], offsets)
        } else {
            (dots([&self.complete, x], x), 0.0)
        };
        let mut part = 0.0;
        selection.for_each_block(|block| {
            part += self.columns.dot(block, x);
            if selection.subtracts {
                part += self.columns.dot_same(block, &self.offset, x, offsets);
            }
        });
        let sum = match (selection.complete, selection.subtracts) {
            (true, true) => complete - part,
            (true, false) => complete + part,
            (false, _) => part,
        };
        (self.scale * sum, x_squared)
    }

    /// What a row finds: its product with A, and the size of its gradient.
    pub(crate) fn measure(&mut self, x: &[f64], observed: Observed<'_>) -> Measure {
        let (product, x_squared) = self.products(x, observed);
        let mut counts = std::mem::take(&mut self.counts);
        let (dual_squared, same) = self.dual_squared(x, observed, x_squared, &mut counts);
        self.counts = counts;
        Measure {
            product,
            dual_squared,
            x_squared,
            same,
        }
    }

    /// `‖x ψ(z)ᵀ‖²` in the dual norm of the regulariser, and how many of the selected columns have each
    /// row: the number where it is the same for all, else in `counts`.
    pub(crate) fn dual_squared(
        &self,
        x: &[f64],
        observed: Observed<'_>,
        x_squared: f64,
        counts: &mut [f64],
    ) -> (f64, Option<f64>) {
        let gamma = self.row_penalty;
        let selection = self.map.select(observed);
        let dual = |n: f64, m: f64| {
            if selection.subtracts {
                (n - m) * (1.0 - gamma * (n - m) / (1.0 + gamma * n))
            } else if selection.complete {
                m + 1.0 / (1.0 + gamma)
            } else {
                1.0
            }
        };
        if self.columns.is_full() {
            let m = selection.count() as f64;
            return (x_squared * dual(self.columns.len() as f64, m), Some(m));
        }
        counts.fill(0.0);
        selection.for_each_block(|block| self.columns.count_rows(block, counts));
        let rows = self.n_complete.iter().zip(counts);
        let squares = x
            .iter()
            .zip(rows)
            .map(|(x, (&n, &mut m))| x * x * dual(n, m));
        (squares.sum(), None)
    }

    /// The step `A -= rate P⁻¹ x ψ(z)ᵀ`, P the matrix of the regulariser, and back to the feasible
    /// set; `measure` is that of the same row, just before.
    pub(crate) fn step(&mut self, x: &[f64], observed: Observed<'_>, rate: f64, measure: Measure) {
        let stored = rate / self.scale;
        let selection = self.map.select(observed);
        let is_coupled = selection.subtracts;
        let column_rate = if is_coupled { stored } else { -stored };
        selection.for_each_block(|block| self.columns.add(block, column_rate, x));
        if is_coupled {
            self.step_coupled(x, stored, measure.same);
        } else if selection.complete {
            add_scaled(&mut self.complete, -stored / (1.0 + self.row_penalty), x);
        }
        if self.set != Feasible::Everything {
            // ‖A - rate P⁻¹g‖² = ‖A‖² - 2 rate <A, g> + rate² ‖g‖²_*
            let change = rate * (rate * measure.dual_squared - 2.0 * measure.product);
            self.norm_squared = (self.norm_squared + change).max(0.0);
            self.project();
        }
    }

    /// Moves S and c, where all columns of a row move by the same amount but the selected ones.
    fn step_coupled(&mut self, x: &[f64], rate: f64, same: Option<f64>) {
        let gamma = self.row_penalty;
        let ratio = |n: f64, m: f64| (n - m) / (1.0 + gamma * n);
        if let Some(m) = same {
            let ratio = ratio(self.columns.len() as f64, m);
            add_scaled(&mut self.complete, -rate * ratio, x);
            add_scaled(&mut self.offset, -rate * (1.0 - gamma * ratio), x);
            return;
        }
        for (i, x) in x.iter().enumerate() {
            let ratio = ratio(self.n_complete[i], self.counts[i]);
            self.complete[i] -= rate * x * ratio;
            self.offset[i] -= rate * x * (1.0 - gamma * ratio);
        }
    }

    /// A, in full.
    pub(crate) fn weights(&self) -> Weights {
        let mut weights = Weights::zeros(self.map.n_features(), self.map.n_columns());
        let first = if self.is_coupled() {
            0
        } else {
            let complete = weights.column_mut(0).iter_mut().zip(&self.complete);
            complete.for_each(|(w, s)| *w = self.scale * s);
            1
        };
        for j in 0..self.columns.len() {
            for (i, b) in self.columns.column(j) {
                weights[(i, first + j)] = self.scale * (b + self.offset[i]);
            }
        }
        weights
    }
}
