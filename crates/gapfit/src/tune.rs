//! Choosing `alpha` and `gamma` by cross-validation inside the training rows.
//!
//! Clipping, scaling and base imputer are fitted anew in each fold, so nothing leaks from the rows a
//! candidate is judged on. Where moments are additive (no clipping) the training part of a fold is the
//! whole minus the fold; errors on held-out rows come from their normal equations, not from the rows.
//! Solves are warm-started along `gamma` and run in parallel over folds and `alpha`; the result is the
//! same for any number of threads.

use crate::data::Dataset;
use crate::error::{Error, Result};
use crate::learn::{Learner, Parameters};
use crate::moments::{Frame, Moments, Ranges, Reading, Rows, Source};
use crate::pipeline::{HeldOut, Prefer, Problem};
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Called with solves done and solves planned so far; may stop the search.
pub type Progress<'a> = dyn Fn(usize, usize) -> ControlFlow<()> + Sync + 'a;

/// Where to look for parameters, and how to judge them.
///
/// | field | default | purpose | range |
/// |---|---|---|---|
/// | `alphas` | 2^-20 ... 2^10 | candidates, ascending | positive |
/// | `gammas` | 0, 2^-12 ... 2^10 | candidates, ascending | not negative |
/// | `coarse_to_fine` | true | every fourth candidate first, then closer around the best | |
/// | `folds` | 5 | cross-validation folds | 2 to the number of rows |
/// | `seed` | 0 | shuffles the rows into folds | |
#[derive(Clone, Debug, PartialEq)]
pub struct Search {
    /// Candidates for `alpha`, ascending.
    pub alphas: Vec<f64>,
    /// Candidates for `gamma`, ascending; methods without it use none of them.
    pub gammas: Vec<f64>,
    /// Whether to look at every fourth candidate first.
    pub coarse_to_fine: bool,
    /// The number of folds.
    pub folds: usize,
    /// Seed of the shuffle.
    pub seed: u64,
}

impl Default for Search {
    fn default() -> Self {
        Self {
            alphas: powers_of_two(-20, 10),
            gammas: std::iter::once(0.0).chain(powers_of_two(-12, 10)).collect(),
            coarse_to_fine: true,
            folds: 5,
            seed: 0,
        }
    }
}

fn powers_of_two(from: i32, to: i32) -> Vec<f64> {
    (from..=to).map(|e| 2f64.powi(e)).collect()
}

impl Search {
    /// The grid of the paper, every point of it: 2^-12 ... 2^10 in both.
    pub fn paper() -> Self {
        Self {
            alphas: powers_of_two(-12, 10),
            gammas: powers_of_two(-12, 10),
            coarse_to_fine: false,
            ..Self::default()
        }
    }

    /// Checks the grids.
    ///
    /// # Errors
    /// [`Error::Setting`] for an empty or unsorted grid or a number out of range.
    pub fn validate(&self) -> Result<()> {
        let ascending = |grid: &[f64]| !grid.is_empty() && grid.windows(2).all(|w| w[0] < w[1]);
        for (name, grid) in [("alphas", &self.alphas), ("gammas", &self.gammas)] {
            if !ascending(grid) {
                return Err(Error::Setting {
                    name,
                    expected: "one or more ascending numbers",
                    got: format!("{grid:?}"),
                });
            }
        }
        let alphas = self
            .alphas
            .iter()
            .map(|&alpha| Parameters { alpha, gamma: 0.0 });
        let gammas = self
            .gammas
            .iter()
            .map(|&gamma| Parameters { alpha: 1.0, gamma });
        alphas
            .chain(gammas)
            .try_for_each(|parameters| parameters.validate())
    }
}

/// One candidate and its cross-validated error.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Candidate {
    /// The parameters.
    pub parameters: Parameters,
    /// Root mean squared error over all held-out rows, weighted.
    pub rmse: f64,
}

/// What the search found.
#[derive(Clone, Debug, PartialEq)]
pub struct Tuned {
    /// The candidate with the smallest error.
    pub best: Candidate,
    /// Every candidate that was looked at, ascending in `alpha`, then `gamma`.
    pub candidates: Vec<Candidate>,
}

