//! Rows sorted by mask, to be summed when visited.

use super::tile::Tile;
use super::{Frame, MaskMoments, Masks, Rows, sum};
use std::ops::Range;

/// Rows in the order of their masks.
#[derive(Debug)]
pub(super) struct Grouped<'a> {
    rows: &'a Rows<'a>,
    pub(super) masks: Masks,
    order: Vec<u32>,
    starts: Vec<usize>,
}

impl<'a> Grouped<'a> {
    pub(super) fn new(rows: &'a Rows<'a>, masks: Masks) -> Self {
        let (order, starts) = masks.sort();
        Self {
            rows,
            masks,
            order,
            starts,
        }
    }

    /// Adds to the number of masks with so many observed features, counted from 0.
    pub(super) fn count(&self, counts: &mut [usize]) {
        (0..self.masks.len()).for_each(|m| counts[self.masks.mask(m).count()] += 1);
    }

    /// Calls `visit` with the moments of a range of the masks, in this frame.
    pub(super) fn for_range(
        &self,
        range: Range<usize>,
        frame: &Frame,
        mut visit: impl FnMut(&MaskMoments),
    ) {
        let mut tile = Tile::default();
        for m in range {
            let members = &self.order[self.starts[m]..self.starts[m + 1]];
            let rows = (self.rows, &self.masks);
            visit(&sum::one(m, members, rows, frame, &mut tile));
        }
    }
}
