//! What a card says, as the JSON has it.

use anyhow::Result;
use gapfit::model::Certificate;
use gapfit::{Calibration, Model};
use serde::Serialize;

use super::feature::Feature;

/// What there is to know of a model of `gapfit fit`.
#[derive(Debug, Serialize)]
pub(super) struct Card {
    pub(super) kind: &'static str,
    pub(super) method: String,
    pub(super) base: String,
    pub(super) alpha: f64,
    /// Absent where the method has none.
    pub(super) gamma: Option<f64>,
    pub(super) scale: String,
    pub(super) clip: f64,
    pub(super) intercept: String,
    pub(super) target: String,
    pub(super) n_rows: usize,
    pub(super) n_features: usize,
    /// The share of the training cells that were observed.
    pub(super) observed_fraction: f64,
    pub(super) training_rmse: f64,
    pub(super) certificate: Certificate,
    /// Absent without calibration.
    pub(super) held_out: Option<HeldOut>,
    /// The prediction for a row that is average in every feature.
    pub(super) average_prediction: f64,
    /// The constant term in the units of the table.
    pub(super) constant: f64,
    /// The strongest first.
    pub(super) features: Vec<Feature>,
}

/// How well models did on folds that they had not seen.
#[derive(Debug, Serialize)]
pub(super) struct HeldOut {
    pub(super) folds: usize,
    pub(super) rmse: f64,
    pub(super) mae: f64,
    pub(super) r2: f64,
    pub(super) intervals: Vec<Width>,
}

/// Half the width of intervals for rows with this many missing features or more.
#[derive(Debug, Serialize)]
pub(super) struct Width {
    pub(super) missing: usize,
    pub(super) rows: f64,
    /// At 90 %; absent where rows are too few for it.
    pub(super) half_width_90: Option<f64>,
}

impl HeldOut {
    fn new(calibration: &Calibration) -> Self {
        let scores = calibration.scores();
        let groups = calibration.groups().iter();
        let width = |group: &gapfit::model::CalibrationGroup| Width {
            missing: group.missing,
            rows: group.rows,
            half_width_90: calibration.half_width(group.missing, 0.9).ok(),
        };
        Self {
            folds: calibration.folds(),
            rmse: scores.rmse,
            mae: scores.mae,
            r2: scores.r2,
            intervals: groups.map(width).collect(),
        }
    }
}

impl Card {
    /// The card of a model.
    pub(super) fn new(model: &Model) -> Result<Self> {
        let (method, parameters) = (model.method(), model.parameters());
        let preparation = model.preparation();
        let n_features = model.feature_names().len();
        let missing: f64 = (0..n_features).map(|j| model.seen(j).missing).sum();
        let (average_prediction, features) = Feature::all(model)?;
        Ok(Self {
            kind: "batch",
            method: method.to_string(),
            base: method.base().to_string(),
            alpha: parameters.alpha,
            gamma: method.has_gamma().then_some(parameters.gamma),
            scale: preparation.scale.to_string(),
            clip: preparation.clip,
            intercept: preparation.intercept.to_string(),
            target: model.target_name().to_owned(),
            n_rows: model.training().rows,
            n_features,
            observed_fraction: 1.0 - missing / n_features as f64,
            training_rmse: model.training().rmse,
            certificate: model.certificate(),
            held_out: model.calibration().map(HeldOut::new),
            average_prediction,
            constant: model.weights().0,
            features,
        })
    }
}
