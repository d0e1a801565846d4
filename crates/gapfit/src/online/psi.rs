//! ψ: the functions of the mask that a hypothesis `f = <A ψ(z), x'>` may use (paper 3.1).
//!
//! | ψ | entries | A |
//! |---|---|---|
//! | `constant` | 1 | d x 1: one weight vector, blind to the mask |
//! | `identity` | z | d x d: paper 3.1.2, 3.1.4 |
//! | `affine` | (1, 1 - z) | d x (d+1): weights, and how each hole shifts them |
//! | `subsets=p` | 1 where all of a subset of at most p features is observed | d x ΣC(d,i): paper 3.1.3 |
//! | `pattern=n` | 1 at the number of the mask | one weight vector per mask: paper, Proposition 1 |
//!
//! A column of A is *active* for a mask when its entry of ψ is 1.

use crate::error::{Error, Result};
use std::fmt;
use std::str::FromStr;

/// Patterns that are told apart unless a number is given.
const PATTERNS: usize = 4096;

/// Which function of the mask the weights are linear in.
///
/// ```
/// use gapfit::online::MaskFeatures;
/// assert_eq!("subsets=2".parse::<MaskFeatures>()?, MaskFeatures::Subsets(2));
/// assert_eq!(MaskFeatures::default().to_string(), "affine");
/// # Ok::<(), gapfit::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum MaskFeatures {
    /// 1: the same weights whatever is missing.
    Constant,
    /// z.
    Identity,
    /// (1, 1 - z).
    #[default]
    Affine,
    /// One entry per subset of at most this many features: 1 when all of it is observed.
    Subsets(usize),
    /// One entry per mask. The complete mask and this many others, in the order in which they are
    /// learnt from, have weights of their own; all further masks share one weight vector.
    Pattern(usize),
}

impl MaskFeatures {
    /// The number of subsets of at most `p` of `d` features, without the empty one.
    ///
    /// ```
    /// assert_eq!(gapfit::online::MaskFeatures::count_subsets(64, 2), 64 + 64 * 63 / 2);
    /// ```
    pub fn count_subsets(d: usize, p: usize) -> u128 {
        let mut of_size = 1u128;
        let mut total = 0u128;
        for i in 0..p.min(d) {
            // C(d, i+1) = C(d, i) (d-i) / (i+1), exactly; saturated counts are refused anyway.
            let Some(product) = of_size.checked_mul((d - i) as u128) else {
                return u128::MAX;
            };
            of_size = product / (i as u128 + 1);
            total = total.saturating_add(of_size);
        }
        total
    }

    /// Checks the number in `subsets=p` and `pattern=n`.
    ///
    /// # Errors
    /// [`Error::Setting`] when it is 0.
    pub fn validate(self) -> Result<()> {
        match self {
            Self::Subsets(0) | Self::Pattern(0) => Err(Error::Setting {
                name: "psi",
                expected: "subsets=P or pattern=N with a number of at least 1",
                got: self.to_string(),
            }),
            _ => Ok(()),
        }
    }

    /// Whether a complete row adds up all columns of A, not one of them.
    pub(crate) fn is_coupled(self) -> bool {
        matches!(self, Self::Identity | Self::Subsets(_))
    }
}

impl fmt::Display for MaskFeatures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Constant => f.pad("constant"),
            Self::Identity => f.pad("identity"),
            Self::Affine => f.pad("affine"),
            Self::Subsets(p) => f.pad(&format!("subsets={p}")),
            Self::Pattern(n) => f.pad(&format!("pattern={n}")),
        }
    }
}

impl FromStr for MaskFeatures {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        let number = |prefix: &str| name.strip_prefix(prefix)?.parse().ok();
        let psi = match name {
            "constant" => Some(Self::Constant),
            "identity" => Some(Self::Identity),
            "affine" => Some(Self::Affine),
            "pattern" => Some(Self::Pattern(PATTERNS)),
            _ => number("subsets=")
                .map(Self::Subsets)
                .or_else(|| number("pattern=").map(Self::Pattern)),
        };
        let psi = psi.ok_or_else(|| Error::Setting {
            name: "psi",
            expected: "constant, identity, affine, subsets=P, pattern or pattern=N",
            got: name.to_owned(),
        })?;
        psi.validate()?;
        Ok(psi)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_round_trip_and_wrong_ones_say_what_would_do() {
        for name in ["constant", "identity", "affine", "subsets=3", "pattern=7"] {
            assert_eq!(name.parse::<MaskFeatures>().unwrap().to_string(), name);
        }
        let patterns = "pattern".parse::<MaskFeatures>().unwrap();
        assert_eq!(patterns, MaskFeatures::Pattern(PATTERNS));
        for wrong in [
            "",
            "linear",
            "subsets",
            "subsets=",
            "subsets=0",
            "pattern=0",
            "pattern=-1",
        ] {
            let text = wrong.parse::<MaskFeatures>().unwrap_err().to_string();
            assert!(
                text.starts_with("psi: expected ") && text.ends_with(wrong),
                "{text}"
            );
        }
    }

    #[test]
    fn subsets_are_counted_without_overflow() {
        assert_eq!(MaskFeatures::count_subsets(5, 5), 31);
        assert_eq!(MaskFeatures::count_subsets(5, 9), 31);
        assert_eq!(MaskFeatures::count_subsets(0, 2), 0);
        assert_eq!(MaskFeatures::count_subsets(100, 3), 100 + 4950 + 161_700);
        assert_eq!(MaskFeatures::count_subsets(10_000, 5_000), u128::MAX);
    }
}
