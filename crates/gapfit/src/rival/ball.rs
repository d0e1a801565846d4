//! Least squares over a ball, by its secular equation.
//!
//! ```text
//! min_m  mᵀA m - 2 bᵀm   s.t.  ‖m‖ <= 1,       A ⪰ 0,  b in the range of A
//! ```
//!
//! The minimiser is `m(τ) = (A + τI)^{-1} b` with τ = 0 if that is inside the ball, otherwise with the
//! root of `1/‖m(τ)‖ = 1`. That function of τ is concave and nearly straight, and Newton's method
//! approaches its root from the left without overshooting.

use crate::error::Result;
use crate::linalg::{Cholesky, Matrix, dot, norm_squared};

/// The minimiser and its multiplier τ.
#[derive(Clone, Debug)]
pub(crate) struct InBall {
    pub(crate) m: Vec<f64>,
    pub(crate) tau: f64,
    pub(crate) factorisations: usize,
}

/// A singular A is shifted by this share of its largest diagonal entry.
const FLOOR: f64 = 1e-13;
/// A norm this close to 1 is 1.
const CLOSE: f64 = 1e-12;
const MAX_STEPS: usize = 60;

/// The minimiser over the unit ball, of A the lower triangle; `tau` is where to look first.
pub(crate) fn minimise(a: &Matrix, b: &[f64], tau: f64) -> Result<InBall> {
    let largest = (0..b.len()).fold(0.0f64, |m, j| m.max(a[(j, j)]));
    if largest == 0.0 {
        return Ok(InBall {
            m: vec![0.0; b.len()],
            tau: 0.0,
            factorisations: 0,
        });
    }
    let floor = FLOOR * largest;
    let mut at = InBall {
        m: Vec::new(),
        tau: tau.max(floor),
        factorisations: 0,
    };
    for _ in 0..MAX_STEPS {
        at.factorisations += 1;
        let factor = Cholesky::of(|| {
            let mut shifted = a.scaled_lower(1.0);
            (0..b.len()).for_each(|j| shifted[(j, j)] += at.tau);
            shifted
        })?;
        at.m = b.to_vec();
        factor.solve(&mut at.m);
        let norm = norm_squared(&at.m).sqrt();
        if (norm - 1.0).abs() <= CLOSE || (norm < 1.0 && at.tau <= floor) {
            break;
        }
        let mut slope = at.m.clone();
        factor.solve(&mut slope);
        let step = (norm - 1.0) * norm * norm / dot(&at.m, &slope);
        let next = (at.tau + step).max(floor);
        if (next - at.tau).abs() <= f64::EPSILON * at.tau {
            break;
        }
        at.tau = next;
    }
    let norm = norm_squared(&at.m).sqrt();
    if norm > 1.0 {
        at.m.iter_mut().for_each(|m| *m /= norm);
    }
    Ok(at)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// `A = LLᵀ` and `b = A x` for rows of L of length 3, so that A is singular from 4 on.
    fn problem(cells: &[f64], x: &[f64]) -> (Matrix, Vec<f64>) {
        let n = x.len();
        let mut a = Matrix::zeros(n, n);
        for j in 0..n {
            for i in 0..n {
                a[(i, j)] = dot(&cells[3 * i..3 * i + 3], &cells[3 * j..3 * j + 3]);
            }
        }
        let b = a.times(x);
        (a, b)
    }

    proptest! {
        #[test]
        fn the_minimiser_is_stationary_and_its_multiplier_complementary(
            cells in prop::collection::vec(-1.0..1.0f64, 15),
            x in prop::collection::vec(-1.0..1.0f64, 5),
            (size, start) in (-3.0..3.0f64, -4.0..4.0f64),
        ) {
            let x: Vec<f64> = x.iter().map(|x| x * 10f64.powf(size)).collect();
            let (a, b) = problem(&cells, &x);
            let at = minimise(&a, &b, 10f64.powf(start)).unwrap();
            let norm = norm_squared(&at.m).sqrt();
            prop_assert!(norm <= 1.0 + 1e-12);
            prop_assert!(norm >= 1.0 - 1e-9 || at.tau <= 1e-12);
            let am = a.times(&at.m);
            let off = (0..5).fold(0.0f64, |m, i| m.max((am[i] + at.tau * at.m[i] - b[i]).abs()));
            let scale = b.iter().fold(1e-3f64, |m, b| m.max(b.abs()));
            prop_assert!(off <= 1e-9 * scale, "{off:e} {scale:e}");
        }
    }
}
