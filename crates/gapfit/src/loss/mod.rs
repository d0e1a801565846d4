//! Losses of a prediction `p` against a target `y`: value, derivative, conjugate, and the constants that
//! regret bounds ask for. All are convex in `p` (docs/math.md 13.1).
//!
//! | loss | value | targets |
//! |---|---|---|
//! | `squared` | (p - y)² | numbers |
//! | `huber=H` | (p - y)² up to \|p - y\| = H, then 2H\|p - y\| - H² | numbers |
//! | `absolute` | \|p - y\| | numbers |
//! | `eps-insensitive=E` | max(0, \|p - y\| - E) | numbers |
//! | `hinge` | max(0, 1 - yp) | -1, 1 |
//! | `squared-hinge` | max(0, 1 - yp)² | -1, 1 |
//! | `logistic` | ln(1 + exp(-yp)) | -1, 1 |
//! | `linear` | -yp | numbers |
//!
//! Finite arguments give finite results: what would overflow saturates. The exponential and the
//! logarithm are those of the crate `libm`, so results are the same bits on every machine.

mod conjugate;
mod many;
mod name;

pub(crate) use many::{Derivatives, exponentials};

use crate::error::{Error, Result};

/// What a wrong prediction costs.
///
/// ```
/// use gapfit::loss::Loss;
/// let loss: Loss = "hinge".parse()?;
/// assert_eq!(loss.value(0.25, 1.0), 0.75);
/// assert_eq!(loss.derivative(0.25, 1.0), -1.0);
/// assert_eq!(loss.lipschitz(10.0, 1.0), 1.0);
/// # Ok::<(), gapfit::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Loss {
    /// (p - y)².
    #[default]
    Squared,
    /// (p - y)² for errors up to this H, from there on straight.
    Huber(f64),
    /// |p - y|.
    Absolute,
    /// max(0, |p - y| - ε) for this ε.
    EpsInsensitive(f64),
    /// max(0, 1 - yp), for y = ±1.
    Hinge,
    /// max(0, 1 - yp)², for y = ±1.
    SquaredHinge,
    /// ln(1 + exp(-yp)), for y = ±1.
    Logistic,
    /// -yp.
    Linear,
}

impl Loss {
    /// One of each kind.
    pub const ALL: [Self; 8] = [
        Self::Squared,
        Self::Huber(0.5),
        Self::Absolute,
        Self::EpsInsensitive(0.1),
        Self::Hinge,
        Self::SquaredHinge,
        Self::Logistic,
        Self::Linear,
    ];

    /// The loss of a prediction.
    pub fn value(self, prediction: f64, target: f64) -> f64 {
        let value = match self {
            Self::Squared => (prediction - target).powi(2),
            Self::Huber(h) => {
                let off = (prediction - target).abs();
                let near = off.min(h);
                near * (near + 2.0 * (off - near))
            }
            Self::Absolute => (prediction - target).abs(),
            Self::EpsInsensitive(eps) => ((prediction - target).abs() - eps).max(0.0),
            Self::Hinge => (1.0 - target * prediction).max(0.0),
            Self::SquaredHinge => (1.0 - target * prediction).max(0.0).powi(2),
            Self::Logistic => logistic(prediction, target).0,
            Self::Linear => -target * prediction,
        };
        saturate(value)
    }

    /// The derivative of the loss in the prediction; at a kink the element of smallest size.
    pub fn derivative(self, prediction: f64, target: f64) -> f64 {
        let residual = prediction - target;
        let slack = 1.0 - target * prediction;
        let derivative = match self {
            Self::Squared => 2.0 * residual,
            Self::Huber(h) => 2.0 * residual.clamp(-h, h),
            Self::Absolute if residual == 0.0 => 0.0,
            Self::Absolute => residual.signum(),
            Self::EpsInsensitive(eps) if residual.abs() <= eps => 0.0,
            Self::EpsInsensitive(_) => residual.signum(),
            Self::Hinge | Self::SquaredHinge if slack <= 0.0 => 0.0,
            Self::Hinge => -target,
            Self::SquaredHinge => -2.0 * target * slack,
            Self::Logistic => logistic(prediction, target).1,
            Self::Linear => -target,
        };
        saturate(derivative)
    }

