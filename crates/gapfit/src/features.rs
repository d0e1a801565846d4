//! The lift: from a completed row `x̃` and its mask to the features of a linear model.
//!
//! ```text
//! Φ(x̃, z) = (x̃, zb_k x̃ for each feature k with holes in training),   zb_k = 1 - z_k
//! f(x̃, z) = <w, x̃> + Σ_k zb_k <u_k, x̃>
//! ```
//!
//! (docs/math.md 2). Indicators alone, `zb_k`, are the lift of the constant entry.

use crate::impute::Filler;
use crate::linalg::{Matrix, add_scaled, norm_squared, product, transpose_product};
use crate::method::Lift;
use crate::moments::{Frame, Rows, Source};
use crate::prepare::{Intercept, Prepared};
use rayon::prelude::*;
use std::ops::Range;

/// Which unknowns there are: `w` over all entries, then a block of shifts per entry with holes.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Layout {
    /// Entries of a completed row, the constant (entry 0) included.
    pub(crate) n_entries: usize,
    /// The entries whose features have holes in training, ascending.
    pub(crate) holes: Vec<usize>,
    /// The entries that are shifted when a feature is missing.
    pub(crate) shifted: Range<usize>,
}

impl Layout {
    /// The layout for a lift of the rows behind `source`.
    pub(crate) fn new(
        lift: Lift,
        intercept: Intercept,
        prepared: &Prepared,
        source: &Source<'_>,
    ) -> Self {
        let holes = if lift == Lift::Plain {
            Vec::new()
        } else {
            entries_with_holes(prepared, source)
        };
        Self::with_holes(lift, intercept, prepared.n_entries(), holes)
    }

    /// The layout where these entries have holes.
    pub(crate) fn with_holes(
        lift: Lift,
        intercept: Intercept,
        n_entries: usize,
        holes: Vec<usize>,
    ) -> Self {
        let shifted = match (lift, intercept) {
            (Lift::Plain, _) => 0..0,
            (Lift::Indicators, _) => 0..1,
            (Lift::Full, Intercept::None) => 1..n_entries,
            (Lift::Full, _) => 0..n_entries,
        };
        Self {
            n_entries,
            holes,
            shifted,
        }
    }

    /// The same entries, nothing shifted.
    pub(crate) fn plain(&self) -> Self {
        Self {
            n_entries: self.n_entries,
            holes: Vec::new(),
            shifted: 0..0,
        }
    }

    /// The number of unknowns.
    pub(crate) fn dim(&self) -> usize {
        self.n_entries + self.holes.len() * self.shifted.len()
    }

    /// Where block `b` of the shifts starts.
    pub(crate) fn start(&self, b: usize) -> usize {
        self.n_entries + b * self.shifted.len()
    }

    /// The unknowns as a matrix: column 0 is w, column b + 1 is shift b, zero where not shifted.
    pub(crate) fn as_matrix(&self, v: &[f64]) -> Matrix {
        let mut matrix = Matrix::zeros(self.n_entries, self.holes.len() + 1);
        matrix.col_mut(0).copy_from_slice(&v[..self.n_entries]);
        for b in 0..self.holes.len() {
            let from = &v[self.start(b)..self.start(b) + self.shifted.len()];
            matrix.col_mut(b + 1)[self.shifted.clone()].copy_from_slice(from);
        }
        matrix
    }

    /// The inverse of [`Layout::as_matrix`]: drops what is not shifted.
    fn as_vector(&self, matrix: &Matrix) -> Vec<f64> {
        let mut v = matrix.col(0).to_vec();
        for b in 0..self.holes.len() {
            v.extend_from_slice(&matrix.col(b + 1)[self.shifted.clone()]);
        }
        v
    }

    /// For each entry its block of shifts, if it has one.
    pub(crate) fn block_of_entry(&self) -> Vec<Option<usize>> {
        let mut block_of = vec![None; self.n_entries];
        for (b, &entry) in self.holes.iter().enumerate() {
            block_of[entry] = Some(b);
        }
        block_of
    }
}

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

/// Some completed rows, times the root of their weight.
#[derive(Clone, Debug)]
pub(crate) struct RowChunk {
    pub(crate) x: Matrix,
    pub(crate) y: Vec<f64>,
    /// `(row, block)` of each hole in a feature that has a shift.
    pub(crate) holes: Vec<(u32, u32)>,
}

