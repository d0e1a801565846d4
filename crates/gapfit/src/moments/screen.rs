//! Clipping and summing in one pass over the rows.
//!
//! A row can be summed before the clipping bounds are known if none of its cells is near them. The first
//! rows tell where the tails of each column begin; rows with a cell in a tail are set aside until more is known
//! ([`Screened`]), and give the exact quantiles. Where the first rows mislead, so that too many are set
//! aside or too few, the rows are read again instead.

use super::range::span;
use super::{Adders, Frame, Moments, Ranges, Rows, Screened, sum};
use crate::hash::mixed;

/// A cell at or below `low`, or at or above `high`, may be beyond a clipping bound.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Screen {
    pub(crate) low: f64,
    pub(crate) high: f64,
}

/// The first rows of a table, of which some are looked at to find where the tails begin.
pub(crate) const FIRST: usize = 1 << 15;
const SAMPLE: usize = 1 << 14;

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
    let mut found = Screened::new(&settled, clip);
    sum::each_part(rows, &settled.adders(), |part| found.add(part))?;
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
    /// too rarely observed to judge, or has a tail of equal values, which would all be set aside.
    pub(crate) fn of(
        clip: f64,
        (n_features, n_targets): (usize, usize),
        cell: impl Fn(usize, usize) -> Option<f64>,
        target: impl Fn(usize, usize) -> f64,
    ) -> Option<Self> {
        // One of each run, at random: a fixed step could fall in with a rhythm of the rows.
        let step = FIRST / SAMPLE;
        let sample = (0..SAMPLE).map(|s| s * step + mixed(s as u64) as usize % step);
        let sample: Vec<usize> = sample.collect();
        let mut columns = vec![Vec::with_capacity(SAMPLE); n_features];
        for &i in &sample {
            for (j, column) in columns.iter_mut().enumerate() {
                column.extend(cell(i, j));
            }
        }
        let screens = columns.into_iter().map(|cells| Screen::of(cells, clip));
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

impl Screen {
    /// Four standard deviations more than the tail that is looked for, so that a sample rarely
    /// misleads.
    fn of(mut sample: Vec<f64>, clip: f64) -> Option<Self> {
        let expected = clip * sample.len() as f64;
        let rank = (expected + 4.0 * expected.sqrt()) as usize + 4;
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
