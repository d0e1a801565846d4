//! The range of each column: its clipping quantiles, or its smallest and largest value.

use super::rank::{ROUNDING, rank};
use super::screen::FIRST;
use super::{Rows, tails};
use crate::data::WORD;
use crate::error::{Error, Result};
use crate::linalg::{Loop, Simd, vectorised};
use rayon::prelude::*;
use std::ops::Range;

/// Per column `(lower, upper)`, `None` where nothing is observed; and the range of each target, which
/// only fixes its unit and may be that of a sample.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Ranges {
    pub(crate) columns: Vec<Option<(f64, f64)>>,
    pub(crate) targets: Vec<(f64, f64)>,
}

impl Ranges {
    /// The `clip` and `1 - clip` quantiles of the observed cells, weighted; their extremes at 0.
    ///
    /// The lower quantile is the smallest value with at least `clip` of the weight at or below it,
    /// the upper one its mirror image, so that weight 2 is exactly a repeated row.
    pub(crate) fn fit(rows: &Rows<'_>, clip: f64) -> Result<Self> {
        if rows.len() == 0 {
            return Err(no_rows());
        }
        let columns = match clip > 0.0 {
            true => clipped(rows, clip),
            false => extremes(rows),
        };
        Ok(Self {
            columns,
            targets: Self::of_targets(rows),
        })
    }

    /// The range of each target; of some rows.
    pub(crate) fn of_targets(rows: &Rows<'_>) -> Vec<(f64, f64)> {
        let range = |values: &[f64]| {
            let values = (0..rows.len()).map(|i| values[rows.number(i)]);
            span(values).expect("there is a row")
        };
        rows.targets().map(range).collect()
    }
}

pub(super) fn no_rows() -> Error {
    Error::Empty {
        what: "training rows",
        expected: "at least one row with positive weight",
    }
}

/// The smallest and the largest value, if there is any.
pub(super) fn span(values: impl Iterator<Item = f64>) -> Option<(f64, f64)> {
    values.fold(None, |range, x| {
        Some(range.map_or((x, x), |(low, high): (f64, f64)| (low.min(x), high.max(x))))
    })
}

/// Rows per parallel task.
const CHUNK: usize = 1 << 15;

/// The smallest and the largest observed cell of each column.
fn extremes(rows: &Rows<'_>) -> Vec<Option<(f64, f64)>> {
    let nothing = || vec![(f64::INFINITY, f64::NEG_INFINITY); rows.data().n_features()];
    let starts: Vec<usize> = (0..rows.len()).step_by(CHUNK).collect();
    let widest = starts
        .into_par_iter()
        .map(|start| {
            let mut extremes = nothing();
            vectorised(Widen {
                rows,
                range: start..rows.len().min(start + CHUNK),
                extremes: &mut extremes,
            });
            extremes
        })
        .reduce(nothing, |mut all, part| {
            for (all, part) in all.iter_mut().zip(part) {
                *all = (all.0.min(part.0), all.1.max(part.1));
            }
            all
        });
    widest
        .into_iter()
        .map(|(low, high)| (low <= high).then_some((low, high)))
        .collect()
}

/// Widens the extremes to the observed cells of some rows.
struct Widen<'a> {
    rows: &'a Rows<'a>,
    range: Range<usize>,
    extremes: &'a mut [(f64, f64)],
}

impl Loop for Widen<'_> {
    #[inline(always)]
    fn run<S: Simd>(self, _: S) {
        for i in self.range {
            let (values, words) = (self.rows.values(i), self.rows.words(i));
            let columns = self.extremes.chunks_mut(WORD).zip(values.chunks(WORD));
            for ((extremes, values), &word) in columns.zip(words) {
                for (bit, ((low, high), &x)) in extremes.iter_mut().zip(values).enumerate() {
                    // Choosing is faster than branching: holes come at random.
                    let is_observed = word >> bit & 1 == 1;
                    *low = if is_observed { low.min(x) } else { *low };
                    *high = if is_observed { high.max(x) } else { *high };
                }
            }
        }
    }
}

/// Columns whose cells are gathered at once: neighbours in a row share a line of the cache.
const AT_ONCE: usize = 8;

/// The quantiles of each column at `clip` and its mirror image; `None` where nothing is observed.
fn clipped(rows: &Rows<'_>, clip: f64) -> Vec<Option<(f64, f64)>> {
    let is_plain = !rows.is_weighted() && rows.len() >= FIRST;
    let mut found = match is_plain && tails::are_small(clip) {
        true => tails::quantiles(rows, clip),
        false => vec![None; rows.data().n_features()],
    };
    let mut others: Vec<_> = found.iter_mut().enumerate().collect();
    others.retain(|(_, found)| found.is_none());
    others.par_chunks_mut(AT_ONCE).for_each(|columns| {
        let numbers: Vec<usize> = columns.iter().map(|(j, _)| *j).collect();
        let quantiles = quantiles(rows, &numbers, clip);
        let both = columns.iter_mut().zip(quantiles);
        both.for_each(|((_, found), range)| **found = range);
    });
    found
}

/// The quantiles of some columns, all of whose cells are gathered.
fn quantiles(
    rows: &Rows<'_>,
    columns: &[usize],
    clip: f64,
) -> impl Iterator<Item = Option<(f64, f64)>> {
    let (mut cells, mut weights) = (vec![Vec::new(); columns.len()], Vec::new());
    if rows.is_weighted() {
        weights.resize(columns.len(), Vec::new());
    }
    for i in 0..rows.len() {
        let row = rows.row(i);
        for (c, &j) in columns.iter().enumerate() {
            if let Some(x) = row.get(j) {
                cells[c].push(x);
                if let Some(weights) = weights.get_mut(c) {
                    weights.push(rows.weight(i));
                }
            }
        }
    }
    let mut weights = weights.into_iter();
    cells.into_iter().map(move |cells| match weights.next() {
        Some(weights) => weighted_quantiles(cells.into_iter().zip(weights).collect(), clip),
        None => plain_quantiles(cells, clip),
    })
}

fn weighted_quantiles(mut cells: Vec<(f64, f64)>, clip: f64) -> Option<(f64, f64)> {
    cells.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
    let need = clip * cells.iter().map(|cell| cell.1).sum::<f64>();
    Some((reach(cells.iter(), need)?, reach(cells.iter().rev(), need)?))
}

fn plain_quantiles(mut cells: Vec<f64>, clip: f64) -> Option<(f64, f64)> {
    let (rank, last) = (rank(clip, cells.len()), cells.len().checked_sub(1)?);
    let low = *cells.select_nth_unstable_by(rank, f64::total_cmp).1;
    let high = *cells.select_nth_unstable_by(last - rank, f64::total_cmp).1;
    Some((low, high))
}

/// The first value at which the weight up to it reaches `need`.
fn reach<'a>(mut sorted: impl Iterator<Item = &'a (f64, f64)>, need: f64) -> Option<f64> {
    let mut weight = 0.0;
    let found = sorted.find(|(_, w)| {
        weight += w;
        weight >= need * (1.0 - ROUNDING)
    });
    found.map(|cell| cell.0)
}
