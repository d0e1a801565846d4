//! The one error type of the library: what was wrong, what was expected, what was given.

use crate::method::Method;
use std::path::PathBuf;

/// What can go wrong. Not converging is no error.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A setting is outside its range.
    #[error("{name}: expected {expected}, got {got}")]
    Setting {
        /// Name of the setting, as in the Rust struct, the flag and Python.
        name: &'static str,
        /// Its legal range, in words.
        expected: &'static str,
        /// The value that was given.
        got: String,
    },
    /// Two sizes that must agree do not.
    #[error("{what}: expected {expected}, got {got}")]
    Shape {
        /// What was counted.
        what: &'static str,
        /// The size that fits.
        expected: usize,
        /// The size that was given.
        got: usize,
    },
    /// A number is infinite, or NaN where a hole is not allowed.
    #[error("{what}, row {row}: expected a finite number, got {got}")]
    NotFinite {
        /// Which column or vector.
        what: String,
        /// Zero-based row.
        row: usize,
        /// The number that was given.
        got: f64,
    },
    /// There is nothing to learn from.
    #[error("{what}: expected {expected}, got none")]
    Empty {
        /// What is absent.
        what: &'static str,
        /// What would do.
        expected: &'static str,
    },
    /// A matrix that should be positive definite is not, within rounding.
    #[error("linear system of size {size}: expected a positive definite matrix, pivot failed")]
    NotPositiveDefinite {
        /// Its order.
        size: usize,
    },
    /// There is more than a solver can handle.
    #[error("{what}: expected at most {limit}, got {got}")]
    TooLarge {
        /// What was counted, and for whom.
        what: String,
        /// The largest number that is allowed.
        limit: usize,
        /// The number that was given.
        got: usize,
    },
    /// A table has more columns than there is memory for.
    #[error("{method}: expected at most {limit} features, got {got}, for which a fit would take {:.0} GB of memory", bytes / 1e9)]
    TooWide {
        /// The method that was to be fitted.
        method: Method,
        /// The largest number of such features that is allowed.
        limit: usize,
        /// The number of features.
        got: usize,
        /// What a fit would take of memory, in bytes, at least.
        bytes: f64,
    },
    /// A solver broke down; rounding or overflow left it without a solution.
    #[error("{what}: expected finite numbers, broke down on the way")]
    Numerical {
        /// The solver.
        what: String,
    },
    /// A model file is damaged, of another version, or not a model at all.
    #[error("model file: {what}: expected {expected}, got {got}")]
    Model {
        /// The part that is wrong.
        what: String,
        /// What a sound file has there.
        expected: String,
        /// What this one has.
        got: String,
    },
    /// A file could not be read or written.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// Rows that are read in passes could not be read.
    #[error(transparent)]
    Pass(Box<dyn std::error::Error + Send + Sync>),
    /// The progress callback asked to stop.
    #[error("stopped on request")]
    Stopped,
}

/// Shorthand for results of this library.
pub type Result<T> = std::result::Result<T, Error>;
