//! Writes a table again, as CSV, with some cells replaced.

use std::fmt;
use std::io::{Read, Write};

use crate::csv::{Copier, CopyError, quoted};
use crate::reader::{Cell, Reader, Reading};

/// Writes the rows of a table of any format again, as CSV, with some cells replaced. What was CSV is copied
/// byte by byte but for those.
///
/// ```
/// use gapfit_io::{Reader, csv};
/// let text = "{\"size\": 40, \"price\": null}\n{\"size\": 3.50, \"price\": 2}\n";
/// let bytes = text.as_bytes();
/// let (mut reader, mut rewriter) = Reader::twice(bytes, "huts.ndjson", &csv::Options::default())?;
/// let mut copy = Vec::new();
/// while reader.next_row()?.is_some() {
///     rewriter.next_row(&mut copy, |column| (column == 1).then(|| "9".to_owned()))?;
/// }
/// assert_eq!(copy, b"size,price\n40,9\n3.50,9\n");
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// ```
pub struct Rewriter {
    rows: Rows,
}

enum Rows {
    Text(Box<Copier<Box<dyn Read + Send>>>),
    Cells {
        reader: Box<Reader>,
        has_header: bool,
    },
}

impl fmt::Debug for Rewriter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Rewriter").finish_non_exhaustive()
    }
}

impl Rewriter {
    /// Text, with this byte between cells; recognised from the header when absent.
    pub(crate) fn of_text(input: Box<dyn Read + Send>, delimiter: Option<u8>) -> Self {
        let rows = Rows::Text(Box::new(Copier::new(input, delimiter)));
        Self { rows }
    }

    /// The columns that a reader gives, as they are written.
    pub(crate) fn of_cells(mut reader: Reader) -> Self {
        let columns = 0..reader.columns().len();
        columns.for_each(|j| reader.read_as(j, Reading::Text));
        let reader = Box::new(reader);
        let has_header = false;
        Self {
            rows: Rows::Cells { reader, has_header },
        }
    }

    /// Writes the header, unless that is done.
    ///
    /// # Errors
    /// As [`next_row`](Self::next_row).
    pub fn header(&mut self, out: &mut dyn Write) -> Result<(), CopyError> {
        match &mut self.rows {
            Rows::Text(copier) => copier.header(out),
            Rows::Cells { reader, has_header } => match std::mem::replace(has_header, true) {
                true => Ok(()),
                false => write_line(out, reader.columns().iter().map(|c| c.name.as_str())),
            },
        }
    }

    /// Writes the next row, in the first call also the header before it, with `by(column)` in place of the
    /// cells for which it is something, columns counted from the first in the file; `false` when there is none
    /// and all is written. The reader of the same table must have gone as far before.
    ///
    /// # Errors
    /// [`CopyError`] when `out` cannot be written or the table not be read.
    pub fn next_row(
        &mut self,
        out: &mut dyn Write,
        by: impl FnMut(usize) -> Option<String>,
    ) -> Result<bool, CopyError> {
        self.header(out)?;
        match &mut self.rows {
            Rows::Text(copier) => copier.next_row(out, by),
            Rows::Cells { reader, .. } => next_row_of_cells(reader, out, by),
        }
    }
}

fn next_row_of_cells(
    reader: &mut Reader,
    out: &mut dyn Write,
    by: impl FnMut(usize) -> Option<String>,
) -> Result<bool, CopyError> {
    let columns = reader.columns().iter().map(|column| column.index);
    let replaced: Vec<Option<String>> = columns.map(by).collect();
    let Some(row) = reader.next_row()? else {
        return Ok(false);
    };
    let cells = replaced
        .iter()
        .enumerate()
        .map(|(j, text)| match (text, row.cell(j)) {
            (Some(text), _) => text.as_str(),
            (None, Cell::Text(text)) => text,
            (None, _) => "",
        });
    write_line(out, cells)?;
    Ok(true)
}

fn write_line<'a>(
    out: &mut dyn Write,
    cells: impl Iterator<Item = &'a str>,
) -> Result<(), CopyError> {
    for (j, cell) in cells.enumerate() {
        let separator = if j == 0 { "" } else { "," };
        write!(out, "{separator}{}", quoted(cell, b','))?;
    }
    Ok(writeln!(out)?)
}
