//! Where the tails of columns begin, by a sample of their cells.

use crate::hash::mixed;
use std::ops::Range;

/// The first rows of a table, of which some are looked at to find where the tails begin.
pub(crate) const FIRST: usize = 1 << 15;

/// A cell at or below `low`, or at or above `high`, may be beyond a clipping bound.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Screen {
    pub(crate) low: f64,
    pub(crate) high: f64,
}

impl Screen {
    /// Catches no cell.
    pub(super) const NOWHERE: Self = Self {
        low: f64::NEG_INFINITY,
        high: f64::INFINITY,
    };

    /// The screen of a column with such a sample; `None` where it is too small to judge, or a tail has many equal values.
    pub(super) fn of(mut sample: Vec<f64>, clip: f64) -> Option<Self> {
        let rank = sample_rank(clip, sample.len() as f64) as usize;
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

/// Where in a sample of so many cells the tail begins: four standard deviations beyond the one that is looked for, so that a sample rarely
/// misleads.
pub(super) fn sample_rank(clip: f64, n: f64) -> f64 {
    let expected = clip * n;
    expected + 4.0 * expected.sqrt() + 4.0
}

/// So many of more numbers: one of each run, at random, since a fixed step could fall in with a rhythm.
pub(crate) fn spread(n: usize, all: usize) -> Vec<usize> {
    let start = |s: usize| s * all / n;
    let one = |s: usize| start(s) + mixed(s as u64) as usize % (start(s + 1) - start(s));
    (0..n).map(one).collect()
}

/// What the cells of some rows are, by column; `row` gives the cells of one by column.
pub(crate) fn columns_of<T: Clone + Default, R: Fn(usize) -> Option<T>>(
    rows: &[usize],
    columns: Range<usize>,
    row: impl Fn(usize) -> R,
) -> Vec<Vec<T>> {
    let mut found = vec![vec![T::default(); rows.len()]; columns.len()];
    let mut lengths = vec![0; columns.len()];
    for &i in rows {
        let cell = row(i);
        for ((found, length), j) in found.iter_mut().zip(&mut lengths).zip(columns.clone()) {
            // without a branch: holes come at random
            let cell = cell(j);
            let is_found = cell.is_some();
            found[*length] = cell.unwrap_or_default();
            *length += usize::from(is_found);
        }
    }
    let each = found.iter_mut().zip(lengths);
    each.for_each(|(found, length)| found.truncate(length));
    found
}
