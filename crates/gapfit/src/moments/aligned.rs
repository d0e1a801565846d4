//! Numbers from the border of a cache line on: vectors across such borders take twice as long.

use crate::linalg::LANES;
use std::ops::{Deref, DerefMut};

/// So many numbers, all 0 at first.
#[derive(Debug)]
pub(super) struct Aligned {
    cells: Vec<f64>,
    first: usize,
    len: usize,
}

impl Aligned {
    pub(super) fn new(len: usize) -> Self {
        let cells = vec![0.0; len + LANES];
        let first = cells.as_ptr().align_offset(LANES * size_of::<f64>());
        let first = first.min(LANES); // an address may be none that can be told
        Self { cells, first, len }
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

/// Numbers that are held together, at least: few allocations, and little that is not needed.
const BLOCK: usize = 1 << 13;

/// Pieces of numbers that stay where they are when others come: where memory is new each of its pages is paid for, and moving pays
/// twice.
#[derive(Debug, Default)]
pub(super) struct Pieces {
    blocks: Vec<Aligned>,
    /// The block that is being filled, and how far it is.
    last: usize,
    filled: usize,
}

/// Where a piece is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Piece {
    block: u32,
    first: u32,
}

impl Pieces {
    /// So many numbers, a multiple of [`LANES`], all 0.
    pub(super) fn add(&mut self, len: usize) -> Piece {
        while self
            .blocks
            .get(self.last)
            .is_some_and(|block| self.filled + len > block.len())
        {
            self.last += 1;
            self.filled = 0;
        }
        match self.blocks.get_mut(self.last) {
            Some(block) => block[self.filled..self.filled + len].fill(0.0),
            None => self.blocks.push(Aligned::new(len.max(BLOCK))),
        }
        let first = self.filled;
        self.filled += len;
        Piece {
            block: self.last as u32,
            first: first as u32,
        }
    }

    /// The first numbers of a piece, as many as are asked for.
    #[inline(always)]
    pub(super) fn get(&self, piece: Piece, len: usize) -> &[f64] {
        &self.blocks[piece.block as usize][piece.first as usize..][..len]
    }

    /// The same, to be changed.
    #[inline(always)]
    pub(super) fn get_mut(&mut self, piece: Piece, len: usize) -> &mut [f64] {
        &mut self.blocks[piece.block as usize][piece.first as usize..][..len]
    }

    /// Forgets all pieces, but not their memory.
    pub(super) fn clear(&mut self) {
        (self.last, self.filled) = (0, 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_stay_as_more_come_and_start_at_0_when_their_memory_serves_again() {
        let mut pieces = Pieces::default();
        for _ in 0..2 {
            let lengths = [8, BLOCK - 16, 16, 3 * BLOCK, 24, BLOCK];
            let all: Vec<Piece> = lengths.iter().map(|&n| pieces.add(n)).collect();
            for (k, (&piece, n)) in all.iter().zip(lengths).enumerate() {
                assert_eq!(pieces.get(piece, n), vec![0.0; n]);
                assert_eq!(pieces.get(piece, n).as_ptr().align_offset(64), 0);
                pieces.get_mut(piece, n).fill(k as f64);
            }
            for (k, (&piece, n)) in all.iter().zip(lengths).enumerate() {
                assert_eq!(pieces.get(piece, n), vec![k as f64; n]);
            }
            pieces.clear();
        }
        assert_eq!(pieces.blocks.len(), 5);
    }
}
