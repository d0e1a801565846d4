//! A prediction as it is told.

use std::fmt;

use gapfit::loss::Loss;

use super::label::Targets;
use crate::csv_cell::quoted;

/// A number, one for each target, or a class and its score. Displayed as cells of a CSV file.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Said<'a> {
    Number(f64),
    /// Of several targets.
    Numbers(Vec<f64>),
    Class(&'a str, f64),
    /// A class, and the probability of every class.
    Shares(&'a str, Vec<f64>),
    /// A class, and nothing on how sure it is.
    Decided(&'a str),
}

impl<'a> Said<'a> {
    /// What a prediction of a stream's learner means.
    pub(crate) fn of(targets: &'a Targets, loss: Loss, prediction: f64) -> Self {
        match targets.class(prediction) {
            Some(class) => Self::Class(class, class_score(loss, prediction)),
            None => Self::Number(prediction),
        }
    }
}

impl fmt::Display for Said<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            // the shortest text that reads back as the same number
            Self::Number(number) => write!(f, "{number:?}"),
            Self::Numbers(numbers) => {
                let numbers: Vec<String> = numbers.iter().map(|y| format!("{y:?}")).collect();
                f.write_str(&numbers.join(","))
            }
            Self::Class(class, score) => write!(f, "{},{score:?}", quoted(class)),
            Self::Shares(class, shares) => {
                f.write_str(&quoted(class))?;
                shares.iter().try_for_each(|share| write!(f, ",{share:?}"))
            }
            Self::Decided(class) => f.write_str(&quoted(class)),
        }
    }
}

/// The probability of the class 1 for the logistic loss, the margin for others.
fn class_score(loss: Loss, prediction: f64) -> f64 {
    match loss {
        Loss::Logistic => 1.0 / (1.0 + (-prediction).exp()),
        _ => prediction,
    }
}
