//! Delimited text: a header line, then one row a line.

mod blank;
mod header;
mod mask;
mod reader;
mod records;

pub use blank::{CopyError, blank};
pub use mask::mask;
pub use reader::{Options, Reader, Row};
