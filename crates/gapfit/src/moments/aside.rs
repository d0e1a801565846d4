//! Rows that are set aside while others are summed.

use super::screen::Screen;
use super::{Numbers, Slab};
use crate::data::{Observed, WORD};

/// Rows that there is memory for at first: copying the values of thousands to larger memory takes long.
const AT_FIRST: usize = 1 << 13;

/// Copies of rows, with their numbers.
#[derive(Debug, Default)]
pub(super) struct Aside {
    pub(super) numbers: Vec<u32>,
    /// Features, row after row; of no meaning where they are missing.
    values: Vec<f64>,
    /// The bits of the observed ones.
    words: Vec<u64>,
    /// One column per target.
    targets: Vec<Vec<f64>>,
    n_features: usize,
}

impl Aside {
    /// No rows yet.
    pub(super) fn new(n_features: usize, n_targets: usize) -> Self {
        Self {
            targets: vec![Vec::new(); n_targets],
            n_features,
            ..Self::default()
        }
    }

    /// No rows yet, of the same columns.
    pub(super) fn as_empty(&self) -> Self {
        Self::new(self.n_features, self.targets.len())
    }

    /// Forgets all rows, but not their memory.
    pub(super) fn clear(&mut self) {
        self.numbers.clear();
        self.values.clear();
        self.words.clear();
        self.targets.iter_mut().for_each(Vec::clear);
    }

    pub(super) fn len(&self) -> usize {
        self.numbers.len()
    }

    /// One column per target.
    pub(super) fn targets(&self) -> Vec<&[f64]> {
        self.targets.iter().map(Vec::as_slice).collect()
    }

    /// The rows, in the order in which they were set aside.
    pub(super) fn slab<'a>(&'a self, targets: &'a [&'a [f64]]) -> Slab<'a> {
        Slab {
            numbers: Numbers::Listed(&self.numbers),
            values: &self.values,
            words: &self.words,
            targets,
            roots: None,
        }
    }

    /// Copies row `i` of a slab.
    pub(super) fn push(&mut self, slab: &Slab<'_>, i: usize) {
        if self.numbers.is_empty() {
            self.values.reserve(AT_FIRST * self.n_features);
        }
        self.numbers.push(slab.number(i));
        let (values, words) = slab.row(i, self.n_features);
        self.values.extend_from_slice(values);
        self.words.extend_from_slice(words);
        for (column, target) in self.targets.iter_mut().zip(slab.targets) {
            column.push(target[i]);
        }
    }

    /// Makes holes of cells of the last row.
    pub(super) fn hide(&mut self, sets: [Observed<'_>; 2]) {
        let first = self.words.len() - self.n_features.div_ceil(WORD);
        for set in sets {
            let words = self.words[first..].iter_mut().zip(set.words());
            words.for_each(|(word, hidden)| *word &= !hidden);
        }
    }

    /// Visits the observed cells at or beyond a screen, each with its column, and counts all that are observed.
    pub(super) fn for_each_out(
        &self,
        screens: &[Screen],
        counts: &mut [usize],
        mut visit: impl FnMut(usize, f64),
    ) {
        let rows = self.values.chunks_exact(self.n_features.max(1));
        let per_row = self.n_features.div_ceil(WORD).max(1);
        for (values, words) in rows.zip(self.words.chunks_exact(per_row)) {
            let parts = values.chunks(WORD).zip(screens.chunks(WORD));
            let parts = parts.zip(counts.chunks_mut(WORD)).zip(words);
            for (w, (((values, screens), counts), &word)) in parts.enumerate() {
                let mut out = 0;
                for (j, (x, screen)) in values.iter().zip(screens).enumerate() {
                    out |= u64::from(*x <= screen.low || *x >= screen.high) << j;
                }
                for (j, count) in counts.iter_mut().enumerate() {
                    *count += (word >> j & 1) as usize;
                }
                out &= word;
                while out != 0 {
                    let j = out.trailing_zeros() as usize;
                    out &= out - 1;
                    visit(w * WORD + j, values[j]);
                }
            }
        }
    }
}
