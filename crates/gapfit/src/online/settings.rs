//! What an online learner is to learn, and how.

use super::fill::Fill;
use super::learn::OnlineLearner;
use super::mirror::{Feasible, Mirror};
use super::psi::MaskFeatures;
use super::step::Step;
use crate::error::Result;
use crate::loss::Loss;

/// Mirror descent over mask-dependent weights (paper, equation 3).
///
/// | field | default | purpose |
/// |---|---|---|
/// | `psi` | `affine` | what the weights may know of the mask |
/// | `loss` | `squared` | what a wrong prediction costs |
/// | `mirror` | `frob` | the regulariser, which shapes the steps |
/// | `set` | everything | where A must stay |
/// | `step` | 0.01 | length of the steps |
/// | `fill` | `zero` | what stands in for missing values |
///
/// A constant feature is not added: put one into the rows.
///
/// ```
/// use gapfit::loss::Loss;
/// use gapfit::online::{Feasible, MaskFeatures, Mirror, MirrorDescent, Step, Support};
/// let pixels = MirrorDescent {
///     psi: MaskFeatures::Identity,
///     loss: Loss::Hinge,
///     mirror: Mirror::Sparse { row_penalty: 1.0, support: Support::grid(8, 8) },
///     set: Feasible::Ball(10.0),
///     step: Step::Anytime { radius: 10.0, gradient: None },
///     ..MirrorDescent::default()
/// };
/// assert!(pixels.start(64).is_ok());
/// assert!(pixels.start(65).is_err()); // another number of pixels
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MirrorDescent {
    /// What the weights may know of the mask.
    pub psi: MaskFeatures,
    /// What a wrong prediction costs.
    pub loss: Loss,
    /// The regulariser.
    pub mirror: Mirror,
    /// Where A must stay.
    pub set: Feasible,
    /// Length of the steps.
    pub step: Step,
    /// What stands in for missing values.
    pub fill: Fill,
}

impl MirrorDescent {
    /// Online gradient descent on rows whose holes are filled, blind to the mask: the baselines of
    /// the paper. On complete rows both fills are plain online gradient descent.
    ///
    /// ```
    /// use gapfit::loss::Loss;
    /// use gapfit::online::{Fill, MirrorDescent};
    /// let mean_imputed = MirrorDescent::imputed(Fill::Mean, Loss::Logistic, 0.1);
    /// assert!(mean_imputed.start(3).is_ok());
    /// ```
    pub fn imputed(fill: Fill, loss: Loss, eta: f64) -> Self {
        Self {
            psi: MaskFeatures::Constant,
            loss,
            step: Step::Constant { eta },
            fill,
            ..Self::default()
        }
    }

    /// Checks the settings, for this many features.
    ///
    /// # Errors
    /// [`Error::Setting`](crate::Error::Setting) when one is out of range,
    /// [`Error::Shape`](crate::Error::Shape) when the support is one of another number of features.
    pub fn validate(&self, n_features: usize) -> Result<()> {
        self.psi.validate()?;
        self.loss.validate()?;
        self.mirror.validate(self.psi, n_features)?;
        self.set.validate()?;
        self.step.validate()
    }

    /// A learner over this many features, called `x0`, `x1`, ..., with all weights zero.
    ///
    /// # Errors
    /// As [`Self::validate`]; [`Error::Setting`](crate::Error::Setting) when there would be more than
    /// 2²⁷ weights.
    pub fn start(&self, n_features: usize) -> Result<OnlineLearner> {
        OnlineLearner::new(self.clone(), super::numbered(n_features))
    }
}
