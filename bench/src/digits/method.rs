//! What is compared, and the settings each is tuned over.

use super::trial::Trial;
use gapfit::data::Dataset;
use gapfit::loss::Loss;
use gapfit::online::{Fill, MaskFeatures, Mirror, MirrorDescent, Step};
use serde::Serialize;

/// A learner with a step length, and in one case a row penalty, to be tuned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Method {
    /// Gradient descent on rows whose holes are zero.
    Zero,
    /// Gradient descent on rows whose holes are the means so far.
    Mean,
    /// A full matrix, with the paper's ψ = z or the affine one.
    Frob(MaskFeatures),
    /// The paper's ψ, neighbours alone, and the row penalty.
    Sparse,
    /// Gradient descent on the rows before they had holes.
    NoCorruption,
}

/// One point of the grid.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(super) struct Setting {
    pub(super) eta: f64,
    /// Absent where the method has none.
    pub(super) row_penalty: Option<f64>,
}

impl Method {
    pub(super) const ALL: [Self; 6] = [
        Self::Zero,
        Self::Mean,
        Self::Frob(MaskFeatures::Identity),
        Self::Frob(MaskFeatures::Affine),
        Self::Sparse,
        Self::NoCorruption,
    ];

    pub(super) fn name(self) -> String {
        match self {
            Self::Zero => "zero".to_owned(),
            Self::Mean => "mean".to_owned(),
            Self::Frob(psi) => format!("frob-reg, {psi}"),
            Self::Sparse => "sparse-reg".to_owned(),
            Self::NoCorruption => "no corruption".to_owned(),
        }
    }

    /// Whether its weights may depend on the mask.
    pub(super) fn knows_mask(self) -> bool {
        matches!(self, Self::Frob(_) | Self::Sparse)
    }

    /// Every point of the paper's grid.
    pub(super) fn settings(self) -> Vec<Setting> {
        let setting = |eta, row_penalty| Setting { eta, row_penalty };
        match self {
            Self::Sparse => powers()
                .flat_map(|eta| powers().map(move |penalty| setting(eta, Some(penalty))))
                .collect(),
            _ => powers().map(|eta| setting(eta, None)).collect(),
        }
    }

    /// What it learns from.
    pub(super) fn rows(self, trial: &Trial) -> &Dataset {
        match self {
            Self::NoCorruption => &trial.complete,
            _ => &trial.holey,
        }
    }

    /// The learner's settings for a trial.
    pub(super) fn descent(self, loss: Loss, at: Setting, trial: &Trial) -> MirrorDescent {
        let (psi, mirror) = match self {
            Self::Zero | Self::NoCorruption => {
                return MirrorDescent::imputed(Fill::Zero, loss, at.eta);
            }
            Self::Mean => return MirrorDescent::imputed(Fill::Mean, loss, at.eta),
            Self::Frob(psi) => (psi, Mirror::Frob),
            Self::Sparse => {
                let mirror = Mirror::Sparse {
                    row_penalty: at.row_penalty.unwrap_or(0.0),
                    support: trial.support.clone().with_hub(),
                };
                (MaskFeatures::Identity, mirror)
            }
        };
        MirrorDescent {
            psi,
            loss,
            mirror,
            step: Step::Constant { eta: at.eta },
            ..MirrorDescent::default()
        }
    }

    /// The paper's share of mistakes, mean and standard deviation (its table of online results).
    pub(super) fn published(self, digit: u8) -> Option<(f64, f64)> {
        let [zero, mean, sparse, no_corruption] = match digit {
            2 => [
                (0.035, 0.002),
                (0.039, 0.004),
                (0.033, 0.003),
                (0.024, 0.002),
            ],
            3 => [
                (0.041, 0.002),
                (0.043, 0.001),
                (0.039, 0.002),
                (0.027, 0.003),
            ],
            4 => [
                (0.020, 0.002),
                (0.023, 0.002),
                (0.021, 0.001),
                (0.015, 0.001),
            ],
            6 => [
                (0.026, 0.002),
                (0.024, 0.002),
                (0.023, 0.002),
                (0.015, 0.002),
            ],
            _ => return None,
        };
        match self {
            Self::Zero => Some(zero),
            Self::Mean => Some(mean),
            Self::Sparse => Some(sparse),
            Self::NoCorruption => Some(no_corruption),
            Self::Frob(_) => None,
        }
    }
}

/// 2^-12 to 2^10.
fn powers() -> impl Iterator<Item = f64> {
    (-12..=10).map(f64::from).map(f64::exp2)
}

impl Setting {
    /// Whether a number is the least or the largest of the grid, so that the best may lie beyond.
    pub(super) fn is_at_an_end(self) -> bool {
        let numbers = [Some(self.eta), self.row_penalty];
        let is_end = |x: &f64| x.log2().round() <= -12.0 || x.log2().round() >= 10.0;
        numbers.iter().flatten().any(is_end)
    }
}
