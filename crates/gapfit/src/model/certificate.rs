//! What a model can prove about its own fit.

use crate::container::broken;
use crate::error::Result;
use crate::joint::{Outcome, Status};
use serde::{Deserialize, Serialize};

/// How close to the best possible value of its objective a model is, as its fit proved.
///
/// ```
/// use gapfit::data::{Dataset, MaskedMatrix};
/// use gapfit::{Learner, Parameters};
///
/// let table = MaskedMatrix::from_nan(3, 1, &[1.0, f64::NAN, 3.0])?;
/// let data = Dataset::new(table, vec![2.0, 3.0, 5.0])?;
/// let fitted = Learner::default().fit(&data, Parameters { alpha: 0.1, gamma: 1.0 })?;
/// let certificate = fitted.model.certificate();
/// assert!(certificate.lower_bound <= certificate.objective);
/// # Ok::<(), gapfit::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Certificate {
    /// Why the solver stopped.
    pub status: Status,
    /// Steps it took.
    pub iterations: usize,
    /// The objective at the model.
    pub objective: f64,
    /// A bound no predictor of the class can go below.
    pub lower_bound: f64,
    /// `(objective - lower_bound) / |objective|`, 0 when both are 0.
    pub gap: f64,
}

impl Certificate {
    /// What a file can hold of an outcome: numbers beyond the range are its ends.
    pub(crate) fn of(outcome: &Outcome) -> Self {
        // NaN is zero times an overflow
        let finite = |x: f64| {
            if x.is_nan() {
                0.0
            } else {
                x.clamp(f64::MIN, f64::MAX)
            }
        };
        Self {
            status: outcome.status,
            iterations: outcome.iterations,
            objective: finite(outcome.objective),
            lower_bound: finite(outcome.lower_bound),
            gap: finite(outcome.gap),
        }
    }

    /// Refuses one from a file that says the impossible.
    pub(super) fn check(&self) -> Result<()> {
        if self.objective >= 0.0 && self.gap >= 0.0 {
            return Ok(());
        }
        let got = format!("objective {} with gap {}", self.objective, self.gap);
        let expected = "an objective and a gap that are not negative";
        Err(broken("certificate", expected, &got))
    }
}
