//! The range of each column: its clipping quantiles, or its smallest and largest value.

use super::{Masks, Rows};
use crate::error::{Error, Result};
use crate::linalg::{Loop, vectorised};
use rayon::prelude::*;

/// Per column `(lower, upper)`, `None` where nothing is observed; and the range of the target.
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
    pub(crate) fn fit(rows: &Rows<'_>, masks: &Masks, clip: f64) -> Result<Self> {
        if rows.len() == 0 {
            return Err(Error::Empty {
                what: "training rows",
                expected: "at least one row with positive weight",
            });
        }
        let target = (0..rows.len())
            .map(|i| rows.target(i))
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), y| {
                (low.min(y), high.max(y))
            });
        let columns = if clip > 0.0 {
            quantiles(rows, masks, clip)
        } else {
            extremes(rows)
        };
        Ok(Self { columns, target })
    }
}

/// Rows per parallel task; fixed, so that sums do not depend on the number of threads.
const CHUNK: usize = 1 << 15;

/// `part(rows of a chunk)` for all chunks, in order.
fn by_chunk<T: Send>(rows: &Rows<'_>, part: impl Fn(std::ops::Range<usize>) -> T + Sync) -> Vec<T> {
    let chunks: Vec<usize> = (0..rows.len()).step_by(CHUNK).collect();
    let range = |start: usize| start..rows.len().min(start + CHUNK);
    chunks
        .into_par_iter()
        .map(|start| part(range(start)))
        .collect()
}

fn extremes(rows: &Rows<'_>) -> Vec<Option<(f64, f64)>> {
    let n_features = rows.data().n_features();
    let parts = by_chunk(rows, |range| {
        let mut ranges = vec![None; n_features];
        for i in range {
            let row = rows.row(i);
            for j in row.observed().iter() {
                let x = row.values()[j];
                ranges[j] = Some(union(ranges[j], (x, x)));
            }
        }
        ranges
    });
    parts
        .into_iter()
        .fold(vec![None; n_features], |mut all, part| {
            for (all, part) in all.iter_mut().zip(part) {
                *all = part.map(|range| union(*all, range)).or(*all);
            }
            all
        })
}

fn union(range: Option<(f64, f64)>, (low, high): (f64, f64)) -> (f64, f64) {
    range.map_or((low, high), |(l, h)| (l.min(low), h.max(high)))
}

fn quantiles(rows: &Rows<'_>, masks: &Masks, clip: f64) -> Vec<Option<(f64, f64)>> {
    let weights = column_weights(rows, masks);
    let needs: Vec<f64> = weights.iter().map(|w| clip * w).collect();
    let probes = Probe::of_columns(rows, clip);
    let mut tails = tails(rows, &probes);
    if tails
        .iter()
        .zip(&needs)
        .any(|(tail, &need)| tail.falls_short(need))
    {
        // The sample misjudged a column: look at every cell.
        tails = self::tails(rows, &vec![Probe::EVERYTHING; probes.len()]);
    }
    let range = |(tail, need): (Tail, f64)| (need > 0.0).then(|| tail.range(need));
    tails.into_iter().zip(needs).map(range).collect()
}

/// The weight of the observed cells of each column.
fn column_weights(rows: &Rows<'_>, masks: &Masks) -> Vec<f64> {
    if !rows.is_weighted() {
        return masks
            .column_counts()
            .into_iter()
            .map(|n| n as f64)
            .collect();
    }
    let mut weights = vec![0.0; rows.data().n_features()];
    for i in 0..rows.len() {
        for j in rows.row(i).observed().iter() {
            weights[j] += rows.weight(i);
        }
    }
    weights
}

/// Cells at or below `low`, or at or above `high`, are candidates for the quantiles.
#[derive(Clone, Copy, Debug)]
struct Probe {
    low: f64,
    high: f64,
}

/// Rows looked at to guess where the tails begin.
const SAMPLE: usize = 4096;

impl Probe {
    const EVERYTHING: Self = Self {
        low: f64::INFINITY,
        high: f64::NEG_INFINITY,
    };

