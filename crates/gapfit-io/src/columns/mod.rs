//! From cells to features: kinds guessed from training rows, or those of a schema.

mod decode;
mod dictionary;
mod encoder;
mod features;
mod guess;
mod kinds;
mod survey;
mod target;

pub use decode::decode;
pub(crate) use dictionary::Dictionary;
pub use encoder::Encoder;
pub use features::features;
pub(crate) use guess::{Content, Guess, Guessed, Guesses};
pub use kinds::Kinds;
pub use survey::{Look, Survey, SurveyColumn};
pub(crate) use target::{push_with_target, visit_columns};

use crate::cell::excerpt;
use crate::error::Error;
use crate::location::Location;
use crate::reader::Cell;

/// Why the cell of a column is not of its kind.
#[derive(Debug)]
pub(crate) struct Unfit {
    /// The place of the column among those that are read.
    pub(crate) column: usize,
    expected: &'static str,
    got: String,
    is_infinite: bool,
}

/// What a date must look like.
const DATE: &str = "a date such as 2024-03-01 or 2024-03-01T12:30:00Z (ISO 8601)";

impl Unfit {
    fn new(column: usize, expected: &'static str, cell: Cell<'_>) -> Self {
        let (got, is_infinite) = match cell {
            Cell::Hole => (String::new(), false),
            Cell::Number(number) => (number.to_string(), false),
            Cell::Text(text) => (excerpt(text.as_bytes()), is_infinite(text)),
        };
        Self {
            column,
            expected,
            got,
            is_infinite,
        }
    }

    /// The error that says where.
    pub(crate) fn error(self, at: Location) -> Error {
        let Self { expected, got, .. } = self;
        match self.is_infinite {
            true => Error::Infinite { at, got },
            false => Error::Unlike { at, expected, got },
        }
    }
}

/// Whether a text is an infinite number.
fn is_infinite(text: &str) -> bool {
    fast_float2::parse::<f64, _>(text).is_ok_and(f64::is_infinite)
}

/// Whether a text is a date or a time as `Kinds::dates` takes it.
///
/// ```
/// assert!(gapfit_io::is_date("2024-03-01"));
/// assert!(!gapfit_io::is_date("March"));
/// ```
pub fn is_date(text: &str) -> bool {
    days(text).is_some()
}

/// Days after the start of 1970.
fn days(text: &str) -> Option<f64> {
    crate::time::seconds(text).map(|seconds| seconds / 86_400.0)
}
