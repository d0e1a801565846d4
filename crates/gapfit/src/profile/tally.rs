//! Holes counted row by row.

use super::together::{Unlisted, with_most_holes};
use super::{Mask, Profile};
use crate::data::Observed;
use rustc_hash::FxHashMap;

/// The holes of rows that are met one by one; what it takes of memory grows with the number of different masks,
/// up to [`MOST`](Self::MOST) of them, not with that of rows.
///
/// ```
/// use gapfit::profile::Tally;
///
/// let mut tally = Tally::new(2);
/// [0b01, 0b11, 0b01].iter().for_each(|mask| tally.push(&[*mask]));
/// let profile = tally.finish();
/// assert_eq!(profile.missing, [0, 2]);
/// assert_eq!(profile.masks[0].rows, 2);
/// ```
#[derive(Clone, Debug)]
pub struct Tally {
    n_rows: usize,
    missing: Vec<usize>,
    /// The place and the number of rows of each mask.
    masks: FxHashMap<Box<[u64]>, (usize, usize)>,
    unlisted: Option<Unlisted>,
}

impl Tally {
    /// Different masks that are told apart.
    pub const MOST: usize = 1 << 20;

    /// No rows yet.
    pub fn new(n_columns: usize) -> Self {
        Self {
            n_rows: 0,
            missing: vec![0; n_columns],
            masks: FxHashMap::default(),
            unlisted: None,
        }
    }

    /// Takes a row, whose observed columns are the bits that are set, from the lowest on.
    ///
    /// # Panics
    /// When there are other than enough words for the columns.
    pub fn push(&mut self, observed: &[u64]) {
        let of_row = Observed::new(observed, self.missing.len());
        self.n_rows += 1;
        of_row.missing().for_each(|j| self.missing[j] += 1);
        if let Some((_, rows)) = self.masks.get_mut(observed) {
            *rows += 1;
            return;
        }
        let place = self.masks.len();
        if place < Self::MOST {
            self.masks.insert(observed.into(), (place, 1));
            return;
        }
        let missing = &self.missing;
        let unlisted = self
            .unlisted
            .get_or_insert_with(|| Unlisted::new(with_most_holes(missing, usize::MAX)));
        unlisted.push(of_row.missing());
    }

    /// The profile of all rows.
    pub fn finish(self) -> Profile {
        let mut masks: Vec<_> = self.masks.into_iter().collect();
        // the commonest first, and among equals the one that comes first in the table
        masks.sort_unstable_by_key(|(_, (place, rows))| (std::cmp::Reverse(*rows), *place));
        let n_columns = self.missing.len();
        let mask = |(bits, (_, rows)): (Box<[u64]>, (usize, usize))| Mask {
            missing: Observed::new(&bits, n_columns).missing().collect(),
            rows,
        };
        Profile {
            n_rows: self.n_rows,
            masks: masks.into_iter().map(mask).collect(),
            missing: self.missing,
            unlisted: self.unlisted,
        }
    }
}
