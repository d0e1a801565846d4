//! Narrow rows, kept whole, zeros for the holes: copying and multiplying them with vector instructions is faster than
//! choosing the other cells.

use super::aligned::Aligned;
use super::bins::{Bins, cells};
use super::held::NARROW;
use super::triangles::Triangles;
use crate::linalg::{Loop, Simd, add_rows_to_gram, vectorised_with};

/// Rows of a mask that are multiplied together.
const ROWS: usize = 16;

/// Rows of at most [`NARROW`] cells.
#[derive(Debug)]
pub(super) struct Whole {
    n_features: usize,
    order: usize,
    /// [`ROWS`] for each mask.
    rows: Aligned,
    /// The upper triangles of the Gram matrices, mask after mask.
    grams: Aligned,
}

impl Whole {
    /// No masks yet, for rows of so many features and targets.
    pub(super) fn new(n_features: usize, n_targets: usize) -> Self {
        Self {
            n_features,
            order: n_features + n_targets + 1,
            rows: Aligned::default(),
            grams: Aligned::default(),
        }
    }
}

impl Bins for Whole {
    fn open(&mut self, _: &[u64]) {
        self.rows.extend(ROWS * NARROW);
        self.grams.extend(self.order * NARROW);
    }

    #[inline(always)]
    fn put<S: Simd>(&mut self, simd: S, number: usize, row: &[f64], sums: &mut Triangles) {
        let count = &mut sums.counts[number];
        let bin = &mut self.rows[number * ROWS * NARROW..][..ROWS * NARROW];
        bin[*count % ROWS * NARROW..][..NARROW].copy_from_slice(&row[..NARROW]);
        *count += 1;
        if count.is_multiple_of(ROWS) {
            let size = self.order * NARROW;
            let gram = &mut self.grams[number * size..][..size];
            vectorised_with(simd, Multiply { gram, bin });
        }
    }

    #[inline(always)]
    fn settle<S: Simd>(&mut self, simd: S, sums: &mut Triangles) {
        let size = self.order * NARROW;
        let masks = self.grams.chunks_exact_mut(size).zip(&sums.counts);
        for ((gram, count), rows) in masks.zip(self.rows.chunks_exact(ROWS * NARROW)) {
            let rows = &rows[..count % ROWS * NARROW];
            add_rows_to_gram(simd, gram, &rows.chunks_exact(NARROW), NARROW);
        }
        for (number, gram) in self.grams.chunks_exact(size).enumerate() {
            let cells = cells(sums.masks.mask(number), self.n_features, self.order);
            let pairs = (0..cells.len()).flat_map(|i| (i..cells.len()).map(move |j| (i, j)));
            let range = sums.range(number);
            for (sum, (i, j)) in sums.sums[range].iter_mut().zip(pairs) {
                let (a, b) = (cells[i].min(cells[j]), cells[i].max(cells[j]));
                *sum += gram[a * NARROW + b];
            }
        }
        self.rows.clear();
        self.grams.clear();
    }
}

/// Adds the rows of a full bin; on its own, so that it takes no registers from who fills bins.
struct Multiply<'a> {
    gram: &'a mut [f64],
    bin: &'a [f64],
}

impl Loop for Multiply<'_> {
    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let bin: &[f64; ROWS * NARROW] = self.bin.try_into().expect("a bin");
        add_rows_to_gram(simd, self.gram, &bin.chunks_exact(NARROW), NARROW);
    }
}
