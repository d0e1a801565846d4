//! The data sets of "Learning with Missing Features" (Rostamizadeh, Agarwal, Bartlett, UAI 2011)
//! that may be shipped, embedded in the binary.

mod dataset;

pub use dataset::Embedded;
