//! Some blocks of sums, or of rows that are read in passes: what a fold learns from, and what it is judged on.

use super::block::Block;
use super::passes::{Passes, PickedRows};
use super::{N_BLOCKS, Sums};
use crate::data::Dataset;
use crate::error::Result;
use crate::moments::{Frame, Passed, Reading, Source};
use rustc_hash::FxHashSet;

/// Evidence of which some blocks count.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Picked<'a> {
    of: Of<'a>,
    /// A bit for each block.
    bits: u16,
}

#[derive(Clone, Copy, Debug)]
enum Of<'a> {
    Sums(&'a Sums),
    Passes(&'a Passes<'a>),
}

impl<'a> Picked<'a> {
    pub(super) fn all(sums: &'a Sums) -> Self {
        Self {
            of: Of::Sums(sums),
            bits: u16::MAX,
        }
    }

    pub(super) fn all_rows(passes: &'a Passes<'a>) -> Self {
        Self {
            of: Of::Passes(passes),
            bits: u16::MAX,
        }
    }

    fn has(self, block: usize) -> bool {
        self.bits >> block & 1 == 1
    }

    /// The blocks themselves, where there are sums of them.
    fn blocks(self) -> impl Iterator<Item = &'a Block> {
        let sums = match self.of {
            Of::Sums(sums) => &sums.blocks[..],
            Of::Passes(_) => &[],
        };
        let blocks = sums.iter().enumerate();
        blocks
            .filter(move |(b, _)| self.has(*b))
            .map(|(_, block)| block)
    }

    /// A table of the same columns without rows.
    pub(super) fn blank(self) -> &'a Dataset {
        match self.of {
            Of::Sums(sums) => &sums.blank,
            Of::Passes(passes) => passes.blank(),
        }
    }

    /// A table with the same columns and masks, of a row of zeros for each; where masks are too many to be told
    /// apart, one for all of them that lacks whatever one of them lacks.
    pub(super) fn outline(self) -> Dataset {
        let mut masks = match self.of {
            Of::Sums(_) => self.masks(),
            Of::Passes(passes) => vec![passes.always_observed().to_vec()],
        };
        masks.sort_unstable();
        masks.dedup();
        self.blank().outlined(masks.iter().map(Vec::as_slice))
    }

    /// The masks of each block of sums, and of the rows that are kept.
    pub(super) fn masks(self) -> Vec<Vec<u64>> {
        let mut masks = Vec::new();
        for block in self.blocks() {
            masks.extend(block.sums.masks());
            let tails = block.kept.pieces().iter().map(Dataset::features);
            // far fewer than rows
            let kept: FxHashSet<&[u64]> = tails
                .flat_map(|rows| (0..rows.n_rows()).map(|i| rows.words(i)))
                .collect();
            masks.extend(kept.into_iter().map(<[u64]>::to_vec));
        }
        masks
    }

    /// How many masks there are, unless the outline tells.
    pub(crate) fn n_masks(self) -> Option<usize> {
        match self.of {
            Of::Sums(sums) => sums.is_folded().then(|| self.n_rows()),
            Of::Passes(passes) => Some(passes.n_masks()),
        }
    }

    /// Whether the masks are not told apart.
    pub(crate) fn is_folded(self) -> bool {
        matches!(self.of, Of::Sums(sums) if sums.is_folded())
    }

    /// Whether blocks were told apart when rows were gathered.
    pub(crate) fn is_blocked(self) -> bool {
        self.n_blocks() > 1
    }

    fn n_blocks(self) -> usize {
        match self.of {
            Of::Sums(sums) => sums.n_blocks(),
            Of::Passes(_) => N_BLOCKS,
        }
    }

    fn n_rows_of(self, block: usize) -> usize {
        match self.of {
            Of::Sums(sums) => sums.blocks[block].n_rows(),
            Of::Passes(passes) => passes.n_rows_of(block),
        }
    }

    /// The number of rows.
    pub(super) fn n_rows(self) -> usize {
        let picked = (0..self.n_blocks()).filter(|b| self.has(*b));
        picked.map(|b| self.n_rows_of(b)).sum()
    }

    /// The share of the cells that are observed, by the weight of their rows; of all blocks.
    pub(super) fn observed_fraction(self) -> f64 {
        match self.of {
            Of::Sums(sums) => sums.totals().observed_fraction(),
            Of::Passes(passes) => passes.observed_fraction(),
        }
    }

    /// The numbers of the blocks that have rows.
    pub(crate) fn filled(self) -> Vec<usize> {
        let is_filled = |b: &usize| self.has(*b) && self.n_rows_of(*b) > 0;
        (0..self.n_blocks()).filter(is_filled).collect()
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
    pub(crate) fn reading(self, clip: f64) -> Result<Reading<'a>> {
        match self.of {
            Of::Sums(sums) => sums.reading(clip, |b| self.has(b)),
            Of::Passes(passes) => {
                let rows = Box::new(PickedRows::new(passes, self.bits));
                let reading = Reading::of_chunks(rows, self.blank().n_features(), clip);
                self.check()?;
                reading
            }
        }
    }

    /// The moments of the rows, with values cut as the frame says.
    pub(crate) fn source(self, frame: &Frame) -> Source<'a> {
        match self.of {
            Of::Sums(sums) => sums.source(frame, |b| self.has(b)),
            Of::Passes(passes) => {
                let rows = Box::new(PickedRows::new(passes, self.bits));
                Source::Passed(Box::new(Passed::new(rows, frame)))
            }
        }
    }

    /// Whether all rows could be read whenever they were asked for; what was made of them is worth nothing otherwise.
    pub(crate) fn check(self) -> Result<()> {
        match self.of {
            Of::Sums(_) => Ok(()),
            Of::Passes(passes) => passes.check(),
        }
    }
}
