//! gapfit learns to predict straight from tables with holes.
pub mod corrupt;
pub mod data;
pub mod error;
pub mod eval;
mod features;
mod gram;
mod impute;
pub mod joint;
pub mod learn;
mod linalg;
pub mod method;
pub mod model;
mod moments;
mod pipeline;
pub mod prepare;
pub mod tune;

pub use error::{Error, Result};
pub use learn::{Fitted, Learner, Parameters};
pub use method::{Base, Method};
pub use model::Model;
