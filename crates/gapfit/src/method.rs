//! What can be fitted: a base imputer, a lift of the completed row, a penalty.
//!
//! Every method of the batch half is one least-squares problem on the same statistics; they differ
//! in how holes are filled first, in what is added to the row, and in how it is penalised:
//!
//! | method | holes filled by | added to the row | penalty |
//! |---|---|---|---|
//! | `zero`, `mean`, `independent`, `gaussian` | that base | nothing | ridge |
//! | `mask` | mean | one indicator per feature with holes | ridge |
//! | `lifted` | mean | the row again for each missing feature | ridge |
//! | `irr` | any base | the row again for each missing feature | Ω |

use crate::error::Error;
use std::fmt;
use std::str::FromStr;

/// How holes are filled before anything is learnt from the target; the simplest first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Base {
    /// With zero. Under [`Scale::Standard`](crate::prepare::Scale) this is zero in the original
    /// units, otherwise zero after scaling, as in the paper.
    Zero,
    /// With the mean of the observed training values.
    #[default]
    Mean,
    /// With the least-squares prediction from the other features (paper, section 5).
    Independent,
    /// With the conditional mean given what is observed, under a normal distribution fitted to all
    /// observed training values at once.
    Gaussian,
}

/// What is fitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Method {
    /// Ridge regression on rows completed by a base.
    Impute(Base),
    /// Ridge regression on mean-completed rows and indicators of what is missing.
    Mask,
    /// Ridge regression on the lifted features `Φ`.
    Lifted,
    /// Imputed ridge regression, anchored on a base.
    Irr(Base),
}

impl Default for Method {
    fn default() -> Self {
        Self::Irr(Base::default())
    }
}

/// What a completed row is extended with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lift {
    /// Nothing.
    Plain,
    /// One indicator per feature with holes.
    Indicators,
    /// The whole row, once per feature with holes, where that feature is missing.
    Full,
}

impl Base {
    /// Every base, the simplest first.
    pub const ALL: [Self; 4] = [Self::Zero, Self::Mean, Self::Independent, Self::Gaussian];
}

impl Method {
    /// Every method, the simplest first.
    pub const ALL: [Self; 10] = [
        Self::Impute(Base::Zero),
        Self::Impute(Base::Mean),
        Self::Impute(Base::Independent),
        Self::Impute(Base::Gaussian),
        Self::Mask,
        Self::Lifted,
        Self::Irr(Base::Zero),
        Self::Irr(Base::Independent),
        Self::Irr(Base::Gaussian),
        Self::Irr(Base::Mean),
    ];

    /// How its holes are filled.
    pub fn base(self) -> Base {
        match self {
            Self::Impute(base) | Self::Irr(base) => base,
            Self::Mask | Self::Lifted => Base::Mean,
        }
    }

    /// Whether `gamma` matters to it.
    pub fn has_gamma(self) -> bool {
        matches!(self, Self::Irr(_))
    }

    pub(crate) fn lift(self) -> Lift {
        match self {
            Self::Impute(_) => Lift::Plain,
            Self::Mask => Lift::Indicators,
            Self::Lifted | Self::Irr(_) => Lift::Full,
        }
    }
}

impl fmt::Display for Base {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Zero => "zero",
            Self::Mean => "mean",
            Self::Independent => "independent",
            Self::Gaussian => "gaussian",
        })
    }
}

impl FromStr for Base {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self, Error> {
        match name {
            "zero" => Ok(Self::Zero),
            "mean" => Ok(Self::Mean),
            "independent" => Ok(Self::Independent),
            "gaussian" => Ok(Self::Gaussian),
            _ => Err(Error::Setting {
                name: "base",
                expected: "zero, mean, independent or gaussian",
                got: name.to_owned(),
            }),
        }
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Impute(base) => base.fmt(f),
            Self::Mask => f.pad("mask"),
            Self::Lifted => f.pad("lifted"),
            Self::Irr(base) => f.pad(&format!("irr:{base}")),
        }
    }
}

impl FromStr for Method {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self, Error> {
        let method = match name {
            "mask" => Some(Self::Mask),
            "lifted" => Some(Self::Lifted),
            _ => match name.strip_prefix("irr:") {
                Some(base) => base.parse().ok().map(Self::Irr),
                None => name.parse().ok().map(Self::Impute),
            },
        };
        method.ok_or_else(|| Error::Setting {
            name: "method",
            expected: "zero, mean, independent, gaussian, mask, lifted or irr:BASE",
            got: name.to_owned(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_round_trip() {
        for method in Method::ALL {
            assert_eq!(method.to_string().parse::<Method>().unwrap(), method);
        }
        assert_eq!("irr:mean".parse::<Method>().unwrap(), Method::default());
        assert!("irr:median".parse::<Method>().is_err());
        assert!("irr".parse::<Method>().is_err());
    }
}
