//! The search itself: a grid of candidates, visited from coarse to fine.
//!
//! For other losses than the squared one `gamma` = 0 is searched apart from the rest, in closer steps: its
//! solves are quick, and whether something is to be learnt about the holes is settled by comparing the best
//! of both, which a penalty that is off by a factor of sixteen would decide otherwise. And there each round goes on
//! until it ends where it began, also along the valley of candidates with the same penalty `alpha / gamma²` of the
//! shifts (docs/math.md 6.9): one look around the best of a coarse grid does not reach its lowest point.

use super::split::Split;
use super::{Candidate, Deadline, Progress, SEARCH_TOL, Search, Tuned};
use crate::error::{Error, Result};
use crate::learn::{Learner, Parameters};
use crate::loss::Loss;
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// The first look is at every eighth value, the next around the best of them at half that distance.
const COARSE: usize = 8;

/// About how many candidates a search will look at.
pub(super) fn visits(search: &Search, learner: &Learner) -> usize {
    let (alphas, gammas) = (search.alphas.len(), gammas(search, learner).len());
    if !search.coarse_to_fine {
        return alphas * gammas;
    }
    let around = if gammas > 1 { 8 } else { 2 };
    let rounds = COARSE.ilog2() as usize;
    let first = alphas.div_ceil(COARSE) * gammas.div_ceil(COARSE);
    (first + rounds * around).min(alphas * gammas)
}

/// The candidates for `gamma`, of which methods without it have one.
fn gammas<'a>(search: &'a Search, learner: &Learner) -> &'a [f64] {
    match learner.method.has_gamma() {
        true => &search.gammas,
        false => &search.gammas[..1],
    }
}

