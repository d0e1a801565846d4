//! Writes which cells of delimited text are observed.

use std::io::Write;

use super::blank::CopyError;
use super::header;
use super::records::Records;
use crate::cell::Missing;

/// Writes the header of `text` and, for each row, 1 where a cell is observed and 0 where it is
/// missing. Cells may hold any text: what is not a mark for missing is observed.
///
/// # Errors
/// [`CopyError`] when `out` cannot be written or a quote is never closed.
///
/// ```
/// use gapfit_io::{Missing, csv};
/// let mut mask = Vec::new();
/// csv::mask(b"id,a\nx,NA\n", None, &Missing::default(), &mut mask)?;
/// assert_eq!(mask, b"id,a\n1,0\n");
/// # Ok::<_, csv::CopyError>(())
/// ```
pub fn mask(
    text: &[u8],
    delimiter: Option<u8>,
    missing: &Missing,
    out: &mut dyn Write,
) -> Result<(), CopyError> {
    let mut records = Records::new(text);
    let delimiter = header::prepare(&mut records, delimiter)?;
    let (mut line, mut is_header) = (Vec::new(), true);
    while records.advance()? {
        let record = records.record();
        line.clear();
        for j in 0..record.len() {
            if is_header {
                line.extend_from_slice(record.raw(j));
            } else {
                let is_missing = missing.matches(record.content(j).trim_ascii());
                line.push(if is_missing { b'0' } else { b'1' });
            }
            line.push(delimiter);
        }
        line.pop();
        line.push(b'\n');
        out.write_all(&line)?;
        is_header = false;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mask_has_the_header_and_the_rows_of_the_text() {
        let text = "\u{feff}\"a;b\";c\r\n\"\"; ? \r\n\r\n0;\"x;y\"";
        let mut found = Vec::new();
        mask(text.as_bytes(), None, &Missing::default(), &mut found).unwrap();
        assert_eq!(String::from_utf8(found).unwrap(), "\"a;b\";c\n0;0\n1;1\n");
    }
}
