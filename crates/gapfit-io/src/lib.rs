//! Reads tables with holes from files.
//!
//! A [`Reader`] gives the rows of a table of any [`Format`]: CSV, NDJSON, Parquet, Arrow; [`Supervised`]
//! gathers those to learn from, by [`Kinds`] that are
//! guessed from them; a [`Survey`] says what they look like; an [`Encoder`] turns others into the
//! features of a model. A [`csv::Reader`] gives rows of delimited text, for what is about the text.
//! A [`Rewriter`] writes the rows again with some cells replaced.
//! A [`stream::Reader`] gives rows to learn from one by one and goes on after a bad one.
//! The rules for a cell ([`Missing`]) and for target, weight, group and time ([`Roles`]) do not depend
//! on the format. Every [`Error`] names the file and, where there is one, line and column.

#[cfg(feature = "arrow")]
mod arrow;
mod buffer;
mod cell;
mod closest;
mod columns;
pub mod csv;
mod error;
mod extent;
mod format;
mod input;
mod json;
mod label;
mod location;
mod memory;
mod reader;
mod rewriter;
mod source;
pub mod stream;
mod supervised;
mod table;
mod task;
mod tee;
mod time;

pub use cell::Missing;
pub use closest::closest;
pub use columns::{Encoder, Kinds, Look, Survey, SurveyColumn, decode, features, is_date};
pub use error::{Error, Result};
pub use format::Format;
pub use label::FoldsBy;
pub use location::{Column, Field, Location};
pub use memory::keep_memory;
pub use reader::{Cell, Place, Reader, Reading, Row};
pub use rewriter::Rewriter;
pub use source::Source;
pub use supervised::{Contents, Gathered, Outside, Roles, Supervised, Swept};
pub use table::Table;
pub use task::Task;
