//! The two multipliers behind Ω and its polar.
//!
//! Both are optima over `(μ_k, ν_k)` under `Σ μ² <= 1` and `Σ ν² <= 1`; the multipliers θ1, θ2 solve
//!
//! ```text
//! Σ μ_k²(θ) + ε/θ1 = 1,     Σ ν_k²(θ) + ε/θ2 = 1,
//! ```
//!
//! where ε > 0 is the weight of a logarithm of θ added to the dual function (docs/math.md 4.8). With
//! ε at rounding level this is the exact problem; a larger ε smooths it. Σμ² falls in θ1 once θ2 is
//! solved for, Σν² falls in θ2: nested one-dimensional roots always work, a Newton iteration in
//! (ln θ1, ln θ2) from the last multipliers is tried first because it is usually enough.

/// A pair of multipliers, both positive.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Theta {
    pub(crate) one: f64,
    pub(crate) two: f64,
}

/// `Σμ²`, `Σν²` and their derivatives in θ1 and θ2 (`cross` is both mixed ones, which are equal).
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Sums {
    pub(crate) mu: f64,
    pub(crate) nu: f64,
    pub(crate) mu_one: f64,
    pub(crate) cross: f64,
    pub(crate) nu_two: f64,
}

/// The smoothed residuals and their (negative definite) Jacobian in θ.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Residual {
    pub(crate) mu: f64,
    pub(crate) nu: f64,
    pub(crate) mu_one: f64,
    pub(crate) cross: f64,
    pub(crate) nu_two: f64,
}

impl Residual {
    pub(crate) fn new(sums: Sums, theta: Theta, eps: f64) -> Self {
        Self {
            mu: sums.mu - 1.0 + eps / theta.one,
            nu: sums.nu - 1.0 + eps / theta.two,
            mu_one: sums.mu_one - eps / (theta.one * theta.one),
            cross: sums.cross,
            nu_two: sums.nu_two - eps / (theta.two * theta.two),
        }
    }

    fn size(&self) -> f64 {
        self.mu.abs().max(self.nu.abs())
    }
}

/// Steps in ln θ below this are rounding.
const STEP_TOL: f64 = 1e-13;

/// The multipliers for `sums(θ)`, started from `warm` where there is one.
pub(crate) fn solve(
    mut sums: impl FnMut(Theta) -> Sums,
    eps: f64,
    warm: Option<Theta>,
) -> Theta {
    let mut residual = |theta: Theta| Residual::new(sums(theta), theta, eps);
    warm.and_then(|theta| newton(&mut residual, theta))
        .unwrap_or_else(|| nested(&mut residual, eps))
}

/// Newton in (ln θ1, ln θ2); gives up when it does not converge fast.
fn newton(residual: &mut impl FnMut(Theta) -> Residual, start: Theta) -> Option<Theta> {
    let mut theta = start;
    let mut at = residual(theta);
    for _ in 0..12 {
        let (a, d) = (at.mu_one * theta.one, at.nu_two * theta.two);
        let (b, c) = (at.cross * theta.two, at.cross * theta.one);
        let determinant = a * d - b * c;
        let one = -(d * at.mu - b * at.nu) / determinant;
        let two = -(a * at.nu - c * at.mu) / determinant;
        // A NaN step fails this test too.
        if !(one.abs() <= 3.0 && two.abs() <= 3.0) {
            return None;
        }
        let next = Theta {
            one: theta.one * one.exp(),
            two: theta.two * two.exp(),
        };
        if one.abs().max(two.abs()) <= STEP_TOL {
            return Some(next);
        }
        let there = residual(next);
        if there.size() > 0.9 * at.size() && at.size() > 1e-12 {
            return None;
        }
        (theta, at) = (next, there);
    }
    (at.size() <= 1e-12).then_some(theta)
}

/// Outer root in θ1 of Σμ² along the inner root in θ2 of Σν².
fn nested(residual: &mut impl FnMut(Theta) -> Residual, eps: f64) -> Theta {
    let mut two = 1.0;
    let one = decreasing_root(eps, 1.0, |one| {
        two = decreasing_root(eps, two, |two| {
            let at = residual(Theta { one, two });
            (at.nu, at.nu_two)
        });
        let at = residual(Theta { one, two });
        (at.mu, at.mu_one - at.cross * at.cross / at.nu_two)
    });
    Theta { one, two }
}

/// The root above `lowest` of a decreasing function of x > 0, by Newton's method in ln x inside a
/// bracket. `f` returns value and slope in x; it is positive as x falls to `lowest`.
fn decreasing_root(lowest: f64, start: f64, mut f: impl FnMut(f64) -> (f64, f64)) -> f64 {
    let (mut low, mut high) = (lowest.ln(), f64::INFINITY);
    let mut t = start.ln().max(low);
    for _ in 0..200 {
        let x = t.exp();
        let (value, slope) = f(x);
        if value > 0.0 {
            low = t;
        } else {
            high = t;
        }
        let step = -value / (slope * x);
        if step.abs() <= STEP_TOL || high - low <= STEP_TOL {
            break;
        }
        t = if t + step > low && t + step < high && step.abs() < 5.0 {
            t + step
        } else if high.is_finite() {
            0.5 * (low + high)
        } else {
            t + 3.0
        };
    }
    t.exp()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// μ² = a/θ1², ν² = b/θ2²: decoupled, with a closed-form root at ε = 0.
    fn decoupled(a: f64, b: f64) -> impl FnMut(Theta) -> Sums {
        move |t| Sums {
            mu: a / (t.one * t.one),
            nu: b / (t.two * t.two),
            mu_one: -2.0 * a / t.one.powi(3),
            cross: 0.0,
            nu_two: -2.0 * b / t.two.powi(3),
        }
    }

    #[test]
    fn finds_the_roots_over_many_decades_with_and_without_a_start() {
        for exponent in -12..=12 {
            let (a, b) = (10f64.powi(exponent), 10f64.powi(-exponent));
            for warm in [None, Some(Theta { one: 1.0, two: 1.0 })] {
                let theta = solve(decoupled(a, b), 1e-40, warm);
                assert!((theta.one / a.sqrt() - 1.0).abs() < 1e-10, "{theta:?}");
                assert!((theta.two / b.sqrt() - 1.0).abs() < 1e-10, "{theta:?}");
            }
        }
    }

    #[test]
    fn a_slack_constraint_gets_a_multiplier_of_the_size_of_eps() {
        let theta = solve(decoupled(0.0, 1.0), 1e-6, None);
        assert!((theta.one / 1e-6 - 1.0).abs() < 1e-9);
    }
}
