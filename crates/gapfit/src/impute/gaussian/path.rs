//! The way from a point along a step that stays among the covariances.
//!
//! ```text
//! Σ(t) = L f(tS) Lᵀ,   L Lᵀ = Σ,  S = L⁻¹ V L⁻ᵀ,      f(x) = 1 + x for x >= 0,  1/(1 - x) below
//! ```
//!
//! with f applied to the eigenvalues: what grows does so along `Σ + tV`, what shrinks along a straight line
//! of precisions. Positive definite whatever V and t (docs/math.md 6.6).

use super::likelihood::Point;
use crate::linalg::{Eigen, Matrix, add_scaled, spd};

/// A way from a point.
#[derive(Debug)]
pub(super) struct Path<'a> {
    from: &'a Point,
    step: &'a [f64],
    /// The directions that shrink: eigenvalue, and `Lq` of its vector q.
    shrinking: Vec<(f64, Vec<f64>)>,
}

impl<'a> Path<'a> {
    pub(super) fn new(from: &'a Point, step: &'a [f64]) -> Self {
        Self {
            from,
            step,
            shrinking: shrinking(from, step).unwrap_or_default(),
        }
    }

    /// The point at `t`.
    pub(super) fn at(&self, t: f64) -> Point {
        let mut point = self.from.clone();
        add_scaled(&mut point.all, t, self.step);
        for (value, direction) in &self.shrinking {
            let x = t * value;
            let off = x * x / (1.0 - x); // of 1/(1 - x) from 1 + x
            let columns = point.all[point.n..].chunks_exact_mut(point.n);
            for (column, &b) in columns.zip(direction) {
                add_scaled(column, off * b, direction);
            }
        }
        point
    }
}

/// `None` where rounding has its way: then the way is straight, and shortened if it leads out.
fn shrinking(from: &Point, step: &[f64]) -> Option<Vec<(f64, Vec<f64>)>> {
    let n = from.n;
    let mut factor = from.covariance().to_vec();
    if !spd::factor(&mut factor, n, 0.0) {
        return None;
    }
    // L⁻¹ V, then L⁻¹ of its transpose.
    let mut half = Matrix::from_columns(n, n, step[n..].to_vec());
    (0..n).for_each(|j| spd::solve_lower(&factor, half.col_mut(j)));
    let transposed = (0..n * n).map(|cell| half[(cell / n, cell % n)]);
    let mut whole = Matrix::from_columns(n, n, transposed.collect());
    (0..n).for_each(|j| spd::solve_lower(&factor, whole.col_mut(j)));
    let eigen = Eigen::of(&whole)?;
    let values = eigen.values.iter().copied().enumerate();
    let shrinking = values.filter(|(_, value)| *value < 0.0);
    let direction = |(k, value): (usize, f64)| {
        let mut direction = vec![0.0; n];
        for (j, &q) in eigen.vectors.col(k).iter().enumerate() {
            add_scaled(&mut direction[j..], q, &factor[j * n + j..(j + 1) * n]);
        }
        (value, direction)
    };
    Some(shrinking.map(direction).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variances_grow_straight_and_shrink_by_their_inverse() {
        let from = Point::new(&[0.0, 1.0], &[4.0, 0.0, 0.0, 9.0]);
        let step = [0.5, -0.5, 8.0, 0.0, 0.0, -27.0];
        let there = Path::new(&from, &step).at(0.5).all;
        for (got, want) in there.iter().zip([0.25, 0.75, 8.0, 0.0, 0.0, 9.0 / 2.5]) {
            assert!((got - want).abs() < 1e-12, "{got} {want}");
        }
    }

    #[test]
    fn no_step_leads_out() {
        let from = Point::new(&[0.0; 3], &[2.0, 0.9, 0.1, 0.9, 1.0, 0.3, 0.1, 0.3, 0.5]);
        for size in [0.1, 1.0, 1e3, 1e6] {
            let step = [
                1.0, 1.0, 1.0, -3.0, 2.0, 1.0, 2.0, 0.5, -1.0, 1.0, -1.0, -2.0,
            ];
            let step: Vec<f64> = step.iter().map(|s| size * s).collect();
            let there = Path::new(&from, &step).at(1.0);
            let mut covariance = there.covariance().to_vec();
            assert!(spd::factor(&mut covariance, 3, 0.0), "{size}");
        }
    }
}
