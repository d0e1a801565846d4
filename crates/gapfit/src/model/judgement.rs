//! How models of classes did on rows that they had not seen.

use super::Model;
use crate::container::broken;
use crate::error::{Error, Result};
use crate::eval::ClassScores;
use crate::loss::Loss;
use serde::{Deserialize, Deserializer, Serialize};

/// Scores on rows held out of fits on folds, where the target is classes.
///
/// Made by [`tune::judge`](crate::tune::judge), kept in the model's file. For numbers a
/// [`Calibration`](super::Calibration) has them.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Judgement {
    /// The number of folds.
    pub folds: usize,
    /// Share of rows whose class was predicted.
    pub accuracy: f64,
    /// Area under the ROC curve; none where it has no meaning.
    #[serde(deserialize_with = "present")]
    pub auc: Option<f64>,
    /// The log-loss; none where the loss gives no probabilities, as those below.
    #[serde(deserialize_with = "present")]
    pub log_loss: Option<f64>,
    /// The Brier score.
    #[serde(deserialize_with = "present")]
    pub brier: Option<f64>,
    /// The expected calibration error.
    #[serde(deserialize_with = "present")]
    pub calibration_error: Option<f64>,
}

/// A number or null; never absent.
fn present<'de, D: Deserializer<'de>>(from: D) -> std::result::Result<Option<f64>, D::Error> {
    Option::deserialize(from)
}

impl Judgement {
    /// What these scores say, taken on so many folds.
    pub(crate) fn of(folds: usize, scores: &ClassScores) -> Self {
        let known = |score: f64| (!score.is_nan()).then_some(score);
        Self {
            folds,
            accuracy: scores.accuracy,
            auc: known(scores.auc),
            log_loss: known(scores.log_loss),
            brier: known(scores.brier),
            calibration_error: known(scores.calibration_error),
        }
    }

    /// The scores, NaN for those that there are none of.
    pub fn scores(&self) -> ClassScores {
        let number = |score: Option<f64>| score.unwrap_or(f64::NAN);
        ClassScores {
            log_loss: number(self.log_loss),
            accuracy: self.accuracy,
            brier: number(self.brier),
            auc: number(self.auc),
            calibration_error: number(self.calibration_error),
        }
    }

    /// Refuses one from the file of a model with this loss that says the impossible.
    pub(super) fn check(&self, loss: Loss) -> Result<()> {
        let errors = [self.log_loss, self.brier, self.calibration_error];
        let is_share = |score: f64| (0.0..=1.0).contains(&score);
        let is_sound = |error: &Option<f64>| error.is_some_and(|error| error >= 0.0);
        let suits = match loss {
            Loss::Logistic => errors.iter().all(is_sound),
            Loss::SquaredHinge => errors.iter().all(Option::is_none),
            _ => false,
        };
        let sound = self.folds >= 2 && is_share(self.accuracy) && self.auc.is_none_or(is_share);
        if sound && suits {
            return Ok(());
        }
        let expected =
            "2 folds or more, shares from 0 to 1, and of probabilities errors not negative";
        let got = format!(
            "{} folds, accuracy {}, AUC {:?}, errors {errors:?}, loss {loss}",
            self.folds, self.accuracy, self.auc
        );
        Err(broken("judgement", expected, &got))
    }
}

impl Model {
    /// The same model with these scores.
    ///
    /// # Errors
    /// [`Error::Setting`] where the target is numbers.
    pub fn with_judgement(mut self, judgement: Judgement) -> Result<Self> {
        if self.classes.is_empty() {
            return Err(Error::Setting {
                name: "target",
                expected: "classes, to be judged",
                got: "numbers".to_owned(),
            });
        }
        self.judgement = Some(judgement);
        Ok(self)
    }

    /// Its scores on held-out rows, if the target is classes and they were taken.
    pub fn judgement(&self) -> Option<Judgement> {
        self.judgement
    }
}
