//! The paper's own quantities, recovered from a fitted model: M, N and the dual predictor.
//!
//! With `û_k = u_k/‖u_k‖` and the minimisers μ, ν of Ω at the solution (docs/math.md 9),
//!
//! ```text
//! m_k = sign(w_k) μ_k û_k,     N_k = ν_k û_k û_kᵀ,     δ_i = s_i (y_i - f_i) / (alpha Σs)
//! f(x) = intercept + Σ_i δ_i K_MN(x_i, x)
//! ```
//!
//! where the intercept is there only if it is free. Everything is in the units of the completed rows.

use super::omega;
use crate::data::{Dataset, MaskedMatrix, MaskedRow};
use crate::error::{Error, Result};
use crate::impute::Filler;
use crate::linalg::{dot, norm_squared};
use crate::model::Model;
use crate::prepare::Intercept;

/// The imputation that imputed ridge regression learnt, on top of its base.
#[derive(Clone, Debug, PartialEq)]
pub struct Imputation {
    /// One part per feature with holes.
    parts: Vec<Part>,
}

/// What is learnt for one feature with holes.
#[derive(Clone, Debug, PartialEq)]
struct Part {
    /// Entry of the feature in a completed row.
    entry: usize,
    /// `μ_k`, with the sign of `w_k`.
    mu: f64,
    nu: f64,
    /// `û_k` over the entries of a completed row; zero when there is no shift.
    direction: Vec<f64>,
}

impl Imputation {
    /// The imputation of a model; `None` unless it is imputed ridge regression with `gamma > 0`, holes
    /// in training, one target and at most two classes: each of more has an imputation of its own.
    pub fn of(model: &Model) -> Option<Self> {
        let (linear, gamma) = (&model.linear, model.parameters.gamma);
        let has_one = model.predictors().count() == 1;
        if !model.method.has_gamma() || gamma == 0.0 || linear.holes.is_empty() || !has_one {
            return None;
        }
        let shifts: Vec<Vec<f64>> = (0..linear.holes.len())
            .map(|b| linear.full_shift(b))
            .collect();
        let weights: Vec<f64> = linear.holes.iter().map(|&e| linear.weights[e]).collect();
        let sizes: Vec<f64> = weights.iter().map(|w| w.abs()).collect();
        let norms: Vec<f64> = shifts.iter().map(|u| norm_squared(u).sqrt()).collect();
        let at = omega::evaluate(&sizes, &norms, gamma, 0.0, None);
        let part = |(b, &entry): (usize, &usize)| {
            let (mu, nu) = at.minimiser(b);
            let scale = if norms[b] > 0.0 { 1.0 / norms[b] } else { 0.0 };
            Part {
                entry,
                mu: mu.copysign(weights[b]),
                nu,
                direction: shifts[b].iter().map(|u| u * scale).collect(),
            }
        };
        Some(Self {
            parts: linear.holes.iter().enumerate().map(part).collect(),
        })
    }

    /// Column k of the paper's M for each feature with holes: the entry of the feature in a completed
    /// row and the coefficients of the correction `x̃_k += <m_k, x̃>` that is made when it is missing.
    pub fn corrections(&self) -> impl Iterator<Item = (usize, Vec<f64>)> {
        self.parts
            .iter()
            .map(|p| (p.entry, p.direction.iter().map(|x| p.mu * x).collect()))
    }

    /// `ν_k` and `û_k` of the slices `N_k = ν_k û_k û_kᵀ`, in the order of [`Self::corrections`].
    pub fn slices(&self) -> impl Iterator<Item = (f64, &[f64])> {
        self.parts.iter().map(|p| (p.nu, p.direction.as_slice()))
    }

    /// Adds the corrections to the entries of a completed row that are missing; each is made from the
    /// row as the base completed it.
    pub(crate) fn correct(&self, row: &mut [f64], is_missing: impl Fn(usize) -> bool) {
        let missing = self.parts.iter().filter(|part| is_missing(part.entry));
        let corrections: Vec<(usize, f64)> = missing
            .map(|part| (part.entry, part.mu * dot(&part.direction, row)))
            .collect();
        for (entry, correction) in corrections {
            row[entry] += correction;
        }
    }

