//! The penalty Ω of imputed ridge regression (docs/math.md 4.4 to 4.6).
//!
//! ```text
//! Ω(w, s) = min_{μ,ν}  Σ_k  w_k² + (s_k - |w_k| μ_k)² / (ν_k - μ_k²)
//!           s.t.  Σ μ_k² <= γ²,   Σ ν_k² <= γ⁴,   ν_k >= μ_k²
//! ```
//!
//! `w_k` is the weight of feature k, `s_k = ‖u_k‖` the size of its shift. Since
//! `Ω(w, s; γ) = Ω(w, s/γ; 1)` and Ω is homogeneous of degree 2, everything inside works at γ = 1 and
//! `max(|w|, s) = 1`. One root per k and two multipliers give value, gradient and Hessian; ε > 0
//! smooths the kink (docs/math.md 4.8). Goes beyond the paper, which stops at the semidefinite program.

use super::multipliers::{self, Sides, Sums, Theta};
use super::term::Term;

/// ε of the exact Ω: the value is then off by at most 2e-17 of `max(|w|, s/γ)²`.
pub(crate) const EXACT: f64 = 1e-17;

/// Ω at a point: value, gradient and what its Hessian is made of, in the caller's units.
#[derive(Clone, Debug)]
pub(crate) struct Omega {
    /// The smoothed value (the exact one at [`EXACT`]).
    pub(crate) value: f64,
    /// An upper bound of the exact Ω that is attained by a feasible (μ, ν).
    pub(crate) upper: f64,
    /// `∂Ω/∂|w_k|`.
    pub(crate) grad_w: Vec<f64>,
    /// `∂Ω/∂s_k`.
    pub(crate) grad_s: Vec<f64>,
    /// The multipliers, a warm start for a point nearby.
    pub(crate) theta: Theta,
    terms: Vec<Term>,
    eps: f64,
    gamma: f64,
}

/// Second derivatives of the smoothed Ω: one 2 x 2 block per feature plus a rank-two term.
#[derive(Clone, Debug)]
pub(crate) struct Curvature {
    /// Per feature `(ww, ws, ss)`.
    pub(crate) blocks: Vec<[f64; 3]>,
    /// Per feature `(∂²/∂w∂θ, ∂²/∂s∂θ)` for two combinations of θ, such that the coupling between
    /// features i and j is `Σ_c coupling[i][.][c] coupling[j][.][c]`.
    pub(crate) coupling: Vec<[[f64; 2]; 2]>,
    /// `∂Ω/∂s / s` with its limit at s = 0: the curvature across the direction of `u_k`.
    pub(crate) across: Vec<f64>,
}

/// Ω(w, s) for `w, s >= 0` (pass `|w|`), smoothed by `eps` in the caller's units; `warm` is Ω at a
/// point nearby.
pub(crate) fn evaluate(w: &[f64], s: &[f64], gamma: f64, eps: f64, warm: Option<&Omega>) -> Omega {
    let size = largest(w).max(largest(s) / gamma);
    if size == 0.0 {
        return Omega::zero(w.len(), gamma);
    }
    let eps = (eps / size / size).max(EXACT);
    let mut terms: Vec<Term> = match warm {
        Some(warm) => warm.terms.clone(),
        None => vec![Term::UNKNOWN; w.len()],
    };
    for ((term, w), s) in terms.iter_mut().zip(w).zip(s) {
        (term.w, term.s) = (w / size, s / gamma / size);
    }
    let sums = |theta| {
        let mut total = Sums::default();
        for term in &mut terms {
            term.solve(theta);
            term.add_to(&mut total, theta);
        }
        total
    };
    let theta = multipliers::solve(sums, eps, warm.map(|warm| warm.theta));
    for term in &mut terms {
        term.solve(theta);
    }
    Omega::new(terms, theta, eps, gamma, size)
}

fn largest(x: &[f64]) -> f64 {
    x.iter().fold(0.0, |a, &b| a.max(b))
}

impl Omega {
    fn zero(n: usize, gamma: f64) -> Self {
        let theta = Theta { one: 1.0, two: 1.0 };
        Self {
            value: 0.0,
            upper: 0.0,
            grad_w: vec![0.0; n],
            grad_s: vec![0.0; n],
            theta,
            terms: vec![Term::UNKNOWN; n],
            eps: EXACT,
            gamma,
        }
    }

