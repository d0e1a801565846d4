//! A few rows of one mask, column by column.

use super::frame::Unit;
use super::{Frame, MaskMoments, Rows};
use crate::linalg::{LANES, Loop, Simd, add_gram, vectorised};

/// Columns (1, observed features, targets) of a few rows, padded with zeros.
#[derive(Debug, Default)]
pub(crate) struct Tile {
    cells: Vec<f64>,
    stride: usize,
}

impl Tile {
    /// Makes room for `n_rows` rows of `order` cells.
    pub(super) fn resize(&mut self, n_rows: usize, order: usize) {
        self.stride = n_rows.next_multiple_of(LANES);
        self.cells.resize(order * self.stride, 0.0);
        self.cells[..n_rows].fill(1.0);
        self.cells[n_rows..self.stride].fill(0.0);
    }

    /// Puts features and targets of row `r` in place.
    pub(super) fn put(&mut self, r: usize, row: impl Iterator<Item = f64>) {
        let columns = self.cells[self.stride..].chunks_exact_mut(self.stride);
        for (column, x) in columns.zip(row) {
            column[r] = x;
        }
    }

    /// Adds the rows to the lower triangle of the moments.
    pub(super) fn add_to(
        &mut self,
        moments: &mut MaskMoments,
        members: &[u32],
        rows: &Rows<'_>,
        frame: &Frame,
    ) {
        if rows.is_weighted() {
            for (one, &i) in self.cells.iter_mut().zip(members) {
                *one *= rows.root_of_weight(i as usize);
            }
        }
        vectorised(Hold {
            tile: self,
            observed: &moments.observed,
            frame,
        });
        add_gram(&mut moments.sums, &self.cells, self.stride);
    }
}

/// Puts the columns into their units, times the first column, which is the root of the weight.
struct Hold<'a> {
    tile: &'a mut Tile,
    observed: &'a [usize],
    frame: &'a Frame,
}

impl Loop for Hold<'_> {
    #[inline(always)]
    fn run<S: Simd>(self, _: S) {
        let stride = self.tile.stride;
        let (ones, rest) = self.tile.cells.split_at_mut(stride);
        let units = self.observed.iter().map(|&j| self.frame.columns[j]);
        let units = units.chain(self.frame.targets.iter().copied());
        for (column, unit) in rest.chunks_exact_mut(stride).zip(units) {
            let Unit {
                lower,
                upper,
                shift,
                per_scale,
                ..
            } = unit;
            for (x, one) in column.iter_mut().zip(&*ones) {
                // Exact but for the shift: the scale is a power of two, and so is its reciprocal.
                *x = (x.max(lower).min(upper) - shift) * (per_scale * one);
            }
        }
    }
}
