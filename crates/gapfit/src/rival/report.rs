//! What a rival solver has to say about its run, beyond the outcome.

use serde::Serialize;
use std::fmt;

/// The figures of one solver; displayed as a phrase.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(untagged)]
#[non_exhaustive]
pub enum Report {
    /// Cutting planes.
    Silp(Silp),
    /// Alternating minimisation.
    Alternating(Alternating),
    /// The semidefinite program.
    #[cfg(feature = "sdp")]
    Sdp(Sdp),
}

impl Report {
    /// One sentence where the solver had another problem to solve than the exact one.
    pub(crate) fn warning(&self) -> Option<String> {
        let weaker = match self {
            Self::Silp(silp) => silp.is_weaker,
            Self::Alternating(_) => false,
            #[cfg(feature = "sdp")]
            Self::Sdp(sdp) => sdp.is_weaker,
        };
        let sentence = "the lifted features are dependent on these rows, where the paper's K ⪰ 0 asks for less \
                        than the exact solver does: this objective can lie below the exact one";
        weaker.then(|| sentence.to_owned())
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Silp(of) => write!(
                f,
                "{} rounds, {} cuts in α, {} for K ⪰ 0, violation {:.1e}",
                of.rounds,
                of.value_cuts,
                of.kernel_cuts,
                of.violation.abs()
            ),
            Self::Alternating(of) => write!(
                f,
                "relaxation gap {:.1e}; {} starts, {} sweeps, worst start {:.4} of the best",
                of.relaxation_gap, of.starts, of.sweeps, of.worst_start
            ),
            #[cfg(feature = "sdp")]
            Self::Sdp(of) => write!(
                f,
                "{} unknowns, kernel of {} rows, accuracy {:.0e}",
                of.unknowns, of.rows, of.accuracy
            ),
        }
    }
}

/// How a run of cutting planes went; the master's bound is the lower bound of the outcome.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Silp {
    /// Master problems solved.
    pub rounds: usize,
    /// Cuts that bound the value, one per vector α.
    pub value_cuts: usize,
    /// Cuts that ask for a positive semidefinite kernel.
    pub kernel_cuts: usize,
    /// Most negative eigenvalue of the kernel at the last master solution over its largest one; 0 if
    /// none is negative.
    pub violation: f64,
    /// Whether the lifted features are linearly dependent on these rows, so that `K ⪰ 0` on the rows
    /// is a weaker constraint than on every sample (docs/math.md 4.1).
    pub is_weaker: bool,
}

/// How alternating minimisation went.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Alternating {
    /// Points it started from: no imputation, the relaxation's, random ones.
    pub starts: usize,
    /// Turns taken in all.
    pub sweeps: usize,
    /// `(value - lower bound)/value`: how much the relaxation can lose at most.
    pub relaxation_gap: f64,
    /// The value that the worst start led to over the best one.
    pub worst_start: f64,
}

/// How the semidefinite program went.
#[cfg(feature = "sdp")]
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Sdp {
    /// Unknowns of the program: t, M, N.
    pub unknowns: usize,
    /// Rows and columns of the kernel matrix.
    pub rows: usize,
    /// The accuracy that the conic solver vouches for, relative to the value of predicting nothing. The
    /// lower bound is its dual value less that much: its word, not a certificate.
    pub accuracy: f64,
    /// Whether the lifted features are linearly dependent on these rows, so that `K ⪰ 0` on the rows
    /// is a weaker constraint than on every sample (docs/math.md 4.1).
    pub is_weaker: bool,
}
