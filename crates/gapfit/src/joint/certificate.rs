//! The duality certificate (docs/math.md 4.7).
//!
//! For any dual vector δ, with `(a_k, b_k) = Φ_kᵀ δ`,
//!
//! ```text
//! min_v (1/c)‖y - Φv‖² + Ω(v)  >=  2δᵀy - c‖δ‖² - Ω°(a, ‖b‖),
//! ```
//!
//! and, for the best multiple of δ, `>= (δᵀy)² / (c‖δ‖² + Ω°)`. At `δ = (y - Φv)/c` everything is
//! made of `H = ΦᵀΦ`, `r = Φᵀy` and `yᵀy`. For another loss its conjugate takes the place of the
//! square (docs/math.md 15.2).
//!
//! `r - Hv` is a difference of numbers that can be far larger, and a large γ multiplies its error, so
//! the bound needs it with more digits than a plain product gives ([`Normal::residual`](super::quadratic::Normal::residual)).

use super::multipliers::Theta;
use super::outputs::Outputs;
use super::polar;
use super::quadratic::Normal;
use crate::linalg::dot;

/// The quadratic part at a point v.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fit {
    /// `‖y - Φv‖²/c`.
    pub(crate) loss: f64,
    /// `δᵀy`.
    dual_target: f64,
    /// `‖y‖²/c`.
    total: f64,
}

impl Fit {
    /// The quadratic part at v, where `dual = (r - Hv)/c`.
    pub(crate) fn at(normal: &dyn Normal, v: &[f64], dual: &[f64], c: f64) -> Self {
        let total = normal.constant() / c;
        let dual_target = total - dot(normal.linear(), v) / c;
        Self {
            loss: (dual_target - dot(v, dual)).max(0.0),
            dual_target,
            total,
        }
    }
}

/// A point, its dual `(r - Hv)/c` and its penalty, which may be an upper bound of Ω(v).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Point<'a> {
    pub(crate) v: &'a [f64],
    pub(crate) dual: &'a [f64],
    pub(crate) fit: Fit,
    pub(crate) penalty: f64,
}

/// What the certificate needs to know of the problem.
#[derive(Debug)]
pub(crate) struct Certificate<'a> {
    outputs: Outputs<'a>,
    gamma: f64,
    warm: Vec<Option<Theta>>,
}

/// A few units of rounding.
const ROUNDING: f64 = 4.0 * f64::EPSILON;

impl<'a> Certificate<'a> {
    pub(crate) fn new(outputs: Outputs<'a>, gamma: f64) -> Self {
        Self {
            outputs,
            gamma,
            warm: vec![None; outputs.count],
        }
    }

    /// `Ω° + Ω(v) - 2 v·dual`: what Ω and its polar are apart.
    pub(crate) fn apart(&mut self, v: &[f64], dual: &[f64], penalty: f64) -> f64 {
        let polar = self.polar(dual);
        penalty + polar - 2.0 * self.outputs.product(v, dual) + ROUNDING * (penalty + polar)
    }

    /// How far `loss + penalty` at the point of a squared loss can be above the minimum, at most.
    pub(crate) fn gap_of_squares(&mut self, point: &Point<'_>) -> f64 {
        let Point {
            v,
            dual,
            fit,
            penalty,
        } = *point;
        let polar = self.polar(dual);
        // The plain gap, free of the cancellation in yᵀy ...
        let plain = penalty + polar - 2.0 * dot(v, dual) + ROUNDING * (penalty + polar);
        // ... and the best multiple, tighter far from the optimum.
        let quadratic = fit.loss + polar;
        let multiple = if quadratic > 0.0 {
            let bound = fit.dual_target * fit.dual_target / quadratic;
            fit.loss + penalty - bound + ROUNDING * fit.total
        } else {
            f64::INFINITY
        };
        plain.min(multiple).max(0.0)
    }

    /// Ω° of every predictor, added up; never too small.
    fn polar(&mut self, dual: &[f64]) -> f64 {
        let (blocks, gamma) = (self.outputs.blocks, self.gamma);
        let parts = self.outputs.penalised(dual).zip(&mut self.warm);
        let polar = parts.map(|(part, warm)| {
            let (a, b) = blocks.sizes(part);
            let (paired, theta) = polar::evaluate(&a, &b, gamma, *warm);
            *warm = Some(theta);
            blocks.plain_squares(part) + paired
        });
        polar.sum()
    }
}
