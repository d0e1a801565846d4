//! The duality certificate (docs/math.md 4.7).
//!
//! For any dual vector δ, with `(a_k, b_k) = Φ_kᵀ δ`,
//!
//! ```text
//! min_v (1/c)‖y - Φv‖² + Ω(v)  >=  2δᵀy - c‖δ‖² - Ω°(a, ‖b‖),
//! ```
//!
//! and, for the best multiple of δ, `>= (δᵀy)² / (c‖δ‖² + Ω°)`. At `δ = (y - Φv)/c` everything is
//! made of `H = ΦᵀΦ`, `r = Φᵀy` and `yᵀy`.

use super::blocks::Blocks;
use super::multipliers::Theta;
use super::polar;
use crate::linalg::dot;

/// The quadratic part at v: `(1/c)(yᵀy - 2rᵀv + vᵀHv)`, and what the bound needs of it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fit {
    /// `‖y - Φv‖²/c`.
    pub(crate) loss: f64,
    /// `δᵀy`.
    pub(crate) dual_target: f64,
}

/// How far `fit.loss + penalty` can be above the minimum, at most.
///
/// `dual` is `(r - Hv)/c`; `penalty` is Ω(v) or an upper bound of it.
pub(crate) fn gap(
    blocks: &Blocks,
    gamma: f64,
    v: &[f64],
    dual: &[f64],
    fit: Fit,
    penalty: f64,
    warm: &mut Option<Theta>,
) -> f64 {
    let (a, b) = blocks.sizes(dual);
    let (paired, theta) = polar::evaluate(&a, &b, gamma, *warm);
    *warm = Some(theta);
    let polar = blocks.plain_squares(dual) + paired;
    // The plain gap, free of the cancellation in yᵀy ...
    let plain = penalty + polar - 2.0 * dot(v, dual);
    // ... and the best multiple, tighter far from the optimum.
    let quadratic = fit.loss + polar;
    let multiple = if quadratic > 0.0 {
        fit.loss + penalty - fit.dual_target * fit.dual_target / quadratic
    } else {
        f64::INFINITY
    };
    plain.min(multiple).max(0.0)
}
