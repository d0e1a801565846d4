//! Training rows turned into a problem, held-out rows into a score.

use super::fold::{Blocks, Fold, Folds, Order};
use super::part::Parts;
use crate::data::Dataset;
use crate::error::Result;
use crate::learn::Learner;
use crate::moments::{Frame, Moments, Ranges, Reading, Rows, Source};
use crate::pipeline::{HeldOut, Prefer, Problem};
use rayon::prelude::*;
use std::borrow::Cow;

/// The rows of a fold.
pub(super) struct FoldRows<'a> {
    pub(super) train: Rows<'a>,
    pub(super) held_out: Rows<'a>,
}

impl<'a> FoldRows<'a> {
    pub(super) fn new(train: Rows<'a>, held_out: Rows<'a>) -> Self {
        Self { train, held_out }
    }

    /// The rows of every fold.
    pub(super) fn of(data: &'a Dataset, judged: &'a Judged<'_>, folds: &Folds) -> Vec<Self> {
        let rows = |(f, fold): (usize, Fold)| {
            let train = Rows::new(data, Some(&fold.train));
            Self::new(train, Rows::new(judged.table(f), Some(&fold.held_out)))
        };
        folds.iter().enumerate().map(rows).collect()
    }
}

/// The table as the models see it that are judged on its rows: a category that the training rows of a fold do
/// not have is missing in those held out.
pub(super) struct Judged<'a>(Vec<Cow<'a, Dataset>>);

impl<'a> Judged<'a> {
    pub(super) fn new(data: &'a Dataset, folds: &Folds) -> Self {
        if !data.has_categories() {
            return Self(vec![Cow::Borrowed(data)]);
        }
        let of_fold = |fold: Fold| -> Vec<_> {
            let unseen = data.unseen(&fold.held_out, &fold.train).into_iter();
            let row = |(place, features)| (fold.held_out[place], features);
            unseen.map(row).collect()
        };
        let table = |unseen: Vec<_>| match unseen.is_empty() {
            true => Cow::Borrowed(data),
            false => Cow::Owned(data.clone().without(unseen)),
        };
        let unseen = folds.iter().map(of_fold);
        Self(match folds.blocks() {
            // a row is held out once at most: one table for all folds
            Some(_) => vec![table(unseen.flatten().collect())],
            None => unseen.map(table).collect(),
        })
    }

    /// The table with the rows that fold `f` holds out.
    fn table(&self, f: usize) -> &Dataset {
        &self.0[f.min(self.0.len() - 1)]
    }
}

/// A fold, read: what methods with the same clipping share.
pub(super) struct ReadFold<'a> {
    pub(super) reading: Reading<'a>,
    /// The rows themselves, unless sums are all that is left of them.
    held_out_rows: Option<&'a Rows<'a>>,
    held_out: Source<'a>,
    /// The weight of the rows held out.
    weight: f64,
}

impl<'a> ReadFold<'a> {
    pub(super) fn new(rows: &'a FoldRows<'a>, clip: f64) -> Result<Self> {
        let reading = Reading::new(&rows.train, clip)?;
        let held_out = Source::new(&rows.held_out, &reading.frame);
        Ok(Self::of_rows(rows, reading, held_out))
    }

    fn of_rows(rows: &'a FoldRows<'a>, reading: Reading<'a>, held_out: Source<'a>) -> Self {
        let rows = &rows.held_out;
        Self {
            reading,
            held_out_rows: Some(rows),
            held_out,
            weight: (0..rows.len()).map(|i| rows.weight(i)).sum(),
        }
    }

    /// A fold without rows in memory.
    pub(super) fn of_source(reading: Reading<'a>, held_out: Source<'a>) -> Self {
        Self {
            weight: held_out.totals(reading.ranges.columns.len()).weight,
            reading,
            held_out_rows: None,
            held_out,
        }
    }

    /// Reads every fold; from sums over blocks of rows where that is exact.
    pub(super) fn all(
        data: &Dataset,
        folds: &Folds,
        rows: &'a [FoldRows<'a>],
        clip: f64,
    ) -> Result<Vec<Self>> {
        if clip == 0.0
            && let Some(blocks) = folds.blocks()
            && let Some(read) = by_block(data, blocks, rows)?
        {
            return Ok(read);
        }
        rows.par_iter().map(|rows| Self::new(rows, clip)).collect()
    }
}

