//! Fitted models: one type for every method, and its file.

mod calibration;
mod calibration_file;
mod certificate;
mod class_file;
mod classes;
mod explain;
mod file;
mod for_mask;
mod impute;
mod judgement;
mod mask_linear;
pub(crate) mod schema;
mod support_file;
mod target_file;
mod targets;

pub use calibration::{Calibration, CalibrationGroup, Interval};
pub use certificate::Certificate;
pub use explain::Explanation;
pub use judgement::Judgement;
pub(crate) use mask_linear::MaskLinear;
pub(crate) use targets::Further;

use crate::data::{MaskedMatrix, MaskedRow, Schema};
use crate::error::{Error, Result};
use crate::learn::{Multiclass, Parameters};
use crate::loss::Loss;
use crate::method::Method;
use crate::prepare::{Preparation, Prepared};
use crate::support::SupportKind;
use rayon::prelude::*;
use std::ops::Range;
use std::sync::Arc;

/// A fitted model: raw rows with holes in, predictions out.
///
/// It predicts for any mask, also for holes never seen in training and for a row with nothing
/// observed. Prediction never changes it.
#[derive(Clone, Debug, PartialEq)]
pub struct Model {
    pub(crate) names: Vec<String>,
    pub(crate) target_name: String,
    /// What further targets have to themselves, if there are several.
    pub(crate) further: Vec<Further>,
    pub(crate) schema: Option<Arc<Schema>>,
    pub(crate) method: Method,
    pub(crate) loss: Loss,
    pub(crate) multiclass: Multiclass,
    /// Empty where the target is numbers.
    pub(crate) classes: Vec<String>,
    pub(crate) support: SupportKind,
    pub(crate) preparation: Preparation,
    pub(crate) parameters: Parameters,
    pub(crate) training: Training,
    pub(crate) certificate: Certificate,
    /// One per feature.
    pub(crate) seen: Vec<Seen>,
    pub(crate) calibration: Option<Calibration>,
    /// Of classes.
    pub(crate) judgement: Option<Judgement>,
    pub(crate) prepared: Arc<Prepared>,
    pub(crate) linear: MaskLinear,
    /// The predictors of the second class on, where there are more than two.
    pub(crate) others: Vec<MaskLinear>,
}

/// What a model remembers of its training rows.
///
/// ```
/// use gapfit::data::{Dataset, MaskedMatrix};
/// use gapfit::{Learner, Parameters};
///
/// let table = MaskedMatrix::from_nan(3, 1, &[1.0, f64::NAN, 3.0])?;
/// let data = Dataset::new(table, vec![2.0, 3.0, 5.0])?;
/// let fitted = Learner::default().fit(&data, Parameters { alpha: 0.1, gamma: 1.0 })?;
/// assert_eq!(fitted.model.training().rows, 3);
/// # Ok::<(), gapfit::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Training {
    /// The number of rows of positive weight.
    pub rows: usize,
    /// Root of the mean loss on them, weighted: for the squared loss the root mean squared error.
    pub rmse: f64,
}

/// What the training rows showed of a feature.
///
/// ```
/// use gapfit::data::{Dataset, MaskedMatrix};
/// use gapfit::{Learner, Parameters};
///
/// let table = MaskedMatrix::from_nan(4, 1, &[1.0, f64::NAN, 3.0, 5.0])?;
/// let data = Dataset::new(table, vec![2.0, 3.0, 5.0, 8.0])?;
/// let fitted = Learner::default().fit(&data, Parameters { alpha: 0.1, gamma: 1.0 })?;
/// assert_eq!(fitted.model.seen(0).missing, 0.25);
/// # Ok::<(), gapfit::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Seen {
    /// The share of rows in which it is missing, weighted.
    pub missing: f64,
    /// Its mean over the rows in which it is observed, clipped and weighted; 0 where there is none.
    pub mean: f64,
}

/// Rows predicted by one task.
const CHUNK: usize = 4096;

impl Model {
    /// The names of the features, in the order in which rows must come.
    pub fn feature_names(&self) -> &[String] {
        &self.names
    }

    /// The columns that the features were made from; `None` when it was fitted to features of which no
    /// more was known.
    pub fn schema(&self) -> Option<&Schema> {
        self.schema.as_deref()
    }

    /// The name of the target, of several the first; see [`Model::of_target`].
    pub fn target_name(&self) -> &str {
        &self.target_name
    }

    /// What was fitted.
    pub fn method(&self) -> Method {
        self.method
    }

    /// What a wrong prediction cost in training.
    pub fn loss(&self) -> Loss {
        self.loss
    }

    /// Which weights may shift when a feature is missing.
    pub fn support(&self) -> SupportKind {
        self.support
    }

    /// The features whose weights may shift when `feature` is missing, ascending, itself among them where
    /// the base fills in something that says anything; `None` when no weight shifts, see [`Model::shift`].
    pub fn shifted_by(&self, feature: usize) -> Option<Vec<usize>> {
        let block = self.linear.block(*self.prepared.entry_of.get(feature)?)?;
        let entries = self.linear.shifted.entries(block).filter(|&e| e > 0);
        Some(entries.map(|e| self.prepared.live[e - 1]).collect())
    }

    /// How raw rows are prepared.
    pub fn preparation(&self) -> &Preparation {
        &self.preparation
    }

    /// The parameters it was fitted with.
    pub fn parameters(&self) -> Parameters {
        self.parameters
    }

    /// How many rows it was fitted to, and how well.
    pub fn training(&self) -> Training {
        self.training
    }

    /// How close to optimal its fit was proved to be.
    pub fn certificate(&self) -> Certificate {
        self.certificate
    }

