//! The normal equations of the lifted least-squares problem: `H = ΦᵀSΦ`, `r = ΦᵀSy`, `yᵀSy`.
//!
//! ```text
//! H = Σ_masks (ζ ζᵀ) ⊗ Σ_rows s_i x̃_i x̃_iᵀ,     ζ = (1, zb)
//! ```
//!
//! so each mask adds one small matrix into the blocks its holes belong to (docs/math.md 5). Blocks
//! (k, l) and (l, k) are equal and (k, k) is (0, k): about a quarter is summed, the rest copied.
//! Cost: `(1 + missing)²/2 x entries²` multiply-adds per mask.

use crate::features::{Layout, Units};
use crate::impute::Scaled;
use crate::linalg::{Matrix, add_scaled, dot};
use crate::moments::Source;

/// The normal equations, in solver units: entries times `shrink`, target in its frame plus an offset.
#[derive(Clone, Debug)]
pub(crate) struct Gram {
    pub(crate) h: Matrix,
    pub(crate) r: Vec<f64>,
    pub(crate) yy: f64,
}

impl Gram {
    /// Sums the lifted rows behind `source`.
    pub(crate) fn build(source: &Source<'_>, units: &Units) -> Self {
        let layout = &units.layout;
        let mut gram = Self::zeros(layout.dim());
        let block_of = layout.block_of_entry();
        source.for_each(|moments| {
            let scaled = Scaled::of(moments, &units.prepared, &units.frame, units.shrink);
            let missing = missing_entries(&scaled.entries, layout.n_entries);
            let full = Completed::new(&scaled, &missing, units);
            let blocks: Vec<_> = missing.iter().filter_map(|&e| block_of[e]).collect();
            gram.add(&full, &blocks, layout);
        });
        gram.fill_in(layout);
        gram
    }

    pub(crate) fn zeros(dim: usize) -> Self {
        Self {
            h: Matrix::zeros(dim, dim),
            r: vec![0.0; dim],
            yy: 0.0,
        }
    }

    /// Adds one mask into block row 0 and, below the diagonal, into the blocks of its holes.
    fn add(&mut self, full: &Completed, blocks: &[usize], layout: &Layout) {
        self.yy += full.yy;
        add_scaled(&mut self.r[..layout.n_entries], 1.0, &full.xy);
        for &b in blocks {
            let into = &mut self.r[layout.range(b)];
            layout.shifted.add_entries(b, 1.0, &full.xy, into);
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
        add_scaled(&mut self.r, 1.0, &other.r);
        self.yy += other.yy;
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

    /// `Σ s_i (y_i - f_i)²` for the predictor v.
    pub(crate) fn squared_error(&self, v: &[f64]) -> f64 {
        (self.yy - 2.0 * dot(&self.r, v) + dot(v, &self.h.times(v))).max(0.0)
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
    xy: Vec<f64>,
    yy: f64,
}

impl Completed {
    fn new(scaled: &Scaled, missing: &[usize], units: &Units) -> Self {
        let n = units.layout.n_entries;
        let (entries, sums) = (&scaled.entries, &scaled.sums);
        let target = entries.len();
        let mut full = Self {
            xx: Matrix::zeros(n, n),
            xy: vec![0.0; n],
            yy: 0.0,
        };
        for (j, &q) in entries.iter().enumerate() {
            for (i, &p) in entries.iter().enumerate() {
                full.xx[(p, q)] = sums[(i, j)];
            }
            full.xy[q] = sums[(j, target)];
        }
        let coefficients = units.prepared.imputer.for_mask(entries, missing);
        for (c, &m) in missing.iter().enumerate() {
            full.fill(m, entries, coefficients.col(c));
        }
        full.offset_target(sums[(0, target)], sums[(target, target)], units);
        full
    }

    /// Row and column m as a combination of the observed entries. Holes filled earlier are included
    /// through their own rows, which already are such combinations.
    fn fill(&mut self, m: usize, entries: &[usize], coefficients: &[f64]) {
        let n = self.xy.len();
        let mut column = vec![0.0; n];
        for (&e, &coefficient) in entries.iter().zip(coefficients) {
            if coefficient != 0.0 {
                add_scaled(&mut column, coefficient, self.xx.col(e));
                self.xy[m] += coefficient * self.xy[e];
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

    /// Adds the offset to the target: `x̃ y → x̃ (y + offset)`.
    fn offset_target(&mut self, sum_y: f64, sum_yy: f64, units: &Units) {
        let (offset, shrink) = (units.offset, units.shrink);
        let weight = self.xx[(0, 0)] / shrink / shrink;
        self.yy = sum_yy + offset * (2.0 * sum_y / shrink + offset * weight);
        for (xy, x) in self.xy.iter_mut().zip(self.xx.col(0)) {
            *xy += offset * x / shrink;
        }
    }
}