/// Without clipping: every block's moments once, training parts by adding and subtracting them.
/// `None` when the moments are too many to keep.
fn by_block<'a>(
    data: &Dataset,
    blocks: &Blocks,
    rows: &'a [FoldRows<'a>],
) -> Result<Option<Vec<ReadFold<'a>>>> {
    let all = Rows::new(data, None);
    let frame = Frame::new(&Ranges::fit(&all, 0.0)?, false);
    let parts: Option<Vec<Moments>> = blocks
        .rows
        .par_iter()
        .map(|block| Source::new(&Rows::new(data, Some(block)), &frame).kept())
        .collect();
    let Some(parts) = parts else {
        return Ok(None);
    };
    let whole = merged(&parts);
    let read = |(f, rows): (usize, &'a FoldRows<'a>)| {
        let part = &parts[blocks.held_out(f)];
        let train = match blocks.order {
            Order::Any => without(&whole, part),
            Order::Forward => merged(&parts[..=f]),
        };
        let reading = Reading {
            rows: Some(&rows.train),
            ranges: Ranges::fit(&rows.train, 0.0)?,
            frame: frame.clone(),
            source: Source::Kept(train),
        };
        let held_out = if std::ptr::eq(rows.held_out.data(), data) {
            Source::Kept(part.clone())
        } else {
            Source::new(&rows.held_out, &frame)
        };
        Ok(ReadFold::of_rows(rows, reading, held_out))
    };
    let read: Result<_> = rows.par_iter().enumerate().map(read).collect();
    read.map(Some)
}

/// The moments of all blocks together.
fn merged(parts: &[Moments]) -> Moments {
    let mut sum = parts[0].clone();
    parts[1..].iter().for_each(|part| sum.merge(part));
    sum
}

/// The moments of the rows outside one block.
fn without(whole: &Moments, part: &Moments) -> Moments {
    let mut rest = whole.clone();
    rest.subtract(part);
    rest
}

/// The problem of one target on training rows, and the rows held out.
pub(super) struct Split<'a> {
    pub(super) problem: Problem<'a>,
    pub(super) held_out: HeldOut,
    /// The weight of the rows held out.
    pub(super) weight: f64,
    pub(super) parts: Parts,
}

impl Split<'_> {
    /// The sum of the losses over each part of the rows held out, for the predictor v.
    pub(super) fn errors(&self, v: &[f64]) -> Vec<f64> {
        let unit = self.problem.error_unit();
        let mut sums = self.parts.sums(&self.held_out.terms(v));
        sums.iter_mut().for_each(|sum| *sum *= unit);
        sums
    }

    /// What it takes of memory, roughly.
    pub(super) fn bytes(&self) -> usize {
        self.problem.bytes() + self.held_out.bytes()
    }
}

impl<'a> Split<'a> {
    /// The same where nothing but the constant shifts; of losses other than the squared one.
    pub(super) fn constant(&self, fold: &ReadFold<'_>, solves: usize) -> Option<Self> {
        let (source, prefer) = (&fold.reading.source, Prefer::Cheaper { solves });
        let narrowed = self.problem.constant(&self.held_out, source, prefer);
        narrowed.map(|(problem, held_out)| Self {
            problem,
            held_out,
            weight: self.weight,
            parts: self.parts.clone(),
        })
    }

    /// The splits of each target.
    pub(super) fn each(learner: &'a Learner, fold: &ReadFold<'_>, solves: usize) -> Vec<Self> {
        let problems = Problem::each(learner, &fold.reading, Prefer::Cheaper { solves });
        let judged = Problem::hold_out(&problems, fold.held_out_rows, &fold.held_out);
        let split = |(problem, held_out): (_, HeldOut)| Self {
            parts: match held_out.row_weights() {
                Some(weights) => Parts::of_rows(weights),
                None => Parts::whole(fold.weight),
            },
            problem,
            held_out,
            weight: fold.weight,
        };
        problems.into_iter().zip(judged).map(split).collect()
    }
}