    /// What the training rows showed of a feature.
    ///
    /// # Panics
    /// When there is no such feature.
    pub fn seen(&self, feature: usize) -> Seen {
        self.seen[feature]
    }

    /// The unit of a feature in which the model sees it: its standard deviation or range, or 1.
    ///
    /// # Panics
    /// When there is no such feature.
    pub fn unit(&self, feature: usize) -> f64 {
        self.prepared.columns[feature].scale
    }

    /// Whether a feature was observed in training at all; if not it plays no part.
    pub fn was_observed(&self, feature: usize) -> bool {
        self.prepared.entry_of.get(feature).is_some_and(|&e| e > 0)
    }

    /// The numbers of the features that go missing together with one: those of its column, or it alone.
    ///
    /// # Panics
    /// When there is no such feature.
    pub fn group(&self, feature: usize) -> Range<usize> {
        let alone = || feature..feature + 1;
        self.schema()
            .map_or_else(alone, |schema| schema.group(feature))
    }

    /// The predictions for the rows of a table whose columns are the model's features, in order. Of two
    /// classes they are scores, positive for the second one; the logarithm of its odds where the loss is
    /// logistic.
    ///
    /// # Errors
    /// [`Error::Shape`] when the number of columns differs, [`Error::Setting`] for more than two
    /// classes, see [`Model::decide`] and [`Model::predict_proba`], and for several targets, see
    /// [`Model::predict_each`].
    pub fn predict(&self, table: &MaskedMatrix) -> Result<Vec<f64>> {
        self.check_single()?;
        self.scores(table)
    }

    /// Refuses a model of more than two classes or of several targets.
    fn check_single(&self) -> Result<()> {
        let got = match (self.classes.len(), self.n_targets()) {
            (0..=2, 1) => return Ok(()),
            (0, n) => format!("{n} targets"),
            (n, _) => format!("{n} classes"),
        };
        Err(Error::Setting {
            name: "target",
            expected: "numbers or two classes, for one prediction per row",
            got,
        })
    }

    /// The predictors: of a number or two classes one, otherwise one for each target or class.
    pub(crate) fn predictors(&self) -> impl Iterator<Item = &MaskLinear> {
        let further = self.further.iter().map(|further| &further.linear);
        std::iter::once(&self.linear)
            .chain(&self.others)
            .chain(further)
    }

    /// The predictions for the rows of a table, row after row: one each, as [`Model::predict`] has it, of
    /// more than two classes the scores of all, of several targets the predictions of all.
    ///
    /// # Errors
    /// [`Error::Shape`] when the number of columns differs.
    pub fn scores(&self, table: &MaskedMatrix) -> Result<Vec<f64>> {
        self.check_width(table)?;
        let n = self.predictors().count();
        let mut scores = vec![0.0; table.n_rows() * n];
        scores.par_chunks_mut(CHUNK * n).enumerate().for_each_init(
            || (self.prepared.filler(), vec![0.0; self.prepared.n_entries()]),
            |(filler, completed), (c, chunk)| {
                for (i, scores) in chunk.chunks_exact_mut(n).enumerate() {
                    let row = table.row(c * CHUNK + i);
                    self.prepared.complete(row, filler, completed);
                    for (score, predictor) in scores.iter_mut().zip(self.predictors()) {
                        *score = self.predict_completed(predictor, row, completed);
                    }
                }
            },
        );
        Ok(scores)
    }

    /// Refuses a table whose number of columns is not that of the features.
    pub(crate) fn check_width(&self, table: &MaskedMatrix) -> Result<()> {
        if table.n_cols() == self.names.len() {
            return Ok(());
        }
        Err(Error::Shape {
            what: "columns of the table",
            expected: self.names.len(),
            got: table.n_cols(),
        })
    }

    fn predict_completed(
        &self,
        predictor: &MaskLinear,
        row: MaskedRow<'_>,
        completed: &[f64],
    ) -> f64 {
        let live = &self.prepared.live;
        predictor.predict(completed, |entry| !row.observed().contains(live[entry - 1]))
    }

    /// Refuses what makes sense for models of the squared loss only.
    pub(crate) fn check_squared(&self) -> Result<()> {
        if self.loss == Loss::Squared {
            return Ok(());
        }
        Err(Error::Setting {
            name: "loss",
            expected: "squared",
            got: self.loss.to_string(),
        })
    }

    /// The weights with everything observed, in original units: the intercept and one weight per
    /// feature (0 for a feature that was never observed in training). Of more than two classes, those
    /// of the first; see [`Model::class_weights`].
    pub fn weights(&self) -> (f64, Vec<f64>) {
        self.original_units(&self.linear.weights)
    }

    /// How the weights shift when `feature` is missing, in original units; `None` when it had no
    /// holes in training or the method does not look at the mask.
    ///
    /// The weight of the missing feature itself multiplies the value filled in by the base.
    pub fn shift(&self, feature: usize) -> Option<(f64, Vec<f64>)> {
        self.shift_of(&self.linear, feature)
    }

    fn shift_of(&self, predictor: &MaskLinear, feature: usize) -> Option<(f64, Vec<f64>)> {
        let entry = *self.prepared.entry_of.get(feature)?;
        let block = predictor.block(entry)?;
        Some(self.original_units(&predictor.full_shift(block)))
    }

    /// Undoes the scaling in a vector of weights over entries.
    fn original_units(&self, entries: &[f64]) -> (f64, Vec<f64>) {
        let mut constant = entries[0];
        let mut weights = vec![0.0; self.names.len()];
        for (&j, w) in self.prepared.live.iter().zip(&entries[1..]) {
            let column = &self.prepared.columns[j];
            weights[j] = w / column.scale;
            constant -= w * (column.centre / column.scale);
        }
        (constant, weights)
    }
}
