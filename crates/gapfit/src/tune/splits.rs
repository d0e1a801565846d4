//! The problems of a search, on every fold and for every target.

use super::descent::{self, Descent};
use super::split::{ReadFold, Split};
use super::{Deadline, Progress, Search, Tuned};
use crate::error::Result;
use crate::learn::Learner;
use rayon::prelude::*;

/// Bytes of folds to hold at once, beyond the first.
const MEMORY: usize = 1 << 30;

/// Training rows turned into problems, held-out rows into scores: fold after fold for each target.
pub(super) struct Splits<'a> {
    learner: &'a Learner,
    targets: Vec<Vec<Split<'a>>>,
    /// Folds that there was no memory for.
    unused: usize,
}

impl<'a> Splits<'a> {
    pub(super) fn new(folds: &[ReadFold<'_>], learner: &'a Learner, search: &Search) -> Self {
        let visits = descent::visits(search, learner);
        let split = |fold| Split::each(learner, fold, visits);
        let (first, others) = folds.split_first().expect("two folds at least");
        let mut splits = vec![split(first)];
        let at_once = (MEMORY / splits[0][0].bytes().max(1)).clamp(1, folds.len());
        let others = others[..at_once - 1].par_iter().with_max_len(1);
        splits.par_extend(others.map(split));
        Self {
            learner,
            targets: by_target(splits),
            unused: folds.len() - at_once,
        }
    }

    /// The same where nothing but the constant shifts when a feature is missing, with the bases as they are; of losses
    /// other than the squared one.
    pub(super) fn constant(&self, folds: &[ReadFold<'_>], search: &Search) -> Option<Self> {
        let visits = descent::visits(search, self.learner);
        let of_target = |splits: &Vec<Split<'a>>| {
            let splits = splits.iter().zip(folds);
            splits
                .map(|(split, fold)| split.constant(fold, visits))
                .collect()
        };
        let targets = self.targets.iter().map(of_target);
        Some(Self {
            targets: targets.collect::<Option<_>>()?,
            ..*self
        })
    }

    /// The search for each target.
    pub(super) fn search(
        &self,
        search: &Search,
        progress: &Progress<'_>,
        deadline: &Deadline,
    ) -> Result<Vec<Tuned>> {
        let mut solves = 0;
        let search = |(t, splits): (usize, &Vec<Split<'_>>)| {
            // Targets to come are taken for as long as this one.
            let left = self.targets.len() - t;
            let report = |done, planned: usize| progress(solves + done, solves + planned * left);
            let descent = Descent::new(splits, search, self.learner, &report);
            let tuned = descent.run(&deadline.share(left))?;
            solves += tuned.candidates.len() * splits.len();
            Ok(Tuned {
                unused_folds: self.unused,
                ..tuned
            })
        };
        self.targets.iter().enumerate().map(search).collect()
    }
}

/// The splits of each target, fold after fold.
fn by_target<'a>(folds: Vec<Vec<Split<'a>>>) -> Vec<Vec<Split<'a>>> {
    let mut targets: Vec<Vec<Split<'a>>> = Vec::new();
    targets.resize_with(folds[0].len(), Vec::new);
    for fold in folds {
        for (splits, split) in targets.iter_mut().zip(fold) {
            splits.push(split);
        }
    }
    targets
}
