//! Numbers from the border of a cache line on: vectors across such borders take twice as long.

use crate::linalg::LANES;
use std::ops::{Deref, DerefMut};

/// Numbers, all 0 at first, whose memory stays when they are forgotten.
#[derive(Debug, Default)]
pub(super) struct Aligned {
    cells: Vec<f64>,
    first: usize,
    len: usize,
}

impl Aligned {
    /// So many numbers.
    pub(super) fn new(len: usize) -> Self {
        let mut cells = Self::default();
        cells.extend(len);
        cells
    }

    /// Appends so many numbers.
    pub(super) fn extend(&mut self, more: usize) {
        let end = self.len + more;
        if self.first + end > self.cells.len() {
            // twice as much each time, so that not all are copied as often
            let mut cells = vec![0.0; end.max(2 * self.len) + LANES];
            let first = cells.as_ptr().align_offset(LANES * size_of::<f64>());
            let first = first.min(LANES); // an address may be none that can be told
            cells[first..first + self.len].copy_from_slice(self);
            (self.cells, self.first) = (cells, first);
        }
        self.cells[self.first + self.len..self.first + end].fill(0.0);
        self.len = end;
    }

    /// Forgets all numbers, but not their memory.
    pub(super) fn clear(&mut self) {
        self.len = 0;
    }
}

impl Deref for Aligned {
    type Target = [f64];

    #[inline(always)]
    fn deref(&self) -> &[f64] {
        &self.cells[self.first..self.first + self.len]
    }
}

impl DerefMut for Aligned {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [f64] {
        &mut self.cells[self.first..self.first + self.len]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_kept_as_more_come_and_start_at_0() {
        let mut cells = Aligned::new(3);
        cells.copy_from_slice(&[1.0, 2.0, 3.0]);
        for n in 4..200 {
            cells.extend(1);
            assert_eq!(cells.len(), n);
            assert_eq!(cells[..4], [1.0, 2.0, 3.0, 0.0]);
            assert!(cells.as_ptr().align_offset(64) == 0);
        }
        cells.clear();
        cells.extend(2);
        assert_eq!(cells[..], [0.0, 0.0]);
    }
}
