//! How far the covariance is shrunk towards its diagonal.
//!
//! A shrinkage λ is a prior worth `κ = λ/(1 - λ)` times the rows, in which every column has its
//! observed variance and none goes with another: on complete rows `Σ = (1 - λ) C + λ D`. It is next to
//! nothing when the table has the rows that it takes; small, but enough to settle what the rows leave
//! open, when some pair of columns is (nearly) never observed together; and the one of a grid under
//! which held-out rows are likeliest when rows are few for so many columns (docs/math.md 6.7).

use super::em::{self, Limits};
use super::likelihood::{Likelihood, Point};
use super::standard::Standard;
use super::support::{Differing, Pairs};
use crate::moments::{Frame, Rows, Source};
use rayon::prelude::*;

/// Keeps every factorisation sound and does not show in any result.
pub(super) const LEAST: f64 = 1e-6;

/// Settles what rows leave open about a pair.
const SETTLING: f64 = 1e-3;

/// Descending.
const GRID: [f64; 9] = [0.9, 0.7, 0.5, 0.3, 0.15, 0.06, 0.02, SETTLING, LEAST];

/// Rows that differ and have a pair together, from which on they are not few.
const PER_PAIR: f64 = 10.0;

/// Parts that are held out in turn.
const PARTS: usize = 5;

/// How closely the likelihood of the other parts is maximised.
const LIMITS: Limits = Limits {
    tol: 1e-3,
    max_iter: 20,
};

/// What was chosen and why.
#[derive(Debug, Default)]
pub(super) struct Choice {
    pub(super) shrinkage: f64,
    /// Pairs of places that no row has together.
    pub(super) apart: Vec<(usize, usize)>,
    /// Pairs of places that few rows have together.
    pub(super) rare: Vec<(usize, usize)>,
    /// Whether rows are few for so many columns.
    pub(super) few_rows: bool,
}

/// The rows to be described by a distribution.
#[derive(Clone, Copy, Debug)]
pub(super) struct Table<'a> {
    /// `None` where only sums are left of them.
    pub(super) rows: Option<&'a Rows<'a>>,
    pub(super) source: &'a Source<'a>,
    pub(super) frame: &'a Frame,
    pub(super) standard: &'a Standard,
}

impl<'a> Table<'a> {
    pub(super) fn likelihood(&self, shrinkage: f64) -> Likelihood<'a> {
        Likelihood {
            source: self.source,
            standard: self.standard,
            prior: shrinkage / (1.0 - shrinkage),
        }
    }

    /// The shrinkage for this table.
    pub(super) fn choose(&self, pairs: &Pairs) -> Choice {
        let (n, weight) = (self.standard.len(), self.standard.weight);
        let differing = self.rows.map(|rows| Differing {
            rows,
            standard: self.standard,
            frame: self.frame,
        });
        let enough = enough_rows(n);
        let enough_for_pairs = (PER_PAIR / pairs.least_share(weight)).ceil();
        let found = match &differing {
            Some(rows) => rows.count(enough.max(enough_for_pairs as usize)),
            None => self.source.totals(self.frame.columns.len()).n_rows, // as if no two were alike
        };
        let apart = pairs.apart();
        let rare = pairs.rare((1.0 - 1e-9) * PER_PAIR / found as f64, weight);
        let settled = apart.is_empty() && rare.is_empty();
        let least = if settled { LEAST } else { SETTLING };
        let few_rows = n > 1 && found < enough;
        Choice {
            shrinkage: if few_rows {
                self.search(differing.as_ref(), (found, least))
            } else {
                least
            },
            apart,
            rare,
            few_rows,
        }
    }

    /// The best of the grid down to `least`, uphill from a guess; the guess where there are no rows to hold out.
    fn search(&self, differing: Option<&Differing<'_>>, (found, least): (usize, f64)) -> f64 {
        let last = GRID.iter().filter(|shrinkage| **shrinkage >= least).count() - 1;
        let n = self.standard.len() as f64;
        let guess = n / (n + found as f64);
        let above = GRID.iter().filter(|shrinkage| **shrinkage > guess).count();
        let start = above.min(last);
        let Some(differing) = differing else {
            return GRID[start];
        };
        let parts = differing.parts(PARTS);
        if parts.len() < 2 {
            return GRID[0];
        }
        let data = differing.rows.data();
        let rows: Vec<(Rows<'_>, Rows<'_>)> = (0..parts.len())
            .map(|held_out| {
                let others = parts.iter().enumerate().filter(|(p, _)| *p != held_out);
                let train: Vec<usize> = others.flat_map(|(_, part)| part).copied().collect();
                let select = |rows: &[usize]| Rows::new(data, Some(rows));
                (select(&train), select(&parts[held_out]))
            })
            .collect();
        let folds = rows
            .iter()
            .map(|(train, held_out)| Fold::new(self, train, held_out));
        let mut folds: Vec<Fold<'_>> = folds.collect();
        let mut score = |at: usize| {
            let scores = folds.par_iter_mut().with_max_len(1);
            let scores = scores.map(|fold| fold.score(GRID[at]));
            scores.collect::<Vec<f64>>().iter().sum::<f64>()
        };
        GRID[uphill(start, last, &mut score)]
    }
}

