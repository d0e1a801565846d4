//! Some completed rows, and products with their lift.

use super::{Layout, Shifted, Units};
use crate::impute::Filler;
use crate::linalg::{Matrix, add_scaled, long_dot, product, transpose_product};
use crate::moments::Rows;
use std::ops::Range;

/// Some completed rows, times the root of their weight.
#[derive(Clone, Debug)]
pub(crate) struct RowChunk {
    /// Row after row: column r of the matrix is row r.
    pub(crate) x: Matrix,
    /// `(row, block)` of each hole in a feature that has a shift, row after row.
    pub(crate) holes: Vec<(u32, u32)>,
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
        Self { x, holes }
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
                let weighed = |r: usize| parts[(0, r)];
                let mut out: Vec<f64> = (0..self.len()).map(weighed).collect();
                for &(row, block) in &self.holes {
                    out[row as usize] += parts[(block as usize + 1, row as usize)];
                }
                out
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
        let mut parts = Matrix::zeros(dual.len(), layout.holes.len() + 1);
        parts.col_mut(0).copy_from_slice(dual);
        for &(row, block) in &self.holes {
            parts[(row as usize, block as usize + 1)] = dual[row as usize];
        }
        layout.as_vector(&product(&self.x, &parts))
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
