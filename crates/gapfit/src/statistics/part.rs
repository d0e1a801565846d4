//! Some blocks of sums: what a fold learns from, and what it is judged on.

use super::block::Block;
use super::{State, Statistics, Sums};
use crate::data::Dataset;
use crate::error::Result;
use crate::moments::{Frame, Moments, Reading};

/// Sums of which some blocks count.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Picked<'a> {
    sums: &'a Sums,
    /// A bit for each block.
    bits: u16,
}

impl<'a> Picked<'a> {
    pub(super) fn all(sums: &'a Sums) -> Self {
        Self {
            sums,
            bits: u16::MAX,
        }
    }

    fn has(self, block: usize) -> bool {
        self.bits >> block & 1 == 1
    }

    /// The blocks themselves.
    pub(super) fn blocks(self) -> impl Iterator<Item = &'a Block> {
        let blocks = self.sums.blocks.iter().enumerate();
        blocks
            .filter(move |(b, _)| self.has(*b))
            .map(|(_, block)| block)
    }

    /// A table of the same columns without rows.
    pub(super) fn blank(self) -> &'a Dataset {
        &self.sums.blank
    }

    /// Whether blocks were told apart when rows were gathered.
    pub(crate) fn is_blocked(self) -> bool {
        self.sums.n_blocks() > 1
    }

    /// The numbers of the blocks that have rows.
    pub(crate) fn filled(self) -> Vec<usize> {
        let numbers = 0..self.sums.n_blocks();
        let is_filled = |b: &usize| self.has(*b) && self.sums.blocks[*b].n_rows() > 0;
        numbers.filter(is_filled).collect()
    }

    /// The blocks with rows dealt out to `k` folds, which may be no more than there are: what each learns from,
    /// and what it is judged on.
    pub(crate) fn folds(self, k: usize) -> Vec<(Self, Self)> {
        let filled = self.filled();
        let pick = |keep: &dyn Fn(usize) -> bool| {
            let kept = filled.iter().enumerate().filter(|(rank, _)| keep(*rank));
            Self {
                bits: kept.fold(0, |bits, (_, b)| bits | 1 << b),
                ..self
            }
        };
        let fold = |f: usize| (pick(&|rank| rank % k != f), pick(&|rank| rank % k == f));
        (0..k).map(fold).collect()
    }

    /// The rows, read as training rows clipped at the quantile `clip`.
    pub(crate) fn reading(self, clip: f64) -> Result<Reading<'static>> {
        self.sums.reading(clip, |b| self.has(b))
    }

    /// The moments of the rows, with values cut as the frame says.
    pub(crate) fn moments(self, frame: &Frame) -> Moments {
        self.sums.moments(frame, |b| self.has(b))
    }
}

impl Statistics {
    /// The rows, where so few are kept as they are, or the sums.
    pub(crate) fn rows_or_sums(&self) -> std::result::Result<&Dataset, Picked<'_>> {
        match &self.state {
            State::Rows(rows) => Ok(rows),
            State::Sums(sums) => Err(Picked::all(sums)),
        }
    }
}
