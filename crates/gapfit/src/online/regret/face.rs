//! Ascent in many δ at once, where the conjugates are straight: what piecewise linear losses need, whose
//! coordinates hold each other up (docs/math.md 13.6).
//!
//! The δ inside a straight piece of their conjugates are free, the others stay. On the free ones the dual of
//! a proximal step is a quadratic function,
//!
//! ```text
//! Σ_t p_t δ_t (ŷ_t - ℓ*') - ½ δᵀ H δ,     H_ts = p_t p_s <x_t ψ_tᵀ, x_s ψ_sᵀ>_* / λ
//! ```
//!
//! with what lies along Θ taken out of H, and all scaled by R/‖Θ‖, when Θ is outside the ball. Conjugate
//! gradients approach its maximum; a step there stops at the ends of the pieces and counts only if the dual
//! has risen. One iteration costs two passes over the rows of free δ.

use super::comparator::Comparator;
use super::rows::{Row, Rows};
use crate::online::lazy::Lazy;

/// Iterations of conjugate gradients per step.
const ITERATIONS: usize = 20;

/// Times a step is halved before it is given up.
const HALVINGS: usize = 6;

/// What H gets on its diagonal, relative: more δ than weights are free as a rule, and H is singular.
const RIDGE: f64 = 1e-9;

/// The free δ.
struct Face<'a> {
    rows: Vec<(usize, Row<'a>)>,
    /// `<Θ, x ψᵀ>`, by row.
    products: Vec<f64>,
    /// The diagonal of H.
    diagonal: Vec<f64>,
    shrink: f64,
    /// ‖Θ‖², infinite inside the ball: nothing is taken out there.
    norm_squared: f64,
}

/// Raises the dual of a proximal step, or leaves it alone.
pub(super) fn climb(of: &mut Comparator, rows: &Rows) {
    let is_free = |t: &usize| of.loss.straight(of.dual[*t], rows.get(*t).target).is_some();
    let free: Vec<_> = (0..rows.len()).filter(is_free).collect();
    if free.is_empty() {
        return;
    }
    let face = Face::new(of, rows, &free);
    let direction = face.maximum(of);
    let before = height(of, rows, &of.point);
    let mut length = 1.0;
    for _ in 0..HALVINGS {
        let start = of.dual.clone();
        for (&t, step) in free.iter().zip(&direction) {
            of.dual[t] = of.loss.along(start[t], start[t] + length * step);
        }
        let mut point = of.centre.clone();
        point.add(1.0 / of.lambda, &of.pull(rows));
        if height(of, rows, &point) > before {
            of.point = point;
            return;
        }
        of.dual = start;
        length *= 0.5;
    }
}

/// The dual of a proximal step, but for a constant.
fn height(of: &Comparator, rows: &Rows, point: &Lazy) -> f64 {
    let conjugate =
        |(row, &dual): (Row<'_>, &f64)| row.weight * of.loss.conjugate(dual, row.target);
    let conjugates: f64 = rows.iter().zip(&of.dual).map(conjugate).sum();
    let norm = point.square().sqrt();
    let outside = (norm - of.radius).max(0.0);
    // ‖Θ‖² - (‖Θ‖ - R)²₊, without cancellation
    -conjugates - 0.5 * of.lambda * (norm - outside) * (norm + outside)
}

impl<'a> Face<'a> {
    fn new(of: &mut Comparator, rows: &'a Rows, free: &[usize]) -> Self {
        let norm_squared = of.point.square();
        let shrink = of.shrink(norm_squared);
        let mut face = Self {
            rows: free.iter().map(|&t| (t, rows.get(t))).collect(),
            products: Vec::new(),
            diagonal: Vec::new(),
            shrink,
            norm_squared: if shrink < 1.0 {
                norm_squared
            } else {
                f64::INFINITY
            },
        };
        for (_, row) in &face.rows {
            let measure = of.point.measure(row.x, row.observed);
            let diagonal = shrink * row.weight * row.weight * measure.dual_squared / of.lambda;
            face.products.push(measure.product);
            face.diagonal.push(diagonal.max(f64::MIN_POSITIVE));
        }
        face
    }

    /// The slope of the dual in each free δ.
    fn slopes(&self, of: &Comparator) -> Vec<f64> {
        let rows = self.rows.iter().zip(&self.products);
        let slope = |((t, row), product): (&(usize, Row<'_>), &f64)| {
            let conjugate = of.loss.straight(of.dual[*t], row.target);
            row.weight * (self.shrink * product - conjugate.unwrap_or(0.0))
        };
        rows.map(slope).collect()
    }

    /// `H v`.
    fn times(&self, of: &Comparator, v: &[f64]) -> Vec<f64> {
        let (mut sum, mut along) = (of.centre.zeroed(), 0.0);
        for (((_, row), v), product) in self.rows.iter().zip(v).zip(&self.products) {
            sum.subtract(row.x, row.observed, -row.weight * v);
            along += row.weight * v * product;
        }
        along /= self.norm_squared;
        let cell = |(k, (_, row)): (usize, &(usize, Row<'_>))| {
            let product = sum.product(row.x, row.observed) - along * self.products[k];
            row.weight * self.shrink / of.lambda * product + RIDGE * self.diagonal[k] * v[k]
        };
        self.rows.iter().enumerate().map(cell).collect()
    }

    /// Where the quadratic function is nearly largest, from zero: conjugate gradients, scaled by the
    /// diagonal.
    fn maximum(&self, of: &Comparator) -> Vec<f64> {
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let scaled = |r: &[f64]| {
            r.iter()
                .zip(&self.diagonal)
                .map(|(r, h)| r / h)
                .collect::<Vec<_>>()
        };
        let mut residual = self.slopes(of);
        let mut at = vec![0.0; residual.len()];
        let mut direction = scaled(&residual);
        let mut size = dot(&residual, &direction);
        let enough = 1e-16 * size;
        for _ in 0..ITERATIONS {
            let image = self.times(of, &direction);
            let bend = dot(&direction, &image);
            if !(size > enough && bend > 0.0) {
                break;
            }
            let length = size / bend;
            at.iter_mut()
                .zip(&direction)
                .for_each(|(x, p)| *x += length * p);
            residual
                .iter_mut()
                .zip(&image)
                .for_each(|(r, h)| *r -= length * h);
            let next = scaled(&residual);
            let turned = dot(&residual, &next);
            let share = turned / size;
            direction
                .iter_mut()
                .zip(&next)
                .for_each(|(p, z)| *p = z + share * *p);
            size = turned;
        }
        at
    }
}
