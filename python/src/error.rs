//! Errors of the library as exceptions, by kind; the text is that of the command line.

use gapfit::Error;
use pyo3::PyErr;
use pyo3::exceptions::{PyKeyboardInterrupt, PyOSError, PyRuntimeError, PyTypeError, PyValueError};

/// The exception for an error of the library.
pub(crate) fn raised(error: &Error) -> PyErr {
    let text = error.to_string();
    match error {
        Error::Io { .. } => PyOSError::new_err(text),
        Error::NotPositiveDefinite { .. } | Error::Numerical { .. } => {
            PyRuntimeError::new_err(text)
        }
        Error::Stopped => PyKeyboardInterrupt::new_err(()),
        _ => PyValueError::new_err(text),
    }
}

/// The exception for an error about the cells of a table.
pub(crate) fn raised_by_table(error: &gapfit_io::Error) -> PyErr {
    let text = error.to_string();
    match error {
        gapfit_io::Error::Unreadable { .. } => PyOSError::new_err(text),
        gapfit_io::Error::Unsupported { .. } => PyTypeError::new_err(text),
        _ => PyValueError::new_err(text),
    }
}
