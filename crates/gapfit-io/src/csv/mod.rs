//! Delimited text: a header line, then one row a line.

mod blank;
pub(crate) mod header;
mod mask;
mod reader;
mod record;
mod records;
mod replace;
mod scan;

pub use blank::{CopyError, blank};
pub use mask::mask;
pub use reader::{Options, Reader, Row};
pub use replace::replace;
