//! What is fitted: as given, or as a search finds it.

use gapfit::tune::{Search, Tuned};
use gapfit::{Evidence, Learner, Parameters};

use super::Args;
use crate::caution;
use crate::choice::{BaseScore, Choice};
use crate::talk::Talk;

/// The learner and its parameters, and how they were found.
pub(super) struct Plan {
    pub(super) learner: Learner,
    pub(super) parameters: Parameters,
    /// How the bases did that were compared.
    pub(super) bases: Vec<BaseScore>,
    /// The search; absent where everything was given.
    pub(super) tuned: Option<Tuned>,
    pub(super) warnings: Vec<String>,
}

impl Args {
    /// The learner and its parameters: those given, the others tuned.
    pub(super) fn plan<'a>(
        &self,
        choice: Choice,
        settings: &Learner,
        data: impl Into<Evidence<'a>>,
        search: &Search,
        talk: &Talk,
    ) -> gapfit::Result<Plan> {
        if let (Some(method), Some(alpha)) = (choice.method(), self.alpha) {
            let gamma = self.gamma.or((!method.has_gamma()).then_some(0.0));
            if let Some(gamma) = gamma {
                let learner = Learner {
                    method,
                    ..settings.clone()
                };
                return Ok(Plan {
                    learner,
                    parameters: Parameters { alpha, gamma },
                    bases: Vec::new(),
                    tuned: None,
                    warnings: Vec::new(),
                });
            }
        }
        let bar = talk.bar("tuning");
        let found = choice.tune(settings, data, search, &|done, planned| {
            bar.set_length(planned as u64);
            bar.set_position(done as u64);
        });
        bar.finish_and_clear();
        let found = found?;
        let ends = caution::grid_ends(&found.tuned, search, found.learner.method);
        let mut warnings: Vec<String> = ends.into_iter().chain(found.cut_short(search)).collect();
        warnings.extend(found.narrowed(search));
        for warning in &warnings {
            talk.warn(warning);
        }
        Ok(Plan {
            learner: found.learner,
            parameters: found.parameters,
            bases: found.bases,
            tuned: Some(found.tuned),
            warnings,
        })
    }
}
