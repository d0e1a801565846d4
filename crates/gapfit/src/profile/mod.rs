//! What a table with holes looks like before anything is fitted to it.
//!
//! Which cells are missing, which masks there are, which columns go missing together, and whether
//! holes say something about the target.

mod association;
mod estimate;
mod together;

pub use association::Association;
pub use estimate::Estimate;
pub use together::Pair;

use crate::data::MaskedMatrix;
use rustc_hash::FxHashMap;

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
    /// The different masks, the commonest first.
    pub masks: Vec<Mask>,
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
        let mut numbers: FxHashMap<&[u64], usize> = FxHashMap::default();
        let mut masks: Vec<Mask> = Vec::new();
        for i in 0..table.n_rows() {
            let number = *numbers.entry(table.words(i)).or_insert(masks.len());
            if number == masks.len() {
                let missing = table.row(i).observed().missing().collect();
                masks.push(Mask { missing, rows: 0 });
            }
            masks[number].rows += 1;
        }
        let mut missing = vec![0; table.n_cols()];
        for mask in &masks {
            mask.missing.iter().for_each(|&j| missing[j] += mask.rows);
        }
        // stable: among equals the one that comes first in the table
        masks.sort_by_key(|mask| std::cmp::Reverse(mask.rows));
        Self {
            n_rows: table.n_rows(),
            missing,
            masks,
        }
    }
}
