//! Rows of delimited text.

use std::io::Read;

use super::Wanted;
use super::row::{Draft, Place};
use crate::csv::{Options, Reader};
use crate::error::Result;
use crate::location::Column;

/// Splits delimited text into cells.
pub(super) struct Rows {
    reader: Reader<Box<dyn Read + Send>>,
}

impl Rows {
    /// The rows after the header, which is read at once.
    pub(super) fn new(
        input: Box<dyn Read + Send>,
        file: &str,
        options: &Options,
    ) -> Result<(Self, Vec<Column>)> {
        let reader = Reader::new(input, file, options)?;
        let columns = reader.columns().to_vec();
        Ok((Self { reader }, columns))
    }

    pub(super) fn next(&mut self, wanted: Wanted<'_>, draft: &mut Draft) -> Result<bool> {
        if !self.reader.next_record()? {
            return Ok(false);
        }
        let record = self.reader.record();
        draft.place = Place::Line(record.line);
        for (j, column) in wanted.columns.iter().enumerate() {
            let cell = record.content(column.index);
            if let Err(fault) = draft.push(wanted, j, &cell) {
                return Err(fault.error(self.reader.location_in(record.line, column), &cell));
            }
        }
        Ok(true)
    }
}
