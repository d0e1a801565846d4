//! Numbers from the border of a cache line on: vectors across such borders take twice as long.

use crate::linalg::LANES;
use std::ops::{Deref, DerefMut};

/// Numbers that there is memory for at first: moving them to larger memory takes long, and what is not used costs nothing.
const AT_FIRST: usize = 1 << 19;

/// Numbers that become more.
#[derive(Debug, Default)]
pub(super) struct Aligned {
    cells: Vec<f64>,
    first: usize,
}

impl Aligned {
    /// Forgets all numbers, but not their memory.
    pub(super) fn clear(&mut self) {
        self.cells.truncate(self.first);
    }

    /// Appends zeros until there are so many, a multiple of [`LANES`].
    pub(super) fn extend_to(&mut self, len: usize) {
        let capacity = self.cells.capacity();
        if len + LANES > capacity {
            let mut larger: Vec<f64> =
                Vec::with_capacity((len + LANES).max(2 * capacity).max(AT_FIRST));
            let first = larger.as_ptr().align_offset(LANES * size_of::<f64>());
            let first = first.min(LANES); // an address may be none that can be told
            larger.resize(first, 0.0);
            larger.extend_from_slice(self);
            (self.cells, self.first) = (larger, first);
        }
        self.cells.resize(self.first + len, 0.0);
    }
}

impl Deref for Aligned {
    type Target = [f64];

    #[inline(always)]
    fn deref(&self) -> &[f64] {
        &self.cells[self.first..]
    }
}

impl DerefMut for Aligned {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [f64] {
        &mut self.cells[self.first..]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stay_as_more_come_and_start_at_0_when_their_memory_serves_again() {
        let mut numbers = Aligned::default();
        for _ in 0..2 {
            assert!(numbers.is_empty());
            for len in [8, 64, AT_FIRST, 3 * AT_FIRST] {
                let before = numbers.to_vec();
                numbers.extend_to(len);
                assert_eq!(numbers[..before.len()], before);
                assert_eq!(numbers[before.len()..], vec![0.0; len - before.len()]);
                assert_eq!(numbers.as_ptr().align_offset(64), 0);
                numbers
                    .iter_mut()
                    .zip(1..)
                    .for_each(|(x, i)| *x = f64::from(i));
            }
            numbers.clear();
        }
    }
}
