//! What a fit needs of the rows of a table, as a value: read once, in parts, anywhere, and added up.
//!
//! Rows are kept as they are while they are few. Then units are settled from them, and from there on a row
//! becomes part of the sums of its mask, unless one of its cells lies so far out that clipping may cut it:
//! such rows are kept, since where values are cut is known only when all of them have been seen.
//! The sums stand in blocks, and a row's block follows from its cells alone ([`label`]): cross-validation
//! takes whole blocks out, wherever and in whatever order the rows were read.

mod block;
mod evidence;
mod file;
mod gather;
mod kept;
mod label;
mod merge;
mod part;
mod passes;
mod reconcile;
mod remake;
mod sample;
mod scheme;
mod sharing;
mod summed;
mod summed_file;

pub use evidence::Evidence;
pub(crate) use evidence::Kind;
pub(crate) use label::{N_BLOCKS, block_of};
pub(crate) use part::Picked;
pub use passes::{Failure, Passes};
pub use sample::RowSample;

use crate::data::{Dataset, Schema};
use crate::error::{Error, Result};
use crate::moments::{Frame, Moments, Reading, Source, Totals};
use block::Block;
use rayon::prelude::*;
use scheme::Scheme;
use summed::Summed;

/// What is gathered from rows.
///
/// | field | default | purpose | range |
/// |---|---|---|---|
/// | `clip` | 0.002 | the largest quantile that a fit can clip at; 0 keeps no rows for that | [0, 0.5) |
/// | `is_blocked` | true | sums by block, which tuning needs | |
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gathering {
    /// The largest tail quantile that fits may cut cells at.
    pub clip: f64,
    /// Whether blocks are told apart.
    pub is_blocked: bool,
}

impl Default for Gathering {
    fn default() -> Self {
        Self {
            clip: 0.002,
            is_blocked: true,
        }
    }
}

impl Gathering {
    /// Checks the ranges of the settings.
    ///
    /// # Errors
    /// [`Error::Setting`] when `clip` is outside [0, 0.5).
    pub fn validate(&self) -> Result<()> {
        match (0.0..0.5).contains(&self.clip) {
            true => Ok(()),
            false => Err(Error::Setting {
                name: "clip",
                expected: "a quantile from 0 (no rows are kept for it) to below 0.5",
                got: self.clip.to_string(),
            }),
        }
    }
}

/// Sums over the rows of a table that stand for the rows in fits with the squared loss; they add up over
/// parts of a table.
///
/// ```
/// use gapfit::data::{Dataset, MaskedMatrix};
/// use gapfit::{Gathering, Learner, Parameters, Statistics};
///
/// let part = |cells: &[f64], target: &[f64]| {
///     let table = MaskedMatrix::from_nan(target.len(), 1, cells)?;
///     Dataset::new(table, target.to_vec())
/// };
/// let [a, b] = [part(&[1.0, 2.0], &[1.5, 2.5])?, part(&[f64::NAN, 4.0], &[2.0, 4.5])?];
/// let mut all = Statistics::of(&a, Gathering::default())?;
/// all.merge(Statistics::of(&b, Gathering::default())?)?;
/// let model = Learner::default().fit(&all, Parameters { alpha: 0.01, gamma: 1.0 })?.model;
/// assert_eq!(model.training().rows, 4);
/// # Ok::<_, gapfit::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Statistics {
    gathering: Gathering,
    state: State,
}

#[derive(Clone, Debug)]
enum State {
    /// Few enough to be kept.
    Rows(Dataset),
    Sums(Box<Sums>),
}

/// Sums over rows, and the rows that were set aside.
#[derive(Clone, Debug)]
pub(crate) struct Sums {
    /// A table of the same columns without rows.
    blank: Dataset,
    scheme: Scheme,
    blocks: Vec<Block>,
}

impl Statistics {
    /// The statistics of these rows.
    ///
    /// # Errors
    /// [`Error::Setting`] for a quantile out of range or a target of classes; those of
    /// [`gather`](Self::gather).
    pub fn of(data: &Dataset, gathering: Gathering) -> Result<Self> {
        gathering.validate()?;
        check_target(data)?;
        let blank = data.select(&[]).without_texts();
        let mut statistics = Self {
            gathering,
            state: State::Rows(blank),
        };
        statistics.push(data)?;
        Ok(statistics)
    }

    /// Brings the rows that are kept for clipping together, for when all rows are there: after gathering or merging large parts, every
    /// fit and fold would copy them otherwise.
    pub fn compact(&mut self) {
        if let State::Sums(sums) = &mut self.state {
            sums.blocks.iter_mut().for_each(|block| block.kept.join());
        }
    }

    /// The same with the columns behind the features, which models keep.
    ///
    /// # Errors
    /// [`Error::Shape`] when the columns have another number of features.
    pub fn with_schema(mut self, schema: Schema) -> Result<Self> {
        match &mut self.state {
            State::Rows(rows) => *rows = rows.clone().with_schema(schema)?,
            State::Sums(sums) => sums.blank = sums.blank.clone().with_schema(schema)?,
        }
        Ok(self)
    }

