//! How long the steps of mirror descent are (paper, Theorem 1; docs/math.md 13.3).

use crate::error::{Error, Result};
use std::fmt;
use std::str::FromStr;

/// Settings and weights beyond this size are refused: products of them stay finite.
const LARGEST: f64 = 1e100;

/// The step length `η_t`.
///
/// | step | `η_t` | regret, for gradients of at most G and comparators of at most R |
/// |---|---|---|
/// | `Constant` | eta | `R²/(2 eta) + eta G²T/2` |
/// | `Horizon` | R/(G√T) | `R G √T` (the paper proves `3 R G √T`) |
/// | `Anytime` | R/(G√t) | `3 R G √T` at every T, on the ball of radius R |
/// | `Relative` | `rate/(c m_t)` | that of `Constant`, once `m_t` has settled |
///
/// `Relative` is free of units: c is the largest curvature of the loss (1 where it has none) and `m_t` the
/// mean of `‖x ψ(z)ᵀ‖²` so far, so that a step with rate 1 goes about as far as the loss on its own row
/// can bear.
///
/// R is measured in the norm of the regulariser, G in its dual ([`Mirror`](super::Mirror)).
///
/// ```
/// use gapfit::online::Step;
/// assert!(Step::Constant { eta: 0.1 }.validate().is_ok());
/// assert!(Step::Constant { eta: 0.0 }.validate().is_err());
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Step {
    /// The same for ever.
    Constant {
        /// Its length.
        eta: f64,
    },
    /// The same for a known number of rounds.
    Horizon {
        /// Size R of the comparator.
        radius: f64,
        /// Bound G on the size of the gradients.
        gradient: f64,
        /// Number T of rounds.
        rounds: u64,
    },
    /// Decreasing, for any number of rounds.
    Anytime {
        /// Size R of the comparator.
        radius: f64,
        /// Bound G on the size of the gradients; `None` takes the largest one seen so far.
        gradient: Option<f64>,
    },
    /// In units of the rows.
    Relative {
        /// How far, 1 being about as far as is sensible.
        rate: f64,
    },
}

impl Default for Step {
    fn default() -> Self {
        Self::Constant { eta: 0.01 }
    }
}

impl Step {
    /// Checks the ranges of the settings.
    ///
    /// # Errors
    /// [`Error::Setting`] when a number is not positive or beyond 1e100.
    pub fn validate(self) -> Result<()> {
        match self {
            Self::Constant { eta } => positive("eta", eta),
            Self::Horizon {
                radius,
                gradient,
                rounds,
            } => {
                positive("radius", radius)?;
                positive("gradient", gradient)?;
                positive("rounds", rounds as f64)
            }
            Self::Anytime { radius, gradient } => {
                positive("radius", radius)?;
                positive("gradient", gradient.unwrap_or(1.0))
            }
            Self::Relative { rate } => positive("rate", rate),
        }
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = match self {
            Self::Constant { eta } => format!("eta={eta}"),
            Self::Horizon {
                radius,
                gradient,
                rounds,
            } => {
                format!("horizon={radius},{gradient},{rounds}")
            }
            Self::Anytime {
                radius,
                gradient: None,
            } => format!("anytime={radius}"),
            Self::Anytime {
                radius,
                gradient: Some(gradient),
            } => {
                format!("anytime={radius},{gradient}")
            }
            Self::Relative { rate } => format!("relative={rate}"),
        };
        f.pad(&text)
    }
}

impl FromStr for Step {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        let parse = || {
            let (kind, numbers) = name.split_once('=')?;
            let numbers: Vec<_> = numbers.split(',').collect();
            let step = match (kind, &numbers[..]) {
                ("eta", [eta]) => Self::Constant {
                    eta: eta.parse().ok()?,
                },
                ("horizon", [radius, gradient, rounds]) => Self::Horizon {
                    radius: radius.parse().ok()?,
                    gradient: gradient.parse().ok()?,
                    rounds: rounds.parse().ok()?,
                },
                ("anytime", [radius]) => Self::Anytime {
                    radius: radius.parse().ok()?,
                    gradient: None,
                },
                ("anytime", [radius, gradient]) => Self::Anytime {
                    radius: radius.parse().ok()?,
                    gradient: Some(gradient.parse().ok()?),
                },
                ("relative", [rate]) => Self::Relative {
                    rate: rate.parse().ok()?,
                },
                _ => return None,
            };
            Some(step)
        };
        let step = parse().ok_or_else(|| Error::Setting {
            name: "step",
            expected: "eta=X, horizon=R,G,T, anytime=R, anytime=R,G or relative=X",
            got: name.to_owned(),
        })?;
        step.validate()?;
        Ok(step)
    }
}

