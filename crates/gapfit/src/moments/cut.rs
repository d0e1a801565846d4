//! Sums of rows of which some cells are cut, before it is known where.
//!
//! A cell that is cut is one number, the bound `q`, in every row. With `v = (1, observed features, targets)` of a row, zeros in the
//! cells that are cut, the sums over the rows of a mask are (docs/math.md 5.7)
//!
//! ```text
//! Σ v vᵀ + Σ_c q_c (e_c L_cᵀ + L_c e_cᵀ) + Σ_cc' q_c q_c' N_cc' e_c e_c'ᵀ,      L_c = Σ v and N_cc' = Σ 1 over rows in which c (and c') are cut.
//! ```
//!
//! The first term is summed as any rows are. The others are here: a vector for each cell and a count for each pair, of those that
//! were met. So memory depends on masks and columns, not on the number of rows.

use super::Frame;
use super::triangles::Triangles;
use crate::data::Observed;
use rustc_hash::FxHashMap;

/// What becomes of a cell: it is cut at the lower or the upper end of its column.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub(super) struct Cut {
    column: u32,
    is_upper: bool,
}

impl Cut {
    pub(super) fn lower(column: usize) -> Self {
        Self {
            column: column as u32,
            is_upper: false,
        }
    }

    pub(super) fn upper(column: usize) -> Self {
        Self {
            is_upper: true,
            ..Self::lower(column)
        }
    }

    pub(super) fn column(self) -> usize {
        self.column as usize
    }

    /// 0 at the lower end, 1 at the upper one.
    pub(super) fn end(self) -> usize {
        usize::from(self.is_upper)
    }

    /// What the cell is in units: `q_c`.
    fn value(self, frame: &Frame) -> f64 {
        let unit = &frame.columns[self.column()];
        unit.hold(if self.is_upper {
            unit.upper
        } else {
            unit.lower
        })
    }
}

/// What cells that are cut add to sums by mask. Masks are told by their numbers there.
#[derive(Debug, Default)]
pub(super) struct CutSums {
    /// The sums `L_c` of (1, observed features, targets) over the rows of a mask in which a cell is cut.
    cells: FxHashMap<(u32, Cut), Box<[f64]>>,
    /// The rows of a mask in which two cells are cut.
    pairs: FxHashMap<(u32, Cut, Cut), usize>,
}

impl CutSums {
    /// Adds a row (1, observed features, targets) in units, which has zeros in the cells that are cut; these ascend.
    pub(super) fn add(&mut self, mask: usize, cuts: &[Cut], row: &[f64]) {
        let mask = mask as u32;
        for (i, &cut) in cuts.iter().enumerate() {
            let sums = self.cells.entry((mask, cut));
            let sums = sums.or_insert_with(|| vec![0.0; row.len()].into());
            let sums = sums.iter_mut().zip(row);
            sums.for_each(|(sum, x)| *sum += x);
            for &other in &cuts[..i] {
                *self.pairs.entry((mask, other, cut)).or_insert(0) += 1;
            }
        }
    }

    /// Adds the cells to the sums of the rows without them, cut at the ends of the frame.
    pub(super) fn add_to(&self, all: &mut Triangles, frame: &Frame) {
        let n_features = frame.columns.len();
        let place = |all: &Triangles, mask: usize, cut: Cut| {
            let observed = Observed::new(all.masks.mask(mask), n_features);
            1 + observed.iter().take_while(|&j| j < cut.column()).count()
        };
        // in an order that is not that of hashes
        let mut cells: Vec<_> = self.cells.iter().collect();
        cells.sort_unstable_by_key(|(key, _)| **key);
        for (&(mask, cut), sums) in cells {
            let mask = mask as usize;
            let (q, c) = (cut.value(frame), place(all, mask, cut));
            for (k, sum) in sums.iter().enumerate() {
                // L_c is 0 at c, and the first of its sums is N_cc
                *all.sum_mut(mask, c, k) += if k == c { q * q * sums[0] } else { q * sum };
            }
        }
        let mut pairs: Vec<_> = self.pairs.iter().collect();
        pairs.sort_unstable();
        for (&(mask, a, b), &count) in pairs {
            let mask = mask as usize;
            let places = [a, b].map(|cut| place(all, mask, cut));
            let product = a.value(frame) * b.value(frame);
            *all.sum_mut(mask, places[0], places[1]) += product * count as f64;
        }
    }

    /// Numbers that are kept.
    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        let sums = self.cells.values().map(|sums| sums.len());
        sums.sum::<usize>() + self.pairs.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::moments::Ranges;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    const WIDTH: usize = 4;

    fn frame() -> Frame {
        let columns = (0..WIDTH).map(|j| Some((-1.0, 1.5 + j as f64)));
        let ranges = Ranges {
            columns: columns.collect(),
            targets: vec![(-3.0, 3.0); 2],
        };
        Frame::new(&ranges, true)
    }

    /// Adds rows of a few masks, cut where they are beyond the frame, to sums that know it and to those that do not.
    fn add(n_rows: usize, clipped: &mut Triangles, open: &mut Triangles, cut: &mut CutSums) {
        let (rng, frame) = (&mut ChaCha8Rng::seed_from_u64(3), frame());
        for _ in 0..n_rows {
            let mask = rng.random_range(1..1u64 << WIDTH);
            let (mut row, mut without) = (vec![1.0], vec![1.0]);
            let mut cuts = Vec::new();
            for j in Observed::new(&[mask], WIDTH).iter() {
                let x: f64 = rng.random_range(-4.0..8.0);
                let unit = &frame.columns[j];
                cuts.extend((x < unit.lower).then(|| Cut::lower(j)));
                cuts.extend((x > unit.upper).then(|| Cut::upper(j)));
                row.push(unit.hold(x));
                let is_cut = x < unit.lower || x > unit.upper;
                without.push(if is_cut { 0.0 } else { unit.hold(x) });
            }
            for _ in 0..2 {
                let y = rng.random_range(-1.0..1.0);
                row.push(y);
                without.push(y);
            }
            clipped.add_rows(&[mask], 1, products(&row));
            open.add_rows(&[mask], 1, products(&without));
            let number = open.masks.find(&[mask]).expect("just added");
            cut.add(number, &cuts, &without);
        }
    }

    fn products(row: &[f64]) -> impl Iterator<Item = f64> {
        let products = row.iter().enumerate();
        products.flat_map(move |(i, a)| row[i..].iter().map(move |b| a * b))
    }

    #[test]
    fn cells_and_pairs_make_up_for_every_set_of_cells_that_are_cut() {
        let [mut clipped, mut open] = [(); 2].map(|()| Triangles::new(WIDTH, 2));
        let mut cut = CutSums::default();
        add(3000, &mut clipped, &mut open, &mut cut);
        cut.add_to(&mut open, &frame());
        assert_eq!(open.counts, clipped.counts);
        for (a, b) in open.sums.iter().zip(&clipped.sums) {
            assert!((a - b).abs() <= 1e-11 * (1.0 + b.abs()), "{a} {b}");
        }
    }

    #[test]
    fn memory_does_not_grow_with_the_rows() {
        let [mut clipped, mut open] = [(); 2].map(|()| Triangles::new(WIDTH, 2));
        let mut cut = CutSums::default();
        let mut len = |n_rows| {
            add(n_rows, &mut clipped, &mut open, &mut cut);
            cut.len()
        };
        let [few, many] = [20, 20_000].map(&mut len);
        assert_eq!(len(50_000), many);
        assert!(few < many);
    }
}