    /// The kernel of two completed rows over the entries from `first` on.
    fn kernel(&self, a: &Completed, b: &Completed, first: usize) -> f64 {
        let mut value = dot(&a.row[first..], &b.row[first..]);
        for part in &self.parts {
            let (holed_a, holed_b) = (a.missing[part.entry], b.missing[part.entry]);
            let along_a = if holed_a {
                dot(&part.direction, &a.row)
            } else {
                0.0
            };
            let along_b = if holed_b {
                dot(&part.direction, &b.row)
            } else {
                0.0
            };
            value += part.mu * (a.row[part.entry] * along_b + b.row[part.entry] * along_a);
            value += part.nu * along_a * along_b;
        }
        value
    }
}

/// A completed row and which of its entries were filled.
#[derive(Clone, Debug)]
struct Completed {
    row: Vec<f64>,
    missing: Vec<bool>,
}

impl Completed {
    /// The rows of a table, completed.
    fn rows<'a>(model: &'a Model, table: &'a MaskedMatrix) -> impl Iterator<Item = Self> + 'a {
        let mut filler = model.prepared.filler();
        table
            .rows()
            .map(move |row| Self::new(model, row, &mut filler))
    }

    fn new(model: &Model, row: MaskedRow<'_>, filler: &mut Filler<'_>) -> Self {
        let mut completed = vec![0.0; model.prepared.n_entries()];
        model.prepared.complete(row, filler, &mut completed);
        let live = model.prepared.live.iter();
        Self {
            row: completed,
            missing: std::iter::once(false)
                .chain(live.map(|&j| !row.observed().contains(j)))
                .collect(),
        }
    }
}

/// The predictor in the paper's form: a kernel expansion over the training rows.
///
/// Equal to the model it comes from, up to the accuracy of the solve, and slower: for inspection.
#[derive(Clone, Debug)]
pub struct DualPredictor {
    model: Model,
    imputation: Imputation,
    rows: Vec<Completed>,
    dual: Vec<f64>,
}

impl DualPredictor {
    /// The dual form of `model`, which was fitted to `data`.
    ///
    /// # Errors
    /// [`Error::Setting`] when the model has no learnt imputation (see [`Imputation::of`]) or was fitted
    /// with another loss than the squared one,
    /// [`Error::Shape`] when the columns differ in number.
    pub fn new(model: &Model, data: &Dataset) -> Result<Self> {
        model.check_squared()?;
        let imputation = Imputation::of(model).ok_or_else(|| Error::Setting {
            name: "method",
            expected: "imputed ridge regression with positive gamma and holes in training",
            got: model.method().to_string(),
        })?;
        let predictions = model.predict(data.features())?;
        let weight: f64 = (0..data.n_rows()).map(|i| data.weight(i)).sum();
        let c = model.parameters.alpha * weight;
        let residual = |(i, f): (usize, f64)| data.weight(i) * (data.target()[i] - f) / c;
        Ok(Self {
            dual: predictions.into_iter().enumerate().map(residual).collect(),
            rows: Completed::rows(model, data.features()).collect(),
            model: model.clone(),
            imputation,
        })
    }

    /// The dual vector, the paper's α: one number per training row.
    pub fn dual(&self) -> &[f64] {
        &self.dual
    }

    /// The predictions for the rows of a table.
    ///
    /// # Errors
    /// [`Error::Shape`] when the number of columns differs.
    pub fn predict(&self, table: &MaskedMatrix) -> Result<Vec<f64>> {
        self.model.check_width(table)?;
        let intercept = self.model.preparation.intercept;
        let first = usize::from(intercept != Intercept::Penalised);
        let free = if intercept == Intercept::Free {
            self.model.linear.weights[0]
        } else {
            0.0
        };
        let predict = |row| {
            let terms = self.rows.iter().zip(&self.dual);
            free + terms
                .map(|(x, d)| d * self.imputation.kernel(x, &row, first))
                .sum::<f64>()
        };
        Ok(Completed::rows(&self.model, table).map(predict).collect())
    }
}
