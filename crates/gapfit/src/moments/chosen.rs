//! Wide rows, of which only the observed cells are kept: with a third of the cells missing that is half of the products.

use super::aligned::{Piece, Pieces};
use super::bins::{Bins, cells};
use super::triangles::Triangles;
use crate::linalg::{LANES, Loop, Simd, set_gram_of_rows, vectorised_with};

/// Rows of a mask that are multiplied together: many, since a Gram matrix is much larger than a row.
const ROWS: usize = 32;

/// Rows of any number of cells.
#[derive(Debug)]
pub(super) struct Chosen {
    n_features: usize,
    order: usize,
    places: Vec<Place>,
    /// The cells that are chosen, mask after mask.
    cells: Vec<u32>,
    rows: Pieces,
    gram: Vec<f64>,
}

/// Where things of a mask are.
#[derive(Clone, Copy, Debug)]
struct Place {
    /// Its first cell that is chosen, and how many are.
    cells: usize,
    order: usize,
    /// Its rows.
    rows: Piece,
}

/// Cells of a row of which so many are chosen, up to whole vectors.
#[inline(always)]
fn stride(order: usize) -> usize {
    order.next_multiple_of(LANES)
}

impl Bins for Chosen {
    fn open(&mut self, mask: &[u64]) {
        let cells = cells(mask, self.n_features, self.order);
        self.places.push(Place {
            cells: self.cells.len(),
            order: cells.len(),
            rows: self.rows.add(ROWS * stride(cells.len())),
        });
        self.cells.extend(cells.iter().map(|&cell| cell as u32));
    }

    #[inline(always)]
    fn put<S: Simd>(&mut self, simd: S, number: usize, row: &[f64], sums: &mut Triangles) {
        let (place, count) = (self.places[number], &mut sums.counts[number]);
        let cells = &self.cells[place.cells..][..place.order];
        let stride = stride(place.order);
        let rows = self.rows.get_mut(place.rows, ROWS * stride);
        let into = &mut rows[*count % ROWS * stride..][..place.order];
        for (into, &cell) in into.iter_mut().zip(cells) {
            *into = row[cell as usize];
        }
        *count += 1;
        if count.is_multiple_of(ROWS) {
            self.multiply(simd, number, ROWS, sums);
        }
    }

    #[inline(always)]
    fn settle<S: Simd>(&mut self, simd: S, sums: &mut Triangles) {
        for number in 0..self.places.len() {
            let left = sums.counts[number] % ROWS;
            if left > 0 {
                self.multiply(simd, number, left, sums);
            }
        }
        self.places.clear();
        self.cells.clear();
        self.rows.clear();
    }
}

impl Chosen {
    /// No masks yet, for rows of so many features and targets.
    pub(super) fn new(n_features: usize, n_targets: usize) -> Self {
        Self {
            n_features,
            order: n_features + n_targets + 1,
            places: Vec::new(),
            cells: Vec::new(),
            rows: Pieces::default(),
            gram: Vec::new(),
        }
    }

    #[inline(always)]
    fn multiply<S: Simd>(&mut self, simd: S, number: usize, n_rows: usize, sums: &mut Triangles) {
        let place = self.places[number];
        let (order, stride) = (place.order, stride(place.order));
        self.gram.resize(self.gram.len().max(order * stride), 0.0);
        let range = sums.range(number);
        vectorised_with(
            simd,
            Multiply {
                gram: &mut self.gram[..order * stride],
                rows: self.rows.get(place.rows, n_rows * stride),
                sums: &mut sums.sums[range],
                order,
                stride,
            },
        );
    }
}

/// Adds the products of some rows of `order` cells to a triangle.
struct Multiply<'a> {
    gram: &'a mut [f64],
    rows: &'a [f64],
    sums: &'a mut [f64],
    order: usize,
    stride: usize,
}

impl Loop for Multiply<'_> {
    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let Self { order, stride, .. } = self;
        set_gram_of_rows(simd, self.gram, &self.rows.chunks_exact(stride), stride);
        let mut sums = self.sums;
        for (i, row) in self.gram.chunks_exact(stride).enumerate() {
            let (these, others) = sums.split_at_mut(order - i);
            let pairs = these.iter_mut().zip(&row[i..order]);
            pairs.for_each(|(sum, more)| *sum += more);
            sums = others;
        }
    }
}
