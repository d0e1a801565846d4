//! What rows of a class count for in training.

use std::str::FromStr;

use gapfit::data::Dataset;

/// What rows of a class count for in training.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) enum ClassWeight {
    #[default]
    None,
    /// Every class weighs the same.
    Balanced,
    /// By label; others count once.
    Given(Vec<(String, f64)>),
}

impl FromStr for ClassWeight {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "none" => return Ok(Self::None),
            "balanced" => return Ok(Self::Balanced),
            _ => {}
        }
        let given = text.split(',').map(|part| {
            let (label, weight) = part.rsplit_once('=')?;
            let weight: f64 = weight.trim().parse().ok()?;
            let is_weight = weight.is_finite() && weight >= 0.0;
            is_weight.then(|| (label.trim().to_owned(), weight))
        });
        let given: Option<Vec<(String, f64)>> = given.collect();
        given.map(Self::Given).ok_or_else(|| {
            "expected balanced, none, or LABEL=W,... with weights that are not negative".to_owned()
        })
    }
}

impl ClassWeight {
    /// The same rows, weighted by their classes.
    pub(crate) fn apply(&self, data: Dataset) -> gapfit::Result<Dataset> {
        let weights = match self {
            Self::None => return Ok(data),
            Self::Balanced => data.balancing_weights(),
            Self::Given(given) => {
                let weight = |class: &String| {
                    let found = given.iter().rev().find(|(label, _)| label == class);
                    found.map_or(1.0, |(_, weight)| *weight)
                };
                data.classes().iter().map(weight).collect()
            }
        };
        data.with_class_weights(&weights)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gapfit::data::MaskedMatrix;

    fn numbers(target: &[f64]) -> Dataset {
        let features = MaskedMatrix::from_nan(target.len(), 1, &vec![1.0; target.len()]).unwrap();
        Dataset::new(features, target.to_vec())
            .unwrap()
            .with_target_name("y")
    }

    #[test]
    fn class_weights_are_read_and_named_labels_only_are_changed() {
        assert_eq!("balanced".parse(), Ok(ClassWeight::Balanced));
        let given: ClassWeight = "b=2, a=b=0.5".parse().unwrap();
        let expected = [("b".to_owned(), 2.0), ("a=b".to_owned(), 0.5)];
        assert_eq!(given, ClassWeight::Given(expected.to_vec()));
        for wrong in ["", "b", "b=x", "b=-1", "b=inf", "b=1,"] {
            assert!(wrong.parse::<ClassWeight>().is_err(), "{wrong}");
        }
        let data = numbers(&[1.0, 2.0, 2.0]).classify().unwrap();
        let weighted = "2=3".parse::<ClassWeight>().unwrap().apply(data.clone());
        assert_eq!(weighted.unwrap().weights().unwrap(), [1.0, 3.0, 3.0]);
        // scikit-learn: n / (classes * rows of the class)
        let balanced = ClassWeight::Balanced.apply(data).unwrap();
        assert_eq!(balanced.weights().unwrap(), [1.5, 0.75, 0.75]);
    }
}
