//! Mechanisms by name, for the command line.

use super::Mechanism;
use crate::error::{Error, Result};

impl Mechanism {
    /// The names of all mechanisms, in the order of the variants.
    pub const NAMES: [&'static str; 9] = [
        "independent",
        "dependent",
        "columns",
        "mcar",
        "mar",
        "selfmask-logistic",
        "selfmask-gaussian",
        "selfmask-probit",
        "quantile",
    ];

    /// The name of this mechanism, one of [`Self::NAMES`].
    pub fn name(&self) -> &'static str {
        match self {
            Self::Independent { .. } => "independent",
            Self::Dependent { .. } => "dependent",
            Self::Columns { .. } => "columns",
            Self::Mcar { .. } => "mcar",
            Self::Mar { .. } => "mar",
            Self::SelfMaskLogistic { .. } => "selfmask-logistic",
            Self::SelfMaskGaussian { .. } => "selfmask-gaussian",
            Self::SelfMaskProbit { .. } => "selfmask-probit",
            Self::Quantile { .. } => "quantile",
        }
    }

    /// The mechanism called `name` among those that take a `beta`.
    ///
    /// # Errors
    /// [`Error::Setting`] when there is none, or `beta` is out of range.
    pub fn with_beta(name: &str, beta: f64) -> Result<Self> {
        let mechanism = match name {
            "independent" => Self::Independent { beta },
            "dependent" => Self::Dependent { beta },
            _ => return Err(unknown("independent or dependent with a beta", name)),
        };
        mechanism.validate()?;
        Ok(mechanism)
    }

    /// The mechanism called `name` among those that take a `rate`.
    ///
    /// ```
    /// use gapfit::corrupt::Mechanism;
    /// let mechanism = Mechanism::with_rate("selfmask-probit", 0.5).unwrap();
    /// assert_eq!(mechanism, Mechanism::SelfMaskProbit { rate: 0.5 });
    /// ```
    ///
    /// # Errors
    /// [`Error::Setting`] when there is none, or `rate` is out of range.
    pub fn with_rate(name: &str, rate: f64) -> Result<Self> {
        let mechanism = match name {
            "mcar" => Self::Mcar { rate },
            "mar" => Self::Mar { rate },
            "selfmask-logistic" => Self::SelfMaskLogistic { rate },
            "selfmask-gaussian" => Self::SelfMaskGaussian { rate },
            "selfmask-probit" => Self::SelfMaskProbit { rate },
            "quantile" => Self::Quantile { rate },
            _ => {
                let expected = "mcar, mar, selfmask-logistic, selfmask-gaussian, \
                                selfmask-probit or quantile with a rate";
                return Err(unknown(expected, name));
            }
        };
        mechanism.validate()?;
        Ok(mechanism)
    }
}

fn unknown(expected: &'static str, name: &str) -> Error {
    Error::Setting {
        name: "mechanism",
        expected,
        got: name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_but_columns_leads_to_the_mechanism_of_that_name() {
        for name in Mechanism::NAMES {
            let found: Vec<_> = [
                Mechanism::with_beta(name, 0.5),
                Mechanism::with_rate(name, 0.5),
            ]
            .into_iter()
            .flatten()
            .collect();
            if name == "columns" {
                assert!(found.is_empty());
                assert_eq!(Mechanism::Columns { groups: vec![] }.name(), name);
            } else {
                assert_eq!(found.len(), 1);
                assert_eq!(found[0].name(), name);
            }
        }
    }

    #[test]
    fn a_wrong_name_or_number_says_what_would_do() {
        let text = |result: Result<Mechanism>| result.unwrap_err().to_string();
        assert_eq!(
            text(Mechanism::with_beta("mcar", 0.5)),
            "mechanism: expected independent or dependent with a beta, got mcar"
        );
        assert_eq!(
            text(Mechanism::with_rate("independent", 0.5)),
            "mechanism: expected mcar, mar, selfmask-logistic, selfmask-gaussian, \
             selfmask-probit or quantile with a rate, got independent"
        );
        assert_eq!(
            text(Mechanism::with_rate("mcar", 1.0)),
            "rate: expected a number from 0 up to, but not including, 1, got 1"
        );
        assert_eq!(
            text(Mechanism::with_beta("dependent", f64::NAN)),
            "beta: expected a number from 0 up to, but not including, 1, got NaN"
        );
    }
}
