//! What the text of a target means to a loss: a number, or one of two classes.

use anyhow::Result;
use gapfit::loss::Loss;
use serde::{Deserialize, Serialize};

use crate::hint::Hinted;

/// Pairs of classes whose order everybody knows.
const KNOWN: [[&str; 2]; 8] = [
    ["0", "1"],
    ["-1", "1"],
    ["-1", "+1"],
    ["false", "true"],
    ["no", "yes"],
    ["n", "y"],
    ["f", "t"],
    ["negative", "positive"],
];

/// Targets as they are read.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Targets {
    /// Numbers.
    Numbers,
    /// Two classes: those that are known so far stand for -1 and 1.
    Classes(Option<String>, Option<String>),
}

impl Targets {
    /// What targets are to this loss; `classes` are the names of -1 and 1, where they are given.
    pub(super) fn new(loss: Loss, classes: Option<&[String]>) -> Self {
        match (loss.is_classification(), classes) {
            (false, _) => Self::Numbers,
            (true, Some([negative, positive])) => {
                Self::Classes(Some(negative.clone()), Some(positive.clone()))
            }
            (true, _) => Self::Classes(None, None),
        }
    }

    /// The number that stands for a target; a class that is new gets one.
    pub(super) fn number(&mut self, text: &str) -> Result<f64> {
        let Self::Classes(negative, positive) = self else {
            return match text.parse::<f64>() {
                Ok(number) if number.abs() <= 1e150 => Ok(number),
                _ => Err(Hinted::error(
                    format!("expected a number between -1e150 and 1e150, got {text:?}"),
                    "--loss logistic takes two classes, --missing texts that stand for no target, --on-error skip goes on",
                )),
            };
        };
        let is = |class: &Option<String>| class.as_deref() == Some(text);
        if is(negative) {
            return Ok(-1.0);
        }
        if is(positive) {
            return Ok(1.0);
        }
        let known = KNOWN.iter().find_map(|pair| {
            let number = pair
                .iter()
                .position(|name| name.eq_ignore_ascii_case(text))?;
            Some(2.0 * number as f64 - 1.0)
        });
        match (&negative, &positive, known) {
            (None, None, Some(number)) if number > 0.0 => *positive = Some(text.to_owned()),
            (None, ..) => *negative = Some(text.to_owned()),
            (_, None, _) => *positive = Some(text.to_owned()),
            (Some(a), Some(b), _) => {
                return Err(Hinted::error(
                    format!("expected one of the classes {a:?} and {b:?}, got {text:?}"),
                    "--classes names the two, --missing texts that stand for no target, --on-error skip goes on",
                ));
            }
        }
        self.number(text)
    }

    /// The class that a prediction says; empty for numbers, `?` for a class that was not met yet.
    pub(crate) fn class(&self, prediction: f64) -> Option<&str> {
        let Self::Classes(negative, positive) = self else {
            return None;
        };
        let class = if prediction > 0.0 { positive } else { negative };
        Some(class.as_deref().unwrap_or("?"))
    }
}

/// The loss for a target like this one, unless another was asked for.
pub(super) fn usual_loss(target: Option<&str>) -> Loss {
    match target {
        Some(text) if text.parse::<f64>().is_err() => Loss::Logistic,
        _ => Loss::Squared,
    }
}

/// Two names, for -1 and 1, separated by a comma.
pub(super) fn classes(text: &str) -> Result<Vec<String>, String> {
    let names: Vec<String> = text.split(',').map(|name| name.trim().to_owned()).collect();
    match &names[..] {
        [a, b] if a != b && !a.is_empty() && !b.is_empty() => Ok(names),
        _ => Err("expected two different names and a comma between them".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(texts: &[&str]) -> Vec<f64> {
        let mut targets = Targets::new(Loss::Logistic, None);
        texts
            .iter()
            .map(|text| targets.number(text).unwrap())
            .collect()
    }

    #[test]
    fn classes_that_everybody_knows_have_their_sign_whichever_comes_first() {
        assert_eq!(read(&["1", "0", "1"]), [1.0, -1.0, 1.0]);
        assert_eq!(read(&["0", "1"]), [-1.0, 1.0]);
        assert_eq!(read(&["1", "-1"]), [1.0, -1.0]);
        assert_eq!(read(&["Yes", "No"]), [1.0, -1.0]);
    }

    #[test]
    fn other_classes_are_told_apart_in_the_order_in_which_they_come() {
        assert_eq!(read(&["spruce", "fir", "spruce"]), [-1.0, 1.0, -1.0]);
        let mut targets = Targets::new(Loss::Hinge, None);
        assert_eq!(targets.class(1.0), Some("?"));
        for text in ["spruce", "fir"] {
            targets.number(text).unwrap();
        }
        assert_eq!(
            (targets.class(0.5), targets.class(-0.5)),
            (Some("fir"), Some("spruce"))
        );
        let error = targets.number("oak").unwrap_err().to_string();
        assert_eq!(
            error,
            "expected one of the classes \"spruce\" and \"fir\", got \"oak\""
        );
    }

    #[test]
    fn numbers_must_be_numbers() {
        let mut targets = Targets::new(Loss::Squared, None);
        assert_eq!(
            targets.number("-1.5e3").unwrap().to_bits(),
            (-1500.0f64).to_bits()
        );
        for wrong in ["x", "inf", "NaN", "1e200"] {
            assert!(targets.number(wrong).is_err(), "{wrong}");
        }
        assert_eq!(targets.class(3.0), None);
    }

    #[test]
    fn names_of_classes_are_two() {
        assert_eq!(classes("ham, spam").unwrap(), ["ham", "spam"]);
        for wrong in ["", "a", "a,a", "a,b,c", "a,"] {
            assert!(classes(wrong).is_err(), "{wrong}");
        }
    }
}
