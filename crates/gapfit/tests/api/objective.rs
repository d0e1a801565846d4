//! The objective, computed from a model's public weights instead of the solver's statistics.

use gapfit::Model;
use gapfit::data::Dataset;
use gapfit::prepare::Intercept;

/// Weights and shifts of a predictor over (1, columns), in original units.
pub(crate) struct Predictor {
    pub(crate) weights: Vec<f64>,
    /// By column; `None` without a shift.
    pub(crate) shifts: Vec<Option<Vec<f64>>>,
}

impl Predictor {
    pub(crate) fn of(model: &Model) -> Self {
        let join = |(constant, weights): (f64, Vec<f64>)| {
            let entries = std::iter::once(constant).chain(weights);
            entries.collect::<Vec<_>>()
        };
        let n_columns = model.feature_names().len();
        Self {
            weights: join(model.weights()),
            shifts: (0..n_columns).map(|k| model.shift(k).map(join)).collect(),
        }
    }

    /// Predictions with holes filled by zero.
    pub(crate) fn predict(&self, data: &Dataset) -> Vec<f64> {
        let value = |weights: &[f64], x: &[f64]| {
            let sum: f64 = weights[1..].iter().zip(x).map(|(w, x)| w * x).sum();
            weights[0] + sum
        };
        let row = |row: gapfit::data::MaskedRow<'_>| {
            let shifts = row.observed().missing();
            let shifts = shifts.filter_map(|k| self.shifts[k].as_ref());
            value(&self.weights, row.values()) + shifts.map(|u| value(u, row.values())).sum::<f64>()
        };
        data.features().rows().map(row).collect()
    }

    /// `‖w‖²`, with the constant where it is penalised.
    pub(crate) fn weight_squares(&self, intercept: Intercept) -> f64 {
        let from = usize::from(intercept != Intercept::Penalised);
        squares(&self.weights[from..])
    }

    /// `‖u_k‖` of each shift.
    pub(crate) fn shift_norms(&self) -> Vec<f64> {
        let shifts = self.shifts.iter().flatten();
        shifts.map(|u| squares(u).sqrt()).collect()
    }

    /// `L = (Σ s_k^{4/3})^{3/2} / γ²`, Ω without weights.
    pub(crate) fn shifts_alone(&self, gamma: f64) -> f64 {
        let sum: f64 = self.shift_norms().iter().map(|s| s.powf(4.0 / 3.0)).sum();
        sum.powf(1.5) / (gamma * gamma)
    }
}

pub(crate) fn squares(x: &[f64]) -> f64 {
    x.iter().map(|x| x * x).sum()
}

/// `(1/Σs) Σ s_i (y_i - f_i)²`.
pub(crate) fn loss(data: &Dataset, predictions: &[f64]) -> f64 {
    let (mut sum, mut weight) = (0.0, 0.0);
    for (i, (y, f)) in data.target().iter().zip(predictions).enumerate() {
        sum += data.weight(i) * (y - f) * (y - f);
        weight += data.weight(i);
    }
    sum / weight
}
