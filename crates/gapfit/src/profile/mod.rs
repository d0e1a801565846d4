//! What a table with holes looks like before anything is fitted to it.
//!
//! Which cells are missing, which masks there are, which columns go missing together, and whether
//! holes say something about the target.

mod association;
mod estimate;
mod tally;
mod together;

pub use association::{Association, Contrast};
pub use estimate::Estimate;
pub use tally::Tally;
pub use together::Pair;

use crate::data::MaskedMatrix;
use together::Unlisted;

/// The holes of a table.
///
/// ```
/// use gapfit::data::MaskedMatrix;
/// use gapfit::profile::Profile;
///
/// let hole = f64::NAN;
/// let table = MaskedMatrix::from_nan(3, 2, &[1.0, hole, 2.0, hole, 3.0, 4.0])?;
/// let profile = Profile::of(&table);
/// assert_eq!(profile.missing, [0, 2]);
/// assert_eq!(profile.masks[0].rows, 2);
/// # Ok::<(), gapfit::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Profile {
    /// The number of rows.
    pub n_rows: usize,
    /// The number of holes of each column.
    pub missing: Vec<usize>,
    /// The different masks, the commonest first; of more than [`Tally::MOST`] those that come first in the table.
    pub masks: Vec<Mask>,
    /// What is known of rows with other masks.
    unlisted: Option<Unlisted>,
}

/// A mask that some rows have.
#[derive(Clone, Debug, PartialEq)]
pub struct Mask {
    /// The columns that are missing, ascending.
    pub missing: Vec<usize>,
    /// The number of rows with it.
    pub rows: usize,
}

impl Profile {
    /// The profile of a table.
    pub fn of(table: &MaskedMatrix) -> Self {
        let mut tally = Tally::new(table.n_cols());
        (0..table.n_rows()).for_each(|i| tally.push(table.words(i)));
        tally.finish()
    }
}
