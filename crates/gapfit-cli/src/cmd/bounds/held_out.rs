//! The error on rows that a model has not seen.

use gapfit::data::Dataset;
use gapfit::joint::bounds::{Facts, Measurement};
use gapfit::tune::Folding;
use gapfit::{Learner, Model, Result};
use serde::Serialize;

/// Mean squared errors on rows that were not fitted to, weighted.
#[derive(Debug, Serialize)]
pub(super) struct HeldOut {
    /// The number of folds; absent for a table of its own.
    pub(super) folds: Option<usize>,
    pub(super) n_rows: usize,
    pub(super) squared_error: f64,
    /// The same with predictions cut to at most B from the centre of the target.
    pub(super) cut_squared_error: f64,
    /// What a table of its own is like, to compare the assumptions with.
    #[serde(skip)]
    pub(super) facts: Option<Facts>,
}

impl HeldOut {
    /// The errors of `model` on `test`; `train` describes the rows it was fitted to.
    pub(super) fn on_table(model: &Model, test: &Dataset, train: &Facts) -> Result<Self> {
        let predictions = model.predict(test.features())?;
        let mut facts = Measurement::new(model, test)?.facts();
        // as far as the training rows' centre sees
        facts.target = counted(test)
            .map(|i| (test.target()[i] - train.target_centre).abs())
            .fold(0.0, f64::max);
        Ok(Self {
            n_rows: facts.n_rows,
            facts: Some(facts),
            ..Self::of(test, &predictions, train)
        })
    }

    /// The errors in cross-validation, with the method and the parameters of `model` in each fold.
    pub(super) fn by_folds(
        model: &Model,
        data: &Dataset,
        train: &Facts,
        k: usize,
        seed: u64,
    ) -> Result<Self> {
        let learner = Learner {
            preparation: *model.preparation(),
            ..Learner::new(model.method())
        };
        let data = data.select(&counted(data).collect::<Vec<_>>());
        let mut predictions = vec![0.0; data.n_rows()];
        for fold in Folding::Shuffled.split(&data, k, seed)?.iter() {
            let train = data.select(&fold.train);
            let fitted = learner.fit(&train, model.parameters())?;
            let table = data.features().select_rows(&fold.held_out);
            for (&i, f) in fold.held_out.iter().zip(fitted.model.predict(&table)?) {
                predictions[i] = f;
            }
        }
        Ok(Self {
            folds: Some(k),
            n_rows: data.n_rows(),
            ..Self::of(&data, &predictions, train)
        })
    }

    fn of(data: &Dataset, predictions: &[f64], train: &Facts) -> Self {
        let centre = train.target_centre;
        let mean_square = |cut: f64| {
            let (mut sum, mut total) = (0.0, 0.0);
            for (i, (y, f)) in data.target().iter().zip(predictions).enumerate() {
                sum += data.weight(i) * (y - f.clamp(centre - cut, centre + cut)).powi(2);
                total += data.weight(i);
            }
            sum / total
        };
        Self {
            folds: None,
            n_rows: data.n_rows(),
            squared_error: mean_square(f64::INFINITY),
            cut_squared_error: mean_square(train.target),
            facts: None,
        }
    }
}

/// The rows of positive weight.
fn counted(data: &Dataset) -> impl Iterator<Item = usize> {
    (0..data.n_rows()).filter(|&i| data.weight(i) > 0.0)
}
