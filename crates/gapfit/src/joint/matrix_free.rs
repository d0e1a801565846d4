//! The quadratic part without `H`: products with the lifted rows, systems by conjugate gradients.
//!
//! ```text
//! Φv = X̃w + rowsum((X̃U) ∘ Zb),     Φᵀδ = (X̃ᵀδ, X̃ᵀ(δ ∘ zb_k) for each k)
//! ```
//!
//! two matrix products each (docs/math.md 8), for tables whose `H` would be too large to hold or too
//! slow to factor.

use super::blocks::{Blocks, Hessian};
use super::conjugate::{self, Effort};
use super::dense::Dense;
use super::intercept::Centre;
use super::precondition::{Preconditioner, Sketch, Together, correlations};
use super::quadratic::Normal;
use crate::error::Result;
use crate::features::{Layout, LiftedRows, Shifted};
use crate::linalg::{Matrix, add_gram_of_rows, add_scaled, dot};
use crate::prepare::Intercept;
use rayon::prelude::*;
use std::ops::Range;
use std::sync::Arc;

/// Up to so many numbers, factors stay in a cache between products.
const CACHED: usize = 1 << 21;
/// From so many rows for each entry on, products with them take longer than reading factors from memory.
const MANY_ROWS: usize = 32;

/// Whether systems of so many rows are preconditioned by how holes go together: not where shifts have lists of entries, of
/// which two share few, or where reading more factors would take longer than products with the rows.
pub(crate) fn couples(layout: &Layout, n_rows: usize) -> bool {
    let is_alike = matches!(layout.shifted, Shifted::Alike(_));
    is_alike && couples_alike(layout.n_entries, layout.holes.len(), n_rows)
}

/// The same of shifts that are all of the same entries.
pub(crate) fn couples_alike(n_entries: usize, n_holes: usize, n_rows: usize) -> bool {
    let is_light = n_holes.saturating_mul(n_entries.saturating_pow(2)) <= CACHED; // also asked of tables that are refused
    is_light || n_rows >= MANY_ROWS * n_entries
}

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
    /// What systems are preconditioned by.
    sketch: Arc<Sketch>,
}

impl MatrixFree {
    pub(crate) fn new(rows: LiftedRows, blocks: Blocks, intercept: Intercept) -> (Self, Centre) {
        let mut constant = vec![0.0; rows.layout.dim()];
        constant[0] = 1.0;
        let sums = rows.normal_times(&constant);
        let mut normal = Self {
            linear: Vec::new(),
            yy: 0.0,
            sketch: Arc::default(),
            centre: Centre::new(&sums, 0.0, intercept),
            rows,
            blocks,
            intercept,
            sums,
        };
        normal.sketch = Arc::new(Sketch {
            diagonal: normal.diagonal_blocks(),
            entries: normal.coupled_entries(),
        });
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
            sketch: Arc::clone(&self.sketch),
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
        self.rows.bytes() + self.sketch.bytes()
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
        let mut h = self.sketch.diagonal[0].clone();
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

    /// The Gram matrix of some entries of all rows.
    fn weights_block(&self, entries: Range<usize>) -> Matrix {
        self.rows.square(entries.len(), |sum, chunk| {
            let all: Vec<u32> = (0..chunk.len() as u32).collect();
            add_gram_of_rows(sum, &chunk.x, &all, entries.clone());
        })
    }

    /// The unknowns that multiply each entry, with the correlations of their holes; none where blocks stay on their own.
    fn coupled_entries(&self) -> Vec<Together> {
        let layout = &self.rows.layout;
        let shifted = match &layout.shifted {
            Shifted::Alike(shifted) if couples(layout, self.rows.y.len()) => shifted,
            _ => return Vec::new(),
        };
        let dropped = self.dropped();
        let weights = self.rows.weights_of_holes();
        // What the correlations of the entry before depend on, and these: most entries share them.
        let mut before: Option<(bool, Vec<usize>, Arc<Matrix>)> = None;
        let coupled = |entry: usize| {
            // Centring takes the mean out of the constant; other entries have next to none.
            let is_centred = entry == 0 && self.intercept == Intercept::Free;
            let of_weights = (entry >= dropped).then(|| (0, entry - dropped));
            let of_shifts = (0..layout.holes.len()).filter(|_| shifted.contains(&entry));
            let of_shifts =
                of_shifts.map(|b| (b + 1, layout.start(b) - dropped + entry - shifted.start));
            let (blocks, places): (Vec<_>, Vec<_>) =
                of_weights.into_iter().chain(of_shifts).unzip();
            let correlations = match &before {
                Some((centred, same, found)) if (*centred, same) == (is_centred, &blocks) => {
                    Arc::clone(found)
                }
                _ => Arc::new(correlations_of_holes(&weights, &blocks, is_centred)),
            };
            before = Some((is_centred, blocks, Arc::clone(&correlations)));
            Together {
                places,
                correlations,
            }
        };
        (0..layout.n_entries).map(coupled).collect()
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
}

/// The correlations of some blocks by the weights of their holes, less their means where they are centred.
fn correlations_of_holes(weights: &Matrix, blocks: &[usize], is_centred: bool) -> Matrix {
    correlations(blocks.len(), |i, j| {
        let (k, l) = (blocks[i], blocks[j]);
        let mean = if is_centred {
            weights[(k, 0)] / weights[(0, 0)]
        } else {
            0.0
        };
        weights[(k, l)] - mean * weights[(l, 0)]
    })
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
        let near = Preconditioner::new(&self.sketch, &self.blocks, scale, penalty)?;
        let times = |p: &[f64]| {
            let mut product = penalty.times(p);
            add_scaled(&mut product, scale, &self.times(p));
            product
        };
        Ok(conjugate::solve(rhs, effort, |r| near.apply(r), times))
    }
}
