//! Copies delimited text with some cells emptied.

use std::io::Write;

use super::records::Broken;
use super::replace::replace;

/// Why a copy failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CopyError {
    /// The text ends inside quotes.
    #[error("line {line}: expected a closing quote, got the end of the text")]
    UnclosedQuote {
        /// One-based line on which the record starts.
        line: u64,
    },
    /// The copy could not be written.
    #[error(transparent)]
    Io(#[from] std::io::Error),
    /// The rows could not be read again.
    #[error(transparent)]
    Table(#[from] crate::Error),
}

/// Copies `text` to `out`, emptying the cells for which `hide(row, column)` holds.
///
/// Rows count from the first after the header, columns from the first in the file. Every other
/// byte stays as it is: numbers keep their digits, cells their quotes, lines their ends. In a file
/// of one column an emptied cell is written `""`, because a blank line would not count as a row.
///
/// # Errors
/// [`CopyError`] when `out` cannot be written or a quote is never closed.
///
/// ```
/// let mut copy = Vec::new();
/// gapfit_io::csv::blank(b"a;b\r\n1.50;\"2\"\r\n", None, &mut copy, |_, column| column == 1)?;
/// assert_eq!(copy, b"a;b\r\n1.50;\r\n");
/// # Ok::<_, gapfit_io::csv::CopyError>(())
/// ```
pub fn blank(
    text: &[u8],
    delimiter: Option<u8>,
    out: &mut dyn Write,
    mut hide: impl FnMut(usize, usize) -> bool,
) -> Result<(), CopyError> {
    replace(text, delimiter, out, |row, column| {
        hide(row, column).then(String::new)
    })
}

impl From<Broken> for CopyError {
    fn from(broken: Broken) -> Self {
        match broken {
            Broken::Io(cause) => Self::Io(cause),
            Broken::UnclosedQuote(line) => Self::UnclosedQuote { line },
            Broken::TooLong(_) => unreachable!("records of a text in memory have any length"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Table;
    use crate::csv::{Options, Reader};

    fn blanked(text: &str, hide: impl FnMut(usize, usize) -> bool) -> String {
        let mut copy = Vec::new();
        blank(text.as_bytes(), None, &mut copy, hide).unwrap();
        String::from_utf8(copy).unwrap()
    }

    #[test]
    fn bytes_of_other_cells_stay_as_they_are() {
        let text = "\u{feff}a,b , \"c,d\"\r\n1.500,\"x, \"\"y\"\"\", NA\r\n\r\n+2,3e0,\"4\"";
        assert_eq!(blanked(text, |_, _| false), text);
        assert_eq!(
            blanked(text, |row, column| (row, column) == (0, 1)
                || (row, column) == (1, 2)),
            "\u{feff}a,b , \"c,d\"\r\n1.500,, NA\r\n\r\n+2,3e0,"
        );
    }

    #[test]
    fn an_emptied_cell_of_a_single_column_is_still_a_row() {
        let copy = blanked("a\n1\n2\n", |row, _| row == 1);
        assert_eq!(copy, "a\n1\n\"\"\n");
        let mut reader = Reader::new(copy.as_bytes(), "copy", &Options::default()).unwrap();
        let table = Table::read(&mut reader).unwrap();
        assert_eq!(table.cells().n_rows(), 2);
        assert_eq!(table.cells().get(1, 0), None);
    }
}
