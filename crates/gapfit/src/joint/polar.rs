//! The polar Ω° of the penalty, the other half of the certificate (docs/math.md 4.7).
//!
//! ```text
//! Ω°(a, b) = ‖a‖² + max { Σ_k A_k μ_k + B_k ν_k : Σμ² <= γ², Σν² <= γ⁴, ν_k >= μ_k² },
//! A_k = 2 a_k b_k,  B_k = b_k²,  a, b >= 0
//! ```
//!
//! The value returned is that of the Lagrangian dual, so it is never below Ω°, whatever the accuracy
//! of the multipliers: a bound made of it is valid.

use super::multipliers::{self, Sums, Theta};
use super::omega::EXACT;

/// Ω°(a, b), never too small, and its multipliers as a warm start.
pub(crate) fn evaluate(a: &[f64], b: &[f64], gamma: f64, warm: Option<Theta>) -> (f64, Theta) {
    let size = a
        .iter()
        .zip(b)
        .fold(0.0, |m: f64, (&a, &b)| m.max(a).max(b * gamma));
    if size == 0.0 {
        return (0.0, Theta { one: 1.0, two: 1.0 });
    }
    let pairs: Vec<_> = a
        .iter()
        .zip(b)
        .map(|(&a, &b)| (a / size, b * gamma / size))
        .collect();
    let theta = multipliers::solve(
        |theta| {
            let mut total = Sums::default();
            for &(a, b) in &pairs {
                Term::at(a, b, theta).add_to(&mut total, theta);
            }
            total
        },
        EXACT,
        warm,
    );
    let value = pairs.iter().fold(theta.one + theta.two, |value, &(a, b)| {
        value + a * a + Term::at(a, b, theta).lagrangian(theta)
    });
    (size * size * value, theta)
}

/// The maximiser of `A μ + B ν - θ1 μ² - θ2 ν²` over `ν >= μ²`.
struct Term {
    linear: f64,
    quadratic: f64,
    mu: f64,
    nu: f64,
    on_boundary: bool,
}

impl Term {
    fn at(a: f64, b: f64, theta: Theta) -> Self {
        let (linear, quadratic) = (2.0 * a * b, b * b);
        let (mu, nu) = (linear / (2.0 * theta.one), quadratic / (2.0 * theta.two));
        let on_boundary = nu < mu * mu;
        let (mu, nu) = if on_boundary {
            let mu = boundary_root(linear, quadratic, theta, mu);
            (mu, mu * mu)
        } else {
            (mu, nu)
        };
        Self {
            linear,
            quadratic,
            mu,
            nu,
            on_boundary,
        }
    }

    fn lagrangian(&self, theta: Theta) -> f64 {
        self.mu * (self.linear - theta.one * self.mu)
            + self.nu * (self.quadratic - theta.two * self.nu)
    }

    fn add_to(&self, total: &mut Sums, theta: Theta) {
        let Self { mu, nu, .. } = *self;
        total.mu += mu * mu;
        total.nu += nu * nu;
        if self.on_boundary {
            let slope = 12.0 * theta.two * mu * mu - 2.0 * (self.quadratic - theta.one);
            let (by_one, by_two) = (-2.0 * mu / slope, -4.0 * mu * mu * mu / slope);
            total.mu_one += 2.0 * mu * by_one;
            total.cross += 2.0 * mu * by_two;
            total.nu_two += 4.0 * nu * mu * by_two;
        } else {
            total.mu_one -= 2.0 * mu * mu / theta.one;
            total.nu_two -= 2.0 * nu * nu / theta.two;
        }
    }
}

/// The positive root of `4θ2 μ³ - 2(B - θ1) μ - A = 0`; there is one because A > 0.
fn boundary_root(linear: f64, quadratic: f64, theta: Theta, highest: f64) -> f64 {
    // The cubic is convex for μ > 0, so Newton from above falls onto the root. Above: the
    // unconstrained μ, and the sum of the roots of the cubic with either lower term alone.
    let rise = quadratic - theta.one;
    let cube = (linear / (4.0 * theta.two)).cbrt();
    let square = (rise.max(0.0) / (2.0 * theta.two)).sqrt();
    let mut mu = highest.min(cube + square);
    for _ in 0..100 {
        let value = (4.0 * theta.two * mu * mu - 2.0 * rise) * mu - linear;
        let slope = 12.0 * theta.two * mu * mu - 2.0 * rise;
        let next = mu - value / slope;
        if next < mu {
            mu = next;
        } else {
            break; // rounding stops the fall
        }
    }
    mu
}

#[cfg(test)]
mod tests {
    use super::super::reference_cases;
    use super::*;

    #[test]
    fn no_shift_leaves_the_squared_norm() {
        let (value, _) = evaluate(&[3.0, 4.0], &[0.0, 0.0], 2.0, None);
        assert!((value - 25.0).abs() < 1e-13);
    }

    #[test]
    fn one_feature_has_the_closed_form() {
        // One feature: μ = γ, ν = γ² is feasible and optimal, so Ω° = (a + γ b)².
        for exponent in -6..=6 {
            let gamma = 2f64.powi(exponent);
            let (value, _) = evaluate(&[0.7], &[1.3], gamma, None);
            let exact = (0.7 + 1.3 * gamma).powi(2);
            assert!(
                (value / exact - 1.0).abs() < 1e-13,
                "{gamma}: {value} {exact}"
            );
        }
    }

    #[test]
    fn equals_the_conic_program() {
        #[derive(serde::Deserialize)]
        struct Case {
            a: Vec<f64>,
            beta: Vec<f64>,
            gamma: f64,
            value: f64,
            accuracy: f64,
        }
        let json = include_str!("../../tests/reference/polar.json");
        let cases: Vec<Case> = reference_cases(json);
        assert!(cases.len() >= 25);
        for (n, case) in cases.iter().enumerate() {
            let a: Vec<_> = case.a.iter().map(|a| a.abs()).collect();
            let off = evaluate(&a, &case.beta, case.gamma, None).0 / case.value - 1.0;
            assert!(off.abs() <= case.accuracy, "case {n}: off by {off:e}");
        }
    }

    #[test]
    fn never_below_a_feasible_value() {
        let (a, b) = ([1.0, 0.2, 0.0, 3.0], [0.5, 2.0, 1.0, 1e-3]);
        let (value, _) = evaluate(&a, &b, 1.5, None);
        let base: f64 = a.iter().map(|a| a * a).sum();
        for first in 0..4 {
            let mut mu = [0.1; 4];
            mu[first] = 1.4;
            let scale = 1.5 / mu.iter().map(|m| m * m).sum::<f64>().sqrt();
            let feasible: f64 = (0..4)
                .map(|k| 2.0 * a[k] * b[k] * mu[k] * scale + (b[k] * mu[k] * scale).powi(2))
                .sum();
            assert!(value >= base + feasible);
        }
    }
}
