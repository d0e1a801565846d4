//! Rows that lie one after the other.

use super::Rows;
use crate::data::WORD;
use crate::linalg::prefetch;
use std::ops::Range;

/// Rows as they are summed, wherever they come from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slab<'a> {
    pub(crate) numbers: Numbers<'a>,
    /// Features, row after row; of no meaning where they are missing.
    pub(crate) values: &'a [f64],
    /// The bits of the observed ones, whole words for each row.
    pub(crate) words: &'a [u64],
    /// One column per target, of which there is one at least.
    pub(crate) targets: &'a [&'a [f64]],
    /// The roots of the weights, where there are any.
    pub(crate) roots: Option<&'a [f64]>,
}

/// The numbers of some rows in their table.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Numbers<'a> {
    /// One after the other from this one on.
    From(usize),
    Listed(&'a [u32]),
}

impl Slab<'_> {
    /// The values of row `i` of so many features, and the words of its mask.
    #[inline(always)]
    pub(super) fn row(&self, i: usize, n_features: usize) -> (&[f64], &[u64]) {
        let per_row = n_features.div_ceil(WORD);
        (
            &self.values[i * n_features..(i + 1) * n_features],
            &self.words[i * per_row..(i + 1) * per_row],
        )
    }

    /// The root of the weight of row `i`.
    #[inline(always)]
    pub(super) fn root(&self, i: usize) -> f64 {
        self.roots.map_or(1.0, |roots| roots[i])
    }

    /// Asks memory for targets and masks of a range of rows, which there need not be.
    #[inline(always)]
    pub(super) fn prefetch(&self, range: Range<usize>, n_features: usize) {
        let per_row = n_features.div_ceil(WORD);
        for target in self.targets {
            prefetch(target, range.clone());
        }
        prefetch(self.words, range.start * per_row..range.end * per_row);
    }

    pub(super) fn n_rows(&self) -> usize {
        self.targets.first().map_or(0, |target| target.len())
    }

    pub(super) fn number(&self, i: usize) -> u32 {
        match self.numbers {
            Numbers::From(first) => (first + i) as u32,
            Numbers::Listed(numbers) => numbers[i],
        }
    }
}

/// Cells ahead that memory is asked for: so far that they are there in time, so near that they still are.
pub(super) const AHEAD: usize = 1 << 10;

/// Rows that are picked at once where they do not lie one after the other.
const PICKED: usize = 1 << 8;

impl Rows<'_> {
    /// Visits a range of rows, many or a few at a time, until `visit` says that it is enough.
    pub(super) fn each_slab(&self, range: Range<usize>, mut visit: impl FnMut(&Slab<'_>) -> bool) {
        if let Some((slab, targets)) = self.slab(range.clone()) {
            let targets = &targets[..];
            visit(&Slab { targets, ..slab });
            return;
        }
        for start in range.clone().step_by(PICKED) {
            let picked = Picked::new(self, start..range.end.min(start + PICKED));
            if !visit(&picked.slab(&picked.targets())) {
                break;
            }
        }
    }
}

/// Copies of rows that do not lie one after the other, or have weights.
#[derive(Debug, Default)]
struct Picked {
    numbers: Vec<u32>,
    values: Vec<f64>,
    words: Vec<u64>,
    targets: Vec<Vec<f64>>,
    roots: Option<Vec<f64>>,
}

impl Picked {
    fn new(rows: &Rows<'_>, range: Range<usize>) -> Self {
        let width = rows.data().n_features();
        // they lie anywhere: loops that do nothing else wait for many of them at once
        for i in range.clone() {
            prefetch(rows.values(i), 0..width);
        }
        let mut picked = Self {
            numbers: range.clone().map(|i| rows.number(i) as u32).collect(),
            values: Vec::with_capacity(range.len() * width),
            words: Vec::with_capacity(range.len() * width.div_ceil(WORD)),
            ..Self::default()
        };
        for i in range.clone() {
            picked.values.extend_from_slice(rows.values(i));
            picked.words.extend_from_slice(rows.words(i));
        }
        let roots = || range.clone().map(|i| rows.root_of_weight(i)).collect();
        picked.roots = rows.is_weighted().then(roots);
        let of_rows = |target: &[f64]| picked.numbers.iter().map(|&i| target[i as usize]).collect();
        picked.targets = rows.targets().map(of_rows).collect();
        picked
    }

    /// One column per target.
    fn targets(&self) -> Vec<&[f64]> {
        self.targets.iter().map(Vec::as_slice).collect()
    }

    fn slab<'a>(&'a self, targets: &'a [&'a [f64]]) -> Slab<'a> {
        Slab {
            numbers: Numbers::Listed(&self.numbers),
            values: &self.values,
            words: &self.words,
            targets,
            roots: self.roots.as_deref(),
        }
    }
}

/// The first cells, or a copy where they are fewer.
#[inline(always)]
pub(super) fn padded<'a>(row: &'a [f64], copy: &'a mut [f64]) -> &'a [f64] {
    match row.len() >= copy.len() {
        true => &row[..copy.len()],
        false => {
            copy[..row.len()].copy_from_slice(row);
            copy
        }
    }
}
