//! How a weight follows from what its entry has met.

use super::column::RICHEST;
use crate::error::{Error, Result};
use std::fmt;
use std::str::FromStr;

/// What all entries of `coin` own together at the start, in units of the largest loss of a round: little
/// enough to lose, enough to get going (docs/math.md 13.9).
const PURSE: f64 = 32.0;

/// Smaller squares count as nothing.
const SMALLEST: f64 = 1e-300;

/// Smaller values count as nothing: their squares do.
const TINY: f64 = 1e-150;

/// The largest value of a feature so far, and 1 over it (0 where there was none).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Largest {
    pub(super) value: f64,
    pub(super) inverse: f64,
}

impl Largest {
    pub(super) fn of(value: f64) -> Self {
        Self {
            value,
            inverse: if value > TINY { 1.0 / value } else { 0.0 },
        }
    }
}

/// `1/√x` for positive x, to about two units in the last place, by four steps of Newton's method: several
/// times faster than a root and a quotient, and the same bits on every machine.
#[inline(always)]
fn inverse_root(x: f64) -> f64 {
    // Halving the exponent and a constant that makes up for the rest: 3.4 % off at most.
    let mut y = f64::from_bits(0x5FE6_EB50_C7B5_37A9_u64.wrapping_sub(x.to_bits() >> 1));
    for _ in 0..4 {
        y *= 1.5 - 0.5 * x * y * y;
    }
    y
}

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
    /// The weight of an entry per unit of what it owns; zero while nothing was met, or nothing but what
    /// is too small for its square.
    #[inline(always)]
    pub(super) fn bet(self, sum: f64, squares: f64, of: Largest, steepest: f64) -> f64 {
        let reach = steepest * of.value;
        let square = squares + reach * reach;
        let inverse = inverse_root(square);
        let bet = match self {
            Self::AdaGrad => -sum * inverse * of.inverse,
            Self::Coin => -0.5 * inverse * (sum * inverse).clamp(-1.0, 1.0),
        };
        if square >= SMALLEST { bet } else { 0.0 }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_inverse_root_is_one() {
        for k in -2900..3000 {
            let x = f64::powf(10.0, f64::from(k) / 10.0);
            let off = inverse_root(x) * x.sqrt() - 1.0;
            assert!(off.abs() < 1e-15, "{x:e}: {off:e}");
        }
    }

    #[test]
    fn nothing_met_is_no_bet() {
        for rule in [AdaptiveRule::AdaGrad, AdaptiveRule::Coin] {
            let bet = rule.bet(0.0, 0.0, Largest::default(), 1.0);
            assert!(bet == 0.0 && !bet.is_nan());
        }
    }
}
