//! Every method against every other, fold by fold.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::str::FromStr;
use std::time::Instant;

use anyhow::{Context, Result};
use gapfit::data::Dataset;
use gapfit::tune::{Fold, Folds, HeldOut, Search};
use gapfit::{Base, Learner, Method};
use gapfit_figures::{Predicted, Scores, Trial};
use indicatif::ProgressBar;

use super::arena::Arena;
use super::league::Entry;
use super::minutes::Minutes;
use crate::choice::Choice;
use crate::class_weight::ClassWeight;

/// What can take part: what can be fitted, or the reference that knows what is in the holes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Entrant {
    Choice(Choice),
    Complete,
}

impl Entrant {
    /// The methods that take part unless others are asked for.
    pub(super) const METHODS: [Self; 8] = [
        Self::Choice(Choice::Method(Method::Impute(Base::Zero))),
        Self::Choice(Choice::Method(Method::Impute(Base::Mean))),
        Self::Choice(Choice::Method(Method::Impute(Base::Independent))),
        Self::Choice(Choice::Method(Method::Impute(Base::Gaussian))),
        Self::Choice(Choice::Method(Method::Mask)),
        Self::Choice(Choice::Method(Method::Lifted)),
        Self::Choice(Choice::Method(Method::Irr(Base::Zero))),
        Self::Choice(Choice::Irr),
    ];
}

impl Entrant {
    /// The table that it learns from.
    pub(super) fn data(self, arena: &Arena) -> &Dataset {
        match self {
            Self::Choice(_) => &arena.holey,
            Self::Complete => {
                let complete = arena.complete.as_ref();
                complete.expect("the reference takes part only where the table before is known")
            }
        }
    }
}

impl FromStr for Entrant {
    type Err = gapfit::Error;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        match name {
            "complete" => Ok(Self::Complete),
            _ => name.parse().map(Self::Choice),
        }
    }
}

impl fmt::Display for Entrant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Choice(choice) => choice.fmt(f),
            Self::Complete => f.pad("complete"),
        }
    }
}

/// What each entrant did in each fold.
pub(super) type Trials = BTreeMap<String, Vec<Trial>>;

/// A comparison under way.
pub(super) struct Contest<'a> {
    arena: &'a Arena,
    /// Everything but the method.
    settings: Learner,
    class_weight: &'a ClassWeight,
    search: Search,
    minutes: Minutes,
    /// For each target, what each entrant did in each fold, where that is to be kept.
    trials: Option<Vec<Trials>>,
}

impl<'a> Contest<'a> {
    pub(super) fn new(
        arena: &'a Arena,
        (settings, class_weight): (Learner, &'a ClassWeight),
        search: Search,
        bar: ProgressBar,
    ) -> Self {
        Self {
            arena,
            settings,
            class_weight,
            search,
            minutes: Minutes::new(bar),
            trials: None,
        }
    }

    /// The same contest, which keeps models and predictions.
    pub(super) fn keeping_trials(mut self, is_asked: bool) -> Self {
        let targets = 0..self.arena.holey.n_targets();
        self.trials = is_asked.then(|| targets.map(|_| Trials::new()).collect());
        self
    }

    /// How each entrant does in each fold, for each target.
    pub(super) fn run(&mut self, entrants: &[Entrant], folds: &Folds) -> Result<Vec<Vec<Entry>>> {
        self.minutes.expect(entrants.len() * folds.count());
        let entries: Vec<Entry> = entrants.iter().map(|&entrant| new_entry(entrant)).collect();
        let mut targets = vec![entries; self.arena.holey.n_targets()];
        for (number, fold) in (1..).zip(folds.iter()) {
            for (e, &entrant) in entrants.iter().enumerate() {
                let (scores, seconds) = self.play(entrant, &fold).with_context(|| {
                    format!("{}: {entrant}, fold {number}", self.arena.about.name)
                })?;
                for (entries, scores) in targets.iter_mut().zip(scores) {
                    entries[e].folds.push(scores);
                    entries[e].seconds.push(seconds);
                }
            }
        }
        Ok(targets)
    }

    /// Scores of each target on the held-out rows, and seconds of tuning and fit.
    fn play(&mut self, entrant: Entrant, fold: &Fold) -> Result<(Vec<Scores>, f64)> {
        let data = entrant.data(self.arena);
        let choice = match entrant {
            Entrant::Choice(choice) => choice,
            Entrant::Complete => Choice::Method(Method::Impute(Base::Mean)),
        };
        let train = self.class_weight.apply(data.select(&fold.train))?;
        let test = data.held_out(&fold.held_out, &fold.train);
        let start = Instant::now();
        let folding = &self.arena.folding;
        let search = Search {
            folds: self.search.folds.min(folding.most(&fold.train)),
            folding: folding.select(&fold.train),
            ..self.search.clone()
        };
        let show = self.minutes.begin(entrant);
        let found = choice.tune(&self.settings, &train, &search, &show)?;
        drop(show);
        let fitted = found.learner.fit_each(&train, &found.parameters())?;
        let seconds = start.elapsed().as_secs_f64();
        self.minutes.note(entrant, &found, &search, &fitted);
        let mut scores = Vec::with_capacity(found.targets.len());
        for (t, target) in found.targets.into_iter().enumerate() {
            let model = fitted.model.of_target(t);
            let predicted = Predicted::of(&model, test.features())?;
            scores.push(predicted.scores(&data.of_target(t), &fold.held_out));
            let trial = || Trial {
                learner: found.learner.clone(),
                parameters: target.parameters,
                tuned: Some(target.tuned),
                held_out: HeldOut {
                    rows: fold.held_out.clone(),
                    features: test.features().clone(),
                    model,
                },
                predicted,
            };
            if let Some(targets) = &mut self.trials {
                let trials = targets[t].entry(entrant.to_string()).or_default();
                trials.push(trial());
            }
        }
        Ok((scores, seconds))
    }

    /// For each target, what each entrant did in each fold, if it was kept.
    pub(super) fn trials(&mut self) -> Option<Vec<Trials>> {
        self.trials.take()
    }

    /// How often each base was chosen, and what the user should know, each sentence once.
    pub(super) fn finish(self) -> (Vec<String>, BTreeSet<String>) {
        let choices = self.minutes.choices().collect();
        (choices, self.minutes.finish(self.settings.tol))
    }
}

pub(super) fn new_entry(entrant: Entrant) -> Entry {
    Entry {
        name: entrant.to_string(),
        is_reference: entrant == Entrant::Complete,
        folds: Vec::new(),
        seconds: Vec::new(),
    }
}
