//! Delimited text: a header line, then one row a line.

mod blank;
mod header;
mod reader;
mod records;

pub use blank::{BlankError, blank};
pub use reader::{Options, Reader, Row};
