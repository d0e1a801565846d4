//! What is noted while methods are compared.

use std::collections::{BTreeMap, BTreeSet};

use gapfit::joint::{Outcome, Status};
use gapfit::tune::Search;
use gapfit::{Base, Fitted};
use indicatif::ProgressBar;

use super::contest::Entrant;
use crate::caution;
use crate::choice::Found;

/// What is noted of each entrant in each fold.
pub(super) struct Minutes {
    progress: Progress,
    /// Sentences about the data and the fits, each once.
    warnings: BTreeSet<String>,
    /// The worst fit of each entrant that did not converge in every fold.
    worst: BTreeMap<String, Outcome>,
    /// How often each base was chosen, by entrant.
    chosen: BTreeMap<String, BTreeMap<Base, usize>>,
}

/// A bar over solves, whose number is known one task at a time.
struct Progress {
    bar: ProgressBar,
    solves: usize,
    tasks: usize,
    tasks_left: usize,
}

impl Progress {
    /// Shows the state of the current task, taking the tasks to come for as long as those seen.
    fn show(&self, done: usize, planned: usize) {
        let expected = self.solves + planned;
        let to_come = expected * (self.tasks_left - 1) / (self.tasks + 1);
        self.bar.set_length((expected + to_come) as u64);
        self.bar.set_position((self.solves + done) as u64);
    }

    fn finish_task(&mut self, solves: usize) {
        self.solves += solves;
        self.tasks += 1;
        self.tasks_left -= 1;
    }
}

impl Minutes {
    pub(super) fn new(bar: ProgressBar) -> Self {
        Self {
            progress: Progress {
                bar,
                solves: 0,
                tasks: 0,
                tasks_left: 0,
            },
            warnings: BTreeSet::new(),
            worst: BTreeMap::new(),
            chosen: BTreeMap::new(),
        }
    }

    /// There will be so many searches.
    pub(super) fn expect(&mut self, tasks: usize) {
        self.progress.tasks_left = tasks;
    }

    /// Begins the search of an entrant; what comes out shows how far it is.
    pub(super) fn begin(&self, entrant: Entrant) -> impl Fn(usize, usize) + Sync {
        self.progress.bar.set_message(entrant.to_string());
        |done, planned| self.progress.show(done, planned)
    }

    /// Notes what a search found and how the fit ended.
    pub(super) fn note(
        &mut self,
        entrant: Entrant,
        found: &Found,
        search: &Search,
        fitted: &Fitted,
    ) {
        self.progress.finish_task(found.n_solves());
        if !found.targets[0].bases.is_empty() {
            let base = found.learner.method.base();
            let counts = self.chosen.entry(entrant.to_string()).or_default();
            *counts.entry(base).or_default() += 1;
        }
        let ends = found.grid_ends(search).into_iter();
        let sentences = ends.chain(found.cut_short(search));
        let sentences = sentences.map(|sentence| format!("{entrant}: {sentence}"));
        let warnings = fitted.warnings.iter().cloned();
        self.warnings.extend(sentences.chain(warnings));
        for outcome in std::iter::once(&fitted.outcome).chain(&fitted.further) {
            self.note_outcome(entrant, *outcome);
        }
    }

    fn note_outcome(&mut self, entrant: Entrant, outcome: Outcome) {
        if outcome.status == Status::Converged {
            return;
        }
        let worst = self.worst.entry(entrant.to_string()).or_insert(outcome);
        if outcome.gap > worst.gap {
            *worst = outcome;
        }
    }

    /// How often each base was chosen, a sentence for each entrant that had a choice.
    pub(super) fn choices(&self) -> impl Iterator<Item = String> {
        self.chosen.iter().map(|(name, counts)| {
            let count = |(base, n): (&Base, &usize)| format!("{base} in {n}");
            let counts: Vec<_> = counts.iter().map(count).collect();
            format!("folds by chosen base, {name}: {}", counts.join(", "))
        })
    }

    /// What the user should know, each sentence once; fits were to reach the gap `tol`.
    pub(super) fn finish(mut self, tol: f64) -> BTreeSet<String> {
        self.progress.bar.finish_and_clear();
        let gaps = self.worst.iter().filter_map(|(name, outcome)| {
            caution::gap(outcome, tol).map(|sentence| format!("{name}: {sentence}"))
        });
        self.warnings.extend(gaps);
        self.warnings
    }
}