/// Where the walk from `start` along the scores of `0..=last`, always to a better one, ends.
fn uphill(start: usize, last: usize, score: &mut impl FnMut(usize) -> f64) -> usize {
    let mut best = (start, score(start));
    for direction in [1, -1] {
        let neighbour = |at: usize| at.checked_add_signed(direction).filter(|at| *at <= last);
        while let Some(next) = neighbour(best.0) {
            let value = score(next);
            if value <= best.1 {
                break;
            }
            best = (next, value);
        }
        if best.0 != start {
            break;
        }
    }
    best.0
}

/// So many rows are not few for `n` columns: two per parameter of the distribution, or twenty per
/// column where that is less.
fn enough_rows(n: usize) -> usize {
    (n * (n + 3)).min(20 * n)
}

/// Some rows held out, the others to learn from.
struct Fold<'a> {
    train: Source<'a>,
    train_standard: Standard,
    held_out: Source<'a>,
    held_out_standard: Standard,
    pairs: Pairs,
    /// Where the latest fit ended.
    latest: Option<Point>,
}

impl<'a> Fold<'a> {
    fn new(table: &Table<'_>, train: &'a Rows<'a>, held_out: &'a Rows<'a>) -> Self {
        let train = Source::new(train, table.frame);
        let held_out = Source::new(held_out, table.frame);
        let train_standard = table.standard.for_rows(&train);
        Self {
            pairs: Pairs::of(&train, &train_standard),
            held_out_standard: table.standard.for_rows(&held_out),
            train_standard,
            train,
            held_out,
            latest: None,
        }
    }

    /// The log-likelihood of the rows held out under the distribution of the others.
    fn score(&mut self, shrinkage: f64) -> f64 {
        let likelihood = Likelihood {
            source: &self.train,
            standard: &self.train_standard,
            prior: shrinkage / (1.0 - shrinkage),
        };
        let start = match self.latest.take() {
            Some(point) => likelihood.at(point, true),
            None => em::start(&likelihood, &self.pairs.covariance),
        };
        let Some(start) = start else {
            return f64::NEG_INFINITY;
        };
        let point = em::maximise(&likelihood, start, LIMITS).at.point;
        self.latest = Some(point.clone());
        let held_out = Likelihood {
            source: &self.held_out,
            standard: &self.held_out_standard,
            prior: 0.0,
        };
        let weight = self.held_out_standard.weight;
        let value = held_out.at(point, false).map(|at| at.value * weight);
        value.unwrap_or(f64::NEG_INFINITY)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_walk_ends_at_the_top_wherever_it_starts() {
        for last in [0, 1, 5, 8] {
            for top in 0..=last {
                for start in 0..=last {
                    let mut visits = 0;
                    let mut score = |at: usize| {
                        visits += 1;
                        -(at.abs_diff(top) as f64)
                    };
                    assert_eq!(uphill(start, last, &mut score), top);
                    assert!(visits <= start.abs_diff(top) + 3);
                }
            }
        }
    }
}
