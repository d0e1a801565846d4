//! What a solve came to.

use serde::{Deserialize, Serialize};

/// Why the solver stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// The certified gap is at most the requested one.
    Converged,
    /// Rounding stopped progress; the gap says how far from optimal the model can be.
    Inaccurate,
    /// The iterations ran out; the gap says how far from optimal the model can be.
    MaxIterations,
    /// A local search came to rest where neither of its turns improves; the gap says how far from
    /// optimal the model can be.
    Stationary,
}

impl std::fmt::Display for Status {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Converged => "converged",
            Self::Inaccurate => "inaccurate",
            Self::MaxIterations => "max_iterations",
            Self::Stationary => "stationary",
        })
    }
}

/// How a solve ended, with its certificate.
///
/// The true minimum of `(1/Σs) Σ s_i loss(y_i, f_i) + alpha Ω` lies between `lower_bound` and
/// `objective`, which is its value at the fitted model.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outcome {
    /// Why it stopped.
    pub status: Status,
    /// Newton steps taken.
    pub iterations: usize,
    /// The objective at the solution.
    pub objective: f64,
    /// A bound no predictor of the class can go below.
    pub lower_bound: f64,
    /// `(objective - lower_bound) / |objective|`, 0 when both are 0.
    pub gap: f64,
    /// Linear systems factored.
    pub factorisations: usize,
    /// Evaluations of the penalty.
    pub evaluations: usize,
}
