//! How good predictions are, by the metrics that suit the target.

use gapfit::data::{Dataset, MaskedMatrix};
use gapfit::eval::{self, ClassScores, Probabilities};
use gapfit::loss::Loss;
use gapfit::model::Judgement;
use gapfit::{Model, Result};
use gapfit_report::number::short;
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use std::fmt;

/// A score.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Metric {
    /// Root mean square of the errors.
    Rmse,
    /// Mean size of the errors.
    Mae,
    /// Share of the target's variance that is explained.
    R2,
    /// Mean logarithm of the probability of what came, negative.
    LogLoss,
    /// Share of rows whose class is the predicted one.
    Accuracy,
    /// Area under the ROC curve.
    Auc,
    /// Mean squared distance between probabilities and what came.
    Brier,
    /// Mean distance between what is claimed and what comes.
    CalibrationError,
}

impl Metric {
    /// Those that methods can be ranked by.
    pub const RANKED: [Self; 6] = [
        Self::Rmse,
        Self::Mae,
        Self::LogLoss,
        Self::Accuracy,
        Self::Auc,
        Self::Brier,
    ];

    /// The metrics that methods with this loss can be ranked by, the usual one first.
    pub fn ranking(loss: Loss, n_classes: usize) -> &'static [Self] {
        match (loss, n_classes) {
            (Loss::Logistic, _) => &[Self::LogLoss, Self::Accuracy, Self::Auc, Self::Brier],
            (Loss::SquaredHinge, 2) => &[Self::Accuracy, Self::Auc],
            (Loss::SquaredHinge, _) => &[Self::Accuracy],
            _ => &[Self::Rmse, Self::Mae],
        }
    }

    /// What it is called in flags.
    pub fn flag(self) -> &'static str {
        match self {
            Self::LogLoss => "log-loss",
            Self::CalibrationError => "calibration-error",
            other => other.key(),
        }
    }

    /// Its name in JSON.
    pub fn key(self) -> &'static str {
        match self {
            Self::Rmse => "rmse",
            Self::Mae => "mae",
            Self::R2 => "r2",
            Self::LogLoss => "log_loss",
            Self::Accuracy => "accuracy",
            Self::Auc => "auc",
            Self::Brier => "brier",
            Self::CalibrationError => "calibration_error",
        }
    }

    /// Its name for people.
    pub fn name(self) -> &'static str {
        match self {
            Self::Rmse => "RMSE",
            Self::Mae => "MAE",
            Self::R2 => "R²",
            Self::LogLoss => "log-loss",
            Self::Accuracy => "accuracy",
            Self::Auc => "AUC",
            Self::Brier => "Brier",
            Self::CalibrationError => "calibration error",
        }
    }

    /// Whether more of it is better.
    pub fn is_gain(self) -> bool {
        matches!(self, Self::R2 | Self::Accuracy | Self::Auc)
    }

    /// Whether it is in the unit of the target, and not between 0 and 1 or thereabouts.
    pub fn has_unit(self) -> bool {
        matches!(self, Self::Rmse | Self::Mae)
    }
}

/// Scores by their metrics, in the order in which they are told.
#[derive(Clone, Debug, PartialEq)]
pub struct Scores(Vec<(Metric, f64)>);

impl Scores {
    /// What sums of squared errors say: nothing of absolute ones.
    pub fn of_squares(errors: &eval::SquaredErrors) -> Self {
        Self(vec![
            (Metric::Rmse, errors.rmse()),
            (Metric::R2, errors.r2()),
        ])
    }

    /// These scores of numbers.
    pub fn of_numbers(scores: eval::Scores) -> Self {
        Self(vec![
            (Metric::Rmse, scores.rmse),
            (Metric::Mae, scores.mae),
            (Metric::R2, scores.r2),
        ])
    }

    /// These scores of probabilities of classes.
    pub fn of_probabilities(scores: ClassScores) -> Self {
        Self(vec![
            (Metric::LogLoss, scores.log_loss),
            (Metric::Accuracy, scores.accuracy),
            (Metric::Auc, scores.auc),
            (Metric::Brier, scores.brier),
            (Metric::CalibrationError, scores.calibration_error),
        ])
    }

    /// These scores of classes without probabilities.
    pub fn of_decisions(scores: ClassScores) -> Self {
        Self(vec![
            (Metric::Accuracy, scores.accuracy),
            (Metric::Auc, scores.auc),
        ])
    }

    /// What a model has kept of rows that models like it had not seen, where the target is classes.
    pub fn of_judgement(judgement: Judgement) -> Self {
        match judgement.log_loss {
            Some(_) => Self::of_probabilities(judgement.scores()),
            None => Self::of_decisions(judgement.scores()),
        }
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = (Metric, f64)> {
        self.0.iter().copied()
    }

    /// The score by this metric; NaN where there is none.
    pub fn get(&self, metric: Metric) -> f64 {
        let found = self.iter().find(|(own, _)| *own == metric);
        found.map_or(f64::NAN, |(_, value)| value)
    }
}

/// For people, as in `log-loss 0.31, accuracy 0.87`.
impl fmt::Display for Scores {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let told = |(metric, value): (Metric, f64)| format!("{} {}", metric.name(), short(value));
        f.write_str(&self.iter().map(told).collect::<Vec<_>>().join(", "))
    }
}

impl Serialize for Scores {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (metric, value) in self.iter() {
            map.serialize_entry(metric.key(), &value)?;
        }
        map.end()
    }
}

