//! Reads numbers and holes row by row.

use std::io::Read;

use super::header;
use super::record::Record;
use super::records::{Broken, Records};
use crate::buffer::Buffer;
use crate::cell::{Missing, NotNumber};
use crate::error::{Error, Result};
use crate::location::{Column, Location, distinct, position};
use crate::source::Source;

/// How a delimited text file is written.
///
/// | name | default | purpose |
/// |---|---|---|
/// | `delimiter` | recognised from the header: `,` `;` or tab | the byte between cells |
/// | `missing` | empty, NA, N/A, NaN, nan, null, None, ? | the texts that mark a hole |
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The byte between cells; recognised from the header when absent.
    pub delimiter: Option<u8>,
    /// The texts that mark a hole.
    pub missing: Missing,
}

/// A reader of delimited text that has read the header; rows follow one by one, in one pass.
///
/// ```
/// use gapfit_io::csv::{Options, Reader};
/// let text = "name;size;price\nhut;;3.5\n";
/// let mut reader = Reader::new(text.as_bytes(), "huts.csv", &Options::default())?;
/// reader.ignore(&["name"])?;
/// let row = reader.next_row()?.unwrap();
/// assert_eq!(row.cells, [None, Some(3.5)]);
/// assert_eq!(row.line, 2);
/// # Ok::<_, gapfit_io::Error>(())
/// ```
#[derive(Debug)]
pub struct Reader<R> {
    records: Records<R>,
    file: String,
    missing: Missing,
    /// Cells in every row, ignored ones included.
    width: usize,
    /// The columns that are read, in file order.
    columns: Vec<Column>,
    cells: Vec<Option<f64>>,
}

/// One row: the cells of the columns that are read.
#[derive(Clone, Copy, Debug)]
pub struct Row<'a> {
    /// One-based line on which the row starts.
    pub line: u64,
    /// One cell per column; `None` marks a hole.
    pub cells: &'a [Option<f64>],
}

impl Reader<Box<dyn Read + Send>> {
    /// A reader of a file or of standard input.
    ///
    /// # Errors
    /// As [`Reader::new`].
    pub fn open(source: &Source, options: &Options) -> Result<Self> {
        Self::new(source.open()?, &source.name(), options)
    }
}

impl<R: Read> Reader<R> {
    /// A reader of `input`, which messages call `file`; the header is read and checked at once.
    ///
    /// # Errors
    /// [`Error::Unreadable`], [`Error::EmptyFile`], [`Error::NotUtf8`] or
    /// [`Error::DuplicateColumn`].
    pub fn new(input: R, file: &str, options: &Options) -> Result<Self> {
        Self::over(Buffer::new(input, usize::MAX), file, options)
    }

    /// A reader of what is ahead in `buffer`; otherwise as [`Reader::new`].
    pub(crate) fn over(buffer: Buffer<R>, file: &str, options: &Options) -> Result<Self> {
        let mut records = Records::over(buffer);
        let unreadable = |cause| Error::Unreadable {
            file: file.to_owned(),
            cause,
        };
        header::check_encoding(records.peek_line().map_err(unreadable)?, file)?;
        header::prepare(&mut records, options.delimiter).map_err(unreadable)?;
        let mut reader = Self {
            records,
            file: file.to_owned(),
            missing: options.missing.clone(),
            width: 0,
            columns: Vec::new(),
            cells: Vec::new(),
        };
        if !reader.advance()? {
            let file = reader.file;
            return Err(Error::EmptyFile { file });
        }
        reader.columns = header::columns(reader.records.record(), file)?;
        reader.width = reader.columns.len();
        Ok(reader)
    }

    /// The name of the file in messages.
    pub fn file(&self) -> &str {
        &self.file
    }

    /// The columns that are read, in file order.
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// Leaves out the named columns: whatever stands in them is not looked at.
    ///
    /// # Errors
    /// [`Error::AbsentColumn`] for a name that the header does not have.
    pub fn ignore<S: AsRef<str>>(&mut self, names: &[S]) -> Result<()> {
        for name in names {
            self.position(name.as_ref(), "ignored")?;
        }
        self.retain(|column| names.iter().all(|name| name.as_ref() != column));
        Ok(())
    }

