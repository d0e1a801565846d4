//! The normal equations of the lifted least-squares problem: `H = ΦᵀSΦ`, and for each target `r = ΦᵀSy`, `yᵀSy`.
//!
//! ```text
//! H = Σ_masks (ζ ζᵀ) ⊗ Σ_rows s_i x̃_i x̃_iᵀ,     ζ = (1, zb)
//! ```
//!
//! so each mask adds one small matrix into the blocks its holes belong to (docs/math.md 5). Blocks
//! (k, l) and (l, k) are equal and (k, k) is (0, k): about a quarter is summed, the rest copied.
//! Cost: `(1 + missing)²/2 x entries²` multiply-adds per mask.

mod by_pair;
mod by_row;
mod folded;

use crate::features::{Layout, Units};
use crate::impute::Scaled;
use crate::linalg::{Matrix, add_scaled};
use crate::moments::{MaskMoments, Rows, Source};

/// The normal equations, in solver units: entries times `shrink`, targets in their frame plus an offset.
#[derive(Clone, Debug)]
pub(crate) struct Gram {
    pub(crate) h: Matrix,
    /// One per target.
    pub(crate) against: Vec<Against>,
}

/// The part of the normal equations that a target has to itself.
#[derive(Clone, Debug)]
pub(crate) struct Against {
    pub(crate) r: Vec<f64>,
    pub(crate) yy: f64,
}

/// From so many rows per mask on, sums by mask are quicker than the rows.
const SHARING: usize = 4;

/// Up to so many unknowns masks are summed in parts, in parallel: each part needs an `H` of its own.
const IN_PARTS: usize = 500;

impl Gram {
    /// Sums the lifted rows behind `source`, or the rows themselves where they are at hand and hardly share masks.
    pub(crate) fn build(source: &Source<'_>, rows: Option<&Rows<'_>>, units: &Units) -> Self {
        if let Source::Folded(folded) = source {
            return folded::gram(folded, units);
        }
        if let Some(rows) = rows.filter(|rows| rows.len() < SHARING * source.n_masks()) {
            return by_row::gram(rows, units);
        }
        Self::of_masks(source, units)
    }

    fn of_masks(source: &Source<'_>, units: &Units) -> Self {
        let layout = &units.layout;
        let block_of = layout.block_of_entry();
        let start = || Self::zeros(layout.dim(), units.offsets.len());
        let visit = |gram: &mut Self, moments: &MaskMoments| {
            let scaled = Scaled::of(moments, &units.prepared, &units.frame, units.shrink);
            let missing = missing_entries(&scaled.entries, layout.n_entries);
            let full = Completed::new(&scaled, &missing, units);
            let blocks: Vec<_> = missing.iter().filter_map(|&e| block_of[e]).collect();
            gram.add(&full, &blocks, layout);
        };
        let mut gram = if layout.dim() <= IN_PARTS {
            let parts = source.fold(start, visit).into_iter();
            let merged = parts.reduce(|mut sum, part| {
                sum.merge(&part);
                sum
            });
            merged.unwrap_or_else(start)
        } else {
            let mut gram = start();
            source.for_each(|moments| visit(&mut gram, moments));
            gram
        };
        gram.fill_in(layout);
        gram
    }

    pub(crate) fn zeros(dim: usize, n_targets: usize) -> Self {
        let against = Against {
            r: vec![0.0; dim],
            yy: 0.0,
        };
        Self {
            h: Matrix::zeros(dim, dim),
            against: vec![against; n_targets],
        }
    }

    /// Adds one mask into block row 0 and, below the diagonal, into the blocks of its holes.
    fn add(&mut self, full: &Completed, blocks: &[usize], layout: &Layout) {
        for (Against { r, yy }, of_mask) in self.against.iter_mut().zip(&full.against) {
            *yy += of_mask.yy;
            add_scaled(&mut r[..layout.n_entries], 1.0, &of_mask.r);
            for &b in blocks {
                let into = &mut r[layout.range(b)];
                layout.shifted.add_entries(b, 1.0, &of_mask.r, into);
            }
        }
        self.add_square(&full.xx, blocks, layout);
    }

