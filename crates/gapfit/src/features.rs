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
use crate::linalg::{Matrix, add_scaled, norm_squared};
use crate::moments::{Frame, Rows};
use crate::prepare::Prepared;
use chunk::Operand;
use rayon::prelude::*;
use std::sync::Arc;

/// Parts of the rows whose squares are summed in parallel; fixed, so that threads do not matter.
const PARTS: usize = 8;

/// The units of a problem: what turns rows, or their moments, into lifted features and a target.
#[derive(Clone, Debug)]
pub(crate) struct Units {
    pub(crate) prepared: Arc<Prepared>,
    pub(crate) frame: Frame,
    pub(crate) layout: Layout,
    /// Factor on every entry.
    pub(crate) shrink: f64,
    /// Added to each framed target.
    pub(crate) offsets: Vec<f64>,
}

impl Units {
    /// The target of the `i`-th row in its units.
    pub(crate) fn target(&self, rows: &Rows<'_>, i: usize) -> f64 {
        let t = rows.target_number();
        self.frame.targets[t].hold(rows.target(i)) + self.offsets[t]
    }
}

/// Completed rows with their masks, in chunks: the lift without its zeros.
#[derive(Clone, Debug)]
pub(crate) struct LiftedRows {
    pub(crate) layout: Layout,
    /// Shared by the problems of several targets.
    pub(crate) chunks: Arc<Vec<RowChunk>>,
    /// The target of each row, times the root of its weight.
    pub(crate) y: Vec<f64>,
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
        let chunks = chunks.map_init(|| units.prepared.filler(), chunk);
        Self {
            layout: units.layout.clone(),
            chunks: Arc::new(chunks.collect()),
            y: targets(rows, units),
        }
    }

    /// The same completed rows with the target that `rows` look at.
    pub(crate) fn toward(&self, rows: &Rows<'_>, units: &Units) -> Self {
        Self {
            layout: self.layout.clone(),
            chunks: Arc::clone(&self.chunks),
            y: targets(rows, units),
        }
    }

    /// The chunks, each with the targets of its rows.
    fn with_targets(&self) -> impl IndexedParallelIterator<Item = (&RowChunk, &[f64])> {
        self.chunks.par_iter().zip(self.y.par_chunks(CHUNK))
    }

    /// What they take of memory, roughly.
    pub(crate) fn bytes(&self) -> usize {
        let cells = self.chunks.iter().map(|chunk| chunk.x.as_slice().len());
        let holes = self.chunks.iter().map(RowChunk::n_hole_numbers);
        (cells.sum::<usize>() + holes.sum::<usize>()) * size_of::<f64>()
    }

    /// `‖y - Φv‖²`.
    pub(crate) fn squared_error(&self, v: &[f64]) -> f64 {
        let v = Operand::new(&self.layout, v);
        let error =
            |(chunk, y): (&RowChunk, &[f64])| norm_squared(&chunk.residuals(y, &self.layout, &v));
        let errors: Vec<f64> = self.with_targets().map(error).collect();
        errors.iter().sum()
    }

    /// `ΦᵀΦ v`.
    pub(crate) fn normal_times(&self, v: &[f64]) -> Vec<f64> {
        let v = Operand::new(&self.layout, v);
        self.sum(|(chunk, _)| chunk.normal_times(&self.layout, &v))
    }

    /// `Φᵀ(y - Φv)`, from the residuals themselves.
    pub(crate) fn adjoint_of_residuals(&self, v: &[f64]) -> Vec<f64> {
        let v = Operand::new(&self.layout, v);
        self.sum(|(chunk, y)| {
            let residuals = chunk.residuals(y, &self.layout, &v);
            chunk.adjoint_times(&self.layout, &residuals)
        })
    }

    /// `Φᵀy` and `yᵀy`.
    pub(crate) fn against_target(&self) -> (Vec<f64>, f64) {
        let linear = self.sum(|(chunk, y)| chunk.adjoint_times(&self.layout, y));
        let squares = self.y.chunks(CHUNK).map(norm_squared);
        (linear, squares.sum())
    }

    /// `Φᵀδ` for one number per row; as everywhere here, rows are times the root of their weight.
    pub(crate) fn adjoint_times(&self, dual: &[f64]) -> Vec<f64> {
        let chunks = self.chunks.par_iter().zip(dual.par_chunks(CHUNK));
        let parts = chunks.map(|(chunk, dual)| chunk.adjoint_times(&self.layout, dual));
        total(&parts.collect::<Vec<_>>(), self.layout.dim())
    }

    /// `Σ x̃_0² ζ ζᵀ`, ζ = (1, zb), where all shifts are of the same entries: the weight of the rows in which two features are
    /// both missing.
    pub(crate) fn weights_of_holes(&self) -> Matrix {
        self.square(self.layout.holes.len() + 1, |sum, chunk| {
            sum.add(&chunk.weights_of_holes());
        })
    }

    /// A square matrix to which each chunk adds: in parts that are summed in their order, few since there is a matrix for each.
    pub(crate) fn square(
        &self,
        order: usize,
        add: impl Fn(&mut Matrix, &RowChunk) + Sync,
    ) -> Matrix {
        let part = |chunks: &[RowChunk]| {
            let mut sum = Matrix::zeros(order, order);
            chunks.iter().for_each(|chunk| add(&mut sum, chunk));
            sum
        };
        let at_once = self.chunks.len().div_ceil(PARTS).max(1);
        let parts: Vec<Matrix> = self.chunks.par_chunks(at_once).map(part).collect();
        let mut parts = parts.into_iter();
        let mut total = parts.next().expect("there are rows");
        parts.for_each(|part| total.add(&part));
        total
    }

    /// The sum of `part` over the chunks, in their order whatever the number of threads.
    fn sum(&self, part: impl Fn((&RowChunk, &[f64])) -> Vec<f64> + Sync + Send) -> Vec<f64> {
        let parts: Vec<_> = self.with_targets().map(part).collect();
        total(&parts, self.layout.dim())
    }
}

/// The targets of the rows in their units, times the roots of their weights.
fn targets(rows: &Rows<'_>, units: &Units) -> Vec<f64> {
    let target = |i: usize| units.target(rows, i) * rows.weight(i).sqrt();
    (0..rows.len()).map(target).collect()
}

fn total(parts: &[Vec<f64>], dim: usize) -> Vec<f64> {
    let mut total = vec![0.0; dim];
    for part in parts {
        add_scaled(&mut total, 1.0, part);
    }
    total
}
