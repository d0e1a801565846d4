//! Training rows turned into a problem, held-out rows into a score.

use super::complement;
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

/// One split per fold; by subtraction where that is exact.
pub(super) fn by_fold<'a>(
    learner: &'a Learner,
    data: &Dataset,
    folds: &[Vec<usize>],
) -> Result<Vec<Split<'a>>> {
    if learner.preparation.clip == 0.0
        && let Some(splits) = by_subtraction(learner, data, folds)?
    {
        return Ok(splits);
    }
    let split = |held_out: &Vec<usize>| {
        let train = complement(data.n_rows(), held_out);
        let train = Rows::new(data, Some(&train));
        Split::new(learner, &train, &Rows::new(data, Some(held_out)))
    };
    folds.par_iter().map(split).collect()
}

/// Without clipping: every fold's moments once, training parts as the whole minus the fold. `None`
/// when the moments are too many to keep.
fn by_subtraction<'a>(
    learner: &'a Learner,
    data: &Dataset,
    folds: &[Vec<usize>],
) -> Result<Option<Vec<Split<'a>>>> {
    let all = Rows::new(data, None);
    let frame = Frame::new(&Ranges::fit(&all, 0.0)?, false);
    let parts: Option<Vec<Moments>> = folds
        .par_iter()
        .map(|held_out| Source::new(&Rows::new(data, Some(held_out)), &frame).kept())
        .collect();
    let Some(parts) = parts else {
        return Ok(None);
    };
    let mut whole = parts[0].clone();
    parts[1..].iter().for_each(|part| whole.merge(part));
    let split = |(held_out, part): (&Vec<usize>, &Moments)| {
        let train = complement(data.n_rows(), held_out);
        let train = Rows::new(data, Some(&train));
        let mut rest = whole.clone();
        rest.subtract(part);
        let reading = Reading {
            ranges: Ranges::fit(&train, 0.0)?,
            frame: frame.clone(),
            source: Source::Kept(rest),
        };
        let problem = Problem::new(learner, &train, &reading, Prefer::Cheaper);
        let held_out = Rows::new(data, Some(held_out));
        Ok(Split::of(problem, &held_out, &Source::Kept(part.clone())))
    };
    folds
        .par_iter()
        .zip(&parts)
        .map(split)
        .collect::<Result<_>>()
        .map(Some)
}
