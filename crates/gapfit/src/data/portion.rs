//! Where rows come from.

use super::RowSlice;

/// Some rows of a table, to be looked at one after the other.
pub trait Portion: Send {
    /// The number of rows.
    fn n_rows(&self) -> usize;

    /// Shows the rows in order, a few at a time, with a finite target for each.
    fn visit(&self, take: &mut dyn FnMut(RowSlice<'_>, &[f64]));
}
