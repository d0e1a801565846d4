//! Clipping and summing in one pass over the rows.
//!
//! A row can be summed before the clipping bounds are known if none of its cells is near them. The first
//! rows tell where the tails of each column begin; rows with a cell in a tail are set aside until more is known
//! ([`Screened`]), and give the exact quantiles. Where the first rows mislead, so that too many are set
//! aside or too few, the rows are read again instead.

use super::range::span;
use super::screen::{FIRST, Screen, columns_of, sample_rank, spread};
use super::{Adders, Frame, Moments, Ranges, Rows, Screened, sum};

/// Of the first rows, those that are looked at.
const SAMPLE: usize = 1 << 14;

/// Cells in tails that a row may have on average: with more it is quicker to find the quantiles first.
const TAIL_CELLS: f64 = 0.25;
/// Rows whose cells are counted for that.
const FEW: usize = 1 << 10;

/// Ranges, frame and moments of the rows clipped at `clip`; `None` where one pass cannot do it: few
/// rows, many masks, weights, rows with so many cells that one is often in a tail, or a sample that misjudged a column.
pub(super) fn read(rows: &Rows<'_>, clip: f64) -> Option<(Ranges, Frame, Moments)> {
    if rows.is_weighted() || rows.len() < FIRST {
        return None;
    }
    let targets: Vec<&[f64]> = rows.targets().collect();
    let row = |i: usize| {
        let row = rows.row(i);
        move |j: usize| row.get(j)
    };
    let target = |i: usize, t: usize| targets[t][rows.number(i)];
    let settled = Settled::of(clip, (rows.data().n_features(), targets.len()), row, target)?;
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
    /// From the cells of a row by feature and targets by row and number, of the first [`FIRST`] rows. `None` when a column is
    /// too rarely observed to judge, or has a tail of equal values, which would all be set aside, as would rows with so many cells that
    /// one is often in a tail.
    pub(crate) fn of<R: Fn(usize) -> Option<f64>>(
        clip: f64,
        (n_features, n_targets): (usize, usize),
        row: impl Fn(usize) -> R,
        target: impl Fn(usize, usize) -> f64,
    ) -> Option<Self> {
        let sample = spread(SAMPLE, FIRST);
        let few = &sample[..FEW];
        let observed = |&i: &usize| {
            let cell = row(i);
            (0..n_features).filter(|&j| cell(j).is_some()).count()
        };
        let n_observed = few.iter().map(observed).sum::<usize>();
        let per_row = n_observed as f64 / FEW as f64;
        let per_column = per_row / n_features.max(1) as f64 * SAMPLE as f64;
        let tail_cells = per_row * 2.0 * sample_rank(clip, per_column) / per_column;
        if n_features > 0 && (n_observed == 0 || tail_cells > TAIL_CELLS) {
            return None;
        }
        let columns = columns_of(&sample, 0..n_features, row).into_iter();
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    #[test]
    fn columns_without_a_cell_settle_nothing_and_are_hardly_looked_at() {
        let looks = Cell::new(0);
        let settle = |n_features: usize, value: Option<f64>| {
            let looks = &looks;
            let row = |i: usize| {
                move |j: usize| {
                    looks.set(looks.get() + 1);
                    value.map(|x| x * (i * 7919 % 10_007 + j) as f64)
                }
            };
            Settled::of(0.002, (n_features, 1), row, |i, _| i as f64)
        };
        assert!(settle(0, None).is_some());
        assert!(settle(2, Some(1.0)).is_some());
        looks.set(0);
        assert!(settle(2, None).is_none());
        assert_eq!(looks.get(), 2 * FEW);
    }
}