    /// Statistics of no rows, with the same columns, levels, units and thresholds: parts that start from them
    /// add up as if one had read them all.
    ///
    /// ```
    /// use gapfit::data::{Dataset, MaskedMatrix};
    /// use gapfit::{Gathering, Statistics};
    /// let rows = Dataset::new(MaskedMatrix::from_nan(2, 1, &[1.0, f64::NAN])?, vec![1.5, 2.5])?;
    /// let sample = Statistics::of(&rows, Gathering::default())?;
    /// let mut part = sample.emptied();
    /// part.push(&rows)?;
    /// assert_eq!((sample.emptied().n_rows(), part.n_rows()), (0, 2));
    /// # Ok::<_, gapfit::Error>(())
    /// ```
    pub fn emptied(&self) -> Self {
        let state = match &self.state {
            State::Rows(rows) => State::Rows(rows.select(&[])),
            State::Sums(sums) => State::Sums(Box::new(Sums {
                blank: sums.blank.clone(),
                scheme: sums.scheme.clone(),
                blocks: vec![Block::none(&sums.blank); sums.blocks.len()],
            })),
        };
        Self { state, ..*self }
    }

    /// The columns behind the features, where they are known.
    pub fn schema(&self) -> Option<&Schema> {
        self.blank().schema().map(|schema| &**schema)
    }

    /// The number of rows that count.
    pub fn n_rows(&self) -> usize {
        match &self.state {
            State::Rows(rows) => (0..rows.n_rows()).filter(|&i| rows.weight(i) > 0.0).count(),
            State::Sums(sums) => sums.blocks.iter().map(Block::n_rows).sum(),
        }
    }

    /// The names of the features.
    pub fn names(&self) -> &[String] {
        self.blank().names()
    }

    /// The name of the target.
    pub fn target_name(&self) -> &str {
        self.blank().target_name()
    }

    /// What was gathered.
    pub fn gathering(&self) -> Gathering {
        self.gathering
    }

    /// Whether patterns of holes were so many that the sums are over all of them together: then bases that look at other
    /// columns cannot be fitted, `zero` and `mean` can.
    pub fn is_folded(&self) -> bool {
        match &self.state {
            State::Rows(_) => false,
            State::Sums(sums) => sums.is_folded(),
        }
    }

    /// How many of the rows are kept as they are.
    pub fn n_kept(&self) -> usize {
        match &self.state {
            State::Rows(rows) => rows.n_rows(),
            State::Sums(sums) => sums.blocks.iter().map(|block| block.kept.n_rows()).sum(),
        }
    }

    /// The share of the cells that are observed, by the weight of their rows; 1 without cells.
    pub fn observed_fraction(&self) -> f64 {
        match &self.state {
            State::Rows(rows) => rows.features().observed_fraction(),
            State::Sums(sums) => sums.totals().observed_fraction(),
        }
    }

    /// A table that has the columns, with rows or without.
    fn blank(&self) -> &Dataset {
        match &self.state {
            State::Rows(rows) => rows,
            State::Sums(sums) => &sums.blank,
        }
    }
}

/// Refuses what needs rows in memory.
fn check_target(data: &Dataset) -> Result<()> {
    let (expected, got) = match (data.classes().len(), data.n_targets()) {
        (0, 1) => return Ok(()),
        (0, targets) => (
            "one: statistics are for one target",
            format!("{targets} targets"),
        ),
        (classes, _) => (
            "numbers: classes are learnt from rows, not from sums",
            format!("{classes} classes"),
        ),
    };
    Err(Error::Setting {
        name: "target",
        expected,
        got,
    })
}

impl Sums {
    /// The blocks that `keep` picks, read as training rows clipped at the quantile `clip`.
    pub(crate) fn reading(
        &self,
        clip: f64,
        keep: impl Fn(usize) -> bool,
    ) -> Result<Reading<'static>> {
        let kept: Vec<&Block> = self.pick(&keep).collect();
        if kept.iter().all(|block| block.n_rows() == 0) {
            return Err(Error::Empty {
                what: "training rows",
                expected: "at least one row with positive weight in the blocks of a fold",
            });
        }
        let ranges = self.scheme.ranges(&kept, clip)?;
        let frame = match clip > 0.0 {
            true => self.scheme.frame.clone().clipped_to(&ranges),
            false => self.scheme.frame.clone(),
        };
        let source = self.source(&frame, keep);
        Ok(Reading::of_sums(ranges, frame, source))
    }

    /// The moments of the blocks that `keep` picks, with values cut as the frame says.
    pub(crate) fn source(&self, frame: &Frame, keep: impl Fn(usize) -> bool) -> Source<'static> {
        let kept: Vec<&Block> = self.pick(&keep).collect();
        let tails = kept.par_iter();
        let tails = tails.map(|block| self.scheme.sum_kept(&block.kept, frame));
        let tails: Vec<Moments> = tails.collect();
        let mut sums = Summed::none();
        for (block, tails) in kept.iter().zip(tails) {
            sums.merge(&block.sums);
            sums.merge(&Summed::ByMask(tails));
        }
        sums.into_source()
    }

    /// Whether the masks are not told apart.
    fn is_folded(&self) -> bool {
        self.blocks.iter().any(|block| block.sums.is_folded())
    }

    /// What is known of the columns of all rows.
    fn totals(&self) -> Totals {
        let all = self.source(&self.scheme.frame, |_| true);
        all.totals(self.blank.n_features())
    }

    pub(crate) fn n_blocks(&self) -> usize {
        self.blocks.len()
    }

    fn pick(&self, keep: &impl Fn(usize) -> bool) -> impl Iterator<Item = &Block> {
        let blocks = self.blocks.iter().enumerate();
        blocks.filter(|(b, _)| keep(*b)).map(|(_, block)| block)
    }
}