/// The search: a grid of candidates, visited from coarse to fine.
pub(super) struct Descent<'a> {
    splits: &'a [Split<'a>],
    alphas: &'a [f64],
    gammas: &'a [f64],
    coarse_to_fine: bool,
    /// Whether `gamma` = 0 is searched on its own.
    is_apart: bool,
    /// Sum of the losses on each part of each split, by grid point.
    errors: BTreeMap<(usize, usize), Vec<Vec<f64>>>,
    progress: &'a Progress<'a>,
    done: AtomicUsize,
    planned: usize,
    stopped: AtomicBool,
    left_out: usize,
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
        Self {
            splits,
            alphas: &search.alphas,
            gammas: gammas(search, learner),
            coarse_to_fine: search.coarse_to_fine,
            is_apart: learner.loss != Loss::Squared,
            errors: BTreeMap::new(),
            progress,
            done: AtomicUsize::new(0),
            planned: 0,
            stopped: AtomicBool::new(false),
            left_out: 0,
        }
    }

    /// The best candidate; none is begun after the deadline but the first.
    pub(super) fn run(mut self, deadline: &Deadline) -> Result<Tuned> {
        if self.coarse_to_fine {
            let plain = self.plain();
            let is_coarse = |a: usize, g: usize| match plain == Some(g) {
                true => a.is_multiple_of(COARSE / 2), // quick, and what the others are measured by
                false => a.is_multiple_of(COARSE) && g.is_multiple_of(COARSE),
            };
            self.visit(is_coarse, deadline)?;
            let mut step = COARSE / 2;
            while step > 0 {
                self.look_around(step, deadline)?;
                step /= 2;
            }
        } else {
            self.visit(|_, _| true, deadline)?;
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
            part_weights: self.part_weights().map(|w| w / weight).collect(),
            left_out: self.left_out,
            unused_folds: 0,
        })
    }

    /// The place of `gamma` = 0, where it is searched on its own.
    fn plain(&self) -> Option<usize> {
        let is_plain = self.is_apart && self.gammas[0] == 0.0;
        is_plain.then_some(0)
    }

    /// The best points so far: of the others, and of `gamma` = 0 where that is searched on its own.
    fn centres(&self) -> [Option<(usize, usize)>; 2] {
        let plain = self.plain();
        [false, true].map(|wanted| self.best_of(|g| (plain == Some(g)) == wanted))
    }

    /// Visits what lies this many places around the best points; if need be again, until they stay.
    fn look_around(&mut self, step: usize, deadline: &Deadline) -> Result<()> {
        let (is_apart, plain) = (self.is_apart, self.plain());
        loop {
            let centres = self.centres();
            let is_near = |a: usize, g: usize| {
                let Some((best_a, best_g)) = centres[usize::from(plain == Some(g))] else {
                    return false;
                };
                let near = |i: usize, at: usize| i.abs_diff(at) <= step && i % step == at % step;
                // alpha times 4 and gamma times 2 keep alpha / gamma²
                let in_valley = is_apart
                    && a.abs_diff(best_a) == 2 * step
                    && g.abs_diff(best_g) == step
                    && (a > best_a) == (g > best_g);
                in_valley || near(a, best_a) && near(g, best_g)
            };
            self.visit(is_near, deadline)?;
            if !is_apart || self.centres() == centres {
                return Ok(());
            }
        }
    }

    /// A visited point; `weight` is that of all held-out rows.
    fn candidate(&self, at: (usize, usize), weight: f64) -> Candidate {
        let errors = &self.errors[&at];
        let folds = self.splits.iter().zip(errors);
        let folds = folds.map(|(split, parts)| parts.iter().sum::<f64>() / split.weight);
        let parts = errors.iter().flatten().zip(self.part_weights());
        let part = |(error, weight): (&f64, f64)| match weight > 0.0 {
            true => error / weight,
            false => 0.0,
        };
        Candidate {
            parameters: self.parameters(at.0, at.1),
            rmse: (total(errors) / weight).sqrt(),
            fold_errors: folds.collect(),
            part_errors: parts.map(part).collect(),
        }
    }

    /// The weight of each part of each split.
    fn part_weights(&self) -> impl Iterator<Item = f64> + '_ {
        let parts = self.splits.iter().flat_map(|split| &split.parts.weights);
        parts.copied()
    }

    fn parameters(&self, a: usize, g: usize) -> Parameters {
        Parameters {
            alpha: self.alphas[a],
            gamma: self.gammas[g],
        }
    }

    /// The visited point of least error; among equals the one that regularises most.
    fn best(&self) -> (usize, usize) {
        self.best_of(|_| true).unwrap_or((0, 0))
    }

    /// The same among those whose `gamma` is wanted, if one was visited.
    fn best_of(&self, wanted: impl Fn(usize) -> bool) -> Option<(usize, usize)> {
        let mut best = None;
        let mut least = f64::INFINITY;
        for (&(a, g), errors) in self.errors.iter().rev().filter(|((_, g), _)| wanted(*g)) {
            let error = total(errors);
            let simpler = best.is_some_and(|(best_a, best_g)| a == best_a && g < best_g);
            if error < least || (error <= least && simpler) {
                (best, least) = (Some((a, g)), error);
            }
        }
        best
    }

    /// Scores the points for which `wanted` holds and that have no score yet.
    fn visit(&mut self, wanted: impl Fn(usize, usize) -> bool, deadline: &Deadline) -> Result<()> {
        let chains = self.chains(wanted);
        let n_points: usize = chains.iter().map(|chain| chain.1.len()).sum();
        self.planned += self.splits.len() * n_points;
        // Chain by chain, so that time is not spent on points that miss some splits.
        let tasks: Vec<(usize, &Chain, &Split<'_>)> = chains
            .iter()
            .enumerate()
            .flat_map(|(c, chain)| self.splits.iter().map(move |split| (c, chain, split)))
            .collect();
        let scores: Vec<Vec<Vec<f64>>> = tasks
            .par_iter()
            .with_max_len(1) // each for whoever is idle: they take long, and not the same time
            .map(|(c, chain, split)| {
                let at_least = usize::from(*c == 0 && self.errors.is_empty());
                let is_late = |n: usize| n >= at_least && deadline.has_passed();
                self.score(split, chain, is_late)
            })
            .collect::<Result<_>>()?;
        let n_scored = self.errors.len();
        for ((a, gammas), scores) in chains.iter().zip(scores.chunks_exact(self.splits.len())) {
            for (k, &g) in gammas.iter().enumerate() {
                let errors = scores.iter().map_while(|scores| scores.get(k).cloned());
                let errors: Vec<Vec<f64>> = errors.collect();
                if errors.len() == self.splits.len() {
                    self.errors.insert((*a, g), errors);
                }
            }
        }
        self.left_out += n_points - (self.errors.len() - n_scored);
        Ok(())
    }

    /// The points for which `wanted` holds and that have no score yet; `alpha` from the middle of its
    /// grid outwards.
    fn chains(&self, wanted: impl Fn(usize, usize) -> bool) -> Vec<Chain> {
        let chain = |a: usize| {
            let new = |g: &usize| wanted(a, *g) && !self.errors.contains_key(&(a, *g));
            (a, (0..self.gammas.len()).filter(new).collect::<Vec<_>>())
        };
        let chains = (0..self.alphas.len()).map(chain);
        let mut chains: Vec<Chain> = chains.filter(|(_, gammas)| !gammas.is_empty()).collect();
        chains.sort_by_key(|(a, _)| (2 * a).abs_diff(self.alphas.len() - 1));
        chains
    }

    /// Held-out losses by part along one `alpha`, each solve started from the one before; ends early
    /// when `is_late` says so of the number of errors so far.
    fn score(
        &self,
        split: &Split<'_>,
        (a, gammas): &Chain,
        is_late: impl Fn(usize) -> bool,
    ) -> Result<Vec<Vec<f64>>> {
        let mut start: Option<Vec<f64>> = None;
        let mut errors = Vec::with_capacity(gammas.len());
        for &g in gammas {
            if is_late(errors.len()) {
                break;
            }
            let parameters = self.parameters(*a, g);
            let (weights, _) = split
                .problem
                .solve(parameters, SEARCH_TOL, start.as_deref());
            errors.push(split.errors(&weights.full));
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

fn total(errors: &[Vec<f64>]) -> f64 {
    errors.iter().flatten().sum()
}
