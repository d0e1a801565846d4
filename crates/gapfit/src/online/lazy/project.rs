//! Back to the feasible set, and the sums that are carried along.

use super::Lazy;
use crate::online::ball::Shrink;
use crate::online::kernel::dot;
use crate::online::mirror::Feasible;

/// The scale is folded into the matrix when it gets smaller than this.
pub(crate) const SMALLEST_SCALE: f64 = 1.0 / (1u64 << 40) as f64;

impl Lazy {
    /// Back to the feasible set.
    pub(super) fn project(&mut self) {
        match self.set {
            Feasible::Everything => {}
            Feasible::FrobeniusBall(radius) if self.row_penalty > 0.0 => self.shrink(radius),
            Feasible::Ball(radius) | Feasible::FrobeniusBall(radius) => {
                if self.norm_squared > radius * radius {
                    self.scale *= radius / self.norm_squared.sqrt();
                    self.norm_squared = radius * radius;
                }
            }
        }
        if self.scale < SMALLEST_SCALE {
            self.fold_scale();
        }
    }

    /// The projection onto a Frobenius ball (docs/math.md 13.2).
    fn shrink(&mut self, radius: f64) {
        let (gamma, scale) = (self.row_penalty, self.scale);
        let frobenius =
            self.norm_squared - gamma * scale * scale * dot(&self.complete, &self.complete);
        if frobenius <= radius * radius {
            return;
        }
        let rows = self
            .complete
            .iter()
            .map(|s| scale * s)
            .zip(self.n_complete.iter().copied());
        let rows: Vec<_> = rows.collect();
        let Some(shrink) = Shrink::into(radius, frobenius, gamma, &rows) else {
            return;
        };
        self.scale *= shrink.others;
        for (i, &(_, n)) in rows.iter().enumerate() {
            if self.map.kind().is_coupled() {
                self.offset[i] += shrink.shift(self.complete[i], n);
            }
            self.complete[i] *= shrink.complete(n) / shrink.others;
        }
        let complete = self.scale * self.scale * dot(&self.complete, &self.complete);
        self.norm_squared = radius * radius + gamma * complete;
    }

    pub(super) fn fold_scale(&mut self) {
        let scale = std::mem::replace(&mut self.scale, 1.0);
        self.columns.map(|_, b| scale * b);
        self.complete.iter_mut().for_each(|s| *s *= scale);
        self.offset.iter_mut().for_each(|c| *c *= scale);
    }

    /// Computes the sums that are carried along afresh, so that rounding cannot pile up.
    pub(crate) fn refresh(&mut self) {
        let (complete, norm_squared) = self.fresh_sums();
        self.complete = complete;
        self.norm_squared = norm_squared;
    }

    /// S and ‖A‖², from the entries.
    pub(crate) fn fresh_sums(&self) -> (Vec<f64>, f64) {
        let mut frobenius = 0.0;
        let mut complete = vec![0.0; self.complete.len()];
        for j in 0..self.columns.len() {
            for (i, b) in self.columns.column(j) {
                let a = b + self.offset[i];
                frobenius += a * a;
                complete[i] += a;
            }
        }
        if !self.is_coupled() {
            complete.clone_from(&self.complete);
            frobenius += dot(&complete, &complete);
        }
        let norm_squared = frobenius + self.row_penalty * dot(&complete, &complete);
        (complete, self.scale * self.scale * norm_squared)
    }
}
