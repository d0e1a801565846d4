//! The part of the objective that the rows make, as the solver sees it.

use super::blocks::Hessian;
use super::certificate::Certificate;
use crate::error::Result;

/// A convex function of the unknowns, with what a Newton method and a certificate ask of it.
pub(crate) trait Risk {
    /// What is known of it at a point.
    type At;

    /// The minimiser of a quadratic above this part plus `penalty`, or nearly: where to start.
    fn start(&self, penalty: &[Hessian<'_>]) -> Vec<f64>;

    /// This part at v.
    fn at(&self, v: &[f64]) -> Self::At;

    /// Its value.
    fn value(&self, at: &Self::At) -> f64;

    /// Half its negative gradient, laid out like v.
    fn pull<'s>(&self, at: &'s Self::At) -> &'s [f64];

    /// The solution x of `(Hessian of this part + penalty) x = rhs`, near enough for a Newton step.
    fn direction(&self, at: &Self::At, penalty: &[Hessian<'_>], rhs: &[f64]) -> Result<Vec<f64>>;

    /// How the value changes along a direction, as a function of the length of the step.
    fn line<'s>(&'s self, at: &'s Self::At, direction: &[f64]) -> Box<dyn Fn(f64) -> f64 + 's>;

    /// How far this part plus `penalty`, which is not below Ω(v), can be above the minimum, at most.
    fn gap(&self, at: &Self::At, v: &[f64], penalty: f64, certificate: &mut Certificate<'_>)
    -> f64;

    /// A value this small is nothing: the infimum may be zero, and out of reach.
    fn negligible(&self) -> f64 {
        0.0
    }
}
