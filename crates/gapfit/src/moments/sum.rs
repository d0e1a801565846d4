//! Summing rows mask by mask.
//!
//! With few masks one pass over the rows drops each into the bin of its mask, and a full bin adds its
//! Gram matrix to the sums; with many, rows are sorted by mask and each mask is summed on its own.

use super::{Frame, MaskMoments, Masks, Rows};
use crate::linalg::{LANES, add_gram};
use rayon::prelude::*;

/// Parts summed in parallel, at most; fixed, so that sums do not depend on the number of threads.
const PARTS: usize = 8;

/// Rows in a part, at least.
const PART: usize = 1 << 15;

/// Every mask's moments, in the order of the masks.
pub(crate) fn all(rows: &Rows<'_>, masks: &Masks, frame: &Frame) -> Vec<MaskMoments> {
    if masks.len() * BIN > rows.len() {
        return one_by_one(rows, masks, frame);
    }
    let parts = (rows.len() / PART).clamp(1, PARTS);
    let cut = |p: usize| p * rows.len() / parts;
    let sums: Vec<Vec<MaskMoments>> = (0..parts)
        .into_par_iter()
        .map(|p| Bins::new(rows, masks, frame).sum(cut(p)..cut(p + 1)))
        .collect();
    let mut parts = sums.into_iter();
    let mut total = parts.next().unwrap_or_default();
    for part in parts {
        for (a, b) in total.iter_mut().zip(part) {
            a.add(&b, 1.0);
        }
    }
    total.iter_mut().for_each(MaskMoments::mirror);
    total
}

fn empty(masks: &Masks, m: usize) -> MaskMoments {
    let observed: Vec<usize> = masks.mask(m).iter().collect();
    MaskMoments {
        sums: vec![0.0; (observed.len() + 2).pow(2)],
        observed,
        n_rows: masks.count(m),
    }
}

/// Rows per bin: all bins of a thousand masks of ten features fit the second-level cache.
const BIN: usize = 32;

/// One bin per mask: rows waiting to be summed, observed cells only.
struct Bins<'a> {
    rows: &'a Rows<'a>,
    masks: &'a Masks,
    frame: &'a Frame,
    moments: Vec<MaskMoments>,
    /// Row after row: observed features, target.
    cells: Vec<f64>,
    /// Where each bin starts in `cells`.
    starts: Vec<usize>,
    /// The rows in each bin.
    members: Vec<u32>,
    filled: Vec<u32>,
    tile: Tile,
}

impl<'a> Bins<'a> {
    fn new(rows: &'a Rows<'a>, masks: &'a Masks, frame: &'a Frame) -> Self {
        let moments: Vec<_> = (0..masks.len()).map(|m| empty(masks, m)).collect();
        let mut starts = Vec::with_capacity(moments.len());
        let mut end = 0;
        for m in &moments {
            starts.push(end);
            end += (m.observed.len() + 1) * BIN;
        }
        Self {
            cells: vec![0.0; end],
            starts,
            members: vec![0; masks.len() * BIN],
            filled: vec![0; masks.len()],
            tile: Tile::default(),
            rows,
            masks,
            frame,
            moments,
        }
    }

    fn sum(mut self, range: std::ops::Range<usize>) -> Vec<MaskMoments> {
        for i in range {
            let m = self.masks.of_row(i);
            self.drop_in(m, i);
            if self.filled[m] as usize == BIN {
                self.empty_out(m);
            }
        }
        for m in 0..self.masks.len() {
            self.empty_out(m);
        }
        self.moments
    }

    fn drop_in(&mut self, m: usize, i: usize) {
        let observed = &self.moments[m].observed;
        let row = self.filled[m] as usize;
        let start = self.starts[m] + row * (observed.len() + 1);
        let cells = &mut self.cells[start..start + observed.len() + 1];
        let values = self.rows.values(i);
        for (cell, &j) in cells.iter_mut().zip(observed) {
            *cell = values[j];
        }
        cells[observed.len()] = self.rows.target(i);
        self.members[m * BIN + row] = i as u32;
        self.filled[m] += 1;
    }

