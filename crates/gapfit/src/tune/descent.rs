//! The search itself: a grid of candidates, visited from coarse to fine.

use super::split::Split;
use super::{Candidate, Progress, Search, Tuned};
use crate::error::{Error, Result};
use crate::learn::{Learner, Parameters};
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Relative gap of the solves inside a search: far below the differences between candidates.
const SEARCH_TOL: f64 = 1e-5;

/// The search: a grid of candidates, visited from coarse to fine.
pub(super) struct Descent<'a> {
    splits: &'a [Split<'a>],
    alphas: &'a [f64],
    gammas: &'a [f64],
    coarse_to_fine: bool,
    /// Squared error on each split, by grid point.
    errors: BTreeMap<(usize, usize), Vec<f64>>,
    progress: &'a Progress<'a>,
    done: AtomicUsize,
    planned: usize,
    stopped: AtomicBool,
}

/// Candidates visited along one `alpha`: grid indices of `gamma`, ascending.
type Chain = (usize, Vec<usize>);

impl<'a> Descent<'a> {
    pub(super) fn new(
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

    pub(super) fn run(mut self) -> Result<Tuned> {
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
        let best = self.best();
        Ok(Tuned {
            best: self.candidate(best, weight),
            candidates: self
                .errors
                .keys()
                .map(|&at| self.candidate(at, weight))
                .collect(),
            fold_weights: self.splits.iter().map(|s| s.weight / weight).collect(),
        })
    }

    /// A visited point; `weight` is that of all held-out rows.
    fn candidate(&self, at: (usize, usize), weight: f64) -> Candidate {
        let errors = &self.errors[&at];
        let means = self.splits.iter().zip(errors).map(|(s, e)| e / s.weight);
        Candidate {
            parameters: self.parameters(at.0, at.1),
            rmse: (total(errors) / weight).sqrt(),
            fold_errors: means.collect(),
        }
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
        for (&(a, g), errors) in self.errors.iter().rev() {
            let error = total(errors);
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
                self.errors.entry((*a, g)).or_default().push(score);
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

fn total(errors: &[f64]) -> f64 {
    errors.iter().sum()
}
