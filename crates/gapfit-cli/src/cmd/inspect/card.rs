//! What a card says, as the JSON has it.

use anyhow::Result;
use gapfit::loss::Loss;
use gapfit::model::{Certificate, Judgement};
use gapfit::{Calibration, Model};
use gapfit_figures::Scores;
use serde::Serialize;

use super::feature::Part;

/// What there is to know of a model of `gapfit fit`.
#[derive(Debug, Serialize)]
pub(super) struct Card {
    pub(super) kind: &'static str,
    pub(super) loss: String,
    /// Absent where the target is numbers.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) classes: Vec<String>,
    pub(super) method: String,
    pub(super) base: String,
    /// Which weights may shift when a feature is missing.
    pub(super) support: String,
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
    /// Of the squared loss.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) training_rmse: Option<f64>,
    /// The mean of any other loss.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) training_loss: Option<f64>,
    pub(super) certificate: Certificate,
    /// Absent without calibration.
    pub(super) held_out: Option<HeldOut>,
    /// Of numbers, or of the score of the second of two classes.
    #[serde(flatten)]
    pub(super) single: Option<Part>,
    /// Of the scores of more than two classes; absent otherwise.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) of_classes: Vec<ClassPart>,
}

/// What the score of a class is made of.
#[derive(Debug, Serialize)]
pub(super) struct ClassPart {
    pub(super) class: String,
    #[serde(flatten)]
    pub(super) part: Part,
}

/// How well models did on folds that they had not seen.
#[derive(Debug, Serialize)]
pub(super) struct HeldOut {
    pub(super) folds: usize,
    #[serde(flatten)]
    pub(super) scores: Scores,
    /// Absent of classes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
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
    fn of_numbers(calibration: &Calibration) -> Self {
        let groups = calibration.groups().iter();
        let width = |group: &gapfit::model::CalibrationGroup| Width {
            missing: group.missing,
            rows: group.rows,
            half_width_90: calibration.half_width(group.missing, 0.9).ok(),
        };
        Self {
            folds: calibration.folds(),
            scores: Scores::of_numbers(calibration.scores()),
            intervals: groups.map(width).collect(),
        }
    }

    fn of_classes(judgement: Judgement) -> Self {
        Self {
            folds: judgement.folds,
            scores: Scores::of_judgement(judgement),
            intervals: Vec::new(),
        }
    }

    /// What the model has kept of it.
    fn of(model: &Model) -> Option<Self> {
        let of_classes = model.judgement().map(Self::of_classes);
        of_classes.or_else(|| model.calibration().map(Self::of_numbers))
    }
}

impl Card {
    /// The card of a model.
    pub(super) fn new(model: &Model) -> Result<Self> {
        let (method, parameters) = (model.method(), model.parameters());
        let preparation = model.preparation();
        let n_features = model.feature_names().len();
        let missing: f64 = (0..n_features).map(|j| model.seen(j).missing).sum();
        let mut parts = Part::all(model)?;
        let single = if parts.len() == 1 { parts.pop() } else { None };
        let named = model.classes().iter().zip(parts);
        let of_class = |(class, part): (&String, Part)| ClassPart {
            class: class.clone(),
            part,
        };
        let is_squared = model.loss() == Loss::Squared;
        let rmse = model.training().rmse;
        Ok(Self {
            kind: "batch",
            loss: model.loss().to_string(),
            classes: model.classes().to_vec(),
            method: method.to_string(),
            base: method.base().to_string(),
            support: model.support().to_string(),
            alpha: parameters.alpha,
            gamma: method.has_gamma().then_some(parameters.gamma),
            scale: preparation.scale.to_string(),
            clip: preparation.clip,
            intercept: preparation.intercept.to_string(),
            target: model.target_name().to_owned(),
            n_rows: model.training().rows,
            n_features,
            observed_fraction: 1.0 - missing / n_features as f64,
            training_rmse: is_squared.then_some(rmse),
            training_loss: (!is_squared).then_some(rmse * rmse),
            certificate: model.certificate(),
            held_out: HeldOut::of(model),
            single,
            of_classes: named.map(of_class).collect(),
        })
    }
}
