//! The two multipliers behind Ω and its polar.
//!
//! Both are optima over `(μ_k, ν_k)` under `Σ μ² <= 1` and `Σ ν² <= 1`; the multipliers θ1, θ2 solve
//!
//! ```text
//! Σ μ_k²(θ) + ε/θ1 = 1,     Σ ν_k²(θ) + ε/θ2 = 1,
//! ```
//!
//! where ε > 0 is the weight of a logarithm of θ added to the dual function (docs/math.md 4.8). With
//! ε at rounding level this is the exact problem; a larger ε smooths it.
//!
//! Both sums are close to powers of θ, so the equations are solved for the logarithms of their left
//! sides as functions of ln θ, where Newton's method is nearly exact from far away. Should it fail,
//! nested one-dimensional roots do not: Σν² falls in θ2, and Σμ² in θ1 once θ2 is solved for.

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

/// The left sides of the two equations and their (negative definite) Jacobian in θ.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sides {
    mu: f64,
    nu: f64,
    pub(crate) mu_one: f64,
    pub(crate) cross: f64,
    pub(crate) nu_two: f64,
}

impl Sides {
    pub(crate) fn new(sums: Sums, theta: Theta, eps: f64) -> Self {
        Self {
            mu: sums.mu + eps / theta.one,
            nu: sums.nu + eps / theta.two,
            mu_one: sums.mu_one - eps / (theta.one * theta.one),
            cross: sums.cross,
            nu_two: sums.nu_two - eps / (theta.two * theta.two),
        }
    }

    /// The logarithms, to be brought to zero.
    fn logs(&self) -> (f64, f64) {
        (self.mu.ln(), self.nu.ln())
    }

    fn distance(&self) -> f64 {
        let (one, two) = self.logs();
        one.abs().max(two.abs())
    }

    /// The Newton step in (ln θ1, ln θ2).
    fn step(&self, theta: Theta) -> (f64, f64) {
        let (one, two) = self.logs();
        let (a, b) = (
            self.mu_one * theta.one / self.mu,
            self.cross * theta.two / self.mu,
        );
        let (c, d) = (
            self.cross * theta.one / self.nu,
            self.nu_two * theta.two / self.nu,
        );
        let determinant = a * d - b * c;
        (
            (b * two - d * one) / determinant,
            (c * one - a * two) / determinant,
        )
    }
}

/// Newton squares the error: after a step in ln θ this small nothing is left of it.
const STEP_TOL: f64 = 1e-8;

/// The multipliers for `sums(θ)`, from those of a problem nearby where there are any.
pub(crate) fn solve(mut sums: impl FnMut(Theta) -> Sums, eps: f64, warm: Option<Theta>) -> Theta {
    let mut sides = |theta: Theta| Sides::new(sums(theta), theta, eps);
    let start = warm.unwrap_or(Theta { one: 0.1, two: 0.1 });
    newton(&mut sides, start).unwrap_or_else(|| nested(&mut sides, eps))
}

/// Newton's method in logarithms; gives up when it does not come closer.
fn newton(sides: &mut impl FnMut(Theta) -> Sides, start: Theta) -> Option<Theta> {
    let mut theta = start;
    let mut at = sides(theta);
    for _ in 0..25 {
        let (one, two) = at.step(theta);
        let length = one.abs().max(two.abs());
        let moved = |share: f64| Theta {
            one: theta.one * (share * one).exp(),
            two: theta.two * (share * two).exp(),
        };
        if length <= STEP_TOL {
            // A singular Jacobian can give no step far from the root.
            return (at.distance() <= 1e-6).then(|| moved(1.0));
        }
        let mut share = (5.0 / length).min(1.0);
        let mut next = moved(share);
        let mut there = sides(next);
        let closer = |there: &Sides| there.distance() < at.distance(); // a NaN is not
        while !closer(&there) {
            if at.distance() < 1e-13 {
                return Some(theta);
            }
            share *= 0.25;
            if share < 1e-2 {
                return None;
            }
            next = moved(share);
            there = sides(next);
        }
        (theta, at) = (next, there);
    }
    None
}

/// Outer root in θ1 of Σμ² along the inner root in θ2 of Σν².
fn nested(sides: &mut impl FnMut(Theta) -> Sides, eps: f64) -> Theta {
    let mut two = 1.0;
    let one = decreasing_root(eps, 1.0, |one| {
        two = decreasing_root(eps, two, |two| {
            let at = sides(Theta { one, two });
            (at.nu, at.nu_two)
        });
        let at = sides(Theta { one, two });
        (at.mu, at.mu_one - at.cross * at.cross / at.nu_two)
    });
    Theta { one, two }
}

/// Where a decreasing function of x > 0 is 1, by Newton's method in logarithms inside a bracket. `f`
/// returns value and slope in x; the value is at least 1 at `lowest`.
fn decreasing_root(lowest: f64, start: f64, mut f: impl FnMut(f64) -> (f64, f64)) -> f64 {
    let (mut low, mut high) = (lowest.ln(), f64::INFINITY);
    let mut t = start.ln().max(low);
    for _ in 0..200 {
        let x = t.exp();
        let (value, slope) = f(x);
        if value > 1.0 {
            low = t;
        } else {
            high = t;
        }
        let step = -value.ln() * value / (slope * x);
        if step.abs() <= 1e-13 || high - low <= 1e-13 {
            break;
        }
        t = if t + step > low && t + step < high && step.abs() < 20.0 {
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
