//! Linear systems by conjugate gradients, given products with the matrix and a preconditioner.

use crate::linalg::{add_scaled, dot};

/// How near a solution is to come.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Effort {
    /// The share of the right side that the residual may be, as the preconditioner sees both.
    pub(super) forcing: f64,
    /// Products with the matrix, at most.
    pub(super) max_products: usize,
}

impl Effort {
    /// To reach a gap: an objective that is off by the square of `forcing` is made good by the next step.
    pub(super) const SHARP: Self = Self {
        forcing: 1e-2,
        max_products: 1000,
    };
    /// To compare candidates: a direction that takes longer is not worth it.
    pub(super) const COARSE: Self = Self {
        forcing: 5e-2,
        max_products: 40,
    };
}

/// The solution of a symmetric system that is positive definite, at least where the right side is,
/// as near as `effort` says.
pub(super) fn solve(
    rhs: &[f64],
    effort: Effort,
    precondition: impl Fn(&[f64]) -> Vec<f64>,
    times: impl Fn(&[f64]) -> Vec<f64>,
) -> Vec<f64> {
    let mut x = vec![0.0; rhs.len()];
    let mut residual = rhs.to_vec();
    let mut z = precondition(&residual);
    let mut p = z.clone();
    let mut rz = dot(&residual, &z);
    let enough = effort.forcing * effort.forcing * rz;
    for _ in 0..effort.max_products {
        if rz <= enough {
            break;
        }
        let product = times(&p);
        let step = rz / dot(&p, &product);
        if !step.is_finite() {
            break; // rounding left nothing of the direction
        }
        add_scaled(&mut x, step, &p);
        add_scaled(&mut residual, -step, &product);
        z = precondition(&residual);
        let next = dot(&residual, &z);
        let keep = next / rz;
        rz = next;
        for (p, z) in p.iter_mut().zip(&z) {
            *p = z + keep * *p;
        }
    }
    x
}
