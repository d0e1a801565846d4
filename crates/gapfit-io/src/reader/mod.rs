//! One reader for every format: rows of cells, in one pass.
//!
//! A cell is a hole, a number or a text, by rules that do not depend on the format:
//!
//! | cell | is |
//! |---|---|
//! | empty, null, NaN, a mark of [`Missing`], a key that is not there | a hole |
//! | a number, or a text that is one | that number |
//! | true and false of Arrow, Parquet and JSON | the texts `true` and `false`, or 1 and 0 where a number is asked for |
//! | dates and times of Arrow and Parquet | texts such as `2024-03-01` or `2024-03-01T12:30:00Z` |
//! | infinite | a fault |
//! | lists, structures, bytes | a fault, unless the column is ignored |
//!
//! Text is read in pieces of some hundred kilobytes, Parquet and Arrow by some thousand rows. NDJSON
//! is read twice, since only the last row tells which columns there are.

mod csv;
mod ndjson;
mod open;
mod row;

#[cfg(feature = "arrow")]
pub(crate) use row::Fault;
pub use row::{Cell, Place, Row};
pub(crate) use row::{Draft, truth};

use std::fmt;

use gapfit::data::MaskedColumn;

#[cfg(feature = "arrow")]
pub(crate) use crate::arrow::Values;
use crate::cell::Missing;
use crate::error::{Error, Result};
use crate::format::Format;
use crate::location::{Column, Location, distinct, position};

/// Numbers of a column; no format without Arrow has them so.
#[cfg(not(feature = "arrow"))]
pub(crate) type Values = Vec<f64>;

/// A reader of a table of any format.
///
/// ```
/// use gapfit_io::{Cell, Reader, csv};
/// let text = "{\"size\": 40, \"price\": null}\n{\"size\": 35, \"price\": 3.5}\n";
/// let mut reader = Reader::new(text.as_bytes(), "huts.ndjson", &csv::Options::default())?;
/// assert_eq!(reader.columns()[1].name, "price");
/// let row = reader.next_row()?.unwrap();
/// assert_eq!((row.cell(0), row.cell(1)), (Cell::Number(40.0), Cell::Hole));
/// # Ok::<_, gapfit_io::Error>(())
/// ```
pub struct Reader {
    file: String,
    format: Format,
    missing: Missing,
    /// The columns that are read, in file order.
    columns: Vec<Column>,
    /// How each of them is read.
    readings: Vec<Reading>,
    /// Columns that are read only where they are asked for by name: the index of a data frame.
    hidden: Vec<Column>,
    rows: Rows,
    draft: Draft,
    /// Told how many rows were read.
    watch_rows: Option<Box<WatchRows>>,
}

type WatchRows = dyn Fn(usize) + Send + Sync;

/// What a cell of a column can be.
///
/// ```
/// use gapfit_io::{Cell, Reader, Reading, csv};
/// let mut reader = Reader::new(&b"zip\n01234\n"[..], "t.csv", &csv::Options::default())?;
/// reader.read_as(0, Reading::Text);
/// assert_eq!(reader.next_row()?.unwrap().cell(0), Cell::Text("01234"));
/// # Ok::<_, gapfit_io::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reading {
    /// A number or a text, whichever it is.
    #[default]
    Any,
    /// A number; any other text is a fault.
    Number,
    /// A text, as it is written.
    Text,
}

enum Rows {
    Csv(Box<csv::Rows>),
    Ndjson(Box<ndjson::Rows>),
    #[cfg(feature = "arrow")]
    Arrow(Box<crate::arrow::Rows>),
}

impl fmt::Debug for Reader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reader")
            .field("file", &self.file)
            .field("format", &self.format)
            .field("columns", &self.columns)
            .finish_non_exhaustive()
    }
}

impl Reader {
    /// The name of the file in messages.
    pub fn file(&self) -> &str {
        &self.file
    }

    /// How the table is written.
    pub fn format(&self) -> Format {
        self.format
    }

    /// The columns that are read, in file order.
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// Sets what the cells of the `j`-th column can be; numbers or texts unless it is set.
    pub fn read_as(&mut self, j: usize, reading: Reading) {
        self.readings[j] = reading;
    }