/// What a model says of some rows.
#[derive(Clone, Debug)]
pub enum Predicted {
    /// Numbers.
    Numbers(Vec<f64>),
    /// Probabilities of classes.
    Probabilities(Probabilities),
    /// Classes without probabilities; with scores of the second one, where there are two.
    Decisions(Vec<usize>, Option<Vec<f64>>),
}

impl Predicted {
    /// What `model` says of the rows of a table.
    pub fn of(model: &Model, table: &MaskedMatrix) -> Result<Self> {
        Ok(match (model.classes().len(), model.loss()) {
            (0, _) => Self::Numbers(model.predict(table)?),
            (_, Loss::Logistic) => Self::Probabilities(model.predict_proba(table)?),
            (2, _) => Self::Decisions(model.decide(table)?, Some(model.predict(table)?)),
            _ => Self::Decisions(model.decide(table)?, None),
        })
    }

    /// What is said of these of the rows.
    pub fn select(&self, rows: &[usize]) -> Self {
        let numbers = |values: &[f64]| rows.iter().map(|&i| values[i]).collect::<Vec<f64>>();
        match self {
            Self::Numbers(values) => Self::Numbers(numbers(values)),
            Self::Probabilities(all) => {
                let values = rows.iter().flat_map(|&i| all.row(i)).copied();
                let picked = Probabilities::new(all.n_classes(), values.collect());
                Self::Probabilities(picked.expect("whole rows"))
            }
            Self::Decisions(classes, scores) => Self::Decisions(
                rows.iter().map(|&i| classes[i]).collect(),
                scores.as_deref().map(numbers),
            ),
        }
    }

    /// What is said of the rows of all parts, one after the other; parts are of models of one kind.
    pub fn joined(parts: impl IntoIterator<Item = Self>) -> Self {
        let mut parts = parts.into_iter();
        let first = parts.next().unwrap_or(Self::Numbers(Vec::new()));
        parts.fold(first, |all, part| match (all, part) {
            (Self::Numbers(a), Self::Numbers(b)) => Self::Numbers([a, b].concat()),
            (Self::Probabilities(a), Self::Probabilities(b)) => {
                let values = a.rows().chain(b.rows()).flatten().copied().collect();
                let all = Probabilities::new(a.n_classes(), values);
                Self::Probabilities(all.expect("whole rows"))
            }
            (Self::Decisions(a, p), Self::Decisions(b, q)) => {
                let scores = p.zip(q).map(|(p, q)| [p, q].concat());
                Self::Decisions([a, b].concat(), scores)
            }
            (all, _) => all,
        })
    }

    /// The scores of what is said of these rows of `data`, in order.
    pub fn scores(&self, data: &Dataset, rows: &[usize]) -> Scores {
        let pick = |values: &[f64]| rows.iter().map(|&i| values[i]).collect::<Vec<f64>>();
        let (target, weights) = (pick(data.target()), data.weights().map(pick));
        let weights = weights.as_deref();
        match self {
            Self::Numbers(values) => Scores::of_numbers(eval::Scores::of(&target, values, weights)),
            Self::Probabilities(all) => {
                Scores::of_probabilities(ClassScores::of(&target, all, weights))
            }
            Self::Decisions(classes, scores) => {
                let scores = scores.as_deref();
                Scores::of_decisions(ClassScores::of_decisions(&target, classes, scores, weights))
            }
        }
    }
}

/// What figures call an error: a score of which less is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorMeasure {
    /// A metric that is one: of numbers and of probabilities.
    Score(Metric),
    /// Of decisions: the share that is wrong.
    Wrong,
}

impl ErrorMeasure {
    /// That of a model with this loss.
    pub fn of(loss: Loss) -> Self {
        match loss {
            Loss::Logistic => Self::Score(Metric::LogLoss),
            Loss::SquaredHinge => Self::Wrong,
            _ => Self::Score(Metric::Rmse),
        }
    }

    /// Its name for people.
    pub fn name(self) -> &'static str {
        match self {
            Self::Score(metric) => metric.name(),
            Self::Wrong => "share of wrong classes",
        }
    }

    /// The error among scores.
    pub fn among(self, scores: &Scores) -> f64 {
        match self {
            Self::Score(metric) => scores.get(metric),
            Self::Wrong => 1.0 - scores.get(Metric::Accuracy),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_of_some_rows_are_those_of_the_rows_alone() {
        let features = MaskedMatrix::from_nan(3, 1, &[1.0, 2.0, 3.0]).unwrap();
        let data = Dataset::classified(features, &["a", "b", "b"]).unwrap();
        let of = |values: &[f64]| Probabilities::new(2, values.to_vec()).unwrap();
        let all = Predicted::Probabilities(of(&[0.9, 0.1, 0.2, 0.8, 0.6, 0.4]));
        let picked = all.select(&[2, 0]).scores(&data, &[2, 0]);
        let expected = -0.5 * (0.4f64.ln() + 0.9f64.ln());
        assert!((picked.get(Metric::LogLoss) - expected).abs() < 1e-15);
        assert!((ErrorMeasure::Wrong.among(&picked) - 0.5).abs() < 1e-15);
        assert!(picked.get(Metric::Rmse).is_nan());
        let text = serde_json::to_string(&picked).unwrap();
        assert!(text.starts_with("{\"log_loss\":") && text.contains("\"calibration_error\":"));
    }
}
