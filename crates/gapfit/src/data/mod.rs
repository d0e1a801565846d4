//! Tables with holes: values, the bits that say which are observed, a target, row weights.
//!
//! One polarity everywhere: a set bit means *observed*. An unobserved cell stores 0.0, so a stored
//! row *is* `x' = x ∘ z` (docs/math.md, section 1); only the bits tell a hole from an observed zero.

mod classes;
mod columns;
mod dataset;
mod levels;
mod matrix;
mod observed;
mod portion;
mod row;
mod schema;
mod targets;
mod texts;

pub use columns::{MaskedColumn, RowSlice, SliceBuffer};
pub use dataset::Dataset;
pub use levels::{LevelRule, Levels};
pub use matrix::{MaskedMatrix, MaskedRow};
pub use observed::Observed;
pub(crate) use observed::WORD;
pub use portion::Portion;
pub use row::RowBuffer;
pub use schema::{Kind, Schema, SchemaColumn, Value};