    /// Leaves out the columns whose name `keep` refuses.
    pub fn retain(&mut self, mut keep: impl FnMut(&str) -> bool) {
        self.columns.retain(|column| keep(&column.name));
    }

    /// Takes a column out of those that are read as numbers; otherwise as
    /// [`position`](Self::position).
    pub(crate) fn take(&mut self, name: &str, role: &'static str) -> Result<Column> {
        let place = self.position(name, role)?;
        Ok(self.columns.remove(place))
    }

    /// Refuses roles whose column is not there, and columns with two of them.
    pub(crate) fn check_roles<'a>(
        &self,
        named: impl Iterator<Item = (&'static str, &'a str)> + Clone,
    ) -> Result<()> {
        for (role, name) in named.clone() {
            self.position(name, role)?;
        }
        distinct(named, |name| {
            let column = self.columns.iter().find(|column| column.name == name);
            Location::new(&self.file, None).in_column(column)
        })
    }

    /// The place of a column among [`columns`](Self::columns); `role` says in the error what it
    /// was wanted for.
    ///
    /// # Errors
    /// [`Error::AbsentColumn`], with the name that was probably meant.
    pub fn position(&self, name: &str, role: &'static str) -> Result<usize> {
        position(&self.columns, name, role, &self.file)
    }

    /// The next row, or `None` after the last.
    ///
    /// # Errors
    /// [`Error::Ragged`], [`Error::Text`], [`Error::Infinite`], [`Error::UnclosedQuote`] or
    /// [`Error::Unreadable`].
    pub fn next_row(&mut self) -> Result<Option<Row<'_>>> {
        if !self.next_record()? {
            return Ok(None);
        }
        let record = self.records.record();
        self.cells.clear();
        for (j, column) in self.columns.iter().enumerate() {
            match self.missing.parse(&record.content(column.index)) {
                Ok(cell) => self.cells.push(cell),
                Err(why) => return Err(self.bad_cell(why, j)),
            }
        }
        Ok(Some(Row {
            line: record.line,
            cells: &self.cells,
        }))
    }

    /// Moves to the next row, which must be as wide as the header; `false` after the last.
    pub(crate) fn next_record(&mut self) -> Result<bool> {
        if !self.advance()? {
            return Ok(false);
        }
        let record = self.records.record();
        if record.len() != self.width {
            return Err(Error::Ragged {
                at: self.location(Some(record.line), None),
                expected: self.width,
                got: record.len(),
            });
        }
        Ok(true)
    }

    /// The row that [`next_record`](Self::next_record) found.
    pub(crate) fn record(&self) -> Record<'_> {
        self.records.record()
    }

    fn advance(&mut self) -> Result<bool> {
        self.records.advance().map_err(|broken| match broken {
            Broken::UnclosedQuote(line) => Error::UnclosedQuote {
                at: self.location(Some(line), None),
            },
            Broken::TooLong(line) => Error::TooLong {
                at: self.location(Some(line), None),
                limit: self.records.limit(),
            },
            Broken::Io(cause) => Error::Unreadable {
                file: self.file.clone(),
                cause,
            },
        })
    }

    /// The error about a cell of the `j`-th column that is read.
    pub(crate) fn bad_cell(&self, why: NotNumber, j: usize) -> Error {
        let record = self.records.record();
        let at = self.location(Some(record.line), Some(j));
        why.error(at, &record.content(self.columns[j].index))
    }

    /// The place of a line in any column.
    pub(crate) fn location_in(&self, line: u64, column: &Column) -> Location {
        Location::new(&self.file, Some(line)).in_column(Some(column))
    }

    /// The place of a line and of the `column`-th column that is read.
    pub(crate) fn location(&self, line: Option<u64>, column: Option<usize>) -> Location {
        Location::new(&self.file, line).in_column(column.map(|j| &self.columns[j]))
    }
}
