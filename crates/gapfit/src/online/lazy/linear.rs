//! Sums and multiples of matrices, and sums of gradients, for solving in hindsight.

use super::Lazy;
use crate::data::Observed;

impl Lazy {
    /// The matrix of zeros of the same shape.
    pub(crate) fn zeroed(&self) -> Self {
        let mut zero = self.clone();
        zero.scale = 1.0;
        zero.norm_squared = 0.0;
        zero.columns.map(|_, _| 0.0);
        zero.complete.fill(0.0);
        zero.offset.fill(0.0);
        zero
    }

    /// `A *= factor`; a factor that is not zero.
    pub(crate) fn multiply(&mut self, factor: f64) {
        self.scale *= factor;
        self.norm_squared *= factor * factor;
    }

    /// `A += factor other`, for a matrix of the same shape.
    pub(crate) fn add(&mut self, factor: f64, other: &Self) {
        self.fold_scale();
        let factor = factor * other.scale;
        self.columns.add_columns(factor, &other.columns);
        super::add_scaled(&mut self.complete, factor, &other.complete);
        super::add_scaled(&mut self.offset, factor, &other.offset);
    }

    /// `A -= rate P⁻¹ x ψ(z)ᵀ`, P the matrix of the regulariser.
    pub(crate) fn subtract(&mut self, x: &[f64], observed: Observed<'_>, rate: f64) {
        let measure = self.measure(x, observed);
        if rate != 0.0 && measure.dual_squared > 0.0 {
            self.step(x, observed, rate, measure);
        }
    }

    /// ‖A‖² in the norm of the regulariser, from the entries.
    pub(crate) fn square(&self) -> f64 {
        self.fresh_sums().1
    }
}
