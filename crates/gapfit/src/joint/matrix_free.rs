//! The quadratic part without `H`: products with the lifted rows, systems by conjugate gradients.
//!
//! ```text
//! Φv = X̃w + rowsum((X̃U) ∘ Zb),     Φᵀδ = (X̃ᵀδ, X̃ᵀ(δ ∘ zb_k) for each k)
//! ```
//!
//! two matrix products each (docs/math.md 8), for tables whose `H` would be too large to hold or too
//! slow to factor. The preconditioner is the block diagonal of `H`, one block for w and one per shift.

use super::blocks::{Blocks, Hessian};
use super::conjugate::{self, Effort};
use super::dense::Dense;
use super::intercept::Centre;
use super::quadratic::Normal;
use crate::error::Result;
use crate::features::{LiftedRows, RowChunk};
use crate::linalg::{Cholesky, Matrix, add_gram_of_rows, add_scaled, dot};
use crate::prepare::Intercept;
use rayon::prelude::*;
use std::ops::Range;
use std::sync::Arc;

/// Parts of the rows whose sums are made in parallel; fixed, so that threads do not matter.
const PARTS: usize = 8;

/// Lifted rows and what is needed of `H`.
#[derive(Debug)]
pub(crate) struct MatrixFree {
    rows: LiftedRows,
    blocks: Blocks,
    intercept: Intercept,
    centre: Centre,
    /// Sums of the lifted features against the constant entry, that of the constant first.
    sums: Vec<f64>,
    linear: Vec<f64>,
    yy: f64,
    /// The diagonal blocks of the centred `H`, lower triangles: w, then the shifts.
    diagonal: Arc<Vec<Matrix>>,
}

impl MatrixFree {
    pub(crate) fn new(rows: LiftedRows, blocks: Blocks, intercept: Intercept) -> (Self, Centre) {
        let mut constant = vec![0.0; rows.layout.dim()];
        constant[0] = 1.0;
        let sums = rows.normal_times(&constant);
        let mut normal = Self {
            linear: Vec::new(),
            yy: 0.0,
            diagonal: Arc::default(),
            centre: Centre::new(&sums, 0.0, intercept),
            rows,
            blocks,
            intercept,
            sums,
        };
        normal.diagonal = Arc::new(normal.diagonal_blocks());
        let centre = normal.aim();
        (normal, centre)
    }

    /// The same for another target of the same rows.
    pub(crate) fn toward(&self, rows: LiftedRows) -> (Self, Centre) {
        let mut normal = Self {
            rows,
            blocks: self.blocks.clone(),
            intercept: self.intercept,
            centre: self.centre.clone(),
            sums: self.sums.clone(),
            linear: Vec::new(),
            yy: 0.0,
            diagonal: Arc::clone(&self.diagonal),
        };
        let centre = normal.aim();
        (normal, centre)
    }

    /// Finds what depends on the target of the rows.
    fn aim(&mut self) -> Centre {
        let (full, yy) = self.rows.against_target();
        self.centre = Centre::new(&self.sums, full[0], self.intercept);
        let target = self.centre.target;
        self.yy = yy - full[0] * target;
        self.linear = self.penalised(full, target);
        self.centre.clone()
    }

    /// The lifted rows.
    pub(crate) fn rows(&self) -> &LiftedRows {
        &self.rows
    }

    /// What it takes of memory, roughly.
    pub(crate) fn bytes(&self) -> usize {
        let cells = self.diagonal.iter().map(|block| block.as_slice().len());
        self.rows.bytes() + cells.sum::<usize>() * size_of::<f64>()
    }

    fn dropped(&self) -> usize {
        usize::from(self.intercept != Intercept::Penalised)
    }

    /// The penalised part of a full vector, less `mean` times the sums.
    fn penalised(&self, full: Vec<f64>, mean: f64) -> Vec<f64> {
        if self.dropped() == 0 {
            return full;
        }
        let mut out = full[1..].to_vec();
        add_scaled(&mut out, -mean, &self.sums[1..]);
        out
    }

    /// The problem in the weights alone.
    pub(crate) fn leading(&self) -> Dense {
        let mut h = self.diagonal[0].clone();
        h.mirror_lower();
        Dense::from_parts(h, self.linear[..self.blocks.n_weights].to_vec(), self.yy)
    }

