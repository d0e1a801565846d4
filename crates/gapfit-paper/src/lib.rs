//! The data sets of "Learning with Missing Features" (Rostamizadeh, Agarwal, Bartlett, UAI 2011)
//! that may be shipped, embedded in the binary; and a benchmark whose best predictor is known.

mod dataset;
pub mod neumiss;
mod parse;

pub use dataset::Embedded;
