//! Rows that wait, in order, for others of their masks.

use crate::linalg::LANES;

/// Rows that wait at least: few enough to stay near the second-level cache.
const ROOM: usize = 1 << 13;

/// Rows that wait for each mask at least: more where rows are wide, and a Gram matrix much larger than a row.
const ROOM_PER_MASK: usize = 8;
const ROOM_PER_WIDE_MASK: usize = 32;

/// The stride of rows of few cells.
pub(super) const NARROW: usize = 2 * LANES;

/// Rows that wait to be summed.
pub(super) struct Waiting {
    /// Cells per row: features, targets, 1, and zeros up to whole pairs of vectors.
    pub(super) stride: usize,
    /// How many rows wait, and how many may.
    pub(super) len: usize,
    pub(super) room: usize,
    /// Row after row, from `first` on.
    pub(super) cells: Vec<f64>,
    /// Where vectors are aligned: across the borders of cache lines they take twice as long.
    pub(super) first: usize,
    /// The number of the mask of each.
    pub(super) masks: Vec<u32>,
    /// Where the rows of each mask end, once they are sorted.
    pub(super) ends: Vec<u32>,
    /// The rows in the order of their masks.
    pub(super) sorted: Vec<u32>,
}

impl Waiting {
    pub(super) fn new(stride: usize) -> Self {
        let mut none = Self {
            stride,
            len: 0,
            room: 0,
            cells: Vec::new(),
            first: 0,
            masks: Vec::new(),
            ends: Vec::new(),
            sorted: Vec::new(),
        };
        none.make_room(0);
        none
    }

    /// Makes room for rows of so many masks.
    pub(super) fn make_room(&mut self, n_masks: usize) {
        let per_mask = match self.stride {
            NARROW => ROOM_PER_MASK,
            _ => ROOM_PER_WIDE_MASK,
        };
        self.room = ROOM.max(per_mask * n_masks);
        if self.masks.len() >= self.room {
            return;
        }
        // twice as much each time, so that many masks do not copy the rows as often
        let n_rows = self.room.max(2 * self.masks.len());
        self.masks.resize(n_rows, 0);
        let mut cells = vec![0.0; n_rows * self.stride + LANES];
        let first = cells.as_ptr().align_offset(LANES * size_of::<f64>());
        let held = self.len * self.stride;
        cells[first..first + held].copy_from_slice(&self.cells[self.first..self.first + held]);
        (self.cells, self.first) = (cells, first);
    }

    /// Sorts the rows by their masks, of which there are so many; none wait then.
    pub(super) fn sort(&mut self, n_masks: usize) {
        let masks = &self.masks[..self.len];
        self.ends.clear();
        self.ends.resize(n_masks, 0);
        for &mask in masks {
            self.ends[mask as usize] += 1;
        }
        let mut start = 0;
        for count in &mut self.ends {
            (*count, start) = (start, start + *count);
        }
        self.sorted.resize(self.len, 0);
        for (row, &mask) in (0..).zip(masks) {
            let end = &mut self.ends[mask as usize];
            self.sorted[*end as usize] = row;
            *end += 1;
        }
        self.len = 0;
    }
}