    fn new(terms: Vec<Term>, theta: Theta, eps: f64, gamma: f64, size: f64) -> Self {
        let (mut plain, mut mu, mut nu) = (0.0, 0.0, 0.0);
        for t in &terms {
            plain += t.w * t.w + t.e * (t.s - t.w * t.mu);
            mu += t.mu * t.mu;
            nu += t.nu * t.nu;
        }
        // The Lagrangian: its error is of second order in that of θ (docs/math.md 4.6).
        let lagrangian = plain + theta.one * (mu - 1.0) + theta.two * (nu - 1.0);
        // θ in the caller's units is size² times the normalised one.
        let barrier = eps * (theta.one.ln() + theta.two.ln() + 4.0 * size.ln());
        // (μ, ν) shrunk into the budget is feasible and costs at most this factor more.
        let shrink = mu.max(nu.sqrt()).max(1.0);
        let area = size * size;
        let exact = eps <= EXACT;
        Self {
            value: area
                * if exact {
                    lagrangian
                } else {
                    lagrangian + barrier
                },
            upper: area * plain * shrink,
            grad_w: terms
                .iter()
                .map(|t| size * 2.0 * (t.w - t.mu * t.e))
                .collect(),
            grad_s: terms.iter().map(|t| size / gamma * 2.0 * t.e).collect(),
            theta,
            terms,
            eps,
            gamma,
        }
    }

    /// The minimising `μ_k` and `ν_k`: `Σμ² <= γ²`, `Σν² <= γ⁴` up to rounding.
    pub(crate) fn minimiser(&self, k: usize) -> (f64, f64) {
        let t = &self.terms[k];
        (t.mu * self.gamma, t.nu * self.gamma * self.gamma)
    }

    /// The second derivatives at this point (docs/math.md 4.8).
    pub(crate) fn curvature(&self) -> Curvature {
        let (theta, inv_gamma) = (self.theta, 1.0 / self.gamma);
        let total = self.terms.iter().fold(Sums::default(), |mut total, t| {
            t.add_to(&mut total, theta);
            total
        });
        let root = inverse_root(&Sides::new(total, theta, self.eps));
        let mut curvature = Curvature {
            blocks: Vec::with_capacity(self.terms.len()),
            coupling: Vec::with_capacity(self.terms.len()),
            across: Vec::with_capacity(self.terms.len()),
        };
        for t in &self.terms {
            let [ww, ws, ss] = t.block(theta);
            let scaled = [ww, ws * inv_gamma, ss * inv_gamma * inv_gamma];
            curvature.blocks.push(scaled);
            let [by_w, by_s] = t.coupling(theta);
            let by_s = by_s.map(|x| x * inv_gamma);
            // Second derivatives scale as size⁰, so normalised units need no further factor.
            curvature.coupling.push([by_w, by_s].map(|g| {
                [
                    g[0] * root[0][0] + g[1] * root[1][0],
                    g[0] * root[0][1] + g[1] * root[1][1],
                ]
            }));
            curvature
                .across
                .push(t.across(theta) * inv_gamma * inv_gamma);
        }
        curvature
    }
}

/// R with `R Rᵀ = (-Ψ_θθ)^{-1}`.
fn inverse_root(at: &Sides) -> [[f64; 2]; 2] {
    // Cholesky L Lᵀ of -Ψ_θθ, then R = L^{-T}; columns are scaled by the diagonal first.
    let (a, b, c) = (-at.mu_one, -at.cross, -at.nu_two);
    let l11 = a.sqrt();
    let l21 = b / l11;
    let l22 = (c - l21 * l21).max(1e-15 * c).sqrt();
    [[1.0 / l11, -l21 / (l11 * l22)], [0.0, 1.0 / l22]]
}

#[cfg(test)]
mod tests {
    use super::super::{polar, reference_cases};
    use super::*;
    use proptest::prelude::*;

    fn exact(w: &[f64], s: &[f64], gamma: f64) -> Omega {
        evaluate(w, s, gamma, 0.0, None)
    }

    #[test]
    fn one_feature_is_the_larger_of_weight_and_shift() {
        for w in [0.0f64, 1e-3, 0.5, 1.0, 40.0] {
            for s in [0.0, 1e-6, 0.25, 1.0, 80.0] {
                for gamma in [0.01, 0.5, 1.0, 2.0, 300.0] {
                    let want = (w * w).max(s * s / gamma / gamma);
                    let got = exact(&[w], &[s], gamma);
                    assert!(
                        (got.value - want).abs() <= 1e-13 * want,
                        "{w} {s} {gamma}: {got:?}"
                    );
                    let above = got.upper / want.max(f64::MIN_POSITIVE) - 1.0;
                    assert!(
                        want == 0.0 || (-1e-13..1e-7).contains(&above),
                        "{w} {s} {gamma}: {above:e}"
                    );
                }
            }
        }
    }

    #[test]
    fn equals_the_squared_norm_inside_the_budget() {
        let (w, s) = ([1.0, 2.0, 0.5], [0.5, 0.5, 0.0]);
        assert!((exact(&w, &s, 0.6).value - 5.25).abs() < 1e-13);
        assert!(exact(&w, &s, 0.5).value > 5.25 + 1e-3);
    }

    #[test]
    fn no_weight_gives_the_four_thirds_norm() {
        let s = [1.0, 0.3, 0.0, 2.5];
        let sum: f64 = s.iter().map(|s: &f64| s.powf(4.0 / 3.0)).sum();
        let want = sum.powf(1.5) / 4.0;
        assert!((exact(&[0.0; 4], &s, 2.0).value / want - 1.0).abs() < 1e-13);
    }