/// The held-out rows of each of `k` folds: a seeded shuffle cut into parts of equal size.
///
/// # Errors
/// [`Error::Setting`] unless `2 <= k <= n_rows`.
pub fn folds(n_rows: usize, k: usize, seed: u64) -> Result<Vec<Vec<usize>>> {
    if k < 2 || k > n_rows {
        return Err(Error::Setting {
            name: "folds",
            expected: "at least 2 and at most the number of rows",
            got: format!("{k} (rows: {n_rows})"),
        });
    }
    let mut rows: Vec<usize> = (0..n_rows).collect();
    rows.shuffle(&mut ChaCha8Rng::seed_from_u64(seed));
    let cut = |f: usize| f * n_rows / k;
    Ok((0..k).map(|f| rows[cut(f)..cut(f + 1)].to_vec()).collect())
}

/// Folds of the rows that count: a row without weight is in none.
fn folds_with_weight(data: &Dataset, search: &Search) -> Result<Vec<Vec<usize>>> {
    let rows: Vec<usize> = (0..data.n_rows())
        .filter(|&i| data.weight(i) > 0.0)
        .collect();
    let mut folds = folds(rows.len(), search.folds, search.seed)?;
    for row in folds.iter_mut().flatten() {
        *row = rows[*row];
    }
    Ok(folds)
}

/// The rows that are not in `part`, ascending.
pub fn complement(n_rows: usize, part: &[usize]) -> Vec<usize> {
    let mut inside = vec![false; n_rows];
    for &i in part {
        inside[i] = true;
    }
    (0..n_rows).filter(|&i| !inside[i]).collect()
}

/// Chooses parameters by cross-validation inside `data`.
///
/// # Errors
/// [`Error::Setting`] for settings out of range, [`Error::Stopped`] when `progress` says so.
pub fn cross_validate(
    learner: &Learner,
    data: &Dataset,
    search: &Search,
    progress: &Progress<'_>,
) -> Result<Tuned> {
    learner.validate()?;
    search.validate()?;
    let folds = folds_with_weight(data, search)?;
    let splits = if learner.preparation.clip == 0.0 {
        splits_by_subtraction(learner, data, &folds)?
    } else {
        None
    };
    let splits = match splits {
        Some(splits) => splits,
        None => folds
            .par_iter()
            .map(|held_out| {
                let train = complement(data.n_rows(), held_out);
                let train = Rows::new(data, Some(&train));
                Split::new(learner, &train, &Rows::new(data, Some(held_out)))
            })
            .collect::<Result<_>>()?,
    };
    Descent::new(&splits, search, learner, progress).run()
}

/// Chooses the parameters that are best on the test rows themselves, as the paper does.
///
/// The error found this way is optimistic; for reproducing the paper's tables only.
///
/// # Errors
/// As [`cross_validate`].
pub fn optimistic(
    learner: &Learner,
    train: &Dataset,
    test: &Dataset,
    search: &Search,
    progress: &Progress<'_>,
) -> Result<Tuned> {
    learner.validate()?;
    search.validate()?;
    let split = Split::new(learner, &Rows::new(train, None), &Rows::new(test, None))?;
    Descent::new(&[split], search, learner, progress).run()
}

/// A problem on training rows, and the rows held out.
struct Split<'a> {
    problem: Problem<'a>,
    held_out: HeldOut,
    /// The weight of the rows held out.
    weight: f64,
}

impl<'a> Split<'a> {
    fn new(learner: &'a Learner, train: &Rows<'_>, held_out: &Rows<'_>) -> Result<Self> {
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

/// Without clipping: every fold's moments once, training parts as the whole minus the fold. `None`
/// when the moments are too many to keep.
fn splits_by_subtraction<'a>(
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

/// Relative gap of the solves inside a search: far below the differences between candidates.
const SEARCH_TOL: f64 = 1e-5;

/// The search: a grid of candidates, visited from coarse to fine.
struct Descent<'a> {
    splits: &'a [Split<'a>],
    alphas: &'a [f64],
    gammas: &'a [f64],
    coarse_to_fine: bool,
    /// Squared error and weight by grid point.
    errors: BTreeMap<(usize, usize), f64>,
    progress: &'a Progress<'a>,
    done: AtomicUsize,
    planned: usize,
    stopped: AtomicBool,
}

/// Candidates visited along one `alpha`: grid indices of `gamma`, ascending.
type Chain = (usize, Vec<usize>);