    /// Takes in columns of these names that are hidden because they are the index of a data frame.
    pub fn reveal<'a>(&mut self, names: impl IntoIterator<Item = &'a str>) {
        for name in names {
            if let Some(place) = self.hidden.iter().position(|column| column.name == name) {
                let column = self.hidden.remove(place);
                let after = |other: &Column| other.index < column.index;
                let place = self.columns.partition_point(after);
                self.columns.insert(place, column);
                self.readings.insert(place, Reading::Any);
            }
        }
    }

    /// Leaves out the named columns: whatever stands in them is not looked at. `role` is as in
    /// [`position`](Self::position).
    ///
    /// # Errors
    /// [`Error::AbsentColumn`] for a name that the table does not have.
    pub fn ignore<S: AsRef<str>>(&mut self, names: &[S], role: &'static str) -> Result<()> {
        self.reveal(names.iter().map(AsRef::as_ref));
        for name in names {
            self.position(name.as_ref(), role)?;
        }
        self.retain(|column| names.iter().all(|name| name.as_ref() != column));
        Ok(())
    }

    /// Leaves out the columns whose name `keep` refuses.
    pub fn retain(&mut self, mut keep: impl FnMut(&str) -> bool) {
        let kept: Vec<bool> = self.columns.iter().map(|c| keep(&c.name)).collect();
        let (mut columns, mut readings) = (kept.iter(), kept.iter());
        self.columns.retain(|_| columns.next() == Some(&true));
        self.readings.retain(|_| readings.next() == Some(&true));
    }

    /// The place of a column among [`columns`](Self::columns); `role` says in the error what it
    /// was wanted for.
    ///
    /// # Errors
    /// [`Error::AbsentColumn`], with the name that was probably meant.
    pub fn position(&self, name: &str, role: &'static str) -> Result<usize> {
        position(&self.columns, name, role, &self.file)
    }

    /// Refuses roles whose column is not there, and columns with two of them.
    pub(crate) fn check_roles<'a>(
        &mut self,
        named: impl Iterator<Item = (&'static str, &'a str)> + Clone,
    ) -> Result<()> {
        self.reveal(named.clone().map(|(_, name)| name));
        for (role, name) in named.clone() {
            self.position(name, role)?;
        }
        distinct(named, |name| {
            let place = self.columns.iter().position(|column| column.name == name);
            self.location(None, place)
        })
    }

    /// The next row, or `None` after the last. After an error there may be no more rows.
    ///
    /// # Errors
    /// [`Error::Text`] and [`Error::Infinite`] in a cell, [`Error::Unreadable`], [`Error::NotText`];
    /// for CSV [`Error::Ragged`] and [`Error::UnclosedQuote`]; for NDJSON [`Error::NotObject`],
    /// [`Error::Nested`] and [`Error::DuplicateKey`]; for the others [`Error::Damaged`] and
    /// [`Error::Unsupported`].
    pub fn next_row(&mut self) -> Result<Option<Row<'_>>> {
        self.draft.clear();
        let wanted = Wanted {
            file: &self.file,
            columns: &self.columns,
            readings: &self.readings,
            missing: &self.missing,
        };
        let is_row = match &mut self.rows {
            Rows::Csv(rows) => rows.next(wanted, &mut self.draft)?,
            Rows::Ndjson(rows) => rows.next(wanted, &mut self.draft)?,
            #[cfg(feature = "arrow")]
            Rows::Arrow(rows) => rows.next(wanted, &mut self.draft)?,
        };
        if let Some(watch) = self.watch_rows.as_ref().filter(|_| is_row) {
            watch(1);
        }
        Ok(is_row.then(|| self.draft.row()))
    }

    /// Has `watch` told how many more rows were read whenever some were.
    pub fn watch_rows(&mut self, watch: impl Fn(usize) + Send + Sync + 'static) {
        self.watch_rows = Some(Box::new(watch));
    }

    /// The number of rows, where the file claims to know it.
    pub fn n_rows(&self) -> Option<usize> {
        match &self.rows {
            #[cfg(feature = "arrow")]
            Rows::Arrow(rows) => rows.n_rows(),
            _ => None,
        }
    }

    /// All rows up to some later one as columns of numbers, where the format has them so; otherwise `None`,
    /// and the rows come one by one.
    pub(crate) fn next_block(&mut self) -> Result<Option<Vec<MaskedColumn<Values>>>> {
        let block = match &mut self.rows {
            #[cfg(feature = "arrow")]
            Rows::Arrow(rows) => rows.next_block(Wanted {
                file: &self.file,
                columns: &self.columns,
                readings: &self.readings,
                missing: &self.missing,
            })?,
            _ => None,
        };
        if let (Some(watch), Some([first, ..])) = (&self.watch_rows, block.as_deref()) {
            watch(first.len());
        }
        Ok(block)
    }

    /// A place in the `column`-th column that is read.
    pub(crate) fn location(&self, place: Option<Place>, column: Option<usize>) -> Location {
        let at = Location::at(&self.file, place);
        match column {
            Some(j) if self.format == Format::Ndjson => at.under(&self.columns[j].name),
            _ => at.in_column(column.map(|j| &self.columns[j])),
        }
    }

    /// The error for a table without rows.
    pub fn no_rows(&self) -> Error {
        let file = self.file.clone();
        match self.format {
            Format::Csv => Error::HeaderOnly { file },
            _ => Error::NoRows { file },
        }
    }
}

/// What is asked of the rows of every format.
#[derive(Clone, Copy)]
pub(crate) struct Wanted<'a> {
    pub(crate) file: &'a str,
    pub(crate) columns: &'a [Column],
    pub(crate) readings: &'a [Reading],
    pub(crate) missing: &'a Missing,
}
