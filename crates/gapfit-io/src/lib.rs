//! Reads tables with holes from files.
//!
//! A [`csv::Reader`] gives rows of numbers and holes; [`Table`] and [`Supervised`] gather them. A
//! [`stream::Reader`] gives rows to learn from one by one, also from NDJSON, and goes on after a bad one.
//! The rules for a cell ([`Missing`]) and for target, weight, group and time ([`Roles`]) do not depend
//! on the format. Every [`Error`] names the file and, where there is one, line and column.

mod buffer;
mod cell;
mod closest;
pub mod csv;
mod error;
mod label;
mod location;
mod source;
pub mod stream;
mod supervised;
mod table;
mod time;

pub use cell::Missing;
pub use closest::closest;
pub use error::{Error, Result};
pub use label::FoldsBy;
pub use location::{Column, Field, Location};
pub use source::Source;
pub use supervised::{Roles, Supervised};
pub use table::Table;
