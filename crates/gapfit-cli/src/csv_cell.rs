//! Text as a cell of CSV.

use gapfit_io::csv;

/// A text as a cell of CSV, in quotes where it needs them.
pub(crate) fn quoted(text: &str) -> String {
    csv::quoted(text, b',').into_owned()
}
