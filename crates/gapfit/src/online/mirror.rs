//! Mirror descent: regularisers, feasible sets, and a dense step for any of them.
//!
//! ```text
//! A_{t+1} = argmin over A in the feasible set of  η_t <∇ℓ_t, A> + D_R(A, A_t)
//! ```
//!
//! A regulariser R needs two maps for that: its gradient, and from a dual point Θ back to the feasible
//! point where `R(A) - <Θ, A>` is smallest; the step is `inverse(gradient(A_t) - η_t ∇ℓ_t)`.
//!
//! The shipped ones are half the squares of norms, `R(A) = ½‖A‖²`, so that `frob` on all matrices is
//! plain gradient descent with rate η. (The paper's experiments leave out the ½, which doubles η.)
//!
//! | regulariser | ‖A‖² | free entries |
//! |---|---|---|
//! | `frob` | `‖A‖²_F` | all |
//! | `sparse` | `‖A‖²_F + row_penalty ‖A ψ(1)‖²` | a [`Support`] |
//!
//! `A ψ(1)` are the weights of a complete row. For ψ = z that is the paper's `A1`; for the affine ψ it
//! is column 0 (docs/math.md 13.2).

use super::psi::MaskFeatures;
use super::step::positive;
use super::weights::Weights;
use crate::error::{Error, Result};
use crate::support::Support;
use std::fmt;
use std::str::FromStr;

/// A strongly convex function of A that shapes the steps, with the set in which A must stay.
///
/// Implement it to use another geometry with [`DenseDescent`](super::DenseDescent).
///
/// ```
/// use gapfit::data::MaskedMatrix;
/// use gapfit::loss::Loss;
/// use gapfit::online::{DenseDescent, Learn, MaskFeatures, MaskMap, Regulariser, Step, Weights};
///
/// /// ½ Σ_i c_i ‖row i of A‖²: features with a large c move less.
/// #[derive(Debug)]
/// struct Priced(Vec<f64>);
///
/// impl Priced {
///     fn scaled(&self, from: &Weights, factor: impl Fn(f64) -> f64) -> Weights {
///         let mut to = from.clone();
///         for j in 0..from.n_columns() {
///             for i in 0..from.n_features() {
///                 to[(i, j)] *= factor(self.0[i]);
///             }
///         }
///         to
///     }
/// }
///
/// impl Regulariser for Priced {
///     fn gradient(&self, weights: &Weights) -> Weights {
///         self.scaled(weights, |c| c)
///     }
///     fn inverse(&self, dual: Weights) -> Weights {
///         self.scaled(&dual, |c| 1.0 / c)
///     }
/// }
///
/// let psi = MaskMap::new(MaskFeatures::Affine, 2)?;
/// let step = Step::Constant { eta: 0.1 };
/// let mut learner = DenseDescent::new(psi, Loss::Squared, Priced(vec![1.0, 10.0]), step)?;
/// let table = MaskedMatrix::from_nan(1, 2, &[1.0, 1.0])?;
/// learner.learn(table.row(0), 1.0, 1.0)?;
/// assert!((learner.weights()[(0, 0)] - 0.2).abs() < 1e-15);
/// assert!((learner.weights()[(1, 0)] - 0.02).abs() < 1e-15);
/// # Ok::<(), gapfit::Error>(())
/// ```
pub trait Regulariser: std::fmt::Debug {
    /// `∇R(A)`.
    fn gradient(&self, weights: &Weights) -> Weights;

    /// The feasible A at which `R(A) - <dual, A>` is smallest.
    fn inverse(&self, dual: Weights) -> Weights;
}

/// Which shipped regulariser shapes the steps.
///
/// ```
/// use gapfit::online::{Mirror, Support};
/// let mirror = Mirror::Sparse { row_penalty: 0.5, support: Support::grid(8, 8) };
/// assert_eq!(mirror.row_penalty(), 0.5);
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Mirror {
    /// `½‖A‖²_F`: every entry moves on its own.
    #[default]
    Frob,
    /// `½(‖A‖²_F + row_penalty ‖A ψ(1)‖²)` on a support.
    Sparse {
        /// How much more it costs to move the weights of a complete row (the paper's online γ).
        row_penalty: f64,
        /// The entries that may differ from zero.
        support: Support,
    },
}

impl Mirror {
    /// The weight of `‖A ψ(1)‖²`; 0 for `frob`.
    pub fn row_penalty(&self) -> f64 {
        match self {
            Self::Frob => 0.0,
            Self::Sparse { row_penalty, .. } => *row_penalty,
        }
    }

    /// The entries that may differ from zero.
    pub(crate) fn support(&self) -> Support {
        match self {
            Self::Frob => Support::full(),
            Self::Sparse { support, .. } => support.clone(),
        }
    }

    /// Checks the settings, for this ψ over this many features.
    ///
    /// # Errors
    /// [`Error::Setting`] when `row_penalty` is negative or beyond 1e100, or when ψ has no columns
    /// that belong to features, so that a support means nothing; [`Error::Shape`] when the support is
    /// one of another number of features.
    pub fn validate(&self, psi: MaskFeatures, n_features: usize) -> Result<()> {
        let Self::Sparse {
            row_penalty,
            support,
        } = self
        else {
            return Ok(());
        };
        if !(0.0..=1e100).contains(row_penalty) {
            return Err(Error::Setting {
                name: "row_penalty",
                expected: "a number from 0 to 1e100",
                got: row_penalty.to_string(),
            });
        }
        let blind = matches!(psi, MaskFeatures::Constant | MaskFeatures::Pattern(_));
        if blind && support.lists().is_some() {
            return Err(Error::Setting {
                name: "support",
                expected: "full where psi is constant or pattern",
                got: "pairs of features".to_owned(),
            });
        }
        support.check(n_features)
    }
}

/// Where A must stay.
///
/// ```
/// use gapfit::online::Feasible;
/// assert!(Feasible::Ball(2.0).validate().is_ok());
/// assert!(Feasible::FrobeniusBall(-1.0).validate().is_err());
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Feasible {
    /// Anywhere on the support.
    #[default]
    Everything,
    /// Within this distance of zero, in the norm of the regulariser.
    Ball(f64),
    /// Within this distance of zero, in the Frobenius norm.
    FrobeniusBall(f64),
}

impl Feasible {
    /// Checks the radius.
    ///
    /// # Errors
    /// [`Error::Setting`] when it is not positive or beyond 1e100.
    pub fn validate(self) -> Result<()> {
        match self {
            Self::Everything => Ok(()),
            Self::Ball(radius) | Self::FrobeniusBall(radius) => positive("radius", radius),
        }
    }
}

impl fmt::Display for Feasible {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Everything => f.pad("everything"),
            Self::Ball(radius) => f.pad(&format!("ball={radius}")),
            Self::FrobeniusBall(radius) => f.pad(&format!("frobenius={radius}")),
        }
    }
}

impl FromStr for Feasible {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        let set = match name.split_once('=') {
            None if name == "everything" => Some(Self::Everything),
            Some(("ball", radius)) => radius.parse().ok().map(Self::Ball),
            Some(("frobenius", radius)) => radius.parse().ok().map(Self::FrobeniusBall),
            _ => None,
        };
        let set = set.ok_or_else(|| Error::Setting {
            name: "set",
            expected: "everything, ball=R or frobenius=R",
            got: name.to_owned(),
        })?;
        set.validate()?;
        Ok(set)
    }
}
