//! Which mask each row has.

use super::{MaskMoments, Rows};
use crate::data::Observed;
use rustc_hash::FxHashMap;

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

/// Up to this many features a mask indexes a table directly.
const DIRECT: usize = 16;

impl Masks {
    /// Finds and numbers the masks; the numbering does not depend on the order of the rows.
    pub(crate) fn of(rows: &Rows<'_>) -> Self {
        let n_features = rows.data().n_features();
        let words = n_features.div_ceil(64);
        let (mut of_row, found) = if n_features <= DIRECT {
            number_directly(rows, n_features)
        } else {
            number_by_hash(rows)
        };
        let n_masks = found.len() / words.max(1);
        let mask = |m: usize| &found[m * words..(m + 1) * words];
        let mut ascending: Vec<usize> = (0..n_masks).collect();
        ascending.sort_unstable_by_key(|&m| mask(m));
        let mut rank = vec![0u32; n_masks];
        for (new, &old) in ascending.iter().enumerate() {
            rank[old] = new as u32;
        }
        let mut counts = vec![0; n_masks];
        for m in &mut of_row {
            *m = rank[*m as usize];
            counts[*m as usize] += 1;
        }
        Self {
            n_features,
            n_targets: rows.data().n_targets(),
            words,
            bits: ascending.iter().flat_map(|&m| mask(m)).copied().collect(),
            of_row,
            counts,
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.counts.len()
    }

    /// The number of targets of the rows.
    pub(super) fn n_targets(&self) -> usize {
        self.n_targets
    }

    pub(crate) fn mask(&self, m: usize) -> Observed<'_> {
        Observed::new(self.words(m), self.n_features)
    }

    /// The bits of mask `m`.
    pub(super) fn words(&self, m: usize) -> &[u64] {
        &self.bits[m * self.words..(m + 1) * self.words]
    }

    /// The number of the mask of row `i`.
    pub(crate) fn of_row(&self, i: usize) -> usize {
        self.of_row[i] as usize
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

    /// Observed cells per column.
    pub(crate) fn column_counts(&self) -> Vec<usize> {
        let mut counts = vec![0; self.n_features];
        for (m, &rows) in self.counts.iter().enumerate() {
            for j in self.mask(m).iter() {
                counts[j] += rows;
            }
        }
        counts
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

/// Numbers the masks in a table of all `2^d` possible ones.
fn number_directly(rows: &Rows<'_>, n_features: usize) -> (Vec<u32>, Vec<u64>) {
    let mut table = vec![u32::MAX; 1 << n_features];
    let mut found = Vec::new();
    let of_row = (0..rows.len())
        .map(|i| {
            let mask = rows.words(i).first().copied().unwrap_or(0);
            let number = &mut table[mask as usize];
            if *number == u32::MAX {
                *number = found.len() as u32;
                found.push(mask);
            }
            *number
        })
        .collect();
    (of_row, found)
}

/// Numbers the masks in order of appearance.
fn number_by_hash(rows: &Rows<'_>) -> (Vec<u32>, Vec<u64>) {
    let mut seen: FxHashMap<&[u64], u32> = FxHashMap::default();
    let mut found = Vec::new();
    let of_row = (0..rows.len())
        .map(|i| {
            let words = rows.words(i);
            let next = seen.len() as u32;
            *seen.entry(words).or_insert_with(|| {
                found.extend_from_slice(words);
                next
            })
        })
        .collect();
    (of_row, found)
}
