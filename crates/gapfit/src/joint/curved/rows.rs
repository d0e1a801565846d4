//! Completed rows, those of one mask after the other: products with the lift without its zeros.
//!
//! For rows that miss the same features the lift is one linear map: the unknowns of a predictor add up to
//! one vector of weights, `w + Σ u_k` over the missing k, and what is summed over such rows is added to the
//! place of w and to that of each such `u_k` (docs/math.md 15.3). A row costs as much as its entries, whatever
//! is missing.

use crate::features::{Layout, Shifted, Units};
use crate::gram::Gram;
use crate::impute::Filler;
use crate::linalg::{LANES, Matrix, add_scaled, add_scaled_rows, dots_of_rows, set_weighted_gram};
use crate::moments::Rows;
use rayon::prelude::*;
use std::ops::Range;
use std::sync::Arc;

/// Rows that are worked on at once; fixed, so that sums do not depend on the number of threads.
const CHUNK: usize = 1024;

/// Completed rows in chunks.
#[derive(Clone, Debug)]
pub(super) struct Grouped {
    pub(super) layout: Layout,
    /// Row after row, each padded with zeros to `stride` cells.
    cells: Arc<Vec<f64>>,
    stride: usize,
    chunks: Vec<Chunk>,
}

/// Some rows.
#[derive(Clone, Debug)]
pub(super) struct Chunk {
    pub(super) number: usize,
    pub(super) rows: Range<usize>,
    groups: Vec<Group>,
}

/// Rows of a chunk that miss the same features.
#[derive(Clone, Debug)]
struct Group {
    rows: Range<usize>,
    /// The blocks of shifts of the missing features.
    blocks: Vec<usize>,
}

