//! Which mask each row has.

use super::numbering::Numbering;
use super::{MaskMoments, Rows};
use crate::data::Observed;

/// The distinct masks of some rows, ascending, and the mask of each row.
#[derive(Debug)]
pub(crate) struct Masks {
    n_features: usize,
    n_targets: usize,
    words: usize,
    /// One mask after the other.
    bits: Vec<u64>,
    /// The number of the mask of each row.
    of_row: Vec<u32>,
    /// Rows per mask.
    counts: Vec<usize>,
}

impl Masks {
    /// Finds and numbers the masks; the numbering does not depend on the order of the rows.
    pub(crate) fn of(rows: &Rows<'_>) -> Self {
        let n_features = rows.data().n_features();
        let mut found = Numbering::new(n_features);
        let number = |i: usize| {
            let mask = rows.words(i);
            found.find(mask).unwrap_or_else(|| found.add(mask)) as u32
        };
        let mut of_row: Vec<u32> = (0..rows.len()).map(number).collect();
        let ascending = found.ascending();
        let mut rank = vec![0u32; ascending.len()];
        for (new, &old) in ascending.iter().enumerate() {
            rank[old] = new as u32;
        }
        let mut counts = vec![0; ascending.len()];
        for m in &mut of_row {
            *m = rank[*m as usize];
            counts[*m as usize] += 1;
        }
        Self {
            n_features,
            n_targets: rows.data().n_targets(),
            words: n_features.div_ceil(64),
            bits: ascending
                .iter()
                .flat_map(|&m| found.mask(m))
                .copied()
                .collect(),
            of_row,
            counts,
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.counts.len()
    }

    pub(crate) fn mask(&self, m: usize) -> Observed<'_> {
        Observed::new(self.words(m), self.n_features)
    }

    /// The bits of mask `m`.
    pub(super) fn words(&self, m: usize) -> &[u64] {
        &self.bits[m * self.words..(m + 1) * self.words]
    }

    /// Rows with mask `m`.
    pub(crate) fn count(&self, m: usize) -> usize {
        self.counts[m]
    }

    /// Moments of mask `m`, still zero.
    pub(super) fn moments(&self, m: usize) -> MaskMoments {
        let observed: Vec<usize> = self.mask(m).iter().collect();
        MaskMoments {
            sums: vec![0.0; self.order(m).pow(2)],
            observed,
            n_targets: self.n_targets,
            n_rows: self.count(m),
        }
    }

    /// The size of the moments of all masks.
    pub(crate) fn bytes(&self) -> usize {
        (0..self.len()).map(|m| self.order(m).pow(2) * 8).sum()
    }

    /// The order of the moments of mask `m`.
    fn order(&self, m: usize) -> usize {
        self.mask(m).count() + 1 + self.n_targets
    }

    /// The rows sorted by mask, ascending within a mask, and where each mask starts.
    pub(crate) fn sort(&self) -> (Vec<u32>, Vec<usize>) {
        let mut starts = vec![0];
        starts.extend(self.counts.iter().scan(0, |end, n| {
            *end += n;
            Some(*end)
        }));
        let mut next = starts.clone();
        let mut order = vec![0; self.of_row.len()];
        for (i, &m) in self.of_row.iter().enumerate() {
            order[next[m as usize]] = i as u32;
            next[m as usize] += 1;
        }
        (order, starts)
    }
}
