//! Narrow rows, kept whole, zeros for the holes: copying and multiplying them with vector instructions is faster than
//! choosing the other cells.

use super::aligned::{Piece, Pieces};
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
    cells: Pieces,
    /// For each mask [`ROWS`] rows, and the upper triangle of its Gram matrix.
    masks: Vec<Piece>,
}

impl Whole {
    /// No masks yet, for rows of so many features and targets.
    pub(super) fn new(n_features: usize, n_targets: usize) -> Self {
        Self {
            n_features,
            order: n_features + n_targets + 1,
            cells: Pieces::default(),
            masks: Vec::new(),
        }
    }

    /// Rows and Gram matrix of a mask.
    #[inline(always)]
    fn of_mask(&mut self, number: usize) -> (&mut [f64], &mut [f64]) {
        let len = (ROWS + self.order) * NARROW;
        let cells = self.cells.get_mut(self.masks[number], len);
        cells.split_at_mut(ROWS * NARROW)
    }
}

impl Bins for Whole {
    fn open(&mut self, _: &[u64]) {
        let piece = self.cells.add((ROWS + self.order) * NARROW);
        self.masks.push(piece);
    }

    #[inline(always)]
    fn put<S: Simd>(&mut self, simd: S, number: usize, row: &[f64], sums: &mut Triangles) {
        let count = &mut sums.counts[number];
        let (bin, gram) = self.of_mask(number);
        bin[*count % ROWS * NARROW..][..NARROW].copy_from_slice(&row[..NARROW]);
        *count += 1;
        if count.is_multiple_of(ROWS) {
            vectorised_with(simd, Multiply { gram, bin });
        }
    }

    #[inline(always)]
    fn settle<S: Simd>(&mut self, simd: S, sums: &mut Triangles) {
        for number in 0..self.masks.len() {
            let cells = cells(sums.masks.mask(number), self.n_features, self.order);
            let (rows, gram) = self.of_mask(number);
            let rows = &rows[..sums.counts[number] % ROWS * NARROW];
            add_rows_to_gram(simd, gram, &rows.chunks_exact(NARROW), NARROW);
            let pairs = (0..cells.len()).flat_map(|i| (i..cells.len()).map(move |j| (i, j)));
            let range = sums.range(number);
            for (sum, (i, j)) in sums.sums[range].iter_mut().zip(pairs) {
                let (a, b) = (cells[i].min(cells[j]), cells[i].max(cells[j]));
                *sum += gram[a * NARROW + b];
            }
        }
        self.masks.clear();
        self.cells.clear();
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