impl Grouped {
    /// Completes rows, sorted by mask, in the units of a problem.
    pub(super) fn new(rows: &Rows<'_>, units: &Units) -> Self {
        let layout = units.layout.clone();
        let stride = layout.n_entries.next_multiple_of(LANES);
        let mut cells = vec![0.0; rows.len() * stride];
        let places = cells.par_chunks_mut(CHUNK * stride).enumerate();
        let chunk = |filler: &mut Filler<'_>, (number, cells): (usize, &mut [f64])| {
            let start = number * CHUNK;
            let rows_of_chunk = start..start + cells.len() / stride;
            let groups = complete(rows, rows_of_chunk.clone(), units, filler, cells);
            Chunk {
                number,
                rows: rows_of_chunk,
                groups,
            }
        };
        let chunks = places.map_init(|| units.prepared.filler(), chunk);
        Self {
            chunks: chunks.collect(),
            layout,
            cells: Arc::new(cells),
            stride,
        }
    }

    /// The same rows, nothing added for holes.
    pub(super) fn plain(&self) -> Self {
        let whole = |chunk: &Chunk| Chunk {
            number: chunk.number,
            rows: chunk.rows.clone(),
            groups: vec![Group {
                rows: 0..chunk.rows.len(),
                blocks: Vec::new(),
            }],
        };
        Self {
            layout: self.layout.plain(),
            cells: Arc::clone(&self.cells),
            chunks: self.chunks.iter().map(whole).collect(),
            ..*self
        }
    }

    /// The same rows where missing features shift other entries.
    pub(super) fn shifting(&self, layout: Layout) -> Self {
        Self {
            layout,
            cells: Arc::clone(&self.cells),
            chunks: self.chunks.clone(),
            ..*self
        }
    }

    /// What they take of memory, roughly.
    pub(super) fn bytes(&self) -> usize {
        self.cells.len() * size_of::<f64>()
    }

    pub(super) fn chunks(&self) -> &[Chunk] {
        &self.chunks
    }

    fn cells(&self, chunk: &Chunk, group: &Group) -> &[f64] {
        let rows = chunk.rows.start + group.rows.start..chunk.rows.start + group.rows.end;
        &self.cells[rows.start * self.stride..rows.end * self.stride]
    }

    /// `Φv` of the rows of a chunk.
    fn predict(&self, chunk: &Chunk, v: &[f64], out: &mut [f64]) {
        let layout = &self.layout;
        let mut weights = vec![0.0; self.stride];
        for group in &chunk.groups {
            weights[..layout.n_entries].copy_from_slice(&v[..layout.n_entries]);
            for &b in &group.blocks {
                layout
                    .shifted
                    .add_shift(b, &v[layout.range(b)], &mut weights);
            }
            let out = &mut out[group.rows.clone()];
            dots_of_rows(self.cells(chunk, group), &weights, out);
        }
    }

    /// Adds `Φᵀδ` over the rows of a chunk.
    fn add_adjoint(&self, chunk: &Chunk, dual: &[f64], out: &mut [f64]) {
        let layout = &self.layout;
        let mut sum = vec![0.0; self.stride];
        for group in &chunk.groups {
            sum.fill(0.0);
            add_scaled_rows(
                &mut sum,
                self.cells(chunk, group),
                &dual[group.rows.clone()],
            );
            add_scaled(&mut out[..layout.n_entries], 1.0, &sum);
            for &b in &group.blocks {
                let shift = &mut out[layout.range(b)];
                layout.shifted.add_entries(b, 1.0, &sum, shift);
            }
        }
    }

    /// What `map` makes of the predictions `Φv` of each chunk, given for each output in `v` one after the
    /// other.
    pub(super) fn each<T: Send>(
        &self,
        v: &[f64],
        map: impl Fn(&Chunk, Vec<f64>) -> T + Sync,
    ) -> Vec<T> {
        let of_chunk = |chunk: &Chunk| {
            let dim = self.layout.dim();
            let mut predictions = vec![0.0; v.len() / dim * chunk.rows.len()];
            let outputs = predictions.chunks_exact_mut(chunk.rows.len());
            for (v, out) in v.chunks_exact(dim).zip(outputs) {
                self.predict(chunk, v, out);
            }
            map(chunk, predictions)
        };
        self.chunks.par_iter().map(of_chunk).collect()
    }

    /// `Φᵀδ` for the numbers δ of each chunk, again for each output one after the other.
    pub(super) fn adjoint(&self, chunk: &Chunk, dual: &[f64]) -> Vec<f64> {
        let n = chunk.rows.len();
        let mut out = vec![0.0; dual.len() / n * self.layout.dim()];
        let outputs = out.chunks_exact_mut(self.layout.dim());
        for (dual, out) in dual.chunks_exact(n).zip(outputs) {
            self.add_adjoint(chunk, dual, out);
        }
        out
    }

    /// `Σ weight Φ_i Φ_iᵀ`, for the weights of the rows of each chunk; against a target of zeros.
    pub(super) fn gram(&self, weights: impl Fn(&Chunk) -> Vec<f64> + Sync) -> Gram {
        let dim = self.layout.dim();
        let parts = if dim <= IN_PARTS { PARTS } else { 1 };
        let part = |chunks: &[Chunk]| {
            let mut sum = Gram::zeros(dim, 1);
            let (mut square, mut scratch) = (Square::new(self), Vec::new());
            for chunk in chunks {
                let weights = weights(chunk);
                for group in &chunk.groups {
                    let weights = &weights[group.rows.clone()];
                    square.set(self.cells(chunk, group), weights, &mut scratch);
                    sum.add_square(&square.matrix, &group.blocks, &self.layout);
                }
            }
            sum
        };
        let each = self.chunks.len().div_ceil(parts).max(1);
        let sums: Vec<Gram> = self.chunks.par_chunks(each).map(part).collect();
        let mut sums = sums.into_iter();
        let mut total = sums.next().unwrap_or_else(|| Gram::zeros(dim, 1));
        sums.for_each(|part| total.merge(&part));
        total.fill_in(&self.layout);
        total
    }

    /// The diagonal blocks of [`Grouped::gram`], that of w and one per shift; lower triangles.
    pub(super) fn diagonal_blocks(&self, weights: &[f64]) -> Vec<Matrix> {
        let layout = &self.layout;
        let n = layout.n_entries;
        let shift = |b: usize| Matrix::zeros(layout.range(b).len(), layout.range(b).len());
        let mut blocks = vec![Matrix::zeros(n, n)];
        blocks.extend((0..layout.holes.len()).map(shift));
        let (mut square, mut scratch) = (Square::new(self), Vec::new());
        for chunk in &self.chunks {
            let weights = &weights[chunk.rows.clone()];
            if let Shifted::Listed(_) = layout.shifted {
                let cells = chunk.rows.start * self.stride..chunk.rows.end * self.stride;
                square.set(&self.cells[cells], weights, &mut scratch);
                blocks[0].add(&square.matrix);
                self.add_listed(chunk, weights, &mut blocks[1..]);
                continue;
            }
            for group in &chunk.groups {
                let weights = &weights[group.rows.clone()];
                square.set(self.cells(chunk, group), weights, &mut scratch);
                blocks[0].add(&square.matrix);
                for &b in &group.blocks {
                    for (j, entry) in layout.shifted.entries(b).enumerate() {
                        let into = blocks[b + 1].col_mut(j);
                        let column = square.matrix.col(entry);
                        layout.shifted.add_entries(b, 1.0, column, into);
                    }
                }
            }
        }
        blocks
    }

    /// Adds the outer products of what each hole of a chunk shifts, row by row: lists are short.
    fn add_listed(&self, chunk: &Chunk, weights: &[f64], blocks: &mut [Matrix]) {
        let shifted = &self.layout.shifted;
        for group in &chunk.groups {
            let rows = self.cells(chunk, group).chunks_exact(self.stride);
            for (row, weight) in rows.zip(&weights[group.rows.clone()]) {
                for &b in &group.blocks {
                    for (j, entry) in shifted.entries(b).enumerate() {
                        let factor = weight * row[entry];
                        shifted.add_entries(b, factor, row, blocks[b].col_mut(j));
                    }
                }
            }
        }
    }

    /// The sum of some numbers of the rows over all of them, then over those on which each shift acts.
    pub(super) fn sums_by_block(&self, numbers: &[f64]) -> Vec<f64> {
        let mut sums = vec![0.0; self.layout.holes.len() + 1];
        for chunk in &self.chunks {
            for group in &chunk.groups {
                let start = chunk.rows.start;
                let rows = start + group.rows.start..start + group.rows.end;
                let sum: f64 = numbers[rows].iter().sum();
                sums[0] += sum;
                group.blocks.iter().for_each(|&b| sums[b + 1] += sum);
            }
        }
        sums
    }
}

