//! Learning from a stream with nothing to choose: a combination of learners (docs/math.md 13.10).
//!
//! Every expert sees the rows in running units behind a constant ([`Units`](super::Units)); the [`Mixture`](super::Mixture) makes one
//! prediction of theirs and is nearly as good as the best of them. The experts:
//!
//! | what the weights know of the mask | holes stand for | steps |
//! |---|---|---|
//! | nothing | zero, the running mean | `relative=1`, 1/4, 1/16, 1/64; `coin` |
//! | all of it | zero, the running mean | the same |
//! | pairs of features on a support | zero, the running mean | the same |
//!
//! Gradient descent takes ψ = z there, `coin` the affine ψ. The support is the one that is given, or the
//! pairs whose correlation over the first 128 rows reaches .2: experts that need it join then, having
//! learnt from those rows. Beyond 512 features the second line is left out, beyond 4096 the third.
//!
//! Where targets are numbers they are seen in running units as well, centred at their mean, and cut eight
//! standard deviations from it; a row weight is cut at ten times the largest before. So neither a wild
//! target nor a wild weight spoils anything.

mod expert;
mod learn;
mod sample;
mod state;

pub use learn::AutoLearner;
pub(crate) use state::{Header, running, running_tensors};

use crate::error::Result;
use crate::loss::Loss;
use crate::support::Support;

/// The default online learner: nothing to choose but the loss.
///
/// | field | default | purpose |
/// |---|---|---|
/// | `loss` | `squared` | what a wrong prediction costs |
/// | `support` | found in the first rows | which pairs of features influence each other |
///
/// A constant is added by the learner itself.
///
/// ```
/// use gapfit::data::MaskedMatrix;
/// use gapfit::loss::Loss;
/// use gapfit::online::{Auto, Learn};
///
/// let mut learner = Auto { loss: Loss::Logistic, ..Auto::default() }.start(2)?;
/// let table = MaskedMatrix::from_nan(2, 2, &[1.0, f64::NAN, -1.0, 1e6])?;
/// for _ in 0..50 {
///     learner.learn(table.row(0), 1.0, 1.0)?;
///     learner.learn(table.row(1), -1.0, 1.0)?;
/// }
/// assert!(learner.predict(table.row(0))? > 0.0); // log-odds of the class 1
/// # Ok::<(), gapfit::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Auto {
    /// What a wrong prediction costs.
    pub loss: Loss,
    /// Which pairs of features influence each other; `None` finds them in the first rows.
    pub support: Option<Support>,
}

impl Auto {
    /// Checks the settings, for this many features.
    ///
    /// # Errors
    /// [`Error::Setting`](crate::Error::Setting) when the loss is out of range,
    /// [`Error::Shape`](crate::Error::Shape) when the support is one of another number of features.
    pub fn validate(&self, n_features: usize) -> Result<()> {
        self.loss.validate()?;
        match &self.support {
            Some(support) => support.check(n_features),
            None => Ok(()),
        }
    }

    /// A learner over this many features, called `x0`, `x1`, ..., that knows nothing yet.
    ///
    /// # Errors
    /// As [`Self::validate`]; [`Error::Setting`](crate::Error::Setting) when there are too many features.
    pub fn start(&self, n_features: usize) -> Result<AutoLearner> {
        AutoLearner::new(self.clone(), super::numbered(n_features))
    }
}