impl RowChunk {
    fn new(rows: &Rows<'_>, range: Range<usize>, units: &Units, filler: &mut Filler<'_>) -> Self {
        let (layout, prepared) = (&units.layout, &units.prepared);
        let block_of = layout.block_of_entry();
        let mut x = Matrix::zeros(range.len(), layout.n_entries);
        let mut y = vec![0.0; range.len()];
        let mut holes = Vec::new();
        let mut completed = vec![0.0; layout.n_entries];
        for (r, i) in range.enumerate() {
            let (row, root) = (rows.row(i), rows.weight(i).sqrt());
            prepared.complete(row, filler, &mut completed);
            for (j, value) in completed.iter().enumerate() {
                x[(r, j)] = value * units.shrink * root;
            }
            y[r] = (units.frame.target.hold(rows.target(i)) + units.offset) * root;
            for j in row.observed().missing() {
                if let Some(b) = block_of[prepared.entry_of[j]] {
                    holes.push((r as u32, b as u32));
                }
            }
        }
        Self { x, y, holes }
    }

    /// `Φv` for `v` laid out as a matrix with a column for w and one per shift.
    fn times(&self, v: &Matrix) -> Vec<f64> {
        let parts = product(&self.x, v);
        let mut out = parts.col(0).to_vec();
        for &(row, block) in &self.holes {
            out[row as usize] += parts[(row as usize, block as usize + 1)];
        }
        out
    }

    /// `y - Φv`.
    fn residuals(&self, v: &Matrix) -> Vec<f64> {
        let fitted = self.times(v);
        self.y.iter().zip(fitted).map(|(y, f)| y - f).collect()
    }

    /// `Φᵀδ`, laid out like v.
    fn adjoint_times(&self, dual: &[f64], n_blocks: usize) -> Matrix {
        let mut parts = Matrix::zeros(dual.len(), n_blocks + 1);
        parts.col_mut(0).copy_from_slice(dual);
        for &(row, block) in &self.holes {
            parts[(row as usize, block as usize + 1)] = dual[row as usize];
        }
        transpose_product(&self.x, &parts)
    }
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

    /// `‖y - Φv‖²`.
    pub(crate) fn squared_error(&self, v: &[f64]) -> f64 {
        let v = self.layout.as_matrix(v);
        let error = |chunk: &RowChunk| norm_squared(&chunk.residuals(&v));
        self.chunks.iter().map(error).sum()
    }

    /// `ΦᵀΦ v`.
    pub(crate) fn normal_times(&self, v: &[f64]) -> Vec<f64> {
        let v = self.layout.as_matrix(v);
        self.sum(|chunk| chunk.adjoint_times(&chunk.times(&v), self.layout.holes.len()))
    }

    /// `Φᵀ(y - Φv)`, from the residuals themselves.
    pub(crate) fn adjoint_of_residuals(&self, v: &[f64]) -> Vec<f64> {
        let v = self.layout.as_matrix(v);
        self.sum(|chunk| chunk.adjoint_times(&chunk.residuals(&v), self.layout.holes.len()))
    }

    /// `Φᵀy` and `yᵀy`.
    pub(crate) fn against_target(&self) -> (Vec<f64>, f64) {
        let linear = self.sum(|chunk| chunk.adjoint_times(&chunk.y, self.layout.holes.len()));
        (
            linear,
            self.chunks.iter().map(|chunk| norm_squared(&chunk.y)).sum(),
        )
    }

    /// `Φᵀδ` for one number per row; as everywhere here, rows are times the root of their weight.
    pub(crate) fn adjoint_times(&self, dual: &[f64]) -> Vec<f64> {
        let blocks = self.layout.holes.len();
        let chunks = self.chunks.par_iter().zip(dual.par_chunks(CHUNK));
        self.total(
            &chunks
                .map(|(chunk, dual)| chunk.adjoint_times(dual, blocks))
                .collect::<Vec<_>>(),
        )
    }

    /// The sum of `part` over the chunks, in their order whatever the number of threads.
    fn sum(&self, part: impl Fn(&RowChunk) -> Matrix + Sync + Send) -> Vec<f64> {
        self.total(&self.chunks.par_iter().map(part).collect::<Vec<_>>())
    }

    fn total(&self, parts: &[Matrix]) -> Vec<f64> {
        let mut total = vec![0.0; self.layout.dim()];
        for part in parts {
            add_scaled(&mut total, 1.0, &self.layout.as_vector(part));
        }
        total
    }
}

fn entries_with_holes(prepared: &Prepared, source: &Source<'_>) -> Vec<usize> {
    let (mut total, mut observed) = (0, vec![0; prepared.n_entries()]);
    source.for_each(|moments| {
        total += moments.n_rows;
        for &j in &moments.observed {
            observed[prepared.entry_of[j]] += moments.n_rows;
        }
    });
    (1..prepared.n_entries())
        .filter(|&e| observed[e] < total)
        .collect()
}
