//! Whether rows share their masks, so that sums by mask are worth their room.

use super::gather::KEPT;
use super::part::Picked;
use super::{State, Statistics};
use crate::data::{Dataset, Observed};
use crate::moments::BUDGET;

/// Bytes of sums up to which they are no matter.
const SMALL: usize = 32 << 20;
/// Rows that share a mask, on average, from which on sums are smaller and faster than rows.
const SHARED: usize = 4;

impl Statistics {
    /// Whether statistics of a table that begins with these rows had better not be made: nearly every row has a pattern of
    /// holes of its own, so that sums by pattern are larger than the rows, and save nothing. [`Passes`](crate::Passes) are
    /// for such tables.
    ///
    /// ```
    /// use gapfit::data::{Dataset, MaskedMatrix};
    /// use gapfit::Statistics;
    /// let cells: Vec<f64> = (0..40_000).map(|i| if i % 3 == 0 { f64::NAN } else { f64::from(i) }).collect();
    /// let few_patterns = Dataset::new(MaskedMatrix::from_nan(40_000, 1, &cells)?, vec![0.0; 40_000])?;
    /// assert!(!Statistics::would_outgrow(&few_patterns));
    /// # Ok::<_, gapfit::Error>(())
    /// ```
    pub fn would_outgrow(first: &Dataset) -> bool {
        let features = first.features();
        let masks = (0..features.n_rows()).map(|i| features.words(i));
        first.n_rows() >= KEPT && Sharing::of(masks.collect(), first).is_rare(first.n_rows())
    }

    /// The same of statistics that have been made.
    pub fn outgrows_rows(&self) -> bool {
        let State::Sums(sums) = &self.state else {
            return false;
        };
        let masks = Picked::all(sums).masks();
        let masks = masks.iter().map(Vec::as_slice).collect();
        sums.is_folded() || Sharing::of(masks, &sums.blank).is_rare(self.n_rows())
    }
}

/// The masks of some rows.
struct Sharing {
    n_masks: usize,
    /// Of their sums, whatever block they are in.
    bytes: f64,
    /// Columns that some of them lack.
    n_holey: usize,
}

impl Sharing {
    fn of(mut masks: Vec<&[u64]>, blank: &Dataset) -> Self {
        masks.sort_unstable();
        masks.dedup();
        let n_features = blank.n_features();
        let mut is_holey = vec![false; n_features];
        let mut bytes = 0.0;
        for mask in &masks {
            let observed = Observed::new(mask, n_features);
            bytes += ((observed.count() + 2).pow(2) * size_of::<f64>()) as f64;
            (0..n_features)
                .filter(|&j| !observed.contains(j))
                .for_each(|j| is_holey[j] = true);
        }
        Self {
            n_masks: masks.len(),
            bytes,
            n_holey: is_holey.iter().filter(|is_holey| **is_holey).count(),
        }
    }

    /// Whether so few of the rows share a mask that sums would outgrow them.
    fn is_rare(&self, n_rows: usize) -> bool {
        // with few columns that have holes the masks come to an end, however many rows follow
        let most = 2f64.powi(self.n_holey.min(1000) as i32);
        let at_last = most * self.bytes / self.n_masks.max(1) as f64;
        let may_outgrow = at_last > BUDGET as f64;
        may_outgrow && self.bytes > SMALL as f64 && n_rows < SHARED * self.n_masks
    }
}
