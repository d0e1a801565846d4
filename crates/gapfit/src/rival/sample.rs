//! The training rows as the paper's solvers see them: lifted, centred, in units of their own.
//!
//! With `y/‖y‖` for y, `w √c/‖y‖` for w and `u_k √c/(γ‖y‖)` for `u_k` the problem of docs/math.md 4 has
//! `c = γ = ‖y‖ = 1` and a value between 0 and 1, whatever the parameters; M and N are measured in
//! units of γ and γ².

use crate::features::{LiftedRows, RowChunk};
use crate::joint::blocks::Blocks;
use crate::joint::intercept::Centre;
use crate::linalg::{Matrix, Singular, add_scaled, norm_squared, transpose_product};
use crate::prepare::Intercept;

/// Lifted rows and their targets in units where `c = γ = ‖y‖ = 1`.
#[derive(Clone, Debug)]
pub(crate) struct Sample {
    /// One column per row: the transpose of Φ.
    pub(crate) lifted: Matrix,
    pub(crate) y: Vec<f64>,
    /// The square of the part of y that was taken out because no model can reach it.
    pub(crate) rest: f64,
    pub(crate) blocks: Blocks,
    units: Units,
}

/// What one of the sample's own units is in those of the problem.
#[derive(Clone, Copy, Debug)]
struct Units {
    weight: f64,
    shift: f64,
}

/// A centred sum of squares below this share of the raw one is rounding.
const CONSTANT: f64 = 1e-14;
/// A feature whose sum of squares is below this share of the largest one in its shift is rounding.
const ROUNDING: f64 = 1e-24;
/// A singular value below this share of the largest one is rounding.
const NEGLIGIBLE: f64 = 1e-10;

impl Sample {
    /// The rows with the intercept taken out, for `c = alpha Σs` and `gamma > 0`.
    pub(crate) fn new(
        rows: &LiftedRows,
        (centre, intercept): (&Centre, Intercept),
        blocks: &Blocks,
        (c, gamma): (f64, f64),
    ) -> Self {
        let (mut phi, mut y) = dense(rows);
        if intercept != Intercept::Penalised {
            let constant = phi.col(0).to_vec();
            add_scaled(&mut y, -centre.target, &constant);
            phi = without_constant(&phi, &constant, &centre.features);
        }
        let norm = match norm_squared(&y).sqrt() {
            norm if norm > 0.0 => norm,
            _ => 1.0,
        };
        y.iter_mut().for_each(|y| *y /= norm);
        let root = c.sqrt();
        let mut lifted = Matrix::zeros(phi.n_cols(), phi.n_rows());
        for j in 0..phi.n_cols() {
            let gain = if j < blocks.n_weights { 1.0 } else { gamma } / root;
            for (i, x) in phi.col(j).iter().enumerate() {
                lifted[(j, i)] = gain * x;
            }
        }
        clear_rounding(&mut lifted, blocks);
        Self {
            lifted,
            y,
            rest: 0.0,
            blocks: blocks.clone(),
            units: Units {
                weight: norm / root,
                shift: norm / root * gamma,
            },
        }
    }

    /// The same problem in orthonormal coordinates of the span of the lifted rows, and an orthonormal
    /// basis of that span in the space of features; `None` when a number is not finite.
    ///
    /// `Φ = U diag(s) Vᵀ` gives `K = U (diag(s) VᵀQV diag(s)) Uᵀ`: what is orthogonal to U is zero in
    /// every K and only adds its share of `‖y‖²` to the value.
    pub(crate) fn on_its_span(&self) -> Option<(Self, Matrix)> {
        let parts = Singular::of(&self.lifted)?;
        let largest = parts.sizes.first().copied().unwrap_or(0.0);
        let rank = parts
            .sizes
            .iter()
            .take_while(|&&s| s > NEGLIGIBLE * largest);
        let rank = rank.count();
        let leading = |of: &Matrix| {
            let cells = of.as_slice()[..of.n_rows() * rank].to_vec();
            Matrix::from_columns(of.n_rows(), rank, cells)
        };
        let (mut basis, rows) = (leading(&parts.left), leading(&parts.right));
        clear_dead(&mut basis, &self.live());
        let y = Matrix::from_columns(self.y.len(), 1, self.y.clone());
        let y = transpose_product(&rows, &y).col(0).to_vec();
        let mut unreached = self.y.clone();
        add_scaled(&mut unreached, -1.0, &rows.times(&y));
        let mut lifted = basis.clone();
        for (j, size) in parts.sizes[..rank].iter().enumerate() {
            lifted.col_mut(j).iter_mut().for_each(|x| *x *= size);
        }
        let rest = self.rest + norm_squared(&unreached);
        let sample = Self {
            lifted,
            y,
            rest,
            ..self.clone()
        };
        Some((sample, basis))
    }

    /// Whether there are more live unknowns than dimensions, for a sample on its span.
    pub(crate) fn is_dependent(&self) -> bool {
        let n_live = self.live().into_iter().filter(|live| *live).count();
        n_live > self.lifted.n_cols()
    }

