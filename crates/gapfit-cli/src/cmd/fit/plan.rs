//! What is fitted: as given, or as a search finds it.

use gapfit::tune::{Search, Tuned};
use gapfit::{Evidence, Fitted, Learner, Parameters};

use super::Args;
use crate::caution;
use crate::choice::{BaseScore, Choice, FoundTarget};
use crate::talk::Talk;

/// The learner and its parameters for each target, and how they were found.
pub(super) struct Plan {
    pub(super) learner: Learner,
    pub(super) targets: Vec<Planned>,
    pub(super) warnings: Vec<String>,
}

/// The parameters of a target, and how they were found.
pub(super) struct Planned {
    pub(super) parameters: Parameters,
    /// How the bases did that were compared.
    pub(super) bases: Vec<BaseScore>,
    /// The search; absent where everything was given.
    pub(super) tuned: Option<Tuned>,
}

impl Planned {
    fn given(parameters: Parameters) -> Self {
        Self {
            parameters,
            bases: Vec::new(),
            tuned: None,
        }
    }

    fn found(found: FoundTarget) -> Self {
        Self {
            parameters: found.parameters,
            bases: found.bases,
            tuned: Some(found.tuned),
        }
    }
}

impl Plan {
    /// Says what the user should know about the fits, and keeps it.
    pub(super) fn warn(&mut self, fitted: &Fitted, talk: &Talk) {
        let outcomes = std::iter::once(&fitted.outcome).chain(&fitted.further);
        let gaps = outcomes.filter_map(|outcome| caution::gap(outcome, self.learner.tol));
        let warnings: Vec<String> = fitted.warnings.iter().cloned().chain(gaps).collect();
        for warning in &warnings {
            talk.warn(warning);
        }
        self.warnings.extend(warnings);
    }

    /// The parameters of each target.
    pub(super) fn parameters(&self) -> Vec<Parameters> {
        self.targets
            .iter()
            .map(|target| target.parameters)
            .collect()
    }
}

impl Args {
    /// The learner and its parameters for so many targets, where all are given.
    pub(super) fn given(
        &self,
        choice: Choice,
        settings: &Learner,
        n_targets: usize,
    ) -> Option<Plan> {
        let method = choice.method()?;
        let gamma = self.gamma.or((!method.has_gamma()).then_some(0.0));
        let (alpha, gamma) = self.alpha.zip(gamma)?;
        let given = || Planned::given(Parameters { alpha, gamma });
        Some(Plan {
            learner: Learner {
                method,
                ..settings.clone()
            },
            targets: std::iter::repeat_with(given).take(n_targets).collect(),
            warnings: Vec::new(),
        })
    }

    /// The learner and its parameters: those given, the others tuned.
    pub(super) fn plan<'a>(
        &self,
        choice: Choice,
        settings: &Learner,
        data: impl Into<Evidence<'a>>,
        search: &Search,
        talk: &Talk,
    ) -> gapfit::Result<Plan> {
        let data = data.into();
        if let Some(given) = self.given(choice, settings, data.n_targets()) {
            return Ok(given);
        }
        let bar = talk.bar("tuning");
        let found = choice.tune(settings, data, search, &|done, planned| {
            bar.set_length(planned as u64);
            bar.set_position(done as u64);
        });
        bar.finish_and_clear();
        let found = found?;
        let mut warnings = found.grid_ends(search);
        warnings.extend(found.cut_short(search));
        warnings.extend(found.narrowed(search));
        for warning in &warnings {
            talk.warn(warning);
        }
        Ok(Plan {
            learner: found.learner,
            targets: found.targets.into_iter().map(Planned::found).collect(),
            warnings,
        })
    }
}
