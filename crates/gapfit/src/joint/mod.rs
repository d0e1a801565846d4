//! Imputed ridge regression, solved exactly: penalty, certificate, solver.
//!
//! The paper relaxes the joint choice of predictor and imputation to a semidefinite program; that
//! program is a least-squares problem with the group penalty Ω (docs/math.md 4), solved here by a
//! Newton method to a certified duality gap.

pub(crate) mod blocks;
pub mod bounds;
mod certificate;
mod conjugate;
pub(crate) mod curved;
pub(crate) mod dense;
pub(crate) mod intercept;
pub(crate) mod matrix_free;
mod multipliers;
mod omega;
mod outcome;
pub(crate) mod outputs;
mod polar;
mod precondition;
pub(crate) mod quadratic;
mod recover;
mod risk;
pub(crate) mod solver;
mod term;

pub use outcome::{Outcome, Status};
pub use recover::{DualPredictor, Imputation};

/// The cases of a reference file in tests/reference.
#[cfg(test)]
fn reference_cases<Case: serde::de::DeserializeOwned>(json: &str) -> Vec<Case> {
    #[derive(serde::Deserialize)]
    struct File<Case> {
        cases: Vec<Case>,
    }
    let file: File<Case> = serde_json::from_str(json).expect("a reference file");
    file.cases
}
