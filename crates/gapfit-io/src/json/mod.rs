//! What every reader of JSON lines shares: lines, the members of an object, what a value says.

mod bare;
mod lines;
mod members;
mod value;

pub(crate) use bare::quoted;
pub(crate) use lines::{Lines, Next};
pub(crate) use members::{Step, for_each_member};
pub(crate) use value::{BadValue, not_object, written};
