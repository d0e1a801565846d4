//! Learning without a learning rate: every weight finds its own pace (docs/math.md 13.9).
//!
//! Hypotheses are those of the affine ψ (or of the constant one): column 0 of A is always active, column
//! k when feature k is missing. Entry (i, j) has met the slopes g of the loss in the rounds where column j
//! was active, and keeps
//!
//! ```text
//! θ = Σ g x_i        V = Σ (g x_i)²        M_i = max |x_i|        h ≥ max |g|        s² = V + (h M_i)²
//! ```
//!
//! | rule | weight of the entry |
//! |---|---|
//! | `adagrad` | `-c θ / (s M_i)` |
//! | `coin` | `-clamp(θ/s, -1, 1) / (2s)` of what it owns: `c` to begin with, and what it won since |
//!
//! c is one number for all entries, in the unit of the prediction, that shrinks with their number. Multiply
//! a column by a number and its M, θ and s are multiplied by it, its weights divided: predictions stay as
//! they are. What follows from the bounds of Duchi, Hazan and Singer (2011) and of Kempka, Kotłowski and
//! Warmuth (2019) is in docs/math.md; beyond the paper.
//!
//! A row costs O(observed x missing): only column 0 and those of missing features move.

mod column;
mod learn;
mod pace;
mod rule;
mod state;

pub use learn::AdaptiveLearner;
pub use rule::AdaptiveRule;
pub(crate) use state::Header;

use super::psi::MaskFeatures;
use crate::error::{Error, Result};
use crate::loss::Loss;
use crate::support::Support;

/// What an adaptive learner is to learn, and by which rule.
///
/// | field | default | purpose |
/// |---|---|---|
/// | `rule` | `coin` | how a weight finds its pace |
/// | `psi` | `affine` | what the weights may know of the mask: `affine` or `constant` |
/// | `loss` | `squared` | what a wrong prediction costs |
/// | `support` | full | which pairs of features influence each other |
///
/// A constant feature is not added: put one into the rows.
///
/// ```
/// use gapfit::data::MaskedMatrix;
/// use gapfit::loss::Loss;
/// use gapfit::online::{Adaptive, Learn};
///
/// let mut learner = Adaptive { loss: Loss::Logistic, ..Adaptive::default() }.start(2)?;
/// let table = MaskedMatrix::from_nan(2, 2, &[1e6, f64::NAN, -1e6, 1e-6])?; // any units do
/// for _ in 0..100 {
///     learner.learn(table.row(0), 1.0, 1.0)?;
///     learner.learn(table.row(1), -1.0, 1.0)?;
/// }
/// assert!(learner.predict(table.row(0))? > 1.0);
/// # Ok::<(), gapfit::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Adaptive {
    /// How a weight finds its pace.
    pub rule: AdaptiveRule,
    /// What the weights may know of the mask.
    pub psi: MaskFeatures,
    /// What a wrong prediction costs.
    pub loss: Loss,
    /// Which pairs of features influence each other.
    pub support: Support,
}

impl Adaptive {
    /// Checks the settings, for this many features.
    ///
    /// # Errors
    /// [`Error::Setting`] when ψ is another one, or the loss is out of range; [`Error::Shape`] when the
    /// support is one of another number of features.
    pub fn validate(&self, n_features: usize) -> Result<()> {
        self.loss.validate()?;
        if !matches!(self.psi, MaskFeatures::Affine | MaskFeatures::Constant) {
            return Err(Error::Setting {
                name: "psi",
                expected: "affine or constant, for a step that adapts to each weight",
                got: self.psi.to_string(),
            });
        }
        self.support.check(n_features)
    }

    /// A learner over this many features, called `x0`, `x1`, ..., with all weights zero.
    ///
    /// # Errors
    /// As [`Self::validate`]; [`Error::Setting`] when there would be more than 2²⁷ weights.
    pub fn start(&self, n_features: usize) -> Result<AdaptiveLearner> {
        AdaptiveLearner::new(self.clone(), super::numbered(n_features))
    }
}
