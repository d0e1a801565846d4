//! The range of each column: its clipping quantiles, or its smallest and largest value.

use super::Rows;
use crate::data::WORD;
use crate::error::{Error, Result};
use crate::linalg::{Loop, Simd, vectorised};
use rayon::prelude::*;
use std::ops::Range;

/// Per column `(lower, upper)`, `None` where nothing is observed; and the range of the target, which
/// only fixes its unit and may be that of a sample.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Ranges {
    pub(crate) columns: Vec<Option<(f64, f64)>>,
    pub(crate) target: (f64, f64),
}

impl Ranges {
    /// The `clip` and `1 - clip` quantiles of the observed cells, weighted; their extremes at 0.
    ///
    /// The lower quantile is the smallest value with at least `clip` of the weight at or below it,
    /// the upper one its mirror image, so that weight 2 is exactly a repeated row.
    pub(crate) fn fit(rows: &Rows<'_>, clip: f64) -> Result<Self> {
        if rows.len() == 0 {
            return Err(Error::Empty {
                what: "training rows",
                expected: "at least one row with positive weight",
            });
        }
        let targets = (0..rows.len()).map(|i| rows.target(i));
        let columns = if clip > 0.0 {
            let n_features = rows.data().n_features();
            let range = |j| Tails::of_column(rows, j).quantiles(clip);
            (0..n_features).into_par_iter().map(range).collect()
        } else {
            extremes(rows)
        };
        Ok(Self {
            columns,
            target: span(targets).expect("there is a row"),
        })
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

/// The cells at both ends of a column, as (value, weight), and the weight of the whole column.
#[derive(Clone, Debug, Default)]
pub(super) struct Tails {
    pub(super) low: Vec<(f64, f64)>,
    pub(super) high: Vec<(f64, f64)>,
    pub(super) weight: f64,
}

impl Tails {
    /// Tails that meet in the middle: every observed cell of column j is in both.
    fn of_column(rows: &Rows<'_>, j: usize) -> Self {
        let cell = |i: usize| Some((rows.row(i).get(j)?, rows.weight(i)));
        let low: Vec<_> = (0..rows.len()).filter_map(cell).collect();
        Self {
            high: low.clone(),
            weight: low.iter().map(|cell| cell.1).sum(),
            low,
        }
    }

    /// Whether both tails hold at least the share `clip` of the weight.
    pub(super) fn suffice(&self, clip: f64) -> bool {
        let weight = |cells: &[(f64, f64)]| cells.iter().map(|c| c.1).sum::<f64>();
        weight(&self.low).min(weight(&self.high)) >= clip * self.weight
    }

    /// The quantiles at `clip` and its mirror image; `None` for a column without cells.
    pub(super) fn quantiles(mut self, clip: f64) -> Option<(f64, f64)> {
        self.low.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
        self.high.sort_unstable_by(|a, b| b.0.total_cmp(&a.0));
        let need = clip * self.weight;
        Some((reach(&self.low, need)?, reach(&self.high, need)?))
    }
}

/// The first value at which the weight up to it reaches `need`.
fn reach(sorted: &[(f64, f64)], need: f64) -> Option<f64> {
    let mut weight = 0.0;
    let found = sorted.iter().find(|(_, w)| {
        weight += w;
        weight >= need * (1.0 - 1e-12) // sums of weights round
    });
    found.or(sorted.last()).map(|cell| cell.0)
}
