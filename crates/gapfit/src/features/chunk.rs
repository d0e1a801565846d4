//! Some completed rows, and products with their lift.

use super::{Layout, Shifted, Units};
use crate::impute::Filler;
use crate::linalg::{
    Matrix, add_scaled, dots_of_columns, long_dot, product_transpose, transpose_product,
};
use crate::moments::Rows;
use std::ops::Range;

/// Some completed rows, times the root of their weight.
#[derive(Clone, Debug)]
pub(crate) struct RowChunk {
    /// Row after row: column r of the matrix is row r.
    pub(crate) x: Matrix,
    /// `(row, block)` of each hole in a feature that has a shift, row after row.
    pub(crate) holes: Vec<(u32, u32)>,
    /// The same as numbers, where all shifts are of the same entries: column r has 1, then for each block whether row r has
    /// its hole. Multiplying by them is faster than choosing.
    pub(crate) indicators: Matrix,
}

/// Unknowns as products want them.
pub(super) enum Operand<'a> {
    /// A column for w and one per shift.
    Matrix(Matrix),
    /// As they are, where shifts have lists of entries.
    Listed(&'a [f64]),
}

impl<'a> Operand<'a> {
    pub(super) fn new(layout: &Layout, v: &'a [f64]) -> Self {
        match layout.shifted {
            Shifted::Alike(_) => Self::Matrix(layout.as_matrix(v)),
            Shifted::Listed(_) => Self::Listed(v),
        }
    }
}

impl RowChunk {
    pub(super) fn new(
        rows: &Rows<'_>,
        range: Range<usize>,
        units: &Units,
        filler: &mut Filler<'_>,
    ) -> Self {
        let (layout, prepared) = (&units.layout, &units.prepared);
        let block_of = layout.block_of_entry();
        let mut x = Matrix::zeros(layout.n_entries, range.len());
        let mut holes = Vec::new();
        for (r, i) in range.enumerate() {
            let (row, root) = (rows.row(i), rows.weight(i).sqrt());
            prepared.complete(row, filler, x.col_mut(r));
            for value in x.col_mut(r) {
                *value *= units.shrink;
                *value *= root;
            }
            for j in row.observed().missing() {
                if let Some(b) = block_of[prepared.entry_of[j]] {
                    holes.push((r as u32, b as u32));
                }
            }
        }
        Self {
            indicators: indicators(layout, &holes, x.n_cols()),
            x,
            holes,
        }
    }

    /// How many numbers say where the holes are.
    pub(super) fn n_hole_numbers(&self) -> usize {
        self.holes.len() + self.indicators.as_slice().len()
    }

    /// The number of rows.
    pub(crate) fn len(&self) -> usize {
        self.x.n_cols()
    }

    /// `Φv`.
    pub(super) fn times(&self, layout: &Layout, v: &Operand<'_>) -> Vec<f64> {
        match v {
            Operand::Matrix(v) => {
                let parts = transpose_product(v, &self.x);
                dots_of_columns(&self.indicators, &parts)
            }
            Operand::Listed(v) => {
                let mut out = Vec::with_capacity(self.len());
                self.for_each(|row, holes| out.push(fitted(layout, v, row, holes)));
                out
            }
        }
    }

    /// `y - Φv`.
    pub(super) fn residuals(&self, y: &[f64], layout: &Layout, v: &Operand<'_>) -> Vec<f64> {
        let fitted = self.times(layout, v);
        y.iter().zip(fitted).map(|(y, f)| y - f).collect()
    }

    /// `Φᵀδ`.
    pub(super) fn adjoint_times(&self, layout: &Layout, dual: &[f64]) -> Vec<f64> {
        if let Shifted::Listed(_) = layout.shifted {
            let mut out = vec![0.0; layout.dim()];
            let mut dual = dual.iter();
            self.for_each(|row, holes| {
                let push = dual.next().expect("one number per row");
                add_lifted(layout, *push, row, holes, &mut out);
            });
            return out;
        }
        let n_entries = self.x.n_rows();
        let mut rows = Vec::with_capacity(self.x.as_slice().len());
        for (row, push) in self.x.as_slice().chunks_exact(n_entries).zip(dual) {
            rows.extend(row.iter().map(|x| x * push));
        }
        let rows = Matrix::from_columns(n_entries, dual.len(), rows);
        layout.as_vector(&product_transpose(&rows, &self.indicators))
    }

    /// `ΦᵀΦv`.
    pub(super) fn normal_times(&self, layout: &Layout, v: &Operand<'_>) -> Vec<f64> {
        let Operand::Listed(v) = v else {
            return self.adjoint_times(layout, &self.times(layout, v));
        };
        let mut out = vec![0.0; layout.dim()];
        // Both products while the row is near.
        self.for_each(|row, holes| {
            let push = fitted(layout, v, row, holes);
            add_lifted(layout, push, row, holes, &mut out);
        });
        out
    }

    /// `Σ x̃_0² ζ ζᵀ`, where there are indicators.
    pub(super) fn weights_of_holes(&self) -> Matrix {
        let mut weighted = self.indicators.clone();
        for r in 0..self.len() {
            let root = self.x[(0, r)];
            weighted.col_mut(r).iter_mut().for_each(|z| *z *= root);
        }
        product_transpose(&weighted, &weighted)
    }

    /// Visits each row with its holes.
    fn for_each<'a>(&'a self, mut visit: impl FnMut(&'a [f64], &'a [(u32, u32)])) {
        let mut holes = &self.holes[..];
        for r in 0..self.len() {
            let n_holes = holes.iter().take_while(|hole| hole.0 as usize == r).count();
            let (own, rest) = holes.split_at(n_holes);
            visit(self.x.col(r), own);
            holes = rest;
        }
    }

    /// For each block the rows on which it acts.
    pub(crate) fn rows_by_hole(&self, n_blocks: usize) -> Vec<Vec<u32>> {
        let mut rows = vec![Vec::new(); n_blocks];
        for &(row, block) in &self.holes {
            rows[block as usize].push(row);
        }
        rows
    }
}

/// The holes of so many rows as numbers; none where shifts have lists of entries.
fn indicators(layout: &Layout, holes: &[(u32, u32)], n_rows: usize) -> Matrix {
    if let Shifted::Listed(_) = layout.shifted {
        return Matrix::zeros(0, 0);
    }
    let mut indicators = Matrix::zeros(layout.holes.len() + 1, n_rows);
    for r in 0..n_rows {
        indicators[(0, r)] = 1.0;
    }
    for &(row, block) in holes {
        indicators[(block as usize + 1, row as usize)] = 1.0;
    }
    indicators
}

/// One lifted row times v.
fn fitted(layout: &Layout, v: &[f64], row: &[f64], holes: &[(u32, u32)]) -> f64 {
    let (weights, shifts) = v.split_at(layout.n_entries);
    let mut sum = long_dot(weights, row);
    for &(_, block) in holes {
        let b = block as usize;
        let shift = &shifts[layout.shifted.range(b)];
        sum += layout.shifted.dot(b, shift, row);
    }
    sum
}

/// Adds `push` times one lifted row.
fn add_lifted(layout: &Layout, push: f64, row: &[f64], holes: &[(u32, u32)], out: &mut [f64]) {
    let (weights, shifts) = out.split_at_mut(layout.n_entries);
    add_scaled(weights, push, row);
    for &(_, block) in holes {
        let b = block as usize;
        let into = &mut shifts[layout.shifted.range(b)];
        layout.shifted.add_entries(b, push, row, into);
    }
}
