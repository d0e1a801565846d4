//! What can go wrong between a data file and a page of results.

use std::path::PathBuf;

/// A [`Result`](std::result::Result) with the crate's [`Error`].
pub type Result<T> = std::result::Result<T, Error>;

/// What can go wrong.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// None of the files that would do is in the folder, or no folder was named.
    #[error("file {names} not found in {place}")]
    NotFound {
        /// The names that would do.
        names: String,
        /// Where was looked.
        place: String,
    },
    /// A data file does not hold what its name promises.
    #[error("{file}: expected {expected}, got {got}")]
    Data {
        /// The file, and the line where there is one.
        file: String,
        /// What a sound file has there.
        expected: String,
        /// What this one has.
        got: String,
    },
    /// A description of an experiment contradicts itself.
    #[error("experiment {name}: expected {expected}, got {got}")]
    Experiment {
        /// Its name.
        name: String,
        /// What a sound one has.
        expected: String,
        /// What this one has.
        got: String,
    },
    /// A file could not be read or written.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// The library refused.
    #[error(transparent)]
    Gapfit(#[from] gapfit::Error),
    /// Whoever watches asked to stop; what is finished is in the journal.
    #[error("stopped before the end; the same command goes on from here")]
    Stopped,
}
