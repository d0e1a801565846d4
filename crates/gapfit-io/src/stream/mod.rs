//! Rows to learn from that arrive one by one, perhaps for ever.
//!
//! A [`Reader`] gives each [`Row`] as soon as the end of its line has arrived, from delimited text
//! with a header (CSV) or from a JSON object a line (NDJSON), and holds no other row. A cell is read by
//! the same rules in both:
//!
//! | cell | is |
//! |---|---|
//! | empty, a mark of [`Missing`](crate::Missing), JSON null, a key that is not there | a hole |
//! | a number, or in JSON a text that is one | that number |
//! | JSON true and false | 1 and 0 |
//! | infinite, or too large for a number | as [`Infinite`] says |
//! | any other text, in JSON an array or an object | a fault of the row |
//!
//! The columns of CSV are those of its header. NDJSON has none beforehand: a key that was not seen
//! before is a new column behind the others. Python's `NaN`, `Infinity` and `-Infinity`, which JSON does not
//! know, are read as if they stood in quotes.
//!
//! A bad row is no reason to stop: after an error that [is a row's
//! fault](crate::Error::is_row_fault) the reader goes on with the next row, and the columns are as if the
//! bad one had not been there.

mod csv;
mod keys;
mod ndjson;
mod object;
mod options;
mod reader;
mod row;

pub use options::{Format, Infinite, Options, Roles};
pub use reader::Reader;
pub use row::Row;