    fn of_columns(rows: &Rows<'_>, clip: f64) -> Vec<Self> {
        let n_features = rows.data().n_features();
        if rows.len() <= 4 * SAMPLE || rows.is_weighted() {
            return vec![Self::EVERYTHING; n_features];
        }
        let stride = rows.len() / SAMPLE;
        let sample = |j: usize| {
            let cells = (0..SAMPLE).filter_map(|i| rows.row(i * stride).get(j));
            Self::of_sample(cells.collect(), clip)
        };
        (0..n_features).map(sample).collect()
    }

    /// Twice the tail that is looked for and a few cells more, so that the sample rarely misleads.
    fn of_sample(mut sample: Vec<f64>, clip: f64) -> Self {
        let rank = (2.0 * clip * sample.len() as f64) as usize + 12;
        if 2 * rank >= sample.len() {
            return Self::EVERYTHING;
        }
        sample.sort_unstable_by(f64::total_cmp);
        Self {
            low: sample[rank],
            high: sample[sample.len() - 1 - rank],
        }
    }
}

/// Candidates for the quantiles of one column, as (value, weight).
#[derive(Clone, Debug, Default)]
struct Tail {
    low: Vec<(f64, f64)>,
    high: Vec<(f64, f64)>,
}

impl Tail {
    fn falls_short(&self, need: f64) -> bool {
        let weight = |cells: &[(f64, f64)]| cells.iter().map(|c| c.1).sum::<f64>();
        weight(&self.low).min(weight(&self.high)) < need
    }

    fn range(mut self, need: f64) -> (f64, f64) {
        self.low.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
        self.high.sort_unstable_by(|a, b| b.0.total_cmp(&a.0));
        (reach(&self.low, need), reach(&self.high, need))
    }
}

/// The first value at which the weight up to it reaches `need`.
fn reach(sorted: &[(f64, f64)], need: f64) -> f64 {
    let mut weight = 0.0;
    let found = sorted.iter().find(|(_, w)| {
        weight += w;
        weight >= need * (1.0 - 1e-12) // sums of weights round
    });
    found
        .or(sorted.last())
        .expect("a column with weight has a cell in each tail")
        .0
}

/// Finds the rows with a cell at or beyond its bounds. Looking at all cells of a row is faster than
/// stopping early; a hole, stored as 0, may be caught too.
struct Catch<'a> {
    rows: &'a Rows<'a>,
    range: std::ops::Range<usize>,
    lows: &'a [f64],
    highs: &'a [f64],
    caught: &'a mut Vec<usize>,
}

impl Loop for Catch<'_> {
    #[inline(always)]
    fn run(self) {
        for i in self.range {
            let bounds = self.lows.iter().zip(self.highs);
            let cells = self.rows.values(i).iter().zip(bounds);
            if cells.fold(false, |any, (x, (low, high))| {
                any | (x <= low) | (x >= high)
            }) {
                self.caught.push(i);
            }
        }
    }
}

fn tails(rows: &Rows<'_>, probes: &[Probe]) -> Vec<Tail> {
    let (lows, highs): (Vec<f64>, Vec<f64>) = probes.iter().map(|p| (p.low, p.high)).unzip();
    let parts = by_chunk(rows, |range| {
        let mut caught = Vec::new();
        vectorised(Catch {
            rows,
            range,
            lows: &lows,
            highs: &highs,
            caught: &mut caught,
        });
        let mut tails = vec![Tail::default(); probes.len()];
        for i in caught {
            let (row, weight) = (rows.row(i), rows.weight(i));
            for j in row.observed().iter() {
                let x = row.values()[j];
                if x <= lows[j] {
                    tails[j].low.push((x, weight));
                }
                if x >= highs[j] {
                    tails[j].high.push((x, weight));
                }
            }
        }
        tails
    });
    parts
        .into_iter()
        .fold(vec![Tail::default(); probes.len()], |mut all, part| {
            for (all, part) in all.iter_mut().zip(part) {
                all.low.extend(part.low);
                all.high.extend(part.high);
            }
            all
        })
}