/// Refuses a number that is not positive or so large that products with it might overflow.
pub(crate) fn positive(name: &'static str, value: f64) -> Result<()> {
    if value > 0.0 && value <= LARGEST {
        return Ok(());
    }
    Err(Error::Setting {
        name,
        expected: "a positive number up to 1e100",
        got: value.to_string(),
    })
}

/// What a step length remembers of the rounds so far.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Pace {
    /// Rounds learnt from.
    pub(crate) rounds: u64,
    /// The largest gradient, in the dual norm of the regulariser.
    pub(crate) largest: f64,
    /// The mean of `‖x ψ(z)ᵀ‖²` over the rounds.
    pub(crate) mean_square: f64,
}

/// What a round says about how long its step should be, in the dual norm of the regulariser.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Size {
    /// The size of the gradient.
    pub(crate) gradient: f64,
    /// `‖x ψ(z)ᵀ‖²`.
    pub(crate) square: f64,
    /// The largest curvature of the loss.
    pub(crate) curvature: f64,
}

impl Pace {
    /// Counts a round of this size; returns its step length.
    pub(crate) fn next(&mut self, step: Step, size: Size) -> f64 {
        self.rounds += 1;
        self.largest = self.largest.max(size.gradient.min(f64::MAX));
        let square = size.square.min(f64::MAX);
        self.mean_square += (square - self.mean_square) / self.rounds as f64;
        match step {
            Step::Constant { eta } => eta,
            Step::Horizon {
                radius,
                gradient,
                rounds,
            } => radius / (gradient * (rounds as f64).sqrt()),
            Step::Anytime { radius, gradient } => {
                // Without a gradient so far there is nothing to multiply the step by.
                let gradient = gradient.unwrap_or(self.largest).max(f64::MIN_POSITIVE);
                (radius / (gradient * (self.rounds as f64).sqrt())).min(LARGEST)
            }
            Step::Relative { rate } => {
                let square = self.mean_square.max(f64::MIN_POSITIVE);
                (rate / size.curvature / square).min(LARGEST)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(gradient: f64) -> Size {
        Size {
            gradient,
            ..Size::default()
        }
    }

    #[test]
    fn relative_steps_do_not_depend_on_the_unit_of_the_rows() {
        let mut pace = Pace::default();
        let step = Step::Relative { rate: 0.5 };
        let size = |square| Size {
            square,
            curvature: 2.0,
            ..Size::default()
        };
        assert!((pace.next(step, size(8.0)) * 8.0 - 0.25).abs() < 1e-15);
        assert!((pace.next(step, size(24.0)) * 16.0 - 0.25).abs() < 1e-15);
        assert!(Pace::default().next(step, size(0.0)).is_finite());
    }

    #[test]
    fn steps_follow_the_theorem() {
        let mut pace = Pace::default();
        let horizon = Step::Horizon {
            radius: 6.0,
            gradient: 2.0,
            rounds: 9,
        };
        assert!((pace.next(horizon, of(1.0)) - 1.0).abs() < 1e-15);
        let anytime = Step::Anytime {
            radius: 6.0,
            gradient: Some(1.5),
        };
        pace.rounds = 3;
        assert!((pace.next(anytime, of(1.0)) - 2.0).abs() < 1e-15);
    }

    #[test]
    fn without_a_bound_the_largest_gradient_so_far_is_taken() {
        let mut pace = Pace::default();
        let step = Step::Anytime {
            radius: 1.0,
            gradient: None,
        };
        let lengths: Vec<_> = [0.0, 4.0, 1.0, 1.0]
            .map(|g| pace.next(step, of(g)))
            .to_vec();
        assert!(lengths[0].is_finite());
        assert!((lengths[3] - 1.0 / 8.0).abs() < 1e-15);
        assert!(lengths.windows(2).all(|w| w[1] <= w[0]), "never longer");
    }

    #[test]
    fn names_round_trip_and_wrong_ones_say_what_would_do() {
        for name in [
            "eta=0.1",
            "horizon=2,0.5,1000",
            "anytime=3",
            "anytime=3,0.1",
            "relative=0.25",
        ] {
            assert_eq!(name.parse::<Step>().unwrap().to_string(), name);
        }
        for wrong in [
            "",
            "eta",
            "eta=x",
            "eta=1,2",
            "horizon=1,1",
            "horizon=1,1,0.5",
            "eta=0",
        ] {
            assert!(wrong.parse::<Step>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn settings_out_of_range_are_refused() {
        for eta in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e101] {
            assert!(Step::Constant { eta }.validate().is_err());
            let step = Step::Anytime {
                radius: eta,
                gradient: None,
            };
            assert!(step.validate().is_err());
        }
        let never = Step::Horizon {
            radius: 1.0,
            gradient: 1.0,
            rounds: 0,
        };
        assert_eq!(
            never.validate().unwrap_err().to_string(),
            "rounds: expected a positive number up to 1e100, got 0"
        );
    }
}
