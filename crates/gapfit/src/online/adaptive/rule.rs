//! How a weight follows from what its entry has met.

use super::column::RICHEST;
use crate::error::{Error, Result};
use std::fmt;
use std::str::FromStr;

/// What all entries of `coin` own together at the start, in units of the largest loss of a round: little
/// enough to lose, enough to get going (docs/math.md 13.9).
const PURSE: f64 = 32.0;

/// How a weight finds its pace.
///
/// ```
/// use gapfit::online::AdaptiveRule;
/// assert_eq!("adagrad".parse::<AdaptiveRule>()?, AdaptiveRule::AdaGrad);
/// # Ok::<(), gapfit::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum AdaptiveRule {
    /// The sum of the slopes over the root of the sum of their squares.
    AdaGrad,
    /// A part of what the entry has won so far by betting on the sign of the next slope.
    #[default]
    Coin,
}

impl AdaptiveRule {
    /// The weight of an entry per unit of what it owns.
    #[inline(always)]
    pub(super) fn bet(self, sum: f64, squares: f64, largest: f64, steepest: f64) -> f64 {
        let reach = steepest * largest;
        let square = squares + reach * reach;
        // Nothing was met yet, or what was is too small for its square.
        if square == 0.0 {
            return 0.0;
        }
        match self {
            Self::AdaGrad => -sum / (square.sqrt() * largest),
            Self::Coin => {
                let inverse = 1.0 / square.sqrt();
                -0.5 * inverse * (sum * inverse).clamp(-1.0, 1.0)
            }
        }
    }

    /// What each entry owns at the start, where a purse is shared by `room` of them, slopes reach
    /// `steepest` and predictions are of the size `unit`.
    pub(super) fn stake(self, room: f64, steepest: f64, unit: f64) -> f64 {
        let stake = match self {
            Self::AdaGrad => unit / room.sqrt(),
            Self::Coin => PURSE * steepest * unit / room,
        };
        stake.min(RICHEST)
    }

    /// Whether what an entry wins is its own.
    pub(super) fn keeps_gains(self) -> bool {
        self == Self::Coin
    }
}

impl fmt::Display for AdaptiveRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::AdaGrad => "adagrad",
            Self::Coin => "coin",
        })
    }
}

impl FromStr for AdaptiveRule {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        match name {
            "adagrad" => Ok(Self::AdaGrad),
            "coin" => Ok(Self::Coin),
            _ => Err(Error::Setting {
                name: "rule",
                expected: "adagrad or coin",
                got: name.to_owned(),
            }),
        }
    }
}
