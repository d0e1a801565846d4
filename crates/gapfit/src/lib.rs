//! gapfit learns to predict straight from tables with holes.
pub mod corrupt;
pub mod data;
pub mod error;

pub use error::{Error, Result};
