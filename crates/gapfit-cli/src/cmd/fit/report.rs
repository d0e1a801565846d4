//! What came out of a fit, as JSON and as a sentence.

use gapfit::joint::Outcome;
use gapfit::{Fitted, Learner, Method, Model, Parameters, rival};
use gapfit_figures::Scores;
use serde::Serialize;

use super::plan::{Plan, Planned};
use crate::choice::BaseScore;
use crate::text_table::short;

/// What the JSON says.
#[derive(Debug, Serialize)]
pub(super) struct Report {
    task: &'static str,
    pub(super) loss: String,
    /// Absent where the target is numbers.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) classes: Vec<String>,
    pub(super) method: String,
    pub(super) base: String,
    /// Which weights may shift when a feature is missing.
    pub(super) support: String,
    solver: String,
    pub(super) alpha: f64,
    /// Absent where the method has none.
    pub(super) gamma: Option<f64>,
    pub(super) n_rows: usize,
    pub(super) n_features: usize,
    pub(super) observed_fraction: f64,
    objective: f64,
    lower_bound: f64,
    pub(super) gap: f64,
    iterations: usize,
    status: String,
    /// Scores on rows held out of the fits on folds; absent without calibration.
    pub(super) held_out: Option<Scores>,
    /// The bases that were compared; empty where there was nothing to choose.
    bases: Vec<BaseScore>,
    /// Figures of a solver other than the exact one.
    #[serde(skip_serializing_if = "Option::is_none")]
    rival: Option<rival::Report>,
    seconds: Seconds,
}

#[derive(Clone, Copy, Debug, Serialize)]
pub(super) struct Seconds {
    pub(super) read: f64,
    pub(super) tune: f64,
    pub(super) fit: f64,
    pub(super) calibrate: f64,
    pub(super) total: f64,
}

impl Report {
    /// What there is to say of each target; the table has so many rows, of whose cells this share is observed,
    /// and the seconds are those of all targets together.
    pub(super) fn each(
        table: (usize, f64),
        plan: &mut Plan,
        fitted: &Fitted,
        held_out: Vec<Scores>,
        seconds: Seconds,
    ) -> Vec<Self> {
        let Plan {
            learner, targets, ..
        } = plan;
        let (mut held_out, rival) = (held_out.into_iter(), fitted.rival);
        let outcomes = std::iter::once(&fitted.outcome).chain(&fitted.further);
        let report = |(target, outcome): (&mut Planned, &Outcome)| Self {
            held_out: held_out.next(),
            bases: std::mem::take(&mut target.bases),
            rival,
            ..Self::new(
                learner,
                table,
                (&fitted.model, target.parameters),
                outcome,
                seconds,
            )
        };
        targets.iter_mut().zip(outcomes).map(report).collect()
    }

    fn new(
        learner: &Learner,
        (n_rows, observed_fraction): (usize, f64),
        (model, parameters): (&Model, Parameters),
        outcome: &Outcome,
        seconds: Seconds,
    ) -> Self {
        let method = model.method();
        Self {
            task: match model.classes() {
                [] => "regression",
                _ => "classification",
            },
            loss: learner.loss.to_string(),
            classes: model.classes().to_vec(),
            method: match method {
                Method::Irr(_) => "irr".to_owned(),
                other => other.to_string(),
            },
            base: method.base().to_string(),
            support: model.support().to_string(),
            solver: learner.solver.to_string(),
            alpha: parameters.alpha,
            gamma: method.has_gamma().then_some(parameters.gamma),
            n_rows,
            n_features: model.feature_names().len(),
            observed_fraction,
            objective: outcome.objective,
            lower_bound: outcome.lower_bound,
            gap: outcome.gap,
            iterations: outcome.iterations,
            status: outcome.status.to_string(),
            held_out: None,
            bases: Vec::new(),
            rival: None,
            seconds,
        }
    }

    /// How well models did on rows that they had not seen, in a sentence.
    pub(super) fn judgement(&self) -> Option<String> {
        let scores = self.held_out.as_ref()?;
        Some(format!("held-out rows: {scores}"))
    }

    pub(super) fn sentence(&self) -> String {
        let gamma = self
            .gamma
            .map_or(String::new(), |gamma| format!(", gamma {}", short(gamma)));
        let loss = match &self.loss[..] {
            "squared" => String::new(),
            loss => format!(", loss {loss}"),
        };
        let support = match &self.support[..] {
            "full" => String::new(),
            support => format!(", support {support}"),
        };
        let rival = match &self.rival {
            Some(rival) => format!(
                "; {}: objective {:.6e}, lower bound {:.6e}; {rival}",
                self.solver, self.objective, self.lower_bound
            ),
            None => String::new(),
        };
        format!(
            "{} on base {}{support}{loss}: alpha {}{gamma}; {} rows, {} features, {:.1} % observed; {} with gap {:.1e} in {:.2} s{rival}",
            self.method,
            self.base,
            short(self.alpha),
            self.n_rows,
            self.n_features,
            100.0 * self.observed_fraction,
            self.status,
            self.gap,
            self.seconds.total
        )
    }
}
