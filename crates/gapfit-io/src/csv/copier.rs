//! Copies delimited text row by row, with some cells replaced.

use std::borrow::Cow;
use std::io::{Read, Write};

use super::blank::CopyError;
use super::header;
use super::record::Record;
use super::records::Records;
use crate::buffer::BOM;

/// Copies delimited text row by row, with some cells replaced.
///
/// Every other byte stays as it is: numbers keep their digits, cells their quotes, lines their ends. A
/// text gets quotes where it needs them, also an empty one in a file of one column, because a blank line
/// would not count as a row.
#[derive(Debug)]
pub(crate) struct Copier<R> {
    records: Records<R>,
    /// The byte between cells; known once it is given or the header is read.
    delimiter: Option<u8>,
    has_header: bool,
}

impl<R: Read> Copier<R> {
    /// Nothing is read yet; the byte between cells is recognised from the header when absent.
    pub(crate) fn new(input: R, delimiter: Option<u8>) -> Self {
        Self {
            records: Records::new(input),
            delimiter,
            has_header: false,
        }
    }

    /// Copies the header, unless that is done.
    pub(crate) fn header(&mut self, out: &mut dyn Write) -> Result<(), CopyError> {
        if !std::mem::replace(&mut self.has_header, true) {
            if self.records.peek_line()?.starts_with(BOM) {
                out.write_all(BOM)?;
            }
            self.delimiter = Some(header::prepare(&mut self.records, self.delimiter)?);
            self.next_record(out, |_| None)?;
        }
        Ok(())
    }

    /// Copies the next row, in the first call also the header before it, with `by(column)` in place of the
    /// cells for which it is something, columns counted from the first in the file; `false` when there is none
    /// and all is copied.
    pub(crate) fn next_row(
        &mut self,
        out: &mut dyn Write,
        by: impl FnMut(usize) -> Option<String>,
    ) -> Result<bool, CopyError> {
        self.header(out)?;
        self.next_record(out, by)
    }

    fn next_record(
        &mut self,
        out: &mut dyn Write,
        by: impl FnMut(usize) -> Option<String>,
    ) -> Result<bool, CopyError> {
        while self.records.advance_to_any()? {
            let record = self.records.record();
            if !record.is_blank() {
                self.write(record, out, by)?;
                return Ok(true);
            }
            out.write_all(record.bytes)?;
        }
        Ok(false)
    }

    fn write(
        &self,
        record: Record<'_>,
        out: &mut dyn Write,
        mut by: impl FnMut(usize) -> Option<String>,
    ) -> Result<(), CopyError> {
        let delimiter = self.delimiter.unwrap_or(b',');
        let mut copied = 0;
        for column in 0..record.len() {
            let Some(cell) = by(column) else {
                continue;
            };
            let span = record.span(column);
            out.write_all(&record.bytes[copied..span.start])?;
            if record.len() == 1 && cell.is_empty() {
                out.write_all(b"\"\"")?;
            } else {
                out.write_all(quoted(&cell, delimiter).as_bytes())?;
            }
            copied = span.end;
        }
        Ok(out.write_all(&record.bytes[copied..])?)
    }
}

/// A text as a cell, in quotes where it needs them.
///
/// ```
/// use gapfit_io::csv::quoted;
/// assert_eq!(quoted("price, net", b','), "\"price, net\"");
/// assert_eq!(quoted("5\" pipe", b','), "\"5\"\" pipe\"");
/// assert_eq!(quoted("a;b", b','), "a;b");
/// ```
pub fn quoted(text: &str, delimiter: u8) -> Cow<'_, str> {
    if text.contains([char::from(delimiter), '"', '\n', '\r']) {
        Cow::Owned(format!("\"{}\"", text.replace('"', "\"\"")))
    } else {
        Cow::Borrowed(text)
    }
}
