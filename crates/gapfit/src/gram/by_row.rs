//! The normal equations from completed rows, where hardly two rows have the same mask.
//!
//! ```text
//! block (k, l) of H = Σ x̃_i x̃_iᵀ over the rows in which both k and l are missing
//! ```
//!
//! These rows are picked, some at a time, for one matrix product: as many multiplications as adding up a small matrix per mask takes,
//! but at the speed of matrix products (docs/math.md 5.8). Work is split by the columns of `H`.

use super::{Against, Gram, by_pair};
use crate::features::{Layout, LiftedRows, RowChunk, Units};
use crate::linalg::{Matrix, add_gram_columns, add_product};
use crate::moments::Rows;
use rayon::prelude::*;
use std::ops::Range;

/// Columns of the weights that are worked on at once.
const STRIP: usize = 64;

/// The normal equations of the rows.
pub(super) fn gram(rows: &Rows<'_>, units: &Units) -> Gram {
    let lifted = LiftedRows::new(rows, units);
    let against = |t: usize| {
        let (r, yy) = lifted.toward(&rows.toward(t), units).against_target();
        Against { r, yy }
    };
    let mut gram = Gram {
        h: match by_pair::suits(&lifted) {
            true => by_pair::below(&lifted),
            false => below(&lifted),
        },
        against: (0..units.offsets.len()).map(against).collect(),
    };
    gram.fill_in(&lifted.layout);
    gram
}

/// `H` below its diagonal, without the blocks on it but the first.
fn below(lifted: &LiftedRows) -> Matrix {
    let layout = &lifted.layout;
    let dim = layout.dim();
    let chunks = lifted.chunks.par_iter();
    let members: Vec<_> = chunks
        .map(|chunk| chunk.rows_by_hole(layout.holes.len()))
        .collect();
    let chunks: Vec<Lacking<'_>> = lifted.chunks.iter().zip(members).collect();
    let mut h = vec![0.0; dim * dim];
    let mut strips = Vec::new();
    let mut rest = &mut h[..];
    for strip in strips_of(layout) {
        let (columns, further) = rest.split_at_mut(strip.len() * dim);
        strips.push((strip, columns));
        rest = further;
    }
    strips.into_par_iter().for_each(|(strip, columns)| {
        for chunk in &chunks {
            match strip {
                Strip::Weights(ref entries) => add_weights(columns, entries, chunk, layout),
                Strip::Shift { block, .. } => add_shift(columns, block, chunk, layout),
            }
        }
    });
    Matrix::from_columns(dim, dim, h)
}

/// Some rows, and for each block of shifts those on which it acts.
type Lacking<'a> = (&'a RowChunk, Vec<Vec<u32>>);

/// Columns of `H`.
enum Strip {
    /// Of these entries of the weights.
    Weights(Range<usize>),
    Shift {
        block: usize,
        len: usize,
    },
}

impl Strip {
    fn len(&self) -> usize {
        match self {
            Self::Weights(entries) => entries.len(),
            Self::Shift { len, .. } => *len,
        }
    }
}

fn strips_of(layout: &Layout) -> impl Iterator<Item = Strip> {
    let n = layout.n_entries;
    let starts = (0..n).step_by(STRIP);
    let weights = starts.map(move |start| Strip::Weights(start..n.min(start + STRIP)));
    let shift = |block: usize| Strip::Shift {
        block,
        len: layout.range(block).len(),
    };
    weights.chain((0..layout.holes.len()).map(shift))
}

/// Adds to columns of the weights: below the diagonal of the first block, and all blocks below it.
fn add_weights(
    columns: &mut [f64],
    entries: &Range<usize>,
    (chunk, lacking): &Lacking<'_>,
    layout: &Layout,
) {
    let dim = layout.dim();
    let mut square = vec![0.0; entries.len() * layout.n_entries];
    add_gram_columns(
        &mut square,
        chunk.x.as_slice(),
        layout.n_entries,
        entries.start,
    );
    let into = columns.chunks_exact_mut(dim);
    for (into, column) in into.zip(square.chunks_exact(layout.n_entries)) {
        into.iter_mut().zip(column).for_each(|(h, x)| *h += x);
    }
    for (b, rows) in lacking.iter().enumerate() {
        let left = chunk.x.pick(&layout.shifted.entries(b), rows);
        let right = chunk.x.pick(entries, rows);
        add_product(columns, layout.range(b), &left, &right);
    }
}

