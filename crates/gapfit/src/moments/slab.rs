//! Rows that lie one after the other.

/// Rows as they are summed, wherever they come from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slab<'a> {
    /// The number of the first row.
    pub(crate) first: usize,
    /// Features, row after row; of no meaning where they are missing.
    pub(crate) values: &'a [f64],
    /// The bits of the observed ones, whole words for each row.
    pub(crate) words: &'a [u64],
    /// One column per target.
    pub(crate) targets: &'a [&'a [f64]],
}
