//! Units and thresholds settled by a sample of all rows, where the first ones mislead.

use super::block::Block;
use super::label::N_BLOCKS;
use super::scheme::{SAMPLE, Scheme};
use super::{Gathering, State, Statistics, Sums};
use crate::data::Dataset;
use crate::error::Result;
use crate::hash::mixed;

/// A sample of rows that are read one after the other: of all of them, however many they are, with the same
/// chance, and the same each time.
///
/// ```
/// use gapfit::data::{Dataset, MaskedMatrix};
/// use gapfit::{Gathering, RowSample, Statistics};
///
/// let chunk = |from: usize| {
///     let cells: Vec<f64> = (from..from + 50_000).map(|i| i as f64).collect();
///     Dataset::new(MaskedMatrix::from_nan(50_000, 1, &cells)?, cells.clone())
/// };
/// let mut sample = RowSample::new(&chunk(0)?);
/// for c in 0..4 {
///     let chunk = chunk(50_000 * c)?;
///     let picks = sample.picks(chunk.n_rows());
///     sample.push(&chunk.select(&picks));
/// }
/// let middle = sample.rows().target().iter().sum::<f64>() / sample.rows().n_rows() as f64;
/// assert!((middle - 100_000.0).abs() < 3_000.0, "{middle}");
/// let statistics = Statistics::settled_by(sample.rows(), Gathering::default())?;
/// assert_eq!(statistics.n_rows(), 0);
/// # Ok::<_, gapfit::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct RowSample {
    rows: Dataset,
    n_seen: u64,
    /// A row is picked whose number has none of these bits once it is mixed.
    mask: u64,
}

/// Rows at most, and cells.
const ROWS: usize = 1 << 15;
const CELLS: usize = 1 << 22;

impl RowSample {
    /// No rows yet, of tables with the columns of this one.
    pub fn new(like: &Dataset) -> Self {
        Self {
            rows: like.select(&[]).without_texts(),
            n_seen: 0,
            mask: 0,
        }
    }

    /// Which of the next `n` rows to [`push`](Self::push).
    pub fn picks(&mut self, n: usize) -> Vec<usize> {
        let first = self.n_seen;
        self.n_seen += n as u64;
        // no fixed step, which could fall in with a rhythm of the rows
        let is_picked = |i: &usize| mixed(first + *i as u64) & self.mask == 0;
        (0..n).filter(is_picked).collect()
    }

    /// Takes rows that were picked.
    ///
    /// # Panics
    /// If they have other columns.
    pub fn push(&mut self, picked: &Dataset) {
        self.rows.append(picked);
        let most = ROWS.min(CELLS / self.rows.n_features().max(1)).max(1);
        while self.rows.n_rows() > most {
            self.mask = self.mask << 1 | 1;
            let every_other: Vec<usize> = (0..self.rows.n_rows()).step_by(2).collect();
            self.rows = self.rows.select(&every_other);
        }
    }

    /// The rows of the sample.
    pub fn rows(&self) -> &Dataset {
        &self.rows
    }
}

impl Statistics {
    /// Statistics of no rows yet, whose units and thresholds suit tables of which `sample` is a sample.
    ///
    /// # Errors
    /// As [`Statistics::of`], and [`Error::Empty`](crate::Error::Empty) without a row of positive weight.
    pub fn settled_by(sample: &Dataset, gathering: Gathering) -> Result<Self> {
        let blank = Self::of(&sample.select(&[]), gathering)?.blank().clone();
        let n_blocks = if gathering.is_blocked { N_BLOCKS } else { 1 };
        Ok(Self {
            gathering,
            state: State::Sums(Box::new(Sums {
                scheme: Scheme::of(sample, gathering.clip, SAMPLE)?,
                blocks: vec![Block::none(&blank); n_blocks],
                blank,
            })),
        })
    }

    /// Whether thresholds were settled by rows unlike the others, so that too few rows of a tail are kept for
    /// fits to know where to clip, on all rows or on a part of them.
    pub fn is_misled(&self) -> bool {
        let State::Sums(sums) = &self.state else {
            return false;
        };
        // rows in a tail of a part, four standard deviations more than of all
        let expected = (self.gathering.clip * self.n_rows() as f64).max(1.0);
        let clip = (self.gathering.clip * (1.0 + 4.0 / expected.sqrt())).min(0.49);
        let blocks: Vec<&Block> = sums.blocks.iter().collect();
        self.n_rows() > 0 && sums.scheme.ranges(&blocks, clip).is_err()
    }
}
