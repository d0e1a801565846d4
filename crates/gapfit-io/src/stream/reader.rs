//! Reads a stream of either format.

use std::io::Read;

use super::options::{Format, Options, Roles};
use super::row::Row;
use super::{csv, ndjson};
use crate::buffer::Buffer;
use crate::error::{Error, Result};
use crate::source::Source;

/// A reader of rows that arrive one by one.
///
/// ```
/// use gapfit_io::stream::{Options, Reader, Roles};
/// let text = r#"{"size": 40, "price": 3.5}
/// {"size": null, "price": 2, "rooms": 2}
/// "#;
/// let roles = Roles { target: "price".to_owned(), weight: None, id: None };
/// let mut reader = Reader::new(text.as_bytes(), "huts.ndjson", &roles, &Options::default())?;
/// let row = reader.next_row()?.unwrap();
/// assert_eq!(row.target, Some("3.5"));
/// assert_eq!(row.features.get(0), Some(40.0));
/// let row = reader.next_row()?.unwrap();
/// assert_eq!(row.features.get(0), None);
/// assert_eq!(row.features.get(1), Some(2.0));
/// assert_eq!(reader.names(), ["size", "rooms"]);
/// assert!(reader.next_row()?.is_none());
/// # Ok::<_, gapfit_io::Error>(())
/// ```
#[derive(Debug)]
pub struct Reader<R> {
    rows: Rows<R>,
}

#[derive(Debug)]
enum Rows<R> {
    Csv(Box<csv::Rows<R>>),
    Ndjson(Box<ndjson::Rows<R>>),
}

impl Reader<Box<dyn Read + Send>> {
    /// A reader of a file or of standard input.
    ///
    /// # Errors
    /// As [`Reader::new`].
    pub fn open(source: &Source, roles: &Roles, options: &Options) -> Result<Self> {
        Self::new(source.open()?, &source.name(), roles, options)
    }
}

impl<R: Read> Reader<R> {
    /// A reader of `input`, which messages call `file`. All columns that are not ignored and have no
    /// role are features. A header is read and checked at once.
    ///
    /// # Errors
    /// [`Error::Unreadable`] and [`Error::SharedColumn`]; for CSV also [`Error::EmptyFile`],
    /// [`Error::NotUtf8`], [`Error::DuplicateColumn`], [`Error::AbsentColumn`],
    /// [`Error::NoFeatures`], [`Error::UnclosedQuote`] and [`Error::TooLong`].
    pub fn new(input: R, file: &str, roles: &Roles, options: &Options) -> Result<Self> {
        let mut buffer = Buffer::new(input, options.row_limit);
        let format = match options.format.or_else(|| Format::of_name(file)) {
            Some(format) => format,
            None => recognised(&mut buffer, file)?,
        };
        let rows = match format {
            Format::Csv => Rows::Csv(Box::new(csv::Rows::new(buffer, file, roles, options)?)),
            Format::Ndjson => {
                Rows::Ndjson(Box::new(ndjson::Rows::new(buffer, file, roles, options)?))
            }
        };
        Ok(Self { rows })
    }

    /// How the rows are written.
    pub fn format(&self) -> Format {
        match &self.rows {
            Rows::Csv(_) => Format::Csv,
            Rows::Ndjson(_) => Format::Ndjson,
        }
    }

    /// The names of the features, in the order of the header; for NDJSON those of the rows so far, in the
    /// order of their first appearance. Names are only ever added, and behind the others.
    pub fn names(&self) -> &[String] {
        match &self.rows {
            Rows::Csv(rows) => rows.names(),
            Rows::Ndjson(rows) => rows.names(),
        }
    }

    /// The next row, or `None` after the last. A row without a target may lack its weight, which then
    /// is 1.
    ///
    /// # Errors
    /// Those after which the next row can be read ([`Error::is_row_fault`]): [`Error::TooLong`],
    /// [`Error::Text`], [`Error::Infinite`], [`Error::Incomplete`], [`Error::NegativeWeight`] and
    /// [`Error::NotText`]; for CSV also [`Error::Ragged`]; for NDJSON also [`Error::NotObject`],
    /// [`Error::Nested`] and [`Error::DuplicateKey`]. And [`Error::Unreadable`]; for CSV
    /// [`Error::UnclosedQuote`], for NDJSON [`Error::NotUtf8`] where the file is something else.
    pub fn next_row(&mut self) -> Result<Option<Row<'_>>> {
        match &mut self.rows {
            Rows::Csv(rows) => rows.next_row(),
            Rows::Ndjson(rows) => rows.next_row(),
        }
    }
}

/// The format that the first byte tells.
fn recognised<R: Read>(buffer: &mut Buffer<R>, file: &str) -> Result<Format> {
    match buffer.first_byte() {
        Ok(Some(b'{')) => Ok(Format::Ndjson),
        Ok(_) => Ok(Format::Csv),
        Err(cause) => Err(Error::Unreadable {
            file: file.to_owned(),
            cause,
        }),
    }
}
