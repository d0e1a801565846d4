//! The experiments of "Learning with Missing Features" (Rostamizadeh, Agarwal, Bartlett, UAI 2011), run again:
//! its data sets, as far as they may be shipped, embedded in the binary; its tables and figures as data,
//! run trial by trial and shown beside what the paper reports; and a benchmark whose best predictor is known.

mod dataset;
mod error;
pub mod experiment;
pub mod neumiss;
pub mod outcome;
mod parse;
pub mod render;
pub mod runner;
mod source;
mod trial;

pub use dataset::Embedded;
pub use error::{Error, Result};
pub use source::Source;
pub use trial::Tuning;
