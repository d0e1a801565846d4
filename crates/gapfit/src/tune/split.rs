//! Training rows turned into a problem, held-out rows into a score.

use super::fold::{Folds, Order};
use crate::data::Dataset;
use crate::error::Result;
use crate::learn::Learner;
use crate::moments::{Frame, Moments, Ranges, Reading, Rows, Source};
use crate::pipeline::{HeldOut, Prefer, Problem};
use rayon::prelude::*;

/// A problem on training rows, and the rows held out.
pub(super) struct Split<'a> {
    pub(super) problem: Problem<'a>,
    pub(super) held_out: HeldOut,
    /// The weight of the rows held out.
    pub(super) weight: f64,
}

impl<'a> Split<'a> {
    pub(super) fn new(learner: &'a Learner, train: &Rows<'_>, held_out: &Rows<'_>) -> Result<Self> {
        let reading = Reading::new(train, learner.preparation.clip)?;
        let problem = Problem::new(learner, train, &reading, Prefer::Cheaper);
        let source = Source::new(held_out, &reading.frame);
        Ok(Self::of(problem, held_out, &source))
    }

    fn of(problem: Problem<'a>, rows: &Rows<'_>, source: &Source<'_>) -> Self {
        Self {
            held_out: problem.hold_out(rows, source),
            weight: (0..rows.len()).map(|i| rows.weight(i)).sum(),
            problem,
        }
    }
}

/// One split per fold; from sums over blocks of rows where that is exact.
pub(super) fn by_fold<'a>(
    learner: &'a Learner,
    data: &Dataset,
    folds: &Folds,
) -> Result<Vec<Split<'a>>> {
    if learner.preparation.clip == 0.0
        && let Some(splits) = by_block(learner, data, folds)?
    {
        return Ok(splits);
    }
    let split = |f: usize| {
        let fold = folds.get(f);
        let train = Rows::new(data, Some(&fold.train));
        Split::new(learner, &train, &Rows::new(data, Some(&fold.held_out)))
    };
    (0..folds.count()).into_par_iter().map(split).collect()
}

/// Without clipping: every block's moments once, training parts by adding and subtracting them.
/// `None` when the moments are too many to keep.
fn by_block<'a>(
    learner: &'a Learner,
    data: &Dataset,
    folds: &Folds,
) -> Result<Option<Vec<Split<'a>>>> {
    let all = Rows::new(data, None);
    let frame = Frame::new(&Ranges::fit(&all, 0.0)?, false);
    let parts: Option<Vec<Moments>> = folds
        .blocks()
        .par_iter()
        .map(|block| Source::new(&Rows::new(data, Some(block)), &frame).kept())
        .collect();
    let Some(parts) = parts else {
        return Ok(None);
    };
    let whole = merged(&parts);
    let split = |f: usize| {
        let (fold, part) = (folds.get(f), &parts[folds.held_out_block(f)]);
        let train = match folds.order() {
            Order::Any => without(&whole, part),
            Order::Forward => merged(&parts[..=f]),
        };
        let rows = Rows::new(data, Some(&fold.train));
        let reading = Reading {
            ranges: Ranges::fit(&rows, 0.0)?,
            frame: frame.clone(),
            source: Source::Kept(train),
        };
        let problem = Problem::new(learner, &rows, &reading, Prefer::Cheaper);
        let held_out = Rows::new(data, Some(&fold.held_out));
        Ok(Split::of(problem, &held_out, &Source::Kept(part.clone())))
    };
    (0..folds.count())
        .into_par_iter()
        .map(split)
        .collect::<Result<_>>()
        .map(Some)
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
