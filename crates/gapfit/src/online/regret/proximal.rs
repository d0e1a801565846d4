//! The pieces of a proximal step: bounds, the next centre, a pass of coordinate ascent.

use super::comparator::Comparator;
use super::rows::Rows;
use crate::online::lazy::Lazy;

/// λ is halved while the rows own less than the first share of the gap, and doubled again when they own
/// more than the second.
const IDLE: f64 = 1e-3;
const BUSY: f64 = 0.1;

/// How far λ may fall.
const SMALLEST: f64 = 1e-3;

impl Comparator {
    /// `-P⁻¹ Σ_t p_t δ_t x_t ψ(z_t)ᵀ`, summed afresh.
    pub(super) fn pull(&self, rows: &Rows) -> Lazy {
        let mut pull = self.centre.zeroed();
        for (row, dual) in rows.iter().zip(&self.dual) {
            pull.subtract(row.x, row.observed, row.weight * dual);
        }
        pull
    }

    /// What brings a matrix of this squared norm into the ball.
    pub(super) fn shrink(&self, norm_squared: f64) -> f64 {
        match norm_squared > self.radius * self.radius {
            true => self.radius / norm_squared.sqrt(),
            false => 1.0,
        }
    }

    /// The two bounds that A and δ give; Θ is computed afresh on the way.
    pub(super) fn certificate(&mut self, rows: &Rows) -> (f64, f64) {
        let pull = self.pull(rows);
        self.point = self.centre.clone();
        self.point.add(1.0 / self.lambda, &pull);
        let shrink = self.shrink(self.point.square());
        let (mut objective, mut conjugates, mut along, mut size) = (0.0, 0.0, 0.0, 0.0);
        for (row, &dual) in rows.iter().zip(&self.dual) {
            let measure = self.point.measure(row.x, row.observed);
            let conjugate = row.weight * self.loss.conjugate(dual, row.target);
            objective += row.weight * self.loss.value(shrink * measure.product, row.target);
            conjugates += conjugate;
            along += row.weight * dual * shrink * measure.product;
            let reach = self.radius * measure.dual_squared.sqrt();
            size += conjugate.abs() + row.weight * dual.abs() * reach;
        }
        // math 13.6 (53); sums of n numbers round by at most n ε times their sizes.
        let rounding = f64::EPSILON * rows.len() as f64;
        let lower_bound = -conjugates - self.radius * pull.square().sqrt() - rounding * size;
        self.share = (objective + conjugates - along) / (objective - lower_bound);
        (objective + rounding * objective.abs(), lower_bound)
    }

    /// A.
    pub(super) fn inside(&self) -> Lazy {
        let mut inside = self.point.clone();
        inside.multiply(self.shrink(inside.square()));
        inside
    }

    /// C moves to A and λ to where the work is; Θ follows.
    pub(super) fn move_centre(&mut self) {
        let centre = self.inside();
        self.point.add(-1.0, &self.centre);
        self.point.multiply(self.lambda);
        let pull = std::mem::replace(&mut self.point, centre.clone());
        self.centre = centre;
        if self.share < IDLE {
            self.lambda = (0.5 * self.lambda).max(SMALLEST * self.largest);
        } else if self.share > BUSY {
            self.lambda = (2.0 * self.lambda).min(self.largest);
        }
        self.point.add(1.0 / self.lambda, &pull);
    }

    /// One step of ascent in every δ.
    pub(super) fn sweep(&mut self, rows: &Rows, order: &[usize]) {
        let mut norm_squared = self.point.square();
        for &t in order {
            let row = rows.get(t);
            let measure = self.point.measure(row.x, row.observed);
            let curvature = row.weight * measure.dual_squared / self.lambda;
            if !(curvature > 0.0 && curvature.is_finite()) {
                continue; // A does not reach this row: δ stays the slope at 0.
            }
            let prediction = self.shrink(norm_squared) * measure.product;
            let dual = self
                .loss
                .ascend(prediction, row.target, self.dual[t], curvature);
            let rate = row.weight * (dual - self.dual[t]) / self.lambda;
            self.dual[t] = dual;
            if rate != 0.0 {
                self.point.step(row.x, row.observed, rate, measure);
                let change = rate * (rate * measure.dual_squared - 2.0 * measure.product);
                norm_squared = (norm_squared + change).max(0.0);
            }
        }
    }
}
