//! Copies delimited text with some cells replaced.

use std::io::Write;

use super::blank::CopyError;
use super::copier::Copier;

/// Copies `text` to `out`, with `by(row, column)` in place of the cells for which it is something.
///
/// Rows count from the first after the header, columns from the first in the file. Every other
/// byte stays as it is: numbers keep their digits, cells their quotes, lines their ends. A text gets
/// quotes where it needs them, also an empty one in a file of one column, because a blank line would not
/// count as a row.
///
/// # Errors
/// [`CopyError`] when `out` cannot be written or a quote is never closed.
///
/// ```
/// let mut copy = Vec::new();
/// let one = |_, column| (column == 1).then(|| "1".to_owned());
/// gapfit_io::csv::replace(b"a;b\r\n1.50;NA\r\n", None, &mut copy, one)?;
/// assert_eq!(copy, b"a;b\r\n1.50;1\r\n");
/// # Ok::<_, gapfit_io::csv::CopyError>(())
/// ```
pub fn replace(
    text: &[u8],
    delimiter: Option<u8>,
    out: &mut dyn Write,
    mut by: impl FnMut(usize, usize) -> Option<String>,
) -> Result<(), CopyError> {
    let mut copier = Copier::new(text, delimiter);
    let mut row = 0;
    while copier.next_row(out, |column| by(row, column))? {
        row += 1;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_of_other_cells_stay_as_they_are() {
        let text = "\u{feff}a,b , \"c,d\"\r\n1.500,\"x, \"\"y\"\"\", NA\r\n\r\n+2,,\"4\"";
        let mut copy = Vec::new();
        let by = |row, column| {
            let is_hole = (row, column) == (0, 2) || (row, column) == (1, 1);
            is_hole.then(|| format!("{row}.5"))
        };
        replace(text.as_bytes(), None, &mut copy, by).unwrap();
        assert_eq!(
            String::from_utf8(copy).unwrap(),
            "\u{feff}a,b , \"c,d\"\r\n1.500,\"x, \"\"y\"\"\",0.5\r\n\r\n+2,1.5,\"4\""
        );
    }

    #[test]
    fn texts_get_quotes_where_they_need_them() {
        let mut copy = Vec::new();
        let by = |row: usize, _| Some(["a,b", "5\" x;y"][row].to_owned());
        replace(b"t;u\n;\n;\n", None, &mut copy, by).unwrap();
        let expected = "t;u\na,b;a,b\n\"5\"\" x;y\";\"5\"\" x;y\"\n";
        assert_eq!(String::from_utf8(copy).unwrap(), expected);
    }
}
