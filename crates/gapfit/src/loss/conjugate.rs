//! Convex conjugates of the losses, and steps of coordinate ascent on them.
//!
//! ```text
//! ℓ*(δ) = sup over p of  δ p - ℓ(p)          ℓ(p) + ℓ*(δ) >= δ p, equal where δ is a slope of ℓ at p
//! ```
//!
//! | loss | ℓ*(δ), infinite elsewhere |
//! |---|---|
//! | `squared` | δy + δ²/4 |
//! | `huber=H` | δy + δ²/4 for \|δ\| <= 2H |
//! | `absolute`, `eps-insensitive=E` | δy + E\|δ\| for \|δ\| <= 1 |
//! | `hinge` | -a for a = -yδ in [0, 1] |
//! | `squared-hinge` | -a + a²/4 for a = -yδ >= 0 |
//! | `logistic` | a ln a + (1-a) ln(1-a) for a = -yδ in [0, 1] |
//! | `linear` | 0 for δ = -y |
//!
//! Used by the comparator in hindsight (docs/math.md 13.6) and by certificates of fits (15.2).

use super::Loss;

impl Loss {
    /// The conjugate `sup over p of dual * p - value(p, target)`; infinite where nothing bounds it.
    ///
    /// ```
    /// use gapfit::loss::Loss;
    /// assert_eq!(Loss::Squared.conjugate(2.0, 3.0), 7.0);
    /// assert_eq!(Loss::Absolute.conjugate(1.5, 3.0), f64::INFINITY);
    /// ```
    pub fn conjugate(self, dual: f64, target: f64) -> f64 {
        let a = -target * dual;
        let inside = |is_inside: bool, value: f64| if is_inside { value } else { f64::INFINITY };
        match self {
            Self::Squared => dual * target + 0.25 * dual * dual,
            Self::Huber(h) => inside(dual.abs() <= 2.0 * h, dual * target + 0.25 * dual * dual),
            Self::Absolute => inside(dual.abs() <= 1.0, dual * target),
            Self::EpsInsensitive(eps) => {
                inside(dual.abs() <= 1.0, dual * target + eps * dual.abs())
            }
            Self::Hinge => inside((0.0..=1.0).contains(&a), -a),
            Self::SquaredHinge => inside(a >= 0.0, -a + 0.25 * a * a),
            Self::Logistic => inside((0.0..=1.0).contains(&a), entropy(a) + entropy(1.0 - a)),
            Self::Linear => inside(dual + target == 0.0, 0.0),
        }
    }

    /// The δ at which `prediction δ - ℓ*(δ) - ½ curvature (δ - dual)²` is largest, for a positive
    /// curvature: one step of coordinate ascent.
    pub(crate) fn ascend(self, prediction: f64, target: f64, dual: f64, curvature: f64) -> f64 {
        let residual = prediction - target;
        let slack = 1.0 - target * prediction;
        let a = -target * dual;
        match self {
            Self::Squared => (residual + curvature * dual) / (curvature + 0.5),
            Self::Huber(h) => {
                let free = (residual + curvature * dual) / (curvature + 0.5);
                free.clamp(-2.0 * h, 2.0 * h)
            }
            Self::Absolute => (dual + residual / curvature).clamp(-1.0, 1.0),
            Self::EpsInsensitive(eps) => {
                let free = dual + residual / curvature;
                let shrunk = (free.abs() - eps / curvature).clamp(0.0, 1.0);
                shrunk.copysign(free)
            }
            Self::Hinge => -target * (a + slack / curvature).clamp(0.0, 1.0),
            Self::SquaredHinge => -target * ((slack + curvature * a) / (curvature + 0.5)).max(0.0),
            Self::Logistic => -target * ascend_logistic(target * prediction, a, curvature),
            Self::Linear => -target,
        }
    }

    /// The slope of the conjugate where it is straight on both sides of `dual`; `None` at its ends and
    /// kinks, and where it is curved.
    pub(crate) fn straight(self, dual: f64, target: f64) -> Option<f64> {
        let is_inside = match self {
            Self::Absolute => dual.abs() < 1.0,
            Self::EpsInsensitive(_) => dual != 0.0 && dual.abs() < 1.0,
            Self::Hinge => dual != 0.0 && -target * dual < 1.0,
            _ => false,
        };
        let eps = match self {
            Self::EpsInsensitive(eps) => eps.copysign(dual),
            _ => 0.0,
        };
        is_inside.then_some(target + eps)
    }