    fn empty_out(&mut self, m: usize) {
        let n_rows = std::mem::take(&mut self.filled[m]) as usize;
        let moments = &mut self.moments[m];
        let width = moments.observed.len() + 1;
        let cells = &self.cells[self.starts[m]..self.starts[m] + n_rows * width];
        let members = &self.members[m * BIN..m * BIN + n_rows];
        self.tile.size(n_rows, width + 1);
        for (r, row) in cells.chunks_exact(width).enumerate() {
            self.tile.put(r, row.iter().copied());
        }
        self.tile.add(members, self.rows, self.frame, moments);
    }
}

fn one_by_one(rows: &Rows<'_>, masks: &Masks, frame: &Frame) -> Vec<MaskMoments> {
    let (order, starts) = masks.sort();
    (0..masks.len())
        .into_par_iter()
        .map_init(Tile::default, |tile, m| {
            let members = &order[starts[m]..starts[m + 1]];
            one(m, members, rows, masks, frame, tile)
        })
        .collect()
}

/// The moments of mask `m` alone; `members` are its rows.
pub(crate) fn one(
    m: usize,
    members: &[u32],
    rows: &Rows<'_>,
    masks: &Masks,
    frame: &Frame,
    tile: &mut Tile,
) -> MaskMoments {
    let mut moments = empty(masks, m);
    for members in members.chunks(TILE) {
        tile.size(members.len(), moments.order());
        for (r, &i) in members.iter().enumerate() {
            let values = rows.values(i as usize);
            let features = moments.observed.iter().map(|&j| values[j]);
            tile.put(r, features.chain([rows.target(i as usize)]));
        }
        tile.add(members, rows, frame, &mut moments);
    }
    moments.mirror();
    moments
}

/// Rows per tile where a mask is summed on its own.
const TILE: usize = 256;

/// A few rows of one mask, column by column: 1, observed features, target.
#[derive(Debug, Default)]
pub(crate) struct Tile {
    cells: Vec<f64>,
    n_rows: usize,
    stride: usize,
}

impl Tile {
    /// Makes room for `n_rows` rows of `order` cells.
    fn size(&mut self, n_rows: usize, order: usize) {
        self.n_rows = n_rows;
        self.stride = n_rows.next_multiple_of(LANES);
        self.cells.resize(order * self.stride, 0.0);
        self.cells[..self.stride].fill(1.0);
    }

    /// Puts features and target of row `r` in place.
    fn put(&mut self, r: usize, row: impl Iterator<Item = f64>) {
        let columns = self.cells[self.stride..].chunks_exact_mut(self.stride);
        for (column, x) in columns.zip(row) {
            column[r] = x;
        }
    }

    /// Adds the rows to the lower triangle of the moments.
    fn add(&mut self, members: &[u32], rows: &Rows<'_>, frame: &Frame, moments: &mut MaskMoments) {
        if self.n_rows == 0 {
            return;
        }
        let units = moments.observed.iter().map(|&j| frame.columns[j]);
        let columns = self.cells.chunks_exact_mut(self.stride);
        for (column, unit) in columns.skip(1).zip(units.chain([frame.target])) {
            unit.hold_all(&mut column[..self.n_rows]);
        }
        for column in self.cells.chunks_exact_mut(self.stride) {
            column[self.n_rows..].fill(0.0);
        }
        if rows.is_weighted() {
            self.weigh(members, rows);
        }
        add_gram(&mut moments.sums, &self.cells, self.stride);
    }

    /// Multiplies each row by the root of its weight.
    fn weigh(&mut self, members: &[u32], rows: &Rows<'_>) {
        let roots: Vec<_> = members
            .iter()
            .map(|&i| rows.weight(i as usize).sqrt())
            .collect();
        for column in self.cells.chunks_exact_mut(self.stride) {
            for (cell, root) in column.iter_mut().zip(&roots) {
                *cell *= root;
            }
        }
    }
}
