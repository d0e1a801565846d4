//! The bounds beside what was measured, as JSON has it.

use gapfit::Model;
use gapfit::joint::bounds::{Claim, Estimate, Facts, Measurement, Reached, Vacuous};
use serde::Serialize;

use super::assumption::Assumption;
use super::held_out::HeldOut;

/// What the JSON says; numbers that are not finite are null.
#[derive(Debug, Serialize)]
pub(super) struct Report {
    pub(super) method: String,
    pub(super) alpha: f64,
    /// Absent where the method has none.
    pub(super) gamma: Option<f64>,
    pub(super) delta: f64,
    pub(super) facts: Measured,
    pub(super) held_out: HeldOut,
    pub(super) errors: Vec<ErrorBound>,
    pub(super) complexities: Vec<Complexity>,
    pub(super) norms: Vec<Norm>,
    pub(super) assumptions: Vec<Assumption>,
}

/// The facts by their letters in docs/math.md 11, and by name where they have none.
#[derive(Debug, Serialize)]
pub(super) struct Measured {
    pub(super) n_rows: usize,
    pub(super) n_entries: usize,
    pub(super) b: f64,
    pub(super) centre: f64,
    pub(super) r: f64,
    pub(super) reach: f64,
    pub(super) missing: f64,
    pub(super) radius: f64,
    pub(super) training_error: f64,
    pub(super) target_variance: f64,
}

/// A bound on the mean squared error on new rows.
#[derive(Debug, Serialize)]
pub(super) struct ErrorBound {
    pub(super) name: &'static str,
    #[serde(skip)]
    pub(super) title: &'static str,
    pub(super) squared_error: f64,
    pub(super) held_out: f64,
    pub(super) holds: bool,
    pub(super) vacuous: bool,
    /// What does as well: `centre` or `mean`.
    pub(super) no_better_than: Option<&'static str>,
    /// Assumptions that this model breaks.
    pub(super) not_covered: Vec<&'static str>,
}

/// A bound on the Rademacher complexity, or the estimate of it.
#[derive(Debug, Serialize)]
pub(super) struct Complexity {
    pub(super) name: &'static str,
    #[serde(skip)]
    pub(super) title: &'static str,
    pub(super) value: f64,
    /// Of an estimate.
    pub(super) standard_error: Option<f64>,
}

/// A bound on a norm, and the norm.
#[derive(Debug, Serialize)]
pub(super) struct Norm {
    pub(super) name: &'static str,
    #[serde(skip)]
    pub(super) title: &'static str,
    pub(super) bound: f64,
    pub(super) measured: f64,
    pub(super) holds: bool,
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
