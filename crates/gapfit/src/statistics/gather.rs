//! Rows into sums, chunk by chunk.

use super::block::{Block, too_many_masks};
use super::label::{N_BLOCKS, block_of};
use super::scheme::{SAMPLE, Scheme};
use super::{Gathering, State, Statistics, Sums, summed};
use crate::ahead::in_order;
use crate::data::{Dataset, Portion};
use crate::error::{Error, Result};
use crate::moments::{Adders, Rows};
use rayon::prelude::*;

/// Rows up to which a table is kept as it is, unless they have more cells than `CELLS`.
pub(super) const KEPT: usize = 1 << 15;
const CELLS: usize = 1 << 23;

/// Rows per mask from which on it pays to sum those of folds together.
const PER_MASK: usize = 8;

impl Statistics {
    /// Adds the rows of a table with the same columns.
    ///
    /// # Errors
    /// [`Error::Shape`] unless columns are as many, [`Error::Setting`] where they have other names, where
    /// only one of the tables has weights, or for so many patterns of holes that sums by pattern would take
    /// more room than rows.
    pub fn push(&mut self, data: &Dataset) -> Result<()> {
        self.check_like(data)?;
        let sums = match &mut self.state {
            // without a copy of them
            State::Rows(rows) if rows.n_rows() == 0 && is_many(data) => {
                Sums::of(data, rows.clone(), self.gathering)?
            }
            State::Rows(rows) => {
                rows.append(data);
                if !is_many(rows) {
                    return Ok(());
                }
                Sums::of(rows, rows.select(&[]), self.gathering)?
            }
            State::Sums(sums) => {
                let part = sums.scheme.part(data, sums.blocks.len())?;
                return add(&mut sums.blocks, &part);
            }
        };
        self.state = State::Sums(Box::new(sums));
        Ok(())
    }

    /// Adds the rows of many tables, or of what tables are made of, each on other threads while the next
    /// is found. The result does not depend on the number of threads.
    ///
    /// # Errors
    /// The first of `chunks`, and those of [`push`](Self::push).
    pub fn gather<T: Into<Dataset> + Send, E: From<Error>>(
        &mut self,
        chunks: impl IntoIterator<Item = std::result::Result<T, E>>,
    ) -> std::result::Result<(), E> {
        self.gather_by(chunks, |_, _| None)
    }

    /// Adds the rows of many portions as [`gather`](Self::gather) does, if possible without making tables of them. The portions have the columns of
    /// these statistics, whatever they are called, and no weights. Rows of one portion are summed together however many they are, those of a
    /// table in parts of [`Sweep::PORTION`](crate::Sweep::PORTION): beyond that last digits differ.
    ///
    /// # Errors
    /// As [`gather`](Self::gather).
    pub fn gather_portions<P: Portion + Into<Dataset>, E: From<Error>>(
        &mut self,
        portions: impl IntoIterator<Item = std::result::Result<P, E>>,
    ) -> std::result::Result<(), E> {
        self.gather_by(portions, |portion, summing| summing.block(portion))
    }

    /// Adds the rows of chunks, each in one block that `block` makes of it, or in those of its table.
    fn gather_by<T: Into<Dataset> + Send, E: From<Error>>(
        &mut self,
        chunks: impl IntoIterator<Item = std::result::Result<T, E>>,
        block: impl Fn(&T, &Summing<'_>) -> Option<Block> + Sync,
    ) -> std::result::Result<(), E> {
        let mut chunks = chunks.into_iter();
        while let State::Rows(_) = &self.state {
            let Some(chunk) = chunks.next() else {
                return Ok(());
            };
            self.push(&chunk?.into())?;
        }
        let State::Sums(sums) = &mut self.state else {
            return Ok(());
        };
        let Sums {
            blank,
            scheme,
            blocks,
        } = &mut **sums;
        let screens = scheme.screens();
        let summing = Summing {
            blank,
            scheme,
            adders: Adders::new(&scheme.frame, Some(&screens)),
            n_blocks: blocks.len(),
        };
        let part = |chunk: T| match block(&chunk, &summing) {
            Some(block) => Ok(vec![block]),
            None => summing.table(&chunk.into()),
        };
        in_order(chunks, part, |part: Result<Vec<Block>>| {
            Ok(add(blocks, &part?)?)
        })
    }

    /// Checks that a table has the columns of these statistics, and weights where those have.
    ///
    /// # Errors
    /// [`Error::Shape`] unless features are as many, [`Error::Setting`] where features or target have other names, or
    /// where only one of the two has weights.
    pub fn check_like(&self, data: &Dataset) -> Result<()> {
        check_like(self.blank(), data)
    }
}

/// Whether rows are so many that they are summed.
fn is_many(rows: &Dataset) -> bool {
    rows.n_rows() >= KEPT || rows.n_rows() * rows.n_features() >= CELLS
}

impl Sums {
    /// The sums of these rows, by which units and thresholds are settled; `blank` has their columns.
    fn of(rows: &Dataset, blank: Dataset, gathering: Gathering) -> Result<Self> {
        let n_blocks = if gathering.is_blocked { N_BLOCKS } else { 1 };
        let scheme = Scheme::of(rows, gathering.clip, SAMPLE)?;
        let mut blocks = scheme.part(rows, n_blocks)?;
        fold_large(&mut blocks)?;
        Ok(Self {
            blank,
            scheme,
            blocks,
        })
    }
}

impl Sums {
    /// The sums of blocks of ascending rows of a table that is at hand, to be read with cells cut at the quantile `clip`; `None` where rows
    /// hardly share masks, or are so few that sums save nothing.
    pub(crate) fn of_blocks(
        data: &Dataset,
        blocks: impl FnOnce() -> Vec<Vec<usize>>,
        clip: f64,
    ) -> Option<Self> {
        let rows = Rows::new(data, None);
        if rows.len() < KEPT || rows.n_masks() * PER_MASK > rows.len() {
            return None;
        }
        let scheme = Scheme::of(data, clip, SAMPLE / 2).ok()?;
        let screens = scheme.screens();
        let adders = Adders::new(&scheme.frame, Some(&screens));
        let blocks = blocks();
        let block =
            |rows: &Vec<usize>| Block::of(data, Some(rows), (&scheme, &adders), blocks.len()).ok();
        let blocks = blocks.par_iter().with_max_len(1);
        let blocks = blocks.map(block).collect::<Option<_>>()?;
        drop(adders);
        let sums = Self {
            blank: data.select(&[]),
            scheme,
            blocks,
        };
        (!sums.is_folded()).then_some(sums)
    }
}

/// How chunks are summed: with the same adders, whose memory serves one after the other.
struct Summing<'a> {
    blank: &'a Dataset,
    scheme: &'a Scheme,
    adders: Adders<'a>,
    n_blocks: usize,
}

