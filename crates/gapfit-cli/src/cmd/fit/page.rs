//! The report of a fit.

use gapfit::data::Dataset;
use gapfit::tune::{self, HeldOut, Search};
use gapfit::{Model, Result};
use gapfit_figures::{Contender, Predicted, Trial, fact, share};
use gapfit_report::{Cell, Fact, Figure, Page, Section};

use super::plan::{Plan, Planned};
use super::report::Report;
use crate::class_weight::ClassWeight;
use crate::reporting::{self, Curves};
use crate::talk::Talk;

/// A fit that is over, as far as one target is concerned.
pub(super) struct Done<'a> {
    pub(super) name: &'a str,
    pub(super) data: &'a Dataset,
    pub(super) class_weight: &'a ClassWeight,
    pub(super) search: &'a Search,
    pub(super) plan: &'a Plan,
    pub(super) planned: &'a Planned,
    pub(super) model: &'a Model,
    pub(super) report: &'a Report,
}

impl Done<'_> {
    /// The page; what is said about held-out rows is computed for it, on the folds of the calibration.
    pub(super) fn page(&self, talk: &Talk) -> Result<Page> {
        let section = |title: &str, figures: Vec<Figure>| Section {
            title: title.to_owned(),
            figures,
        };
        let target = self.data.target_name();
        let table = vec![
            gapfit_figures::hole_map(self.data).figure(),
            gapfit_figures::patterns(self.data).figure(),
        ];
        let mut sections = vec![section("The model", self.about_model()?)];
        match self.held_out() {
            Ok(held_out) => sections.push(section(
                "Rows that it had not seen",
                self.about_held_out(held_out, talk)?,
            )),
            // as for the calibration, which has said so
            Err(gapfit::Error::Setting { name: "folds", .. }) => {}
            Err(error) => return Err(error),
        }
        sections.push(section(reporting::TABLE, table));
        sections.retain(|section| !section.figures.is_empty());
        Ok(Page {
            title: reporting::title(target, self.name),
            lead: format!(
                "A model for {target}, {}. What is said about held-out rows comes from models of the same kind, each \
                 fitted to the other folds.",
                self.report.sentence()
            ),
            facts: self.facts(),
            warnings: self.plan.warnings.clone(),
            sections,
        })
    }

    fn facts(&self) -> Vec<Fact> {
        let report = self.report;
        let mut facts = vec![
            fact("method", Cell::text(&report.method)),
            fact("base", Cell::text(&report.base)),
            fact("alpha", Cell::number(report.alpha)),
        ];
        facts.extend(report.gamma.map(|gamma| fact("gamma", Cell::number(gamma))));
        if report.support != "full" {
            facts.push(fact("support", Cell::text(&report.support)));
        }
        facts.extend([
            fact("rows", Cell::count(report.n_rows)),
            fact("features", Cell::count(report.n_features)),
            share("observed", report.observed_fraction),
            fact(
                "gap",
                Cell::shown_as(report.gap, format!("{:.1e}", report.gap)),
            ),
        ]);
        let scores = report.held_out.iter().flat_map(|scores| scores.iter());
        facts.extend(scores.map(|(metric, value)| {
            fact(&format!("held-out {}", metric.name()), Cell::number(value))
        }));
        facts
    }

    fn method(&self) -> String {
        self.model.method().to_string()
    }

    fn about_model(&self) -> Result<Vec<Figure>> {
        let method = self.method();
        let schema = gapfit_figures::schema(self.data);
        let shifts = gapfit_figures::shifts(&method, &[self.model], &schema);
        let tuned = self.planned.tuned.as_ref();
        let tuned = tuned.filter(|_| self.model.method().has_gamma());
        let search = tuned.map(|tuned| (&tuned.candidates[..], self.planned.parameters));
        let surface = gapfit_figures::surface(&method, self.model.loss(), search);
        let figures = [
            shifts.map(|shifts| shifts.figure()),
            surface.map(|surface| surface.figure()),
        ];
        Ok(figures.into_iter().flatten().collect())
    }

    fn held_out(&self) -> Result<Vec<HeldOut>> {
        let training = self.class_weight.apply(self.data.clone())?;
        let (learner, parameters) = (&self.plan.learner, self.planned.parameters);
        tune::hold_out(learner, parameters, &training, self.search)
    }

    fn about_held_out(&self, held_out: Vec<HeldOut>, talk: &Talk) -> Result<Vec<Figure>> {
        let method = self.method();
        let trial = |held_out: HeldOut| -> Result<Trial> {
            Ok(Trial {
                predicted: Predicted::of(&held_out.model, &held_out.features)?,
                learner: gapfit::Learner {
                    solver: gapfit::rival::Solver::Exact,
                    ..self.plan.learner.clone()
                },
                parameters: self.planned.parameters,
                tuned: None,
                held_out,
            })
        };
        let trials = held_out
            .into_iter()
            .map(trial)
            .collect::<Result<Vec<Trial>>>()?;
        let contender = Contender {
            name: &method,
            data: self.data,
            trials: &trials,
        };
        let Search {
            folding,
            folds,
            seed,
            ..
        } = self.search;
        let bar = talk.bar("report");
        bar.set_length(reporting::fits(1, *folds) as u64);
        let curves = Curves {
            folds: &folding.split(self.data, *folds, *seed)?,
            seed: *seed,
            class_weight: self.class_weight,
        };
        let contenders = [contender];
        let learning = curves.of(&contenders, 0, &|| bar.inc(1))?;
        bar.finish_and_clear();
        let [contender] = &contenders;
        let mut figures = gapfit_figures::quality(self.data, contender);
        figures.extend([
            gapfit_figures::prices(contender)?.figure(),
            gapfit_figures::by_missing(self.data, &contenders, 0).figure(),
            learning.figure(),
        ]);
        Ok(figures)
    }
}