    /// Value and derivative, as the two functions give them, for the price of one.
    pub(crate) fn value_and_derivative(self, prediction: f64, target: f64) -> (f64, f64) {
        match self {
            Self::Logistic => {
                let (value, derivative) = logistic(prediction, target);
                (saturate(value), saturate(derivative))
            }
            _ => (
                self.value(prediction, target),
                self.derivative(prediction, target),
            ),
        }
    }

    /// The largest size of the derivative over predictions and targets of at most these sizes.
    ///
    /// The squared losses have a finite one only while predictions are bounded, as on a ball.
    pub fn lipschitz(self, prediction: f64, target: f64) -> f64 {
        match self {
            Self::Squared => 2.0 * (prediction + target),
            Self::Huber(h) => 2.0 * h.min(prediction + target),
            Self::Absolute | Self::EpsInsensitive(_) => 1.0,
            Self::Hinge | Self::Linear => target,
            Self::SquaredHinge => 2.0 * target * (1.0 + target * prediction),
            Self::Logistic => target / (1.0 + libm::exp(-target * prediction)),
        }
    }

    /// How far the prediction is from the nearest one without a better; infinite where there is none.
    pub(crate) fn distance_to_best(self, prediction: f64, target: f64) -> f64 {
        let residual = saturate((prediction - target).abs());
        match self {
            Self::Squared | Self::Huber(_) | Self::Absolute => residual,
            Self::EpsInsensitive(eps) => (residual - eps).max(0.0),
            Self::Hinge | Self::SquaredHinge => (1.0 - target * prediction).max(0.0),
            Self::Logistic | Self::Linear => f64::INFINITY,
        }
    }

    /// The largest curvature; 1 for the losses that have none, so that it can be a unit.
    pub(crate) fn curvature(self) -> f64 {
        match self {
            Self::Squared | Self::Huber(_) | Self::SquaredHinge => 2.0,
            Self::Logistic => 0.25,
            Self::Absolute | Self::EpsInsensitive(_) | Self::Hinge | Self::Linear => 1.0,
        }
    }

    /// The second derivative in the prediction; at a jump of the first one the larger of both sides.
    /// On the straight part of [`Self::Huber`] a little is left, so that a Newton step has a length.
    pub(crate) fn bend(self, prediction: f64, target: f64) -> f64 {
        let off = (prediction - target).abs();
        match self {
            Self::Huber(h) if off > h => STRAIGHT * 2.0 * h / off,
            Self::Squared | Self::Huber(_) => 2.0,
            Self::SquaredHinge if target * prediction > 1.0 => 0.0,
            Self::SquaredHinge => 2.0,
            Self::Logistic => {
                let exp = libm::exp(-(target * prediction).abs());
                exp / ((1.0 + exp) * (1.0 + exp))
            }
            Self::Absolute | Self::EpsInsensitive(_) | Self::Hinge | Self::Linear => 0.0,
        }
    }

    /// Whether a batch fit can minimise it: convex, with a continuous derivative.
    pub fn is_smooth(self) -> bool {
        matches!(
            self,
            Self::Squared | Self::Huber(_) | Self::SquaredHinge | Self::Logistic
        )
    }

    /// Whether no prediction has a loss below zero.
    pub(crate) fn is_nonnegative(self) -> bool {
        self != Self::Linear
    }

    /// Whether the slope grows without bound, so that steps that are too long feed on themselves.
    pub(crate) fn is_curved(self) -> bool {
        matches!(self, Self::Squared | Self::SquaredHinge)
    }

    /// Whether targets are the two classes -1 and 1.
    pub fn is_classification(self) -> bool {
        matches!(self, Self::Hinge | Self::SquaredHinge | Self::Logistic)
    }

    /// Whether targets are numbers that predictions are to come near, in the same unit.
    pub(crate) fn has_unit(self) -> bool {
        matches!(
            self,
            Self::Squared | Self::Huber(_) | Self::Absolute | Self::EpsInsensitive(_)
        )
    }

    /// Checks the ε of [`Self::EpsInsensitive`] and the H of [`Self::Huber`].
    ///
    /// # Errors
    /// [`Error::Setting`] when ε is negative, H not positive, or one of them not finite.
    pub fn validate(self) -> Result<()> {
        match self {
            Self::EpsInsensitive(eps) if !(eps >= 0.0 && eps.is_finite()) => Err(Error::Setting {
                name: "loss",
                expected: "eps-insensitive=E with a finite number E that is not negative",
                got: eps.to_string(),
            }),
            Self::Huber(h) if !(h > 0.0 && h.is_finite()) => Err(Error::Setting {
                name: "loss",
                expected: "huber=H with a finite number H above 0",
                got: h.to_string(),
            }),
            _ => Ok(()),
        }
    }
}