    #[test]
    fn equals_the_conic_program() {
        #[derive(serde::Deserialize)]
        struct Case {
            w: Vec<f64>,
            s: Vec<f64>,
            gamma: f64,
            value: f64,
            accuracy: f64,
        }
        let json = include_str!("../../tests/reference/omega.json");
        let cases: Vec<Case> = reference_cases(json);
        assert!(cases.len() >= 40);
        for (n, case) in cases.iter().enumerate() {
            let w: Vec<_> = case.w.iter().map(|w| w.abs()).collect();
            let off = exact(&w, &case.s, case.gamma).value / case.value - 1.0;
            assert!(off.abs() <= case.accuracy, "case {n}: off by {off:e}");
        }
    }

    /// Numbers over many decades, with zeros.
    fn magnitude() -> impl Strategy<Value = f64> {
        prop_oneof![
            1 => Just(0.0),
            4 => (-8.0..8.0f64).prop_map(|e| 10f64.powf(e)),
            4 => 0.1..10.0f64,
        ]
    }

    fn point() -> impl Strategy<Value = (Vec<f64>, Vec<f64>, f64)> {
        (1usize..7).prop_flat_map(|d| {
            let vector = || prop::collection::vec(magnitude(), d);
            (
                vector(),
                vector(),
                (-8.0..8.0f64).prop_map(|e| 10f64.powf(e)),
            )
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn value_and_polar_of_the_gradient_add_up((w, s, gamma) in point()) {
            let omega = exact(&w, &s, gamma);
            let a: Vec<_> = omega.grad_w.iter().map(|g| 0.5 * g.abs()).collect();
            let b: Vec<_> = omega.grad_s.iter().map(|g| 0.5 * g).collect();
            let (polar, _) = polar::evaluate(&a, &b, gamma, None);
            let pairing: f64 = (0..w.len()).map(|k| 2.0 * (a[k] * w[k] + b[k] * s[k])).sum();
            prop_assert!(
                (omega.value + polar - pairing).abs() <= 1e-13 * omega.value,
                "{:e} + {:e} != {:e}", omega.value, polar, pairing
            );
        }

        #[test]
        fn bounds_hold((w, s, gamma) in point()) {
            let omega = exact(&w, &s, gamma);
            let norm: f64 = w.iter().map(|w| w * w).sum();
            let shift = s.iter().map(|s| (s / gamma).powf(4.0 / 3.0)).sum::<f64>().powf(1.5);
            prop_assert!(omega.value >= norm.max(shift) * (1.0 - 1e-12));
            prop_assert!(omega.value <= (norm + shift) * (1.0 + 1e-12));
            prop_assert!(omega.upper >= omega.value * (1.0 - 1e-12));
        }

        #[test]
        fn gradient_and_curvature_are_those_of_the_smoothed_value(
            w in prop::collection::vec(0.05..2.0f64, 1..5),
            ratio in prop::collection::vec(0.05..2.0f64, 5),
            gamma in 0.2..3.0f64,
            direction in prop::collection::vec(-1.0..1.0f64, 10),
        ) {
            let (n, eps) = (w.len(), 1e-2);
            let s: Vec<_> = (0..n).map(|k| ratio[k] * w[k] * gamma).collect();
            let along = |t: f64| {
                let w: Vec<_> = (0..n).map(|k| w[k] + t * direction[k]).collect();
                let s: Vec<_> = (0..n).map(|k| s[k] + t * direction[n + k]).collect();
                let omega = evaluate(&w, &s, gamma, eps, None);
                let slope: f64 = (0..n)
                    .map(|k| omega.grad_w[k] * direction[k] + omega.grad_s[k] * direction[n + k])
                    .sum();
                (omega.value, slope)
            };
            let h = 1e-6;
            let (up, down) = (along(h), along(-h));
            let slope = along(0.0).1;
            prop_assert!(((up.0 - down.0) / (2.0 * h) - slope).abs() < 1e-5 * (1.0 + slope.abs()));
            let curvature = evaluate(&w, &s, gamma, eps, None).curvature();
            let mut second = 0.0;
            let mut low_rank = [0.0; 2];
            for k in 0..n {
                let (p, q) = (direction[k], direction[n + k]);
                let [ww, ws, ss] = curvature.blocks[k];
                second += ww * p * p + 2.0 * ws * p * q + ss * q * q;
                let [by_w, by_s] = curvature.coupling[k];
                for (sum, (w, s)) in low_rank.iter_mut().zip(by_w.iter().zip(by_s)) {
                    *sum += w * p + s * q;
                }
            }
            second += low_rank[0].powi(2) + low_rank[1].powi(2);
            let want = (up.1 - down.1) / (2.0 * h);
            prop_assert!((second - want).abs() < 1e-3 * (1.0 + want.abs()), "{} {}", second, want);
        }
    }
}
