//! Learning from a stream: weights that depend on what is observed, one row at a time (paper 3).
//!
//! A hypothesis is a matrix A and a function ψ of the mask, `f(x', z) = <A ψ(z), x'>`. Rows come one by
//! one; the learner predicts, is told the target, and takes a step of mirror descent (docs/math.md 13):
//!
//! 1. [`MirrorDescent`] says what to learn: ψ, loss, regulariser, feasible set, step, fill.
//! 2. [`MirrorDescent::start`] gives an [`OnlineLearner`], all zero.
//! 3. [`Learn::learn`] returns the prediction made before the step, so that its losses add up to an
//!    honest score; [`Learn::predict`] never changes anything.
//! 4. [`OnlineLearner::to_bytes`] saves the state; what is resumed from it continues bit by bit as if
//!    it had not stopped.
//!
//! ```
//! use gapfit::data::MaskedMatrix;
//! use gapfit::online::{Learn, MirrorDescent};
//!
//! let mut learner = MirrorDescent::default().start(2)?;
//! let table = MaskedMatrix::from_nan(2, 2, &[1.0, f64::NAN, 0.5, 2.0])?;
//! for _ in 0..200 {
//!     learner.learn(table.row(0), 3.0, 1.0)?;
//!     learner.learn(table.row(1), -1.0, 1.0)?;
//! }
//! assert!((learner.predict(table.row(0))? - 3.0).abs() < 0.1);
//! assert!((learner.predict(table.row(1))? + 1.0).abs() < 0.1);
//! # Ok::<(), gapfit::Error>(())
//! ```
//!
//! [`RegretMeter`] compares what a learner suffered with the best matrix in hindsight; [`Adversary`] makes
//! streams on which regret cannot be small.
//!
//! Nothing that comes in a row can make a number of the state infinite or NaN, and a row that is
//! refused changes nothing (docs/math.md 13.5).

mod adaptive;
mod adversary;
mod auto;
mod ball;
mod clip;
mod columns;
pub mod construct;
mod delayed;
mod dense;
mod fill;
mod kernel;
mod lazy;
mod learn;
mod mask_map;
mod mirror;
mod mixture;
mod psi;
mod quadratic;
pub mod regret;
mod running;
mod saved;
mod selection;
mod settings;
mod state;
mod step;
mod streaming;
mod weights;

pub use crate::support::{Support, SupportRule};
pub use adaptive::{Adaptive, AdaptiveLearner, AdaptiveRule};
pub use adversary::Adversary;
pub use auto::{Auto, AutoLearner};
pub use delayed::Delayed;
pub use dense::DenseDescent;
pub use fill::Fill;
pub use learn::OnlineLearner;
pub use mask_map::MaskMap;
pub use mirror::{Feasible, Mirror, Regulariser};
pub use mixture::Mixture;
pub use psi::MaskFeatures;
pub use quadratic::Quadratic;
pub use regret::{Regret, RegretMeter};
pub use running::Units;
pub use settings::MirrorDescent;
pub use step::Step;
pub use streaming::{Rule, StreamLearner, Streaming};
pub use weights::Weights;

use crate::data::MaskedRow;
use crate::error::{Error, Result};
use crate::loss::Loss;

/// Targets and predictions are at most this large.
pub(crate) const LARGEST: f64 = 1e150;

/// What one row did.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Learnt {
    /// The prediction before the target was looked at.
    pub prediction: f64,
    /// Its loss, not weighted.
    pub loss: f64,
    /// Whether the step was so long that it had to be clipped.
    pub clipped: bool,
}

/// Something that learns row by row.
///
/// ```
/// use gapfit::data::MaskedMatrix;
/// use gapfit::online::{Learn, MirrorDescent};
///
/// /// The average loss of predicting each row before learning from it.
/// fn progressive(learner: &mut impl Learn, table: &MaskedMatrix, y: &[f64]) -> gapfit::Result<f64> {
///     let mut sum = 0.0;
///     for (row, &y) in table.rows().zip(y) {
///         sum += learner.learn(row, y, 1.0)?.loss;
///     }
///     Ok(sum / y.len() as f64)
/// }
///
/// let table = MaskedMatrix::from_nan(2, 1, &[1.0, 1.0])?;
/// let mut learner = MirrorDescent::default().start(1)?;
/// let loss = progressive(&mut learner, &table, &[1.0, 1.0])?;
/// assert!(loss < 1.0);
/// # Ok::<(), gapfit::Error>(())
/// ```
pub trait Learn {
    /// The number of features a row must have.
    fn n_features(&self) -> usize;

    /// What a wrong prediction costs.
    fn loss(&self) -> Loss;

    /// The prediction for a row, a finite number; changes nothing.
    ///
    /// # Errors
    /// [`Error::Shape`] when the row has another number of features.
    fn predict(&self, row: MaskedRow<'_>) -> Result<f64>;

    /// Predicts, then learns the target of a row; weight 2 makes the loss count twice, weight 0 makes
    /// it no row at all.
    ///
    /// # Errors
    /// [`Error::Shape`] when the row has another number of features, [`Error::NotFinite`] or
    /// [`Error::Setting`] when the target or the weight is not legal. Then nothing has changed.
    fn learn(&mut self, row: MaskedRow<'_>, target: f64, weight: f64) -> Result<Learnt>;
}

/// Names for features that have none.
pub(crate) fn numbered(n_features: usize) -> Vec<String> {
    (0..n_features).map(|j| format!("x{j}")).collect()
}

/// Refuses features of the same name.
pub(crate) fn check_names(names: &[String]) -> Result<()> {
    let mut sorted: Vec<_> = names.iter().collect();
    sorted.sort_unstable();
    match sorted.windows(2).find(|w| w[0] == w[1]) {
        Some(twice) => Err(same_name(twice[0])),
        None => Ok(()),
    }
}

/// Refuses new features whose names are taken.
pub(crate) fn check_new_names(taken: &[String], new: &[String]) -> Result<()> {
    match new.iter().find(|name| taken.contains(name)) {
        Some(name) => Err(same_name(name)),
        None => check_names(new),
    }
}

pub(crate) fn same_name(name: &str) -> Error {
    Error::Setting {
        name: "feature names",
        expected: "distinct names",
        got: format!("'{name}' twice"),
    }
}

/// Refuses a row of another width.
pub(crate) fn check_row(row: MaskedRow<'_>, n_features: usize) -> Result<()> {
    match row.values().len() {
        n if n == n_features => Ok(()),
        n => Err(Error::Shape {
            what: "features of the row",
            expected: n_features,
            got: n,
        }),
    }
}

/// Refuses a target the loss has no meaning for, or a weight that is none; `round` is for the message.
pub(crate) fn check_target(loss: Loss, target: f64, weight: f64, round: u64) -> Result<()> {
    for (what, number) in [("target", target), ("row weight", weight)] {
        if !number.is_finite() {
            return Err(Error::NotFinite {
                what: what.to_owned(),
                row: usize::try_from(round).unwrap_or(usize::MAX),
                got: number,
            });
        }
    }
    let is_class = [-1.0, 1.0].contains(&target);
    let (name, expected, got) = if loss.is_classification() && !is_class {
        ("target", "-1 or 1", target)
    } else if target.abs() > LARGEST {
        ("target", "a number between -1e150 and 1e150", target)
    } else if !(0.0..=1e100).contains(&weight) {
        ("row weight", "a number from 0 to 1e100", weight)
    } else {
        return Ok(());
    };
    Err(Error::Setting {
        name,
        expected,
        got: got.to_string(),
    })
}