    /// The unknowns that meet something other than zeros.
    pub(crate) fn live(&self) -> Vec<bool> {
        let mut live = vec![false; self.lifted.n_rows()];
        for i in 0..self.lifted.n_cols() {
            for (live, x) in live.iter_mut().zip(self.lifted.col(i)) {
                *live |= *x != 0.0;
            }
        }
        live
    }

    /// A predictor in the units of the problem.
    pub(crate) fn restore(&self, v: &[f64]) -> Vec<f64> {
        let (weights, shifts) = v.split_at(self.blocks.n_weights);
        let weights = weights.iter().map(|w| w * self.units.weight);
        let shifts = shifts.iter().map(|u| u * self.units.shift);
        weights.chain(shifts).collect()
    }

    /// A value in the units of the problem, `(1/c)‖y - f‖² + Ω`.
    pub(crate) fn value(&self, value: f64) -> f64 {
        value * self.units.weight * self.units.weight
    }
}

/// Clears the features that, next to others of their shift, are rounding: a hole filled with a mean of 0.
fn clear_rounding(lifted: &mut Matrix, blocks: &Blocks) {
    let mut sizes = vec![0.0; lifted.n_rows()];
    for i in 0..lifted.n_cols() {
        for (size, x) in sizes.iter_mut().zip(lifted.col(i)) {
            *size += x * x;
        }
    }
    let mut live = vec![true; sizes.len()];
    for b in 0..blocks.partners.len() {
        let range = blocks.range(b);
        let largest = sizes[range.clone()].iter().fold(0.0, |m: f64, s| m.max(*s));
        for j in range {
            live[j] = sizes[j] > ROUNDING * largest;
        }
    }
    clear_dead(lifted, &live);
}

/// Sets the rows of what is not live to zero.
fn clear_dead(matrix: &mut Matrix, live: &[bool]) {
    for i in 0..matrix.n_cols() {
        for (x, live) in matrix.col_mut(i).iter_mut().zip(live) {
            if !live {
                *x = 0.0;
            }
        }
    }
}

/// Φ with one column per unknown, the constant's first, and y; rows times the root of their weight.
fn dense(rows: &LiftedRows) -> (Matrix, Vec<f64>) {
    let layout = &rows.layout;
    let mut phi = Matrix::zeros(rows.y.len(), layout.dim());
    let mut start = 0;
    for chunk in rows.chunks.iter() {
        let RowChunk { x, holes, .. } = chunk;
        for r in 0..chunk.len() {
            for (j, value) in x.col(r).iter().enumerate() {
                phi[(start + r, j)] = *value;
            }
        }
        for &(row, block) in holes {
            let (r, b) = (row as usize, block as usize);
            for (j, entry) in layout.range(b).zip(layout.shifted.entries(b)) {
                phi[(start + r, j)] = x[(entry, r)];
            }
        }
        start += chunk.len();
    }
    (phi, rows.y.clone())
}

/// The columns but the first, less `means` times the constant; zero where nothing but rounding is left.
fn without_constant(phi: &Matrix, constant: &[f64], means: &[f64]) -> Matrix {
    let mut centred = Matrix::zeros(phi.n_rows(), phi.n_cols() - 1);
    for (j, mean) in means.iter().enumerate() {
        let (raw, column) = (phi.col(j + 1), centred.col_mut(j));
        column.copy_from_slice(raw);
        add_scaled(column, -mean, constant);
        if norm_squared(column) <= CONSTANT * norm_squared(raw) {
            column.fill(0.0);
        }
    }
    centred
}

#[cfg(test)]
mod tests {
    use super::super::kernel::{KernelFit, Slices};
    use super::*;

    /// Two weights, the second with a shift of two features, one of them dead.
    fn sample(n_rows: usize) -> Sample {
        let cells = (0..4 * n_rows).map(|i| {
            if i % 4 == 3 {
                0.0
            } else {
                ((i * i) as f64).sin()
            }
        });
        Sample {
            lifted: Matrix::from_columns(4, n_rows, cells.collect()),
            y: (0..n_rows).map(|i| (0.7 * i as f64).cos()).collect(),
            rest: 0.0,
            blocks: Blocks {
                n_weights: 2,
                partners: vec![1],
                starts: vec![2, 4],
            },
            units: Units {
                weight: 1.0,
                shift: 1.0,
            },
        }
    }

    #[test]
    fn on_its_span_a_sample_has_the_same_values_and_predictors() {
        for n_rows in [2, 9] {
            let full = sample(n_rows);
            let (span, basis) = full.on_its_span().unwrap();
            assert_eq!(span.y.len(), n_rows.min(3));
            assert_eq!(span.is_dependent(), n_rows < 3);
            assert_eq!(basis.n_cols(), span.y.len());
            let slices = Slices::diagonal(&full.blocks, 0.3);
            let fit = |of: &Sample| {
                let kernel = slices.form(&of.blocks, &of.lifted);
                let fit = KernelFit::new(of, &kernel).unwrap();
                (fit.value, fit.predictor(of, &slices))
            };
            let ((value, v), (other, u)) = (fit(&full), fit(&span));
            assert!((value - other).abs() < 1e-13, "{value} {other}");
            for (a, b) in v.iter().zip(&u) {
                assert!((a - b).abs() < 1e-13, "{a} {b}");
            }
        }
    }
}