impl Summing<'_> {
    /// The only block, of a portion that needs not become a table.
    fn block(&self, portion: &impl Portion) -> Option<Block> {
        let is_one = self.n_blocks == 1;
        let block = || Block::of_portion(portion, self.blank, (self.scheme, &self.adders));
        is_one.then(block).flatten()
    }

    /// The blocks of a table.
    fn table(&self, data: &Dataset) -> Result<Vec<Block>> {
        check_like(self.blank, data)?;
        self.scheme.part_by(data, self.n_blocks, &self.adders)
    }
}

impl Scheme {
    /// The rows of a table, summed by block.
    fn part(&self, data: &Dataset, n_blocks: usize) -> Result<Vec<Block>> {
        let screens = self.screens();
        let adders = Adders::new(&self.frame, Some(&screens));
        self.part_by(data, n_blocks, &adders)
    }

    /// The rows of a table, summed by block, with adders of this scheme.
    fn part_by(&self, data: &Dataset, n_blocks: usize, adders: &Adders<'_>) -> Result<Vec<Block>> {
        let scheme = (self, adders);
        if n_blocks == 1 {
            return Ok(vec![Block::of(data, None, scheme, n_blocks)?]);
        }
        let blocks = block_of(data, 0..data.n_rows());
        blocks
            .into_par_iter()
            .with_max_len(1)
            .map(|rows| Block::of(data, Some(&rows), scheme, n_blocks))
            .collect()
    }
}

/// Adds a part in the same scheme, block by block.
pub(super) fn add(blocks: &mut [Block], part: &[Block]) -> Result<()> {
    let mut both = blocks.iter_mut().zip(part);
    both.try_for_each(|(block, more)| block.merge(more))?;
    fold_large(blocks)
}

/// Adds up all masks of all blocks where they are too many.
pub(super) fn fold_large(blocks: &mut [Block]) -> Result<()> {
    let n_features = blocks.first().map_or(0, |block| block.ties.len());
    let mut sums: Vec<_> = blocks.iter_mut().map(|block| &mut block.sums).collect();
    match summed::fold_large(&mut sums, n_features) {
        true => Ok(()),
        false => Err(too_many_masks()),
    }
}

/// Whether a table has the columns of another.
pub(super) fn check_like(blank: &Dataset, data: &Dataset) -> Result<()> {
    if data.n_features() != blank.n_features() {
        return Err(Error::Shape {
            what: "features",
            expected: blank.n_features(),
            got: data.n_features(),
        });
    }
    let differs = |name, expected, got: String| {
        Err(Error::Setting {
            name,
            expected,
            got,
        })
    };
    let mut names = blank.names().iter().zip(data.names());
    if let Some((a, b)) = names.find(|(a, b)| a != b) {
        return differs(
            "features",
            "the same in every part",
            format!("'{a}' and '{b}'"),
        );
    }
    if blank.target_name() != data.target_name() {
        let got = format!("'{}' and '{}'", blank.target_name(), data.target_name());
        return differs("target", "the same in every part", got);
    }
    if blank.weights().is_some() != data.weights().is_some() {
        let got = "weights in some parts only".to_owned();
        return differs("weights", "in every part or in none", got);
    }
    Ok(())
}