    /// Adds `Σ x̃ x̃ᵀ` of rows of one mask to `H`, which [`Gram::fill_in`] is still to complete.
    pub(crate) fn add_square(&mut self, xx: &Matrix, blocks: &[usize], layout: &Layout) {
        let (n, shifted) = (layout.n_entries, &layout.shifted);
        for j in 0..n {
            add_scaled(&mut self.h.col_mut(j)[..n], 1.0, xx.col(j));
        }
        for (position, &b) in blocks.iter().enumerate() {
            let rows = layout.range(b);
            for j in 0..n {
                let into = &mut self.h.col_mut(j)[rows.clone()];
                shifted.add_entries(b, 1.0, xx.col(j), into);
            }
            for &a in &blocks[..position] {
                for (j, entry) in layout.range(a).zip(shifted.entries(a)) {
                    let into = &mut self.h.col_mut(j)[rows.clone()];
                    shifted.add_entries(b, 1.0, xx.col(entry), into);
                }
            }
        }
    }

    /// Adds the sums over other rows.
    pub(crate) fn merge(&mut self, other: &Self) {
        self.h.add(&other.h);
        for (mine, theirs) in self.against.iter_mut().zip(&other.against) {
            add_scaled(&mut mine.r, 1.0, &theirs.r);
            mine.yy += theirs.yy;
        }
    }

    /// Copies block (k, 0) to (k, k) and the lower triangle to the upper one.
    pub(crate) fn fill_in(&mut self, layout: &Layout) {
        for b in 0..layout.holes.len() {
            let range = layout.range(b);
            for (j, entry) in range.clone().zip(layout.shifted.entries(b)) {
                let source = self.h.col(entry)[range.clone()].to_vec();
                self.h.col_mut(j)[range.clone()].copy_from_slice(&source);
            }
        }
        self.h.mirror_lower();
    }
}

/// The entries that are not among `observed`, both ascending.
fn missing_entries(observed: &[usize], n_entries: usize) -> Vec<usize> {
    let mut observed = observed.iter().peekable();
    (0..n_entries)
        .filter(|e| observed.next_if_eq(&e).is_none())
        .collect()
}

/// The moments of one mask after its holes are filled.
struct Completed {
    xx: Matrix,
    /// One per target, over the entries.
    against: Vec<Against>,
}

impl Completed {
    fn new(scaled: &Scaled, missing: &[usize], units: &Units) -> Self {
        let n = units.layout.n_entries;
        let (entries, sums) = (&scaled.entries, &scaled.sums);
        let targets = entries.len()..sums.n_cols();
        let nothing = Against {
            r: vec![0.0; n],
            yy: 0.0,
        };
        let mut full = Self {
            xx: Matrix::zeros(n, n),
            against: vec![nothing; targets.len()],
        };
        for (j, &q) in entries.iter().enumerate() {
            for (i, &p) in entries.iter().enumerate() {
                full.xx[(p, q)] = sums[(i, j)];
            }
            for (of_target, target) in full.against.iter_mut().zip(targets.clone()) {
                of_target.r[q] = sums[(j, target)];
            }
        }
        let coefficients = units.prepared.imputer.for_mask(entries, missing);
        for (c, &m) in missing.iter().enumerate() {
            full.fill(m, entries, coefficients.col(c));
        }
        for (t, target) in targets.enumerate() {
            full.offset_target(t, sums[(0, target)], sums[(target, target)], units);
        }
        full
    }

    /// Row and column m as a combination of the observed entries. Holes filled earlier are included
    /// through their own rows, which already are such combinations.
    fn fill(&mut self, m: usize, entries: &[usize], coefficients: &[f64]) {
        let mut column = vec![0.0; self.xx.n_rows()];
        for (&e, &coefficient) in entries.iter().zip(coefficients) {
            if coefficient != 0.0 {
                add_scaled(&mut column, coefficient, self.xx.col(e));
                for Against { r, .. } in &mut self.against {
                    r[m] += coefficient * r[e];
                }
            }
        }
        let products = entries
            .iter()
            .zip(coefficients)
            .map(|(&e, c)| c * column[e]);
        column[m] = products.sum();
        self.xx.col_mut(m).copy_from_slice(&column);
        for (e, &x) in column.iter().enumerate() {
            self.xx[(m, e)] = x;
        }
    }

    /// Adds the offset to target t: `x̃ y → x̃ (y + offset)`.
    fn offset_target(&mut self, t: usize, sum_y: f64, sum_yy: f64, units: &Units) {
        let (offset, shrink) = (units.offsets[t], units.shrink);
        let weight = self.xx[(0, 0)] / shrink / shrink;
        let Against { r, yy } = &mut self.against[t];
        *yy = sum_yy + offset * (2.0 * sum_y / shrink + offset * weight);
        for (xy, x) in r.iter_mut().zip(self.xx.col(0)) {
            *xy += offset * x / shrink;
        }
    }
}
