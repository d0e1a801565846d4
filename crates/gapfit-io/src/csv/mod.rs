//! Delimited text: a header line, then one row a line.

mod blank;
mod copier;
pub(crate) mod header;
mod mask;
mod reader;
mod record;
mod records;
mod replace;
mod scan;

pub use blank::{CopyError, blank};
pub(crate) use copier::Copier;
pub use copier::quoted;
pub use mask::mask;
pub use reader::{Options, Reader, Row};
pub use replace::replace;
