//! Predictions taken apart: what each observed feature and each hole adds.
//!
//! With `m` the training means (entry 0 is the constant 1), `W(z) = w + Σ_{k missing} u_k` the weights
//! of a row with mask z, and `x̃` the completed row (docs/math.md 14.2),
//!
//! ```text
//! f(x̃, z) = <w, m>  +  Σ_{j observed} W_j (x_j - m_j)  +  Σ_{k missing} ( W_k (x̃_k - m_k) + <u_k, m> )
//! ```

use super::{MaskLinear, Model};
use crate::data::{MaskedMatrix, MaskedRow};
use crate::error::Result;
use crate::impute::Filler;
use crate::linalg::dot;
use rayon::prelude::*;

/// A prediction as a sum: the prediction for the average training row, and what each feature of this
/// row adds to it.
///
/// ```
/// use gapfit::data::{Dataset, MaskedMatrix};
/// use gapfit::{Learner, Parameters};
///
/// let hole = f64::NAN;
/// let table = MaskedMatrix::from_nan(4, 2, &[1.0, 2.0, 2.0, hole, hole, 1.0, 4.0, 3.0])?;
/// let data = Dataset::new(table.clone(), vec![3.0, 3.5, 2.5, 7.0])?;
/// let model = Learner::default().fit(&data, Parameters { alpha: 0.1, gamma: 1.0 })?.model;
/// for (explanation, prediction) in model.explain(&table)?.iter().zip(model.predict(&table)?) {
///     let sum = explanation.base + explanation.contributions.iter().sum::<f64>();
///     assert!((sum - prediction).abs() < 1e-12);
/// }
/// # Ok::<(), gapfit::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Explanation {
    /// The prediction for a row that is complete and average in every feature; the same for all rows.
    pub base: f64,
    /// What each feature adds, observed or missing; 0 for one that was never observed in training.
    pub contributions: Vec<f64>,
}

impl Model {
    /// The predictions for the rows of a table, each as a sum over its features.
    ///
    /// # Errors
    /// As [`Model::predict`].
    pub fn explain(&self, table: &MaskedMatrix) -> Result<Vec<Explanation>> {
        self.check_single()?;
        self.check_width(table)?;
        Ok(self.explain_by(&self.linear, table))
    }

    /// The same for each target or, of more than two classes, the score of each class: as many lists as
    /// there are predictions per row in [`Model::scores`].
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) when the number of columns differs.
    pub fn explain_each(&self, table: &MaskedMatrix) -> Result<Vec<Vec<Explanation>>> {
        self.check_width(table)?;
        let predictors = self.predictors();
        Ok(predictors
            .map(|linear| self.explain_by(linear, table))
            .collect())
    }

    fn explain_by(&self, linear: &MaskLinear, table: &MaskedMatrix) -> Vec<Explanation> {
        let average = self.average_row();
        let reference = Reference {
            base: dot(&linear.weights, &average),
            absence: (0..linear.holes.len())
                .map(|b| linear.absence(b, &average))
                .collect(),
            average,
            linear,
        };
        let rows = (0..table.n_rows()).into_par_iter();
        let explain =
            |filler: &mut Filler<'_>, i: usize| self.explain_row(table.row(i), &reference, filler);
        rows.map_init(|| self.prepared.filler(), explain).collect()
    }

    /// The completed row in which every feature is observed with its mean.
    fn average_row(&self) -> Vec<f64> {
        let entry = |&j: &usize| self.prepared.columns[j].map(self.seen[j].mean);
        std::iter::once(1.0)
            .chain(self.prepared.live.iter().map(entry))
            .collect()
    }

    fn explain_row(
        &self,
        row: MaskedRow<'_>,
        reference: &Reference<'_>,
        filler: &mut Filler<'_>,
    ) -> Explanation {
        let (prepared, linear) = (&self.prepared, reference.linear);
        let mut completed = vec![0.0; prepared.n_entries()];
        prepared.complete(row, filler, &mut completed);
        let is_missing = |entry: usize| !row.observed().contains(prepared.live[entry - 1]);
        let holes = linear.holes.iter().enumerate();
        let holes: Vec<(usize, usize)> = holes
            .map(|(b, &entry)| (b, entry))
            .filter(|&(_, entry)| is_missing(entry))
            .collect();
        let mut weights = linear.weights.clone();
        for &(b, _) in &holes {
            linear.add_shift(b, &mut weights);
        }
        let mut contributions = vec![0.0; self.names.len()];
        for (l, &j) in prepared.live.iter().enumerate() {
            contributions[j] = weights[l + 1] * (completed[l + 1] - reference.average[l + 1]);
        }
        for (b, entry) in holes {
            contributions[prepared.live[entry - 1]] += reference.absence[b];
        }
        Explanation {
            base: reference.base,
            contributions,
        }
    }
}

/// What explanations are relative to.
struct Reference<'a> {
    linear: &'a MaskLinear,
    average: Vec<f64>,
    base: f64,
    /// For each block of shifts its product with the average row.
    absence: Vec<f64>,
}
