//! The bounds beside what was measured: as JSON, and as tables for people.

use gapfit::Model;
use gapfit::joint::bounds::{Claim, Estimate, Facts, Measurement, Reached, Vacuous};
use serde::Serialize;

use super::assumption::Assumption;
use super::held_out::HeldOut;
use crate::text_table::{TextTable, short};

/// What the JSON says; numbers that are not finite are null.
#[derive(Debug, Serialize)]
pub(super) struct Report {
    method: String,
    alpha: f64,
    /// Absent where the method has none.
    gamma: Option<f64>,
    delta: f64,
    facts: Measured,
    held_out: HeldOut,
    errors: Vec<ErrorBound>,
    complexities: Vec<Complexity>,
    norms: Vec<Norm>,
    assumptions: Vec<Assumption>,
}

/// The facts by their letters in docs/math.md 11, and by name where they have none.
#[derive(Debug, Serialize)]
struct Measured {
    n_rows: usize,
    n_entries: usize,
    b: f64,
    centre: f64,
    r: f64,
    reach: f64,
    missing: f64,
    radius: f64,
    training_error: f64,
    target_variance: f64,
}

/// A bound on the mean squared error on new rows.
#[derive(Debug, Serialize)]
struct ErrorBound {
    name: &'static str,
    #[serde(skip)]
    title: &'static str,
    squared_error: f64,
    held_out: f64,
    holds: bool,
    vacuous: bool,
    /// What does as well: `centre` or `mean`.
    no_better_than: Option<&'static str>,
    /// Assumptions that this model breaks.
    not_covered: Vec<&'static str>,
}

/// A bound on the Rademacher complexity, or the estimate of it.
#[derive(Debug, Serialize)]
struct Complexity {
    name: &'static str,
    #[serde(skip)]
    title: &'static str,
    value: f64,
    /// Of an estimate.
    standard_error: Option<f64>,
}

/// A bound on a norm, and the norm.
#[derive(Debug, Serialize)]
struct Norm {
    name: &'static str,
    #[serde(skip)]
    title: &'static str,
    bound: f64,
    measured: f64,
    holds: bool,
}

impl Report {
    pub(super) fn new(
        model: &Model,
        measured: &Measurement,
        held_out: HeldOut,
        estimate: Estimate,
        delta: f64,
    ) -> Self {
        let (facts, reached) = (measured.facts(), measured.reached());
        let method = model.method();
        let parameters = model.parameters();
        let assumptions = Assumption::list(model, measured, held_out.facts.as_ref());
        let broken = Assumption::broken_by(&assumptions);
        Self {
            method: method.to_string(),
            alpha: parameters.alpha,
            gamma: method.has_gamma().then_some(parameters.gamma),
            delta,
            facts: Measured::new(&facts, &reached),
            errors: error_bounds(&facts, &reached, &held_out, delta, &broken),
            complexities: complexities(&facts, estimate),
            norms: norms(&facts, &reached),
            held_out,
            assumptions,
        }
    }

    /// The report for people.
    pub(super) fn text(&self) -> String {
        let mut text = self.sentence();
        text += &format!("\n{}", self.error_table());
        text += &format!("\n{}", self.complexity_table());
        text += &format!("\n{}", self.norm_table());
        text += "\nassumptions\n";
        for assumption in &self.assumptions {
            text += &format!("{}\n", assumption.line());
        }
        text
    }

    fn sentence(&self) -> String {
        let facts = &self.facts;
        let gamma = self
            .gamma
            .map_or(String::new(), |gamma| format!(", gamma {}", short(gamma)));
        format!(
            "{}: alpha {}{gamma}; {} rows of {} entries, {} of them missing on average; B {} around {}, R {}, N {}; delta {}\n",
            self.method,
            short(self.alpha),
            facts.n_rows,
            facts.n_entries,
            short(facts.missing),
            short(facts.b),
            short(facts.centre),
            short(facts.r),
            short(facts.reach),
            short(self.delta),
        )
    }

    fn error_table(&self) -> TextTable {
        let facts = &self.facts;
        let mut table = TextTable::new(["error on new rows", "mean square", "root", "verdict"]);
        let mut push = |name: String, squared: f64, verdict: String| {
            let name = format!("  {name}");
            table.push([name, short(squared), short(squared.sqrt()), verdict]);
        };
        for bound in &self.errors {
            let verdict = bound.verdict(facts.centre);
            push(bound.title.to_owned(), bound.squared_error, verdict);
        }
        let measured = match self.held_out.folds {
            Some(folds) => format!("measured, in {folds} folds"),
            None => format!("measured, on {} held-out rows", self.held_out.n_rows),
        };
        push(measured, self.held_out.squared_error, String::new());
        let centre = format!("predicting {}, at most", short(facts.centre));
        let others = [
            ("training rows", facts.training_error),
            ("predicting the mean", facts.target_variance),
            (&centre, facts.b * facts.b),
        ];
        for (name, squared) in others {
            push(name.to_owned(), squared, String::new());
        }
        table
    }

