//! The learner with nothing to tune, on the same trials.

use super::hindsight::Outcome;
use super::trial::{Trial, mistakes};
use anyhow::Result;
use gapfit::loss::Loss;
use gapfit::online::Auto;
use rayon::prelude::*;

/// What it is told: nothing, or the support that sparse-reg has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Untuned {
    Alone,
    WithSupport,
}

impl Untuned {
    pub(super) const ALL: [Self; 2] = [Self::Alone, Self::WithSupport];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Alone => "auto",
            Self::WithSupport => "auto, support given",
        }
    }

    /// The mistakes on every trial, with logistic loss whatever the others have.
    pub(super) fn outcome(self, trials: &[Trial]) -> Result<Outcome> {
        let wrong = trials.par_iter().map(|trial| {
            let settings = Auto {
                loss: Loss::Logistic,
                support: (self == Self::WithSupport).then(|| trial.support.clone()),
            };
            let mut learner = settings.start(trial.bare.n_features())?;
            mistakes(&mut learner, &trial.bare)
        });
        Ok(Outcome::of(None, &wrong.collect::<Result<Vec<_>>>()?))
    }
}
