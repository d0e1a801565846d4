//! Training rows turned into a problem, held-out rows into a score.

use super::fold::{Fold, Folds, Order};
use super::part::Parts;
use crate::data::Dataset;
use crate::error::Result;
use crate::learn::Learner;
use crate::moments::{Reading, Rows, Source};
use crate::pipeline::{HeldOut, Prefer, Problem};
use crate::statistics::Sums;
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
    fn of(data: &'a Dataset, judged: &'a Judged<'_>, folds: &Folds) -> Vec<Self> {
        let rows = |f: usize| {
            let Fold { train, held_out } = folds.get(f);
            let train = Rows::new(data, Some(&train));
            Self::new(train, Rows::new(judged.table(f), Some(&held_out)))
        };
        let folds = (0..folds.count()).into_par_iter().with_max_len(1);
        folds.map(rows).collect()
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

/// Sums over the blocks that folds are made of.
pub(super) struct BlockSums {
    sums: Sums,
    order: Order,
}

/// The rows of every fold, and the sums of blocks of them where there are few masks.
pub(super) fn rows_and_sums<'a>(
    data: &'a Dataset,
    judged: &'a Judged<'_>,
    folds: &Folds,
    clip: f64,
) -> (Vec<FoldRows<'a>>, Option<BlockSums>) {
    let sums = || {
        let blocks = folds.blocks()?;
        Some(BlockSums {
            sums: Sums::of_blocks(data, || blocks.ascending(), clip)?,
            order: blocks.order,
        })
    };
    // at once: each alone has parts that wait for one thread
    rayon::join(|| FoldRows::of(data, judged, folds), sums)
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

    /// Reads every fold.
    pub(super) fn all(
        data: &Dataset,
        rows: &'a [FoldRows<'a>],
        sums: Option<BlockSums>,
        clip: f64,
    ) -> Result<Vec<Self>> {
        if let Some(BlockSums { sums, order }) = sums {
            let read = |(f, rows)| Self::by_block(&sums, order, f, rows, (data, clip));
            let folds = rows.par_iter().with_max_len(1).enumerate();
            let read: Result<_> = folds.map(read).collect();
            // an error may be one of the sums alone: rows far out that were not kept
            if read.is_ok() {
                return read;
            }
        }
        let folds = rows.par_iter().with_max_len(1);
        folds.map(|rows| Self::new(rows, clip)).collect()
    }

    /// Reads fold `f` of the table: every row is summed once, whatever the number of folds.
    fn by_block(
        sums: &Sums,
        order: Order,
        f: usize,
        rows: &'a FoldRows<'a>,
        (data, clip): (&Dataset, f64),
    ) -> Result<Self> {
        let reading = sums.reading(clip, |b| match order {
            Order::Any => b != f,
            Order::Forward => b <= f,
        })?;
        let held_out = match std::ptr::eq(rows.held_out.data(), data) {
            true => sums.source(&reading.frame, |b| b == order.held_out(f)),
            false => Source::new(&rows.held_out, &reading.frame),
        };
        let reading = Reading {
            rows: Some(&rows.train),
            ..reading
        };
        Ok(Self::of_rows(rows, reading, held_out))
    }
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