/// Writes completed rows to `cells` and groups them by mask.
fn complete(
    rows: &Rows<'_>,
    range: Range<usize>,
    units: &Units,
    filler: &mut Filler<'_>,
    cells: &mut [f64],
) -> Vec<Group> {
    let Units {
        layout, prepared, ..
    } = units;
    let block_of = layout.block_of_entry();
    let mut groups: Vec<Group> = Vec::new();
    let places = cells.chunks_exact_mut(cells.len() / range.len());
    for ((r, i), cells) in range.enumerate().zip(places) {
        let row = rows.row(i);
        let completed = &mut cells[..layout.n_entries];
        prepared.complete(row, filler, completed);
        completed.iter_mut().for_each(|x| *x *= units.shrink);
        match groups.last_mut() {
            Some(group) if rows.words(i) == rows.words(i - 1) => group.rows.end = r + 1,
            _ => {
                let missing = row.observed().missing();
                let blocks = missing.filter_map(|j| block_of[prepared.entry_of[j]]);
                groups.push(Group {
                    rows: r..r + 1,
                    blocks: blocks.collect(),
                });
            }
        }
    }
    groups
}

/// Parts of a Gram matrix that are summed in parallel, and up to how many unknowns there is room for them.
const PARTS: usize = 8;
const IN_PARTS: usize = 1000;

/// The sum of the weighted outer products of some rows.
struct Square {
    padded: Vec<f64>,
    stride: usize,
    matrix: Matrix,
}

impl Square {
    fn new(rows: &Grouped) -> Self {
        let n = rows.layout.n_entries;
        Self {
            padded: vec![0.0; n * rows.stride],
            stride: rows.stride,
            matrix: Matrix::zeros(n, n),
        }
    }

    fn set(&mut self, rows: &[f64], weights: &[f64], scratch: &mut Vec<f64>) {
        set_weighted_gram(&mut self.padded, rows, weights, scratch);
        for (j, column) in self.padded.chunks_exact(self.stride).enumerate() {
            let n = self.matrix.n_rows();
            self.matrix.col_mut(j)[j..].copy_from_slice(&column[j..n]);
        }
        self.matrix.mirror_lower();
    }
}

/// The sum of vectors, in their order.
pub(super) fn total(parts: impl IntoIterator<Item = Vec<f64>>) -> Vec<f64> {
    let mut parts = parts.into_iter();
    let mut total = parts.next().unwrap_or_default();
    parts.for_each(|part| add_scaled(&mut total, 1.0, &part));
    total
}
