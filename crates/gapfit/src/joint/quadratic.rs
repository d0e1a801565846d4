//! The risk of the squared loss: a quadratic, known by its normal equations.
//!
//! ```text
//! (1/c) (yᵀy - 2 rᵀv + vᵀHv),        c = alpha Σ weights
//! ```

use super::blocks::Hessian;
use super::certificate::{Certificate, Fit, Point};
use super::conjugate::Effort;
use super::risk::Risk;
use crate::error::Result;
use crate::linalg::dot;

/// The quadratic part of the objective: `H`, `r`, `yᵀy`, however they are stored.
pub(crate) trait Normal {
    /// `r = Φᵀy`.
    fn linear(&self) -> &[f64];
    /// `yᵀy`.
    fn constant(&self) -> f64;
    /// `H v`.
    fn times(&self, v: &[f64]) -> Vec<f64>;
    /// `r - H v`, with digits to spare where the two nearly cancel.
    fn residual(&self, v: &[f64]) -> Vec<f64>;
    /// The solution x of `(scale H + penalty) x = rhs`, near enough for a Newton step; by an
    /// iteration, where it takes one, as near as `effort` says.
    fn solve(
        &self,
        scale: f64,
        penalty: &Hessian<'_>,
        rhs: &[f64],
        effort: Effort,
    ) -> Result<Vec<f64>>;
}

/// The quadratic over `c`.
pub(crate) struct Quadratic<'a> {
    pub(crate) normal: &'a dyn Normal,
    pub(crate) c: f64,
    /// Whether the gap asks for more digits of `r - Hv` than a plain product has.
    pub(crate) is_sharp: bool,
}

/// From this gap on rounding in a plain `Hv` does not matter.
pub(crate) const COARSE: f64 = 1e-6;

impl<'a> Quadratic<'a> {
    /// For a solve to the relative gap `tol`.
    pub(crate) fn new(normal: &'a dyn Normal, c: f64, tol: f64) -> Self {
        let is_sharp = tol < COARSE;
        Self {
            normal,
            c,
            is_sharp,
        }
    }

    fn effort(&self) -> Effort {
        if self.is_sharp {
            Effort::SHARP
        } else {
            Effort::COARSE
        }
    }

    /// `(r - Hv)/c`, with digits to spare where the gap asks for them.
    fn dual(&self, v: &[f64]) -> Vec<f64> {
        if self.is_sharp {
            let mut dual = self.normal.residual(v);
            dual.iter_mut().for_each(|d| *d /= self.c);
            return dual;
        }
        let hv = self.normal.times(v);
        let pairs = self.normal.linear().iter().zip(hv);
        pairs.map(|(r, hv)| (r - hv) / self.c).collect()
    }
}

/// The quadratic at a point.
pub(crate) struct At {
    /// `(a, b) = (r - Hv)/c`.
    dual: Vec<f64>,
    fit: Fit,
}

impl Risk for Quadratic<'_> {
    type At = At;

    fn start(&self, penalty: &[Hessian<'_>]) -> Vec<f64> {
        let per_c = 2.0 / self.c;
        let rhs: Vec<_> = self.normal.linear().iter().map(|r| r * per_c).collect();
        let solution = self.normal.solve(per_c, &penalty[0], &rhs, self.effort());
        solution.unwrap_or_else(|_| vec![0.0; rhs.len()])
    }

    fn at(&self, v: &[f64]) -> At {
        let dual = self.dual(v);
        At {
            fit: Fit::at(self.normal, v, &dual, self.c),
            dual,
        }
    }

    fn value(&self, at: &At) -> f64 {
        at.fit.loss
    }

    fn pull<'s>(&self, at: &'s At) -> &'s [f64] {
        &at.dual
    }

    fn direction(&self, _: &At, penalty: &[Hessian<'_>], rhs: &[f64]) -> Result<Vec<f64>> {
        self.normal
            .solve(2.0 / self.c, &penalty[0], rhs, self.effort())
    }

    fn line<'s>(&'s self, at: &'s At, direction: &[f64]) -> Box<dyn Fn(f64) -> f64 + 's> {
        let linear = -2.0 * dot(&at.dual, direction);
        let quadratic = dot(direction, &self.normal.times(direction)) / self.c;
        Box::new(move |t| t * (linear + t * quadratic))
    }

    fn gap(&self, at: &At, v: &[f64], penalty: f64, certificate: &mut Certificate<'_>) -> f64 {
        certificate.gap_of_squares(&Point {
            v,
            dual: &at.dual,
            fit: at.fit,
            penalty,
        })
    }
}