    /// The point nearest to `wanted` of the straight piece of the conjugate that `dual` is on.
    pub(crate) fn along(self, dual: f64, wanted: f64) -> f64 {
        match self {
            Self::Absolute => wanted.clamp(-1.0, 1.0),
            _ if dual > 0.0 => wanted.clamp(0.0, 1.0),
            _ => wanted.clamp(-1.0, 0.0),
        }
    }
}

/// `a ln a`, 0 at 0.
fn entropy(a: f64) -> f64 {
    if a > 0.0 { a * libm::log(a) } else { 0.0 }
}

/// The share `σ(m)` at the root of `m + margin + curvature (σ(m) - share)`, which grows with m at least
/// as fast as m itself: Newton's method within a bracket, which is halved where steps do not get shorter
/// (the curve has two nearly straight parts, and plain steps may go back and forth between them).
fn ascend_logistic(margin: f64, share: f64, curvature: f64) -> f64 {
    let sigmoid = |m: f64| 1.0 / (1.0 + libm::exp(-m));
    let mut low = -margin - curvature * (1.0 - share);
    let mut high = -margin + curvature * share;
    let mut m = if share > 0.0 && share < 1.0 {
        libm::log(share / (1.0 - share))
    } else {
        -margin
    };
    let mut before = f64::INFINITY;
    for _ in 0..100 {
        if !(m > low && m < high) {
            m = 0.5 * (low + high);
        }
        let s = sigmoid(m);
        let excess = m + margin + curvature * (s - share);
        if excess > 0.0 {
            high = m;
        } else {
            low = m;
        }
        let step = excess / (1.0 + curvature * s * (1.0 - s));
        m -= step;
        if step.abs() > 0.5 * before {
            m = 0.5 * (low + high);
        }
        before = step.abs();
        if step.abs() <= 1e-14 * (1.0 + m.abs()) {
            break;
        }
    }
    sigmoid(m)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn losses() -> impl Strategy<Value = Loss> {
        prop::sample::select(Loss::ALL.to_vec())
    }

    fn target(loss: Loss, y: f64) -> f64 {
        if loss.is_classification() {
            y.signum()
        } else {
            y
        }
    }

    /// A slope of the loss somewhere: a point of the domain of the conjugate.
    fn slope(loss: Loss, p: f64, y: f64) -> f64 {
        loss.derivative(p, y)
    }

    proptest! {
        #[test]
        fn loss_and_conjugate_are_above_the_product_and_equal_at_a_slope(
            loss in losses(), p in -9.0..9.0f64, q in -9.0..9.0f64, y in -4.0..4.0f64,
        ) {
            let y = target(loss, y);
            let dual = slope(loss, q, y);
            let sum = |p: f64| loss.value(p, y) + loss.conjugate(dual, y);
            prop_assert!(sum(p) >= p * dual - 1e-12, "{loss}");
            prop_assert!((sum(q) - q * dual).abs() < 1e-12 * (1.0 + sum(q).abs()), "{loss}");
            let beyond = loss.conjugate(dual + 20.0, y);
            let is_bounded = matches!(loss, Loss::Squared);
            prop_assert_eq!(beyond.is_finite(), is_bounded || loss == Loss::SquaredHinge && y < 0.0);
        }

        #[test]
        fn an_ascent_ends_where_nothing_nearby_is_higher(
            loss in losses(), p in -9.0..9.0f64, q in -9.0..9.0f64, y in -4.0..4.0f64,
            exponent in -3.0..3.0f64,
        ) {
            let y = target(loss, y);
            let (dual, curvature) = (slope(loss, q, y), 10f64.powf(exponent));
            let height = |d: f64| {
                p * d - loss.conjugate(d, y) - 0.5 * curvature * (d - dual).powi(2)
            };
            let best = loss.ascend(p, y, dual, curvature);
            prop_assert!(height(best).is_finite(), "{loss}: {best} is in the domain");
            for step in [-1.0, -0.1, -1e-3, 1e-3, 0.1, 1.0] {
                let near = height(best + step);
                prop_assert!(near <= height(best) + 1e-9 * (1.0 + height(best).abs()), "{loss}");
            }
        }
    }

    #[test]
    fn steps_that_go_back_and_forth_are_noticed() {
        let (p, y, curvature) = (2.968_487_579_018_789_5, 1.0, 28.52);
        let dual = Loss::Logistic.derivative(-8.383_247_945_217_26, y);
        let best = Loss::Logistic.ascend(p, y, dual, curvature);
        // Where the derivative vanishes: p = ℓ*'(δ) + curvature (δ - dual).
        let inverse = -libm::log(-best / (1.0 + best));
        let off = p - inverse - curvature * (best - dual);
        assert!(off.abs() < 1e-10, "{off:e}");
    }
}