    fn complexity_table(&self) -> TextTable {
        let estimate = self.complexities[0].value;
        let mut table = TextTable::new(["Rademacher complexity", "value", "of estimate"]);
        for complexity in &self.complexities {
            let ratio = match complexity.standard_error {
                Some(error) => format!("± {}", short(error)),
                None => format!("× {}", short(complexity.value / estimate)),
            };
            let name = format!("  {}", complexity.title);
            table.push([name, short(complexity.value), ratio]);
        }
        table
    }

    fn norm_table(&self) -> TextTable {
        let mut table = TextTable::new(["norm of the fit", "measured", "bound", "verdict"]);
        for norm in &self.norms {
            let verdict = if norm.holds { "holds" } else { "fails" };
            let name = format!("  {}", norm.title);
            table.push([
                name,
                short(norm.measured),
                short(norm.bound),
                verdict.to_owned(),
            ]);
        }
        table
    }
}

impl Measured {
    fn new(facts: &Facts, reached: &Reached) -> Self {
        Self {
            n_rows: facts.n_rows,
            n_entries: facts.n_entries,
            b: facts.target,
            centre: facts.target_centre,
            r: facts.row_norm,
            reach: facts.reach,
            missing: facts.missing,
            radius: facts.radius(),
            training_error: reached.squared_error,
            target_variance: facts.target_variance,
        }
    }
}

impl ErrorBound {
    fn verdict(&self, centre: f64) -> String {
        match (self.holds, self.no_better_than) {
            (false, _) => "fails".to_owned(),
            (true, None) => "holds".to_owned(),
            (true, Some("mean")) => "vacuous: predicting the mean does as well".to_owned(),
            (true, Some(_)) => format!("vacuous: predicting {} does as well", short(centre)),
        }
    }
}

fn error_bounds(
    facts: &Facts,
    reached: &Reached,
    held_out: &HeldOut,
    delta: f64,
    broken: &[&'static str],
) -> Vec<ErrorBound> {
    let bound = |name, title, squared_error: f64, held_out: f64| {
        let vacuous = facts.vacuous(squared_error);
        ErrorBound {
            name,
            title,
            squared_error,
            held_out,
            // an overflow is no bound below anything
            holds: squared_error.is_nan() || squared_error >= held_out,
            vacuous: vacuous.is_some(),
            no_better_than: vacuous.map(|than| match than {
                Vacuous::Centre => "centre",
                Vacuous::Mean => "mean",
            }),
            not_covered: Vec::new(),
        }
    };
    let ours = |claim| facts.error_bound(reached, delta, claim);
    let (error, cut_error) = (held_out.squared_error, held_out.cut_squared_error);
    let corollary = facts.corollary(reached.squared_error, delta);
    vec![
        ErrorBound {
            not_covered: broken.to_vec(),
            ..bound(
                "corollary",
                "corollary of theorem 2, quoted",
                corollary,
                error,
            )
        },
        bound("ours", "ours", ours(Claim::Fixed), error),
        bound(
            "ours_reached",
            "ours, at the norm reached",
            ours(Claim::Reached),
            error,
        ),
        bound(
            "ours_cut",
            "the same, predictions cut at B",
            ours(Claim::Cut),
            cut_error,
        ),
    ]
}

fn complexities(facts: &Facts, estimate: Estimate) -> Vec<Complexity> {
    let bound = |name, title, value| Complexity {
        name,
        title,
        value,
        standard_error: None,
    };
    vec![
        Complexity {
            standard_error: Some(estimate.error),
            ..bound("estimate", "estimate from random signs", estimate.value)
        },
        bound("ours", "ours", facts.complexity()),
        bound("theorem_2", "theorem 2", facts.theorem_2()),
        bound(
            "non_relaxed",
            "class before the relaxation, corrected",
            facts.non_relaxed(),
        ),
    ]
}

fn norms(facts: &Facts, reached: &Reached) -> Vec<Norm> {
    let norm = |name, title, bound: f64, measured: f64| Norm {
        name,
        title,
        bound,
        measured,
        holds: measured <= bound,
    };
    let (dual, penalty) = (reached.dual_norm, reached.penalty);
    vec![
        norm("dual", "dual vector (paper)", facts.dual_norm(), dual),
        norm(
            "penalty",
            "penalty Ω (ours)",
            facts.radius().powi(2),
            penalty,
        ),
    ]
}
