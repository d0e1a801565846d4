//! Rows that wait for others of their masks, to be multiplied together.

use super::triangles::Triangles;
use crate::data::Observed;
use crate::linalg::Simd;

/// Rows of masks, a few of each: features, targets, 1, and zeros up to whole vectors.
pub(super) trait Bins {
    /// Makes room for a mask that is new: the next number.
    fn open(&mut self, mask: &[u64]);

    /// Takes a row in, and multiplies those of its mask as soon as they are enough.
    fn put<S: Simd>(&mut self, simd: S, number: usize, row: &[f64], sums: &mut Triangles);

    /// Brings all that was taken in to the sums, and forgets it.
    fn settle<S: Simd>(&mut self, simd: S, sums: &mut Triangles);
}

/// Which cells of a row of so many features, and `order` cells in all, are summed for a mask: 1, the observed features, the
/// targets.
pub(super) fn cells(mask: &[u64], n_features: usize, order: usize) -> Vec<usize> {
    let observed = Observed::new(mask, n_features);
    let targets = n_features..order - 1;
    let one = std::iter::once(order - 1);
    one.chain(observed.iter()).chain(targets).collect()
}
