//! The solvers and their names.

use crate::error::Error;
use std::fmt;
use std::str::FromStr;

/// Who solves imputed ridge regression.
///
/// ```
/// use gapfit::rival::Solver;
///
/// assert_eq!("silp".parse::<Solver>()?, Solver::Silp);
/// assert_eq!(Solver::default(), Solver::Exact);
/// # Ok::<(), gapfit::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Solver {
    /// The relaxation by Newton's method, to a certified gap; the only one for every method and size.
    #[default]
    Exact,
    /// The relaxation by the paper's cutting planes, to a gap of about 1e-3.
    Silp,
    /// The non-convex problem before the relaxation, by turns in predictor and imputation.
    Alternating,
    /// The relaxation as the semidefinite program of the paper, by a general conic solver.
    #[cfg(feature = "sdp")]
    Sdp,
}

impl Solver {
    /// Every solver that was compiled in.
    pub const ALL: &'static [Self] = &[
        Self::Exact,
        Self::Silp,
        Self::Alternating,
        #[cfg(feature = "sdp")]
        Self::Sdp,
    ];

    /// A relative gap that can be asked of it.
    pub fn usual_tol(self) -> f64 {
        match self {
            Self::Exact | Self::Alternating => 1e-8,
            Self::Silp => 1e-3,
            #[cfg(feature = "sdp")]
            Self::Sdp => 1e-6,
        }
    }
}

impl fmt::Display for Solver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Exact => "exact",
            Self::Silp => "silp",
            Self::Alternating => "alternating",
            #[cfg(feature = "sdp")]
            Self::Sdp => "sdp",
        })
    }
}

#[cfg(feature = "sdp")]
const NAMES: &str = "exact, silp, alternating or sdp";
#[cfg(not(feature = "sdp"))]
const NAMES: &str = "exact, silp or alternating (sdp needs a build with the cargo feature sdp)";

impl FromStr for Solver {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self, Error> {
        let named = |solver: &&Self| solver.to_string() == name;
        let found = Self::ALL.iter().find(named).copied();
        found.ok_or_else(|| Error::Setting {
            name: "solver",
            expected: NAMES,
            got: name.to_owned(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_round_trip() {
        for &solver in Solver::ALL {
            assert_eq!(solver.to_string().parse::<Solver>().unwrap(), solver);
        }
        assert!("newton".parse::<Solver>().is_err());
    }

    #[cfg(not(feature = "sdp"))]
    #[test]
    fn a_solver_that_is_not_compiled_in_says_what_it_needs() {
        let error = "sdp".parse::<Solver>().unwrap_err().to_string();
        assert!(error.contains("feature sdp"), "{error}");
    }
}
