//! The report of a comparison.

use std::collections::BTreeSet;

use anyhow::Result;
use gapfit::tune::Folds;
use gapfit_figures::{Contender, Metric, Trial, fact, share};
use gapfit_report::{Cell, Fact, Figure, Measure, Page, Section};

use super::arena::Arena;
use super::contest::{Entrant, Trials};
use super::league::{League, Standing};
use crate::class_weight::ClassWeight;
use crate::reporting::{self, Curves};
use crate::talk::Talk;

/// A comparison that is over.
pub(super) struct Bout<'a> {
    pub(super) arena: &'a Arena,
    pub(super) league: &'a League,
    pub(super) folds: &'a Folds,
    pub(super) class_weight: &'a ClassWeight,
    /// What each entrant did in each fold.
    pub(super) trials: &'a Trials,
}

impl Bout<'_> {
    /// The page; what it shows beyond the league table is computed for it.
    pub(super) fn page(
        &self,
        entrants: &[Entrant],
        seed: u64,
        warnings: BTreeSet<String>,
        talk: &Talk,
    ) -> Result<Page> {
        let about = &self.arena.about;
        let contenders = self.contenders(entrants);
        let holes = about.holes.as_ref();
        let holes = holes.map_or(String::new(), |holes| {
            format!(" The holes were made: {holes}.")
        });
        let section = |title: &str, figures: Vec<Figure>| Section {
            title: title.to_owned(),
            figures,
        };
        Ok(Page {
            title: reporting::title(&about.target, &about.name),
            lead: format!(
                "{} methods, each tuned on the training rows of {} folds and judged on the rows held out.{}",
                self.league.methods.len(),
                self.league.folds,
                holes
            ),
            facts: self.facts(&contenders),
            warnings: warnings.into_iter().collect(),
            sections: vec![
                section("The methods", self.about_methods(&contenders, seed, talk)?),
                section(reporting::TABLE, self.about_table()),
                section("The best method", self.about_best(&contenders)?),
            ],
        })
    }

    fn facts(&self, contenders: &[Contender<'_>]) -> Vec<Fact> {
        let about = &self.arena.about;
        let mut facts = vec![
            fact("best method", Cell::text(&self.league.best)),
            fact("rows", Cell::count(about.n_rows)),
            fact("features", Cell::count(about.n_features)),
            share("observed", about.observed_fraction),
            fact("folds", Cell::count(self.league.folds)),
        ];
        let trials = contenders.iter().flat_map(|c| c.trials);
        let mut supports = trials.map(|trial| trial.held_out.model.support().to_string());
        let narrow = supports.find(|support| support != "full");
        facts.extend(narrow.map(|support| fact("support", Cell::text(&support))));
        facts
    }

    /// The entrants in the order of the league, so that figures colour them alike.
    fn contenders(&self, entrants: &[Entrant]) -> Vec<Contender<'_>> {
        let names = self.league.methods.iter().map(|line| line.name.as_str());
        let contender = |name| {
            let mut entrants = entrants.iter();
            let entrant = entrants.find(|entrant| entrant.to_string() == name)?;
            Some(Contender {
                name,
                data: entrant.data(self.arena),
                trials: self.trials.get(name)?,
            })
        };
        names.filter_map(contender).collect()
    }

    fn about_methods(
        &self,
        contenders: &[Contender<'_>],
        seed: u64,
        talk: &Talk,
    ) -> Result<Vec<Figure>> {
        let bar = talk.bar("report");
        bar.set_length(reporting::fits(contenders.len(), self.folds.count()) as u64);
        let curves = Curves {
            folds: self.folds,
            seed,
            class_weight: self.class_weight,
        };
        let best = contenders.iter().position(|c| c.name == self.league.best);
        let best = best.expect("the best took part");
        let learning = curves.of(contenders, best, &|| bar.inc(1))?;
        bar.finish_and_clear();
        let by_missing = gapfit_figures::by_missing(&self.arena.holey, contenders, best);
        Ok(vec![
            self.league.figure(),
            by_missing.figure(),
            learning.figure(),
        ])
    }

    fn about_table(&self) -> Vec<Figure> {
        let data = &self.arena.holey;
        vec![
            gapfit_figures::hole_map(data).figure(),
            gapfit_figures::patterns(data).figure(),
        ]
    }

    fn about_best(&self, contenders: &[Contender<'_>]) -> Result<Vec<Figure>> {
        let best = contenders.iter().find(|c| c.name == self.league.best);
        let best = best.expect("the best took part");
        let mut figures = vec![gapfit_figures::prices(best)?.figure()];
        figures.extend(gapfit_figures::quality(&self.arena.holey, best));
        // the best that looks at what is missing, and the best that searched for gamma
        let schema = gapfit_figures::schema(&self.arena.holey);
        let shifts = contenders.iter().find_map(|c| {
            let models: Vec<_> = c.trials.iter().map(|trial| &trial.held_out.model).collect();
            gapfit_figures::shifts(c.name, &models, &schema)
        });
        let surface = contenders.iter().find_map(|c| {
            let has_gamma = |trial: &&Trial| trial.learner.method.has_gamma();
            let searches = c.trials.iter().filter(has_gamma);
            let searches =
                searches.filter_map(|t| Some((&t.tuned.as_ref()?.candidates[..], t.parameters)));
            let loss = c.trials.first()?.learner.loss;
            gapfit_figures::surface(c.name, loss, searches)
        });
        figures.extend(shifts.map(|shifts| shifts.figure()));
        figures.extend(surface.map(|surface| surface.figure()));
        Ok(figures)
    }
}

impl League {
    fn figure(&self) -> Figure {
        let standing = |line: &Standing| gapfit_report::Standing {
            name: line.name.clone(),
            scores: line.spreads.0.iter().map(|s| (s.1, s.2)).collect(),
            seconds: line.seconds,
            difference: (line.difference, line.difference_se),
            is_reference: line.reference,
        };
        let metrics: Vec<Metric> = self.winner().spreads.0.iter().map(|s| s.0).collect();
        let measure = |metric: &Metric| Measure {
            name: metric.name().to_owned(),
            is_gain: metric.is_gain(),
        };
        let ranked_by = metrics.iter().position(|metric| *metric == self.metric);
        let league = gapfit_report::League {
            folds: self.folds,
            best: self.best.clone(),
            measures: metrics.iter().map(measure).collect(),
            ranked_by: ranked_by.expect("methods are ranked by a score they have"),
            methods: self.methods.iter().map(standing).collect(),
        };
        league.figure()
    }
}
