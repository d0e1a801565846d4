//! Supports by name, for the command line.

use super::Support;
use crate::data::MaskedMatrix;
use crate::error::{Error, Result};
use std::fmt;
use std::str::FromStr;

/// How a support is found, as named on a command line; a list of edges is text of its own, see
/// [`Support::edges`].
///
/// ```
/// use gapfit::support::SupportRule;
/// assert_eq!("grid=8x8".parse::<SupportRule>()?, SupportRule::Grid(8, 8));
/// assert_eq!("corr=.2".parse::<SupportRule>()?, SupportRule::Correlation(0.2));
/// # Ok::<(), gapfit::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum SupportRule {
    /// Every pair.
    #[default]
    Full,
    /// No pair: when a feature is missing the constant alone may shift.
    Constant,
    /// Pairs whose correlation on a sample reaches this in size.
    Correlation(f64),
    /// Neighbouring pixels of an image of this height and width.
    Grid(usize, usize),
    /// For each feature so many others: those that say most where it is missing, by their correlation on
    /// a sample.
    Top(usize),
}

impl SupportRule {
    /// The support of the columns of `sample`.
    ///
    /// # Errors
    /// [`Error::Setting`] when the threshold is not in [0, 1]; [`Error::Shape`] when the image has
    /// not as many pixels as the sample has columns.
    pub fn build(self, sample: &MaskedMatrix) -> Result<Support> {
        let support = match self {
            Self::Full => Support::full(),
            Self::Constant => Support::none(sample.n_cols()),
            Self::Correlation(threshold) => Support::correlated(sample, threshold)?,
            Self::Top(m) => Support::top(sample, m),
            Self::Grid(height, width) => {
                self.check(sample.n_cols())?;
                Support::grid(height, width)
            }
        };
        Ok(support)
    }

    /// Whether it looks at values.
    pub fn needs_sample(self) -> bool {
        matches!(self, Self::Correlation(_) | Self::Top(_))
    }

    /// Refuses an image of another number of pixels than there are features.
    pub(super) fn check(self, n_features: usize) -> Result<()> {
        match self {
            Self::Grid(height, width) if height.checked_mul(width) != Some(n_features) => {
                Err(Error::Shape {
                    what: "pixels of the grid",
                    expected: n_features,
                    got: height.saturating_mul(width),
                })
            }
            _ => Ok(()),
        }
    }

    pub(super) fn validate(self) -> Result<()> {
        match self {
            Self::Correlation(threshold) if !(0.0..=1.0).contains(&threshold) => {
                Err(Error::Setting {
                    name: "support",
                    expected: "corr=R with a number R from 0 to 1",
                    got: threshold.to_string(),
                })
            }
            _ => Ok(()),
        }
    }
}

impl fmt::Display for SupportRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Full => f.pad("full"),
            Self::Constant => f.pad("constant"),
            Self::Correlation(threshold) => f.pad(&format!("corr={threshold}")),
            Self::Grid(height, width) => f.pad(&format!("grid={height}x{width}")),
            Self::Top(m) => f.pad(&format!("top={m}")),
        }
    }
}

impl FromStr for SupportRule {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        let grid = |size: &str| {
            let (height, width) = size.split_once('x')?;
            Some(Self::Grid(height.parse().ok()?, width.parse().ok()?))
        };
        let correlation = |threshold: &str| threshold.parse().ok().map(Self::Correlation);
        let rule = match name.split_once('=') {
            None if name == "full" => Some(Self::Full),
            None if name == "constant" => Some(Self::Constant),
            Some(("corr", threshold)) => correlation(threshold),
            Some(("grid", size)) => grid(size),
            Some(("top", m)) => m.parse().ok().map(Self::Top),
            _ => None,
        };
        let rule = rule.ok_or_else(|| Error::Setting {
            name: "support",
            expected: "full, constant, top=M, corr=R or grid=HxW",
            got: name.to_owned(),
        })?;
        rule.validate()?;
        Ok(rule)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_round_trip_and_wrong_ones_say_what_would_do() {
        for name in ["full", "constant", "corr=0.2", "grid=8x8", "top=20"] {
            assert_eq!(name.parse::<SupportRule>().unwrap().to_string(), name);
        }
        for wrong in [
            "", "corr", "corr=2", "corr=x", "grid=8", "grid=8x", "edges", "top=", "top=-1",
        ] {
            let error = wrong.parse::<SupportRule>().unwrap_err().to_string();
            assert!(error.starts_with("support: expected "), "{error}");
        }
        let sample = MaskedMatrix::new(4);
        assert!(SupportRule::Grid(2, 2).build(&sample).is_ok());
        let error = SupportRule::Grid(2, 3).build(&sample).unwrap_err();
        assert_eq!(error.to_string(), "pixels of the grid: expected 4, got 6");
        assert!(SupportRule::Grid(usize::MAX, 2).build(&sample).is_err());
    }
}