impl<'a> Descent<'a> {
    fn new(
        splits: &'a [Split<'a>],
        search: &'a Search,
        learner: &Learner,
        progress: &'a Progress<'a>,
    ) -> Self {
        let n_gammas = if learner.method.has_gamma() {
            search.gammas.len()
        } else {
            1
        };
        Self {
            splits,
            alphas: &search.alphas,
            gammas: &search.gammas[..n_gammas],
            coarse_to_fine: search.coarse_to_fine,
            errors: BTreeMap::new(),
            progress,
            done: AtomicUsize::new(0),
            planned: 0,
            stopped: AtomicBool::new(false),
        }
    }

    fn run(mut self) -> Result<Tuned> {
        if self.coarse_to_fine {
            self.visit(|a, g| a % 4 == 0 && g % 4 == 0)?;
            for step in [2, 1] {
                let (best_a, best_g) = self.best();
                let near =
                    |i: usize, best: usize| i.abs_diff(best) <= step && i % step == best % step;
                self.visit(|a, g| near(a, best_a) && near(g, best_g))?;
            }
        } else {
            self.visit(|_, _| true)?;
        }
        let weight: f64 = self.splits.iter().map(|s| s.weight).sum();
        let candidate = |(&(a, g), &error): (&(usize, usize), &f64)| Candidate {
            parameters: self.parameters(a, g),
            rmse: (error / weight).sqrt(),
        };
        let best = self.best();
        Ok(Tuned {
            best: candidate((&best, &self.errors[&best])),
            candidates: self.errors.iter().map(candidate).collect(),
        })
    }

    fn parameters(&self, a: usize, g: usize) -> Parameters {
        Parameters {
            alpha: self.alphas[a],
            gamma: self.gammas[g],
        }
    }

    /// The visited point of least error; among equals the one that regularises most.
    fn best(&self) -> (usize, usize) {
        let mut best = ((0, 0), f64::INFINITY);
        for (&(a, g), &error) in self.errors.iter().rev() {
            let simpler = a == best.0.0 && g < best.0.1;
            if error < best.1 || (error <= best.1 && simpler) {
                best = ((a, g), error);
            }
        }
        best.0
    }

    /// Scores the points for which `wanted` holds and that have no score yet.
    fn visit(&mut self, wanted: impl Fn(usize, usize) -> bool) -> Result<()> {
        let chains: Vec<Chain> = (0..self.alphas.len())
            .map(|a| {
                let new = |g: &usize| wanted(a, *g) && !self.errors.contains_key(&(a, *g));
                (a, (0..self.gammas.len()).filter(new).collect())
            })
            .filter(|(_, gammas): &Chain| !gammas.is_empty())
            .collect();
        self.planned += self.splits.len() * chains.iter().map(|c| c.1.len()).sum::<usize>();
        let tasks: Vec<(&Split<'_>, &Chain)> = self
            .splits
            .iter()
            .flat_map(|split| chains.iter().map(move |chain| (split, chain)))
            .collect();
        let scores: Vec<Vec<f64>> = tasks
            .par_iter()
            .map(|(split, chain)| self.score(split, chain))
            .collect::<Result<_>>()?;
        for ((_, (a, gammas)), scores) in tasks.iter().zip(scores) {
            for (&g, score) in gammas.iter().zip(scores) {
                *self.errors.entry((*a, g)).or_default() += score;
            }
        }
        Ok(())
    }

    /// Held-out squared errors along one `alpha`, each solve started from the one before.
    fn score(&self, split: &Split<'_>, (a, gammas): &Chain) -> Result<Vec<f64>> {
        let mut start: Option<Vec<f64>> = None;
        let mut errors = Vec::with_capacity(gammas.len());
        for &g in gammas {
            let parameters = self.parameters(*a, g);
            let (weights, _) = split
                .problem
                .solve(parameters, SEARCH_TOL, start.as_deref());
            let unit = split.problem.error_unit();
            errors.push(unit * split.held_out.squared_error(&weights.full));
            start = (parameters.gamma > 0.0).then_some(weights.penalised);
            self.report()?;
        }
        Ok(errors)
    }

    fn report(&self) -> Result<()> {
        let done = self.done.fetch_add(1, Ordering::Relaxed) + 1;
        if (self.progress)(done, self.planned).is_break() {
            self.stopped.store(true, Ordering::Relaxed);
        }
        if self.stopped.load(Ordering::Relaxed) {
            return Err(Error::Stopped);
        }
        Ok(())
    }
}
