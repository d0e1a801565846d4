//! The lift: from a completed row `x̃` and its mask to the features of a linear model.
//!
//! ```text
//! Φ(x̃, z) = (x̃, zb_k x̃ for each feature k with holes in training),   zb_k = 1 - z_k
//! f(x̃, z) = <w, x̃> + Σ_k zb_k <u_k, x̃>
//! ```
//!
//! (docs/math.md 2). Indicators alone, `zb_k`, are the lift of the constant entry.

mod chunk;
mod layout;
mod shifted;

pub(crate) use chunk::RowChunk;
pub(crate) use layout::Layout;
pub(crate) use shifted::{Lists, Shifted};

use crate::impute::Filler;
use crate::linalg::{add_scaled, norm_squared};
use crate::moments::{Frame, Rows};
use crate::prepare::Prepared;
use chunk::Operand;
use rayon::prelude::*;

/// The units of a problem: what turns rows, or their moments, into lifted features and a target.
#[derive(Clone, Debug)]
pub(crate) struct Units {
    pub(crate) prepared: Prepared,
    pub(crate) frame: Frame,
    pub(crate) layout: Layout,
    /// Factor on every entry.
    pub(crate) shrink: f64,
    /// Added to the framed target.
    pub(crate) offset: f64,
}

/// Completed rows with their masks, in chunks: the lift without its zeros.
#[derive(Clone, Debug)]
pub(crate) struct LiftedRows {
    pub(crate) layout: Layout,
    pub(crate) chunks: Vec<RowChunk>,
}

/// Rows per chunk.
const CHUNK: usize = 1024;

impl LiftedRows {
    /// Completes the rows in the units of a problem.
    pub(crate) fn new(rows: &Rows<'_>, units: &Units) -> Self {
        let chunk = |filler: &mut Filler<'_>, start: usize| {
            let range = start..rows.len().min(start + CHUNK);
            RowChunk::new(rows, range, units, filler)
        };
        let starts: Vec<usize> = (0..rows.len()).step_by(CHUNK).collect();
        let chunks = starts.into_par_iter();
        Self {
            layout: units.layout.clone(),
            chunks: chunks.map_init(|| units.prepared.filler(), chunk).collect(),
        }
    }

    /// What they take of memory, roughly.
    pub(crate) fn bytes(&self) -> usize {
        let cells = self.chunks.iter().map(|chunk| chunk.x.as_slice().len());
        let holes = self.chunks.iter().map(|chunk| chunk.holes.len());
        (cells.sum::<usize>() + holes.sum::<usize>()) * size_of::<f64>()
    }

    /// `‖y - Φv‖²`.
    pub(crate) fn squared_error(&self, v: &[f64]) -> f64 {
        let v = Operand::new(&self.layout, v);
        let error = |chunk: &RowChunk| norm_squared(&chunk.residuals(&self.layout, &v));
        let errors: Vec<f64> = self.chunks.par_iter().map(error).collect();
        errors.iter().sum()
    }

    /// `ΦᵀΦ v`.
    pub(crate) fn normal_times(&self, v: &[f64]) -> Vec<f64> {
        let v = Operand::new(&self.layout, v);
        self.sum(|chunk| chunk.normal_times(&self.layout, &v))
    }

    /// `Φᵀ(y - Φv)`, from the residuals themselves.
    pub(crate) fn adjoint_of_residuals(&self, v: &[f64]) -> Vec<f64> {
        let v = Operand::new(&self.layout, v);
        self.sum(|chunk| chunk.adjoint_times(&self.layout, &chunk.residuals(&self.layout, &v)))
    }

    /// `Φᵀy` and `yᵀy`.
    pub(crate) fn against_target(&self) -> (Vec<f64>, f64) {
        let linear = self.sum(|chunk| chunk.adjoint_times(&self.layout, &chunk.y));
        let squares = self.chunks.iter().map(|chunk| norm_squared(&chunk.y));
        (linear, squares.sum())
    }

    /// `Φᵀδ` for one number per row; as everywhere here, rows are times the root of their weight.
    pub(crate) fn adjoint_times(&self, dual: &[f64]) -> Vec<f64> {
        let chunks = self.chunks.par_iter().zip(dual.par_chunks(CHUNK));
        let parts = chunks.map(|(chunk, dual)| chunk.adjoint_times(&self.layout, dual));
        total(&parts.collect::<Vec<_>>(), self.layout.dim())
    }

    /// The sum of `part` over the chunks, in their order whatever the number of threads.
    fn sum(&self, part: impl Fn(&RowChunk) -> Vec<f64> + Sync + Send) -> Vec<f64> {
        let parts: Vec<_> = self.chunks.par_iter().map(part).collect();
        total(&parts, self.layout.dim())
    }
}

fn total(parts: &[Vec<f64>], dim: usize) -> Vec<f64> {
    let mut total = vec![0.0; dim];
    for part in parts {
        add_scaled(&mut total, 1.0, part);
    }
    total
}