/// What is left of the curvature `2H/|p - y|` of a parabola that touches the Huber loss on both sides.
const STRAIGHT: f64 = 1e-3;

/// The logistic loss and its derivative, without overflow, and without losing small values to the 1.
fn logistic(prediction: f64, target: f64) -> (f64, f64) {
    let margin = target * prediction;
    let exp = libm::exp(-margin.abs());
    let value = (-margin).max(0.0) + libm::log1p(exp);
    let share = if margin > 0.0 { exp } else { 1.0 };
    (value, -target * share / (1.0 + exp))
}

fn saturate(x: f64) -> f64 {
    x.clamp(f64::MIN, f64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn target(loss: Loss, y: f64) -> f64 {
        if loss.is_classification() {
            y.signum()
        } else {
            y
        }
    }

    fn losses() -> impl Strategy<Value = Loss> {
        prop::sample::select(Loss::ALL.to_vec())
    }

    proptest! {
        #[test]
        fn derivative_is_the_finite_difference(loss in losses(), p in -9.0..9.0f64, y in -4.0..4.0f64) {
            let y = target(loss, y);
            let kinks = [y, y - 0.1, y + 0.1, 1.0, -1.0];
            prop_assume!(kinks.iter().all(|kink| (p - kink).abs() > 1e-5));
            let step = 1e-6;
            let slope = (loss.value(p + step, y) - loss.value(p - step, y)) / (2.0 * step);
            prop_assert!((slope - loss.derivative(p, y)).abs() < 1e-6, "{loss}");
        }

        #[test]
        fn the_derivative_supports_the_loss_from_below(
            loss in losses(), p in -9.0..9.0f64, q in -9.0..9.0f64, y in -4.0..4.0f64,
        ) {
            let y = target(loss, y);
            let tangent = loss.value(p, y) + loss.derivative(p, y) * (q - p);
            prop_assert!(loss.value(q, y) >= tangent - 1e-12 * (1.0 + tangent.abs()), "{loss}");
        }

        #[test]
        fn the_lipschitz_constant_bounds_the_derivative_and_is_attained(
            loss in losses(), p in -9.0..9.0f64, y in -4.0..4.0f64,
        ) {
            let y = target(loss, y);
            let bound = loss.lipschitz(9.0, y.abs());
            prop_assert!(loss.derivative(p, y).abs() <= bound * (1.0 + 1e-15), "{loss}");
            let attained = loss.derivative(-9.0 * y.signum(), y).abs();
            prop_assert!((attained - bound).abs() <= 1e-12 * bound, "{loss}: {attained} {bound}");
        }

        #[test]
        fn no_prediction_nearby_is_better_at_the_best_distance(
            loss in losses(), p in -9.0..9.0f64, y in -4.0..4.0f64,
        ) {
            let y = target(loss, y);
            let distance = loss.distance_to_best(p, y);
            if distance.is_finite() {
                let best = p - distance * loss.derivative(p, y).signum();
                prop_assert!(loss.value(best, y) < 1e-14, "{loss}: {best}");
            } else {
                prop_assert!(loss.derivative(p, y) != 0.0 || y == 0.0, "{loss}");
            }
        }
    }

    #[test]
    fn huge_arguments_give_finite_numbers() {
        for loss in Loss::ALL {
            for p in [-1e308, -800.0, 0.0, 1e-308, 800.0, 1e308] {
                for y in [-1e308, -1.0, 1.0, 1e308] {
                    let y = target(loss, y);
                    for number in [loss.value(p, y), loss.derivative(p, y)] {
                        assert!(number.is_finite(), "{loss} {p:e} {y:e}: {number}");
                    }
                    assert!(!loss.distance_to_best(p, y).is_nan());
                }
            }
        }
    }

    #[test]
    fn logistic_keeps_its_digits_in_both_tails() {
        assert!((Loss::Logistic.value(-800.0, 1.0) - 800.0).abs() < 1e-12);
        let small = Loss::Logistic.value(40.0, 1.0);
        assert!((small / (-40f64).exp() - 1.0).abs() < 1e-12, "{small:e}");
    }
}