/// Adds to the columns of a block of shifts, in the blocks below that on the diagonal.
fn add_shift(columns: &mut [f64], block: usize, (chunk, lacking): &Lacking<'_>, layout: &Layout) {
    for b in block + 1..lacking.len() {
        let rows = common(&lacking[block], &lacking[b]);
        let left = chunk.x.pick(&layout.shifted.entries(b), &rows);
        let right = chunk.x.pick(&layout.shifted.entries(block), &rows);
        add_product(columns, layout.range(b), &left, &right);
    }
}

/// The numbers in both lists, which ascend.
fn common(a: &[u32], b: &[u32]) -> Vec<u32> {
    let mut others = b.iter().peekable();
    let is_there = |row: &&u32| {
        while others.next_if(|other| other < row).is_some() {}
        others.next_if_eq(row).is_some()
    };
    a.iter().filter(is_there).copied().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Dataset, MaskedMatrix};
    use crate::features::{Lists, Shifted};
    use crate::learn::Learner;
    use crate::method::{Base, Method};
    use crate::moments::Reading;
    use crate::pipeline::{Prefer, Problem};
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    /// Two targets and weights; the first column has no holes.
    fn data(n_rows: usize, n_cols: usize) -> Dataset {
        let rng = &mut ChaCha8Rng::seed_from_u64(3);
        let mut table = MaskedMatrix::new(n_cols);
        for _ in 0..n_rows {
            let mut cell = |j: usize| {
                let x = rng.random_range(-1.0..2.0);
                (j == 0 || rng.random::<f64>() < 0.6).then_some(x)
            };
            let row: Vec<_> = (0..n_cols).map(&mut cell).collect();
            table.push_row(row).unwrap();
        }
        let target = |f: fn(f64) -> f64| (0..n_rows).map(|i| f(i as f64)).collect();
        let weights = (0..n_rows).map(|i| (i % 3) as f64).collect();
        let data = Dataset::new(table, target(f64::sin)).unwrap();
        data.with_further_target("other", target(f64::cos))
            .unwrap()
            .with_weights(weights)
            .unwrap()
    }

    fn assert_close(a: &[f64], b: &[f64]) {
        assert_eq!(a.len(), b.len());
        let scale = b.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
        assert!(scale > 0.0);
        for (a, b) in a.iter().zip(b) {
            assert!((a - b).abs() <= 1e-12 * scale, "{a} {b}");
        }
    }

    #[test]
    fn rows_give_the_normal_equations_of_their_masks() {
        // more rows than a chunk and more entries than a strip
        for (n_rows, n_cols, methods) in [
            (
                2500,
                7,
                &[
                    (Method::Irr(Base::Mean), true),
                    (Method::Irr(Base::Gaussian), true),
                    (Method::Mask, false),
                ][..],
            ),
            (300, 90, &[(Method::Impute(Base::Mean), false)][..]),
        ] {
            let data = data(n_rows, n_cols);
            let rows = Rows::new(&data, None);
            for &(method, is_by_pair) in methods {
                let learner = Learner::new(method);
                let reading = Reading::new(&rows, learner.preparation.clip).unwrap();
                let problem = Problem::new(&learner, &reading, Prefer::Dense);
                let mut units = Units::clone(&problem.units);
                let compare = |units: &Units, is_by_pair: bool| {
                    let sums = Gram::of_masks(&reading.source, units);
                    let ours = gram(&rows, units);
                    assert_close(ours.h.as_slice(), sums.h.as_slice());
                    let lifted = LiftedRows::new(&rows, units);
                    assert_eq!(by_pair::suits(&lifted), is_by_pair, "{method}");
                    assert_eq!(lifted.chunks.len() > 1, n_rows == 2500);
                    let mut by_row = Gram {
                        h: below(&lifted),
                        against: Vec::new(),
                    };
                    by_row.fill_in(&units.layout);
                    assert_close(by_row.h.as_slice(), sums.h.as_slice());
                    assert_eq!(ours.against.len(), 2);
                    for (ours, sums) in ours.against.iter().zip(&sums.against) {
                        assert_close(&ours.r, &sums.r);
                        assert_close(&[ours.yy], &[sums.yy]);
                    }
                };
                compare(&units, is_by_pair);
                let holes = units.layout.holes.len() as u32;
                if holes > 0 {
                    let lists: Vec<_> = (0..holes).map(|b| vec![b / 2, b / 2 + 3]).collect();
                    units.layout.shifted = Shifted::Listed(Lists::new(&lists));
                    compare(&units, false);
                }
            }
        }
    }

    #[test]
    fn common_numbers_are_those_in_both_lists() {
        assert_eq!(common(&[1, 4, 5, 9], &[0, 4, 6, 9, 11]), [4, 9]);
        assert!(common(&[], &[1]).is_empty() && common(&[2], &[]).is_empty());
    }
}
