//! Linear systems by conjugate gradients, given products with the matrix and a preconditioner.

use crate::linalg::{add_scaled, dot};

/// Products per system, at most.
const MAX_PRODUCTS: usize = 1000;

/// The solution of a symmetric system that is positive definite, at least where the right side is,
/// near enough that the residual, as the preconditioner sees it, is the share `forcing` of `rhs`.
pub(super) fn solve(
    rhs: &[f64],
    forcing: f64,
    precondition: impl Fn(&[f64]) -> Vec<f64>,
    times: impl Fn(&[f64]) -> Vec<f64>,
) -> Vec<f64> {
    let mut x = vec![0.0; rhs.len()];
    let mut residual = rhs.to_vec();
    let mut z = precondition(&residual);
    let mut p = z.clone();
    let mut rz = dot(&residual, &z);
    let enough = forcing * forcing * rz;
    for _ in 0..MAX_PRODUCTS {
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