    fn diagonal_blocks(&self) -> Vec<Matrix> {
        let (layout, dropped) = (&self.rows.layout, self.dropped());
        let mut blocks = vec![self.weights_block(dropped..layout.n_entries)];
        let chunks = &*self.rows.chunks;
        let members = chunks
            .par_iter()
            .map(|c| c.rows_by_hole(layout.holes.len()));
        let members: Vec<Vec<Vec<u32>>> = members.collect();
        let shift = |b: usize| {
            let len = layout.range(b).len();
            let mut block = Matrix::zeros(len, len);
            for (chunk, members) in chunks.iter().zip(&members) {
                let entries = layout.shifted.entries(b);
                add_gram_of_rows(&mut block, &chunk.x, &members[b], entries);
            }
            block
        };
        blocks.par_extend((0..layout.holes.len()).into_par_iter().map(shift));
        if dropped == 1 {
            self.centre_blocks(&mut blocks);
        }
        blocks
    }

    /// The Gram matrix of some entries of all rows, in parts that are summed in their order.
    fn weights_block(&self, entries: Range<usize>) -> Matrix {
        let chunks = &*self.rows.chunks;
        let part = |chunks: &[RowChunk]| {
            let mut sum = Matrix::zeros(entries.len(), entries.len());
            for chunk in chunks {
                let all: Vec<u32> = (0..chunk.len() as u32).collect();
                add_gram_of_rows(&mut sum, &chunk.x, &all, entries.clone());
            }
            sum
        };
        let parts = chunks
            .par_chunks(chunks.len().div_ceil(PARTS).max(1))
            .map(part);
        let parts: Vec<Matrix> = parts.collect();
        let mut parts = parts.into_iter();
        let mut total = parts.next().expect("there are rows");
        parts.for_each(|part| total.add(&part));
        total
    }

    fn centre_blocks(&self, blocks: &mut [Matrix]) {
        let (sums, means) = (&self.sums[1..], &self.centre.features);
        for (b, block) in blocks.iter_mut().enumerate() {
            let start = if b == 0 {
                0
            } else {
                self.blocks.range(b - 1).start
            };
            for j in 0..block.n_cols() {
                for i in j..block.n_rows() {
                    block[(i, j)] -= sums[start + i] * means[start + j];
                }
            }
        }
    }

    fn preconditioner(&self, scale: f64, penalty: &Hessian<'_>) -> Result<Vec<Cholesky>> {
        let factor = |(b, block): (usize, &Matrix)| {
            let shift = b.checked_sub(1);
            let range = shift.map_or(0..self.blocks.n_weights, |b| self.blocks.range(b));
            Cholesky::of(|| {
                let mut system = block.scaled_lower(scale);
                penalty.add_block_to(shift, range.clone(), 0, &mut system);
                system
            })
        };
        self.diagonal.par_iter().enumerate().map(factor).collect()
    }

    fn precondition(&self, factors: &[Cholesky], residual: &[f64]) -> Vec<f64> {
        let mut out = residual.to_vec();
        factors[0].solve(&mut out[..self.blocks.n_weights]);
        for (b, factor) in factors[1..].iter().enumerate() {
            factor.solve(&mut out[self.blocks.range(b)]);
        }
        out
    }
}

impl Normal for MatrixFree {
    fn linear(&self) -> &[f64] {
        &self.linear
    }

    fn constant(&self) -> f64 {
        self.yy
    }

    fn times(&self, v: &[f64]) -> Vec<f64> {
        if self.dropped() == 0 {
            return self.rows.normal_times(v);
        }
        let full: Vec<f64> = std::iter::once(0.0).chain(v.iter().copied()).collect();
        let mean = dot(&self.centre.features, v);
        self.penalised(self.rows.normal_times(&full), mean)
    }

    fn residual(&self, v: &[f64]) -> Vec<f64> {
        // With the intercept put back the residuals sum to zero, and centring changes nothing.
        let full = self
            .rows
            .adjoint_of_residuals(&self.centre.restore(v, self.intercept));
        full[self.dropped()..].to_vec()
    }

    fn solve(
        &self,
        scale: f64,
        penalty: &Hessian<'_>,
        rhs: &[f64],
        effort: Effort,
    ) -> Result<Vec<f64>> {
        let factors = self.preconditioner(scale, penalty)?;
        let times = |p: &[f64]| {
            let mut product = penalty.times(p);
            add_scaled(&mut product, scale, &self.times(p));
            product
        };
        let precondition = |residual: &[f64]| self.precondition(&factors, residual);
        Ok(conjugate::solve(rhs, effort, precondition, times))
    }
}
