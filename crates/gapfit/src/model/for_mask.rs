//! The linear function that a model is where a given set of features is observed.

use super::Model;
use crate::data::Observed;
use crate::error::{Error, Result};

impl Model {
    /// The intercept and, in original units, one weight per feature of the rows that have these features
    /// observed and no others: the prediction is the intercept and the weights times the observed values,
    /// unless one of those is clipped. Missing features have the weight 0: what their fillings owe to the
    /// others is in the weights of those.
    ///
    /// `class` is as in [`Model::class_weights`], 0 where the target is numbers.
    ///
    /// ```
    /// use gapfit::data::{Dataset, MaskedMatrix};
    /// use gapfit::prepare::Preparation;
    /// use gapfit::{Learner, Parameters};
    ///
    /// let hole = f64::NAN;
    /// let table = MaskedMatrix::from_nan(4, 2, &[1.0, 2.0, 2.0, hole, hole, 1.0, 4.0, 3.0])?;
    /// let data = Dataset::new(table.clone(), vec![3.0, 3.5, 2.5, 7.0])?;
    /// let preparation = Preparation { clip: 0.0, ..Preparation::default() };
    /// let learner = Learner { preparation, ..Learner::default() };
    /// let model = learner.fit(&data, Parameters { alpha: 0.1, gamma: 1.0 })?.model;
    /// let row = table.row(1);
    /// let (intercept, weights) = model.weights_for(row.observed(), 0)?;
    /// let prediction = intercept + weights[0] * 2.0;
    /// assert!((prediction - model.predict(&table)?[1]).abs() < 1e-12);
    /// # Ok::<(), gapfit::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Shape`] when the number of features differs.
    ///
    /// # Panics
    /// If there is no such class.
    pub fn weights_for(&self, observed: Observed<'_>, class: usize) -> Result<(f64, Vec<f64>)> {
        if observed.n_features() != self.names.len() {
            return Err(Error::Shape {
                what: "features of the mask",
                expected: self.names.len(),
                got: observed.n_features(),
            });
        }
        let (predictor, prepared) = (self.predictor(class), &self.prepared);
        let mut filler = prepared.filler();
        let mut row = vec![0.0; prepared.n_entries()];
        // The completed row is affine in the observed entries: so is what is predicted from it.
        let mut predict = |unit: Option<usize>| {
            row.fill(0.0);
            row[0] = 1.0;
            if let Some(entry) = unit {
                row[entry] = 1.0;
            }
            filler.fill(observed, &mut row);
            let is_missing = |entry: usize| !observed.contains(prepared.live[entry - 1]);
            predictor.predict(&row, is_missing)
        };
        let constant = predict(None);
        let mut entries = vec![0.0; prepared.n_entries()];
        entries[0] = constant;
        for (l, _) in prepared
            .live
            .iter()
            .enumerate()
            .filter(|(_, j)| observed.contains(**j))
        {
            entries[l + 1] = predict(Some(l + 1)) - constant;
        }
        Ok(self.original_units(&entries))
    }
}
