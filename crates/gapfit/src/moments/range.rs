//! The range of each column: its clipping quantiles, or its smallest and largest value.

use super::Rows;
use crate::error::{Error, Result};
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
    pub(crate) fn fit(rows: &Rows<'_>, clip: f64) -> Result<Self> {
        if rows.len() == 0 {
            return Err(Error::Empty {
                what: "training rows",
                expected: "at least one row with positive weight",
            });
        }
        let target = (0..rows.len()).map(|i| rows.target(i)).fold(
            (f64::INFINITY, f64::NEG_INFINITY),
            |(low, high), y| (low.min(y), high.max(y)),
        );
        let probes = Probe::of_columns(rows, clip);
        let mut tails = tails(rows, &probes);
        if clip > 0.0 && tails.iter().any(|t| t.falls_short(clip)) {
            // The sample misjudged a column: look at every cell.
            tails = self::tails(rows, &vec![Probe::EVERYTHING; probes.len()]);
        }
        Ok(Self {
            columns: tails.iter_mut().map(|t| t.range(clip)).collect(),
            target,
        })
    }
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
    const NOTHING: Self = Self {
        low: f64::NEG_INFINITY,
        high: f64::INFINITY,
    };

    fn of_columns(rows: &Rows<'_>, clip: f64) -> Vec<Self> {
        let n_features = rows.data().n_features();
        if clip == 0.0 {
            return vec![Self::NOTHING; n_features];
        }
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

/// The tails of one column.
#[derive(Clone, Debug)]
struct Tail {
    weight: f64,
    smallest: f64,
    largest: f64,
    low: Vec<(f64, f64)>,
    high: Vec<(f64, f64)>,
}

impl Tail {
    const EMPTY: Self = Self {
        weight: 0.0,
        smallest: f64::INFINITY,
        largest: f64::NEG_INFINITY,
        low: Vec::new(),
        high: Vec::new(),
    };

    fn append(&mut self, later: Self) {
        self.weight += later.weight;
        self.smallest = self.smallest.min(later.smallest);
        self.largest = self.largest.max(later.largest);
        self.low.extend(later.low);
        self.high.extend(later.high);
    }

    fn falls_short(&self, clip: f64) -> bool {
        let need = clip * self.weight;
        [&self.low, &self.high].iter().any(|c| c.iter().map(|c| c.1).sum::<f64>() < need)
    }

    fn range(&mut self, clip: f64) -> Option<(f64, f64)> {
        if self.weight == 0.0 {
            return None;
        }
        if clip == 0.0 {
            return Some((self.smallest, self.largest));
        }
        self.low.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
        self.high.sort_unstable_by(|a, b| b.0.total_cmp(&a.0));
        let need = clip * self.weight;
        Some((reach(&self.low, need), reach(&self.high, need)))
    }
}

/// The first value at which the weight up to it reaches `need`.
fn reach(sorted: &[(f64, f64)], need: f64) -> f64 {
    // A share of a hundredth of a cell is rounding in the sum of weights.
    let mut weight = 0.0;
    let found = sorted.iter().find(|(_, w)| {
        weight += w;
        weight >= need * (1.0 - 1e-12)
    });
    found.or(sorted.last()).expect("a column with weight has a cell in each tail").0
}

/// Rows per parallel task; fixed, so that sums do not depend on the number of threads.
const CHUNK: usize = 1 << 16;

fn tails(rows: &Rows<'_>, probes: &[Probe]) -> Vec<Tail> {
    let starts: Vec<usize> = (0..rows.len()).step_by(CHUNK).collect();
    let parts: Vec<Vec<Tail>> = starts
        .into_par_iter()
        .map(|start| {
            let mut tails = vec![Tail::EMPTY; probes.len()];
            for i in start..rows.len().min(start + CHUNK) {
                let (row, weight) = (rows.row(i), rows.weight(i));
                for j in row.observed().iter() {
                    let (x, tail, probe) = (row.values()[j], &mut tails[j], probes[j]);
                    tail.weight += weight;
                    tail.smallest = tail.smallest.min(x);
                    tail.largest = tail.largest.max(x);
                    if x <= probe.low {
                        tail.low.push((x, weight));
                    }
                    if x >= probe.high {
                        tail.high.push((x, weight));
                    }
                }
            }
            tails
        })
        .collect();
    parts.into_iter().fold(vec![Tail::EMPTY; probes.len()], |mut all, part| {
        all.iter_mut().zip(part).for_each(|(a, b)| a.append(b));
        all
    })
}
