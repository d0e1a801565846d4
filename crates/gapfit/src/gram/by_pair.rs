//! The normal equations from completed rows in which many cells are missing, each time in other places.
//!
//! ```text
//! cell ((k, i), (l, j)) of H = Σ_rows ζ_k ζ_l x̃_i x̃_j,     ζ = (1, zb)
//! ```
//!
//! depends on neither order within {i, j} nor within {k, l}. So for a block column k all products of two entries, of the rows in which k
//! is missing, are multiplied by the holes l > k of these rows: one large matrix product instead of one for each pair of
//! holes, and half of every block is enough (docs/math.md 5.8).

use crate::features::{Layout, LiftedRows, RowChunk, Shifted};
use crate::linalg::{Matrix, add_transpose_product, set_products_of_columns};
use rayon::prelude::*;
use std::ops::Range;

/// Rows whose products are made at once, and numbers that those are at most, so that they stay in a cache.
const AT_ONCE: usize = 64;
const PRODUCTS: usize = 1 << 18;
/// From this share of missing cells on it is quicker than a product for each pair of holes.
const MISSING: f64 = 0.25;

/// Whether this is the way for these rows.
pub(super) fn suits(lifted: &LiftedRows) -> bool {
    let layout = &lifted.layout;
    let Shifted::Alike(shifted) = &layout.shifted else {
        return false;
    };
    let holes: usize = lifted.chunks.iter().map(|chunk| chunk.holes.len()).sum();
    let cells = (lifted.y.len() * layout.holes.len()) as f64;
    let is_shifted = shifted.len() + 1 >= layout.n_entries;
    are_near(layout.n_entries) && is_shifted && holes as f64 >= MISSING * cells
}

/// Whether products of so many entries stay in a cache.
fn are_near(n_entries: usize) -> bool {
    AT_ONCE * n_pairs(n_entries) <= PRODUCTS
}

/// Pairs of entries, whatever their order.
fn n_pairs(n_entries: usize) -> usize {
    n_entries * (n_entries + 1) / 2
}

/// `H` below its diagonal, without the blocks on it but the first.
pub(super) fn below(lifted: &LiftedRows) -> Matrix {
    let layout = &lifted.layout;
    let (dim, n_blocks) = (layout.dim(), layout.holes.len());
    let n_pairs = n_pairs(layout.n_entries);
    let members = lifted.chunks.par_iter().map(|chunk| {
        let all = (0..chunk.len() as u32).collect();
        let mut members = chunk.rows_by_hole(n_blocks);
        members.insert(0, all);
        members
    });
    let members: Vec<_> = members.collect();
    let mut h = vec![0.0; dim * dim];
    let mut rest = &mut h[..];
    let mut strips = Vec::new();
    for k in 0..=n_blocks {
        let (columns, further) = rest.split_at_mut(range(layout, k).len() * dim);
        strips.push((k, columns));
        rest = further;
    }
    strips.into_par_iter().for_each(|(k, columns)| {
        // Of k = 0 also the block on the diagonal.
        let others = if k == 0 { 0 } else { k + 1 }..n_blocks + 1;
        let mut sums = Matrix::zeros(n_pairs, others.len());
        let mut products = Matrix::zeros(0, 0);
        for (chunk, members) in lifted.chunks.iter().zip(&members) {
            for rows in members[k].chunks(AT_ONCE) {
                add(&mut sums, &mut products, chunk, rows, others.clone());
            }
        }
        let own = entries(layout, k);
        for (column, j) in columns.chunks_exact_mut(dim).zip(own) {
            for (l, of_holes) in others.clone().enumerate().map(|(at, l)| (l, sums.col(at))) {
                let into = &mut column[range(layout, l)];
                for (into, i) in into.iter_mut().zip(entries(layout, l)) {
                    *into = of_holes[pair(layout.n_entries, i.min(j), i.max(j))];
                }
            }
        }
    });
    Matrix::from_columns(dim, dim, h)
}

/// Adds the products of two entries of some rows, times each of some holes. `products` is room to work in.
fn add(
    sums: &mut Matrix,
    products: &mut Matrix,
    chunk: &RowChunk,
    rows: &[u32],
    holes: Range<usize>,
) {
    if holes.is_empty() {
        return;
    }
    let entries = chunk.x.tile(0..chunk.x.n_rows(), rows);
    let holes = chunk.indicators.tile(holes, rows);
    set_products_of_columns(products, &entries);
    add_transpose_product(sums, products, &holes);
}

/// The place of the pair of entries `i <= j` of `n`.
fn pair(n: usize, i: usize, j: usize) -> usize {
    i * (2 * n + 1 - i) / 2 + j - i
}

/// Where block k is, the weights being block 0.
fn range(layout: &Layout, k: usize) -> Range<usize> {
    k.checked_sub(1)
        .map_or(0..layout.n_entries, |b| layout.range(b))
}

/// The entries that block k multiplies.
fn entries(layout: &Layout, k: usize) -> Range<usize> {
    match (&layout.shifted, k) {
        (Shifted::Alike(shifted), 1..) => shifted.clone(),
        _ => 0..layout.n_entries,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_of_ninety_entries_stay_near_and_those_of_more_do_not() {
        assert!(are_near(90) && !are_near(91));
    }
}
