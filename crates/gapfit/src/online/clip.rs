//! Steps that would explode, clipped (docs/math.md 13.5).

use super::lazy::Measure;
use super::step::Size;
use crate::data::Observed;
use crate::loss::Loss;

/// No step changes an entry of A by more than this. There are fewer than 2⁶⁴ steps, so no entry can
/// reach 1e120, and no product of A and a row, both so bounded, can overflow.
const LONGEST: f64 = 1e100;

/// A step may not move the prediction of its own row by more than this many times the target (or 1).
const FARTHEST: f64 = 1e6;

/// Steps against larger gradients are always clipped: divided by one of them, anything vanishes.
const STEEPEST: f64 = 1e200;

/// A row to learn from: its values divided by `unit`, a power of two.
pub(crate) struct Row<'a> {
    pub(crate) x: &'a [f64],
    pub(crate) observed: Observed<'a>,
    pub(crate) unit: f64,
    pub(crate) measure: Measure,
    pub(crate) prediction: f64,
}

/// Why a step was clipped.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Clip {
    /// It was not.
    None,
    /// It would have made the loss on its own row larger, and the next step longer.
    Overshoot,
    /// It would have moved the prediction or the weights out of all proportion.
    Extreme,
}

/// What a step must not overshoot.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Goal {
    pub(crate) loss: Loss,
    pub(crate) target: f64,
    /// Whether nothing else, such as a ball, holds the weights back.
    pub(crate) is_free: bool,
}

impl Row<'_> {
    /// The size of the gradient of a loss with this slope, in the dual norm of the regulariser.
    pub(crate) fn gradient(&self, slope: f64) -> f64 {
        slope.abs() * self.measure.dual_squared.sqrt() * self.unit
    }

    /// What the row says about the length of its step, for a loss with this slope.
    pub(crate) fn size(&self, loss: Loss, slope: f64) -> Size {
        Size {
            gradient: self.gradient(slope),
            square: self.measure.dual_squared * self.unit * self.unit,
            curvature: loss.curvature(),
        }
    }

    /// The rate of a step of length `eta` against this slope, in units of the row, clipped.
    pub(crate) fn clip(&self, eta: f64, slope: f64, goal: Goal) -> (f64, Clip) {
        let Measure {
            dual_squared,
            x_squared,
            ..
        } = self.measure;
        if dual_squared == 0.0 {
            // ψ(z) is zero, and so is the step; but the stored numbers would round on the way.
            return (0.0, Clip::None);
        }
        let rate = (eta * slope).clamp(-1e300, 1e300) * self.unit;
        let movement = rate.abs() * dual_squared * self.unit;
        let best = goal.loss.distance_to_best(self.prediction, goal.target);
        let farthest = FARTHEST * goal.target.abs().max(1.0);
        // Squares may underflow, and then say nothing about the length of x below 1e-150.
        let longest = LONGEST / x_squared.max(1e-300).sqrt();
        let is_steep = self.gradient(slope) > STEEPEST;
        let clip = if movement > farthest || rate.abs() > longest || is_steep {
            Clip::Extreme
        } else if goal.is_free && goal.loss.is_curved() && movement > 2.0 * best {
            Clip::Overshoot
        } else {
            return (rate, Clip::None);
        };
        let clipped = best.min(farthest) / (dual_squared * self.unit);
        (clipped.min(longest).copysign(slope), clip)
    }
}
