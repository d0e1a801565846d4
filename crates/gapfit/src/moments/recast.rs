//! Moments of features that are affine in others, each in one.

use super::{MaskMoments, Moments, Unit};
use crate::data::WORD;

/// A new feature: `slope` times an old one plus `offset`, observed where that is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Origin {
    pub(crate) from: usize,
    pub(crate) slope: f64,
    pub(crate) offset: f64,
}

impl Origin {
    /// The old feature itself.
    pub(crate) fn same(from: usize) -> Self {
        Self {
            from,
            slope: 1.0,
            offset: 0.0,
        }
    }

    /// The old feature, held in another unit.
    pub(crate) fn reunited(feature: usize, from: &Unit, to: &Unit) -> Self {
        Self {
            from: feature,
            slope: from.scale * to.per_scale,
            offset: (from.shift - to.shift) * to.per_scale,
        }
    }
}

impl Moments {
    /// The moments of the new features, and of the one target by another `target` (of which `from` is of no
    /// meaning).
    pub(crate) fn recast(&self, origins: &[Origin], target: Origin) -> Self {
        let recast = |(_, old): &(Vec<u64>, MaskMoments)| {
            let mut mask = vec![0; origins.len().div_ceil(WORD)];
            let (mut observed, mut terms) = (Vec::new(), vec![(0, 1.0, 0.0)]);
            for (j, origin) in origins.iter().enumerate() {
                if let Ok(o) = old.observed.binary_search(&origin.from) {
                    mask[j / WORD] |= 1 << (j % WORD);
                    observed.push(j);
                    terms.push((o + 1, origin.slope, origin.offset));
                }
            }
            terms.push((old.order() - 1, target.slope, target.offset));
            let order = terms.len();
            let mut sums = Vec::with_capacity(order * order);
            for &(i, a, p) in &terms {
                sums.extend(terms.iter().map(|&(j, b, q)| {
                    let products = a * (b * old.sum(i, j) + q * old.sum(i, 0));
                    products + p * (b * old.sum(0, j) + q * old.weight())
                }));
            }
            let new = MaskMoments {
                observed,
                n_rows: old.n_rows,
                n_targets: 1,
                sums,
            };
            (mask, new)
        };
        let mut masks: Vec<_> = self.masks.iter().map(recast).collect();
        masks.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        Self { masks }
    }

    /// Multiplies the weights of all rows.
    pub(crate) fn scale(&mut self, by: f64) {
        let sums = self.masks.iter_mut().flat_map(|(_, m)| &mut m.sums);
        sums.for_each(|sum| *sum *= by);
    }
}
