//! The experts of the combination.

use crate::data::MaskedRow;
use crate::error::Result;
use crate::loss::Loss;
use crate::online::adaptive::{Adaptive, AdaptiveLearner, AdaptiveRule};
use crate::online::learn::OnlineLearner;
use crate::online::mirror::Mirror;
use crate::online::psi::MaskFeatures;
use crate::online::running::Units;
use crate::online::settings::MirrorDescent;
use crate::online::step::Step;
use crate::online::{Learn, Learnt, numbered};
use crate::support::Support;
use serde::{Deserialize, Serialize};

/// Steps of gradient descent, as [`Step::Relative`].
const RATES: [f64; 4] = [1.0, 0.25, 1.0 / 16.0, 1.0 / 64.0];

/// What the weights of an expert know of the mask.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Knows {
    Nothing,
    Mask,
    SparseMask,
}

impl Knows {
    fn name(self) -> &'static str {
        match self {
            Self::Nothing => "no mask",
            Self::Mask => "mask",
            Self::SparseMask => "sparse mask",
        }
    }
}

/// One learner of the combination.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Expert {
    pub(super) knows: Knows,
    pub(super) units: Units,
    pub(super) learner: Learner,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Learner {
    Descent(Box<OnlineLearner>),
    Adaptive(Box<AdaptiveLearner>),
}

impl Expert {
    /// All experts that know this much, over rows of this width, on this support, the constant included.
    pub(super) fn all(
        knows: Knows,
        loss: Loss,
        width: usize,
        support: &Support,
    ) -> Result<Vec<Self>> {
        let mut experts = Vec::new();
        for units in [Units::Unit, Units::Standard] {
            for rate in RATES {
                let settings = MirrorDescent {
                    psi: match knows {
                        Knows::Nothing => MaskFeatures::Constant,
                        _ => MaskFeatures::Identity,
                    },
                    loss,
                    mirror: match knows {
                        Knows::SparseMask => Mirror::Sparse {
                            row_penalty: 0.0,
                            support: support.clone(),
                        },
                        _ => Mirror::Frob,
                    },
                    step: Step::Relative { rate },
                    ..MirrorDescent::default()
                };
                experts.push(Self {
                    knows,
                    units,
                    learner: Learner::Descent(Box::new(settings.start(width)?)),
                });
            }
            let settings = Adaptive {
                rule: AdaptiveRule::Coin,
                psi: match knows {
                    Knows::Nothing => MaskFeatures::Constant,
                    _ => MaskFeatures::Affine,
                },
                loss,
                support: match knows {
                    Knows::SparseMask => support.clone(),
                    _ => Support::full(),
                },
            };
            experts.push(Self {
                knows,
                units,
                learner: Learner::Adaptive(Box::new(settings.start(width)?)),
            });
        }
        Ok(experts)
    }

    /// What it is, in words.
    pub(super) fn name(&self) -> String {
        let step = match &self.learner {
            Learner::Descent(learner) => learner.settings().step.to_string(),
            Learner::Adaptive(learner) => learner.settings().rule.to_string(),
        };
        let holes = match self.units {
            Units::Standard => "mean",
            _ => "zero",
        };
        format!("{}, holes at {holes}, {step}", self.knows.name())
    }

    pub(super) fn predict(&self, row: MaskedRow<'_>) -> Result<f64> {
        match &self.learner {
            Learner::Descent(learner) => learner.predict(row),
            Learner::Adaptive(learner) => learner.predict(row),
        }
    }

    pub(super) fn learn(&mut self, row: MaskedRow<'_>, target: f64, weight: f64) -> Result<Learnt> {
        match &mut self.learner {
            Learner::Descent(learner) => learner.learn(row, target, weight),
            Learner::Adaptive(learner) => learner.learn(row, target, weight),
        }
    }

    /// Lets the loss have another ε, in other units of the target.
    pub(super) fn set_loss(&mut self, loss: Loss) {
        match &mut self.learner {
            Learner::Descent(learner) => learner.settings.loss = loss,
            Learner::Adaptive(learner) => learner.set_loss(loss),
        }
    }

    /// One more feature.
    pub(super) fn add_column(&mut self, width: usize) -> Result<()> {
        let name = &numbered(width + 1)[width];
        match &mut self.learner {
            Learner::Descent(learner) => learner.add_column(name),
            Learner::Adaptive(learner) => learner.add_column(name),
        }
    }
}
