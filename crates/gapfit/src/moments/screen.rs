//! Clipping and summing in one pass over the rows.
//!
//! A row can be summed before the clipping bounds are known if none of its cells is near them. The first
//! rows tell where the tails of each column begin; rows with a cell in a tail are set aside until more is known
//! ([`Screened`]), and give the exact quantiles. Where the first rows mislead, so that too many are set
//! aside or too few, the rows are read again instead.

use super::range::span;
use super::{Adders, Frame, Moments, Ranges, Rows, Screened, sum};
use crate::hash::mixed;
use std::ops::Range;

/// A cell at or below `low`, or at or above `high`, may be beyond a clipping bound.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Screen {
    pub(crate) low: f64,
    pub(crate) high: f64,
}

/// The first rows of a table, of which some are looked at to find where the tails begin.
pub(crate) const FIRST: usize = 1 << 15;
const SAMPLE: usize = 1 << 14;

/// Cells in tails that a row may have on average: with more it is quicker to find the quantiles first.
const TAIL_CELLS: f64 = 0.25;
/// Rows whose cells are counted for that.
const FEW: usize = 1 << 10;

/// Ranges, frame and moments of the rows clipped at `clip`; `None` where one pass cannot do it: few
/// rows, many masks, weights, or a sample that misjudged a column.
pub(super) fn read(rows: &Rows<'_>, clip: f64) -> Option<(Ranges, Frame, Moments)> {
    if rows.is_weighted() || rows.len() < FIRST {
        return None;
    }
    let targets: Vec<&[f64]> = rows.targets().collect();
    let cell = |i: usize, j: usize| rows.row(i).get(j);
    let target = |i: usize, t: usize| targets[t][rows.number(i)];
    let settled = Settled::of(
        clip,
        (rows.data().n_features(), targets.len()),
        cell,
        target,
    )?;
    let adders = settled.adders();
    let mut found = Screened::new(&settled, &adders, clip);
    sum::each_part(rows, &adders, |part| found.add(part))?;
    found.finish()
}

/// What the first rows say about the columns.
#[derive(Debug)]
pub(crate) struct Settled {
    pub(crate) screens: Vec<Screen>,
    /// Units that fit the bulk of the values.
    pub(crate) frame: Frame,
    pub(super) targets: Vec<(f64, f64)>,
}

impl Settled {
    /// From cells by row and feature and targets by row and number, of the first [`FIRST`] rows. `None` when a column is
    /// too rarely observed to judge, or has a tail of equal values, which would all be set aside, as would rows with so many cells that
    /// one is often in a tail.
    pub(crate) fn of(
        clip: f64,
        (n_features, n_targets): (usize, usize),
        cell: impl Fn(usize, usize) -> Option<f64>,
        target: impl Fn(usize, usize) -> f64,
    ) -> Option<Self> {
        let sample = spread(SAMPLE, FIRST);
        let few = &sample[..FEW];
        let observed = |&i: &usize| (0..n_features).filter(|&j| cell(i, j).is_some()).count();
        let n_observed = few.iter().map(observed).sum::<usize>();
        let per_row = n_observed as f64 / FEW as f64;
        let per_column = per_row / n_features.max(1) as f64 * SAMPLE as f64;
        let tail_cells = per_row * 2.0 * rank(clip, per_column) / per_column;
        if n_features > 0 && (n_observed == 0 || tail_cells > TAIL_CELLS) {
            return None;
        }
        let columns = columns_of(&sample, 0..n_features, cell).into_iter();
        let screens = columns.map(|cells| Screen::of(cells, clip));
        let screens = screens.collect::<Option<Vec<_>>>()?;
        let range = |t: usize| span(sample.iter().map(|&i| target(i, t)));
        let bulk = Ranges {
            columns: screens.iter().map(|s| Some((s.low, s.high))).collect(),
            targets: (0..n_targets).map(range).collect::<Option<_>>()?,
        };
        Some(Self {
            frame: Frame::new(&bulk, false),
            targets: bulk.targets,
            screens,
        })
    }

    /// What adds up rows in these units.
    pub(crate) fn adders(&self) -> Adders<'_> {
        Adders::new(&self.frame, Some(&self.screens))
    }
}

/// Where in a sample of so many cells the tail begins: four standard deviations beyond the one that is looked for, so that a sample rarely
/// misleads.
pub(super) fn rank(clip: f64, n: f64) -> f64 {
    let expected = clip * n;
    expected + 4.0 * expected.sqrt() + 4.0
}

/// So many of more numbers: one of each run, at random, since a fixed step could fall in with a rhythm.
pub(crate) fn spread(n: usize, all: usize) -> Vec<usize> {
    let start = |s: usize| s * all / n;
    let one = |s: usize| start(s) + mixed(s as u64) as usize % (start(s + 1) - start(s));
    (0..n).map(one).collect()
}

/// What `cell` finds in some rows, by column.
pub(crate) fn columns_of<T: Clone + Default>(
    rows: &[usize],
    columns: Range<usize>,
    cell: impl Fn(usize, usize) -> Option<T>,
) -> Vec<Vec<T>> {
    let mut found = vec![vec![T::default(); rows.len()]; columns.len()];
    let mut lengths = vec![0; columns.len()];
    for &i in rows {
        for ((found, length), j) in found.iter_mut().zip(&mut lengths).zip(columns.clone()) {
            // without a branch: holes come at random
            let cell = cell(i, j);
            let is_found = cell.is_some();
            found[*length] = cell.unwrap_or_default();
            *length += usize::from(is_found);
        }
    }
    let each = found.iter_mut().zip(lengths);
    each.for_each(|(found, length)| found.truncate(length));
    found
}

impl Screen {
    /// Catches no cell.
    pub(super) const NOWHERE: Self = Self {
        low: f64::NEG_INFINITY,
        high: f64::INFINITY,
    };

    /// The screen of a column with such a sample; `None` where it is too small to judge, or a tail has many equal values.
    pub(super) fn of(mut sample: Vec<f64>, clip: f64) -> Option<Self> {
        let rank = rank(clip, sample.len() as f64) as usize;
        if 4 * rank >= sample.len() {
            return None;
        }
        let last = sample.len() - 1;
        let low = *sample.select_nth_unstable_by(rank, f64::total_cmp).1;
        let high = *sample.select_nth_unstable_by(last - rank, f64::total_cmp).1;
        if !(high - low).is_finite() {
            return None;
        }
        let at_ends = sample.iter().filter(|x| **x <= low || **x >= high).count();
        (at_ends <= 2 * rank + sample.len() / 10).then_some(Self { low, high })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    #[test]
    fn columns_without_a_cell_settle_nothing_and_are_hardly_looked_at() {
        let looks = Cell::new(0);
        let settle = |n_features: usize, value: Option<f64>| {
            let cell = |i: usize, j: usize| {
                looks.set(looks.get() + 1);
                value.map(|x| x * (i * 7919 % 10_007 + j) as f64)
            };
            Settled::of(0.002, (n_features, 1), cell, |i, _| i as f64)
        };
        assert!(settle(0, None).is_some());
        assert!(settle(2, Some(1.0)).is_some());
        looks.set(0);
        assert!(settle(2, None).is_none());
        assert_eq!(looks.get(), 2 * FEW);
    }
}
