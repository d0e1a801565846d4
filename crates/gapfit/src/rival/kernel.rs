//! M and N of the paper, the kernel they make, and its predictor.
//!
//! ```text
//! K = Φ Q Φᵀ,     Q = blockdiag(S_k),     S_k = [ 1    m_kᵀ ]        v = Q Φᵀ α
//!                                               [ m_k  N_k  ]
//! ```
//!
//! (docs/math.md 2.1, 9); a weight without a shift has the block 1.

use super::sample::Sample;
use crate::joint::blocks::Blocks;
use crate::linalg::{Cholesky, Matrix, add_scaled, dot, norm_squared, transpose_product};

/// M and N, one column and one slice per feature with holes.
#[derive(Clone, Debug)]
pub(crate) struct Slices {
    pub(crate) m: Matrix,
    pub(crate) n: Vec<Matrix>,
}

impl Slices {
    /// `M = 0`, `N_k = ν I`.
    pub(crate) fn diagonal(blocks: &Blocks, nu: f64) -> Self {
        let mut slice = Matrix::zeros(blocks.longest(), blocks.longest());
        (0..blocks.longest()).for_each(|j| slice[(j, j)] = nu);
        Self {
            m: Matrix::zeros(blocks.longest(), blocks.partners.len()),
            n: vec![slice; blocks.partners.len()],
        }
    }

    /// `(1 - t) self + t other`.
    pub(crate) fn mixed(&self, t: f64, other: &Self) -> Self {
        let mix = |a: &Matrix, b: &Matrix| {
            let cells = a.as_slice().iter().zip(b.as_slice());
            let cells = cells.map(|(a, b)| (1.0 - t) * a + t * b).collect();
            Matrix::from_columns(a.n_rows(), a.n_cols(), cells)
        };
        Self {
            m: mix(&self.m, &other.m),
            n: self
                .n
                .iter()
                .zip(&other.n)
                .map(|(a, b)| mix(a, b))
                .collect(),
        }
    }

    /// Adds `m` times the gradient of `αᵀKα` by M and `n` times that by N, where `adjoint = Φᵀα`.
    pub(crate) fn add_gradient(&mut self, blocks: &Blocks, adjoint: &[f64], (m, n): (f64, f64)) {
        for (b, &k) in blocks.partners.iter().enumerate() {
            let shift = &adjoint[blocks.range(b)];
            add_scaled(self.m.col_mut(b), 2.0 * m * adjoint[k], shift);
            for (j, x) in shift.iter().enumerate() {
                add_scaled(self.n[b].col_mut(j), n * x, shift);
            }
        }
    }

    /// ‖M‖ and ‖N‖.
    pub(crate) fn norms(&self) -> (f64, f64) {
        let slices = self.n.iter().map(|n| norm_squared(n.as_slice()));
        let m = norm_squared(self.m.as_slice()).sqrt();
        (m, slices.sum::<f64>().sqrt())
    }

    /// Shrinks M and N into their balls, where they are not.
    pub(crate) fn shrink(&mut self) {
        let (m, n) = self.norms();
        self.m.scale(1.0 / m.max(1.0));
        self.n
            .iter_mut()
            .for_each(|slice| slice.scale(1.0 / n.max(1.0)));
    }

    /// `Q g`.
    pub(crate) fn times(&self, blocks: &Blocks, g: &[f64]) -> Vec<f64> {
        let mut out = g.to_vec();
        for (b, &k) in blocks.partners.iter().enumerate() {
            let (m, range) = (self.m.col(b), blocks.range(b));
            let shift = &g[range.clone()];
            out[k] += dot(m, shift);
            out[range.clone()].copy_from_slice(&self.n[b].times(shift));
            add_scaled(&mut out[range], g[k], m);
        }
        out
    }

    /// `Xᵀ Q X`; with the lifted rows for X the kernel matrix.
    pub(crate) fn form(&self, blocks: &Blocks, x: &Matrix) -> Matrix {
        let columns = (0..x.n_cols()).flat_map(|j| self.times(blocks, x.col(j)));
        let qx = Matrix::from_columns(x.n_rows(), x.n_cols(), columns.collect());
        transpose_product(&qx, x)
    }
}

/// The solution of the kernel problem for some M and N.
#[derive(Clone, Debug)]
pub(crate) struct KernelFit {
    /// `(K + I)^{-1} y`, the paper's α.
    pub(crate) dual: Vec<f64>,
    /// `yᵀ(K + I)^{-1}y`, with the part of y that was taken out.
    pub(crate) value: f64,
}

impl KernelFit {
    /// The fit for this K; `None` unless `K + I` is positive definite.
    pub(crate) fn new(sample: &Sample, kernel: &Matrix) -> Option<Self> {
        let factor = Cholesky::of(|| {
            let mut system = kernel.clone();
            (0..system.n_cols()).for_each(|j| system[(j, j)] += 1.0);
            system
        });
        let mut dual = sample.y.clone();
        factor.ok()?.solve(&mut dual);
        let value = dot(&sample.y, &dual) + sample.rest;
        value.is_finite().then_some(Self { dual, value })
    }

    /// The predictor `v = Q Φᵀ α`.
    pub(crate) fn predictor(&self, sample: &Sample, slices: &Slices) -> Vec<f64> {
        slices.times(&sample.blocks, &sample.lifted.times(&self.dual))
    }
}
