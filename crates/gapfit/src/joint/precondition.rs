//! What stands in for the inverse of `scale H + P` in conjugate gradients (docs/math.md 8).
//!
//! Block (k, l) of `H` sums `x̃ x̃ᵀ` over the rows in which k and l are both missing. Where holes have little to do with
//! values, it is the weight of these rows times one matrix for all blocks. So with `L_k L_kᵀ` the diagonal blocks of the
//! system, exactly, its block (k, l) is near
//!
//! ```text
//! L_k R_kl L_lᵀ,     R_kl diagonal: the correlation of the holes k and l times √(f_k f_l),
//! ```
//!
//! f the share of the rows in each unknown, the rest being the penalty's. R couples the unknowns of one entry only: a small matrix
//! for each entry, with ones on its diagonal.

use super::blocks::{Blocks, Hessian};
use crate::error::Result;
use crate::linalg::{Cholesky, Matrix};
use rayon::prelude::*;
use std::ops::Range;
use std::sync::Arc;

/// Correlations are believed so far: where values do depend on holes, less would be left of a difference of two blocks than there is.
const BELIEVED: f64 = 0.97;

/// What is known of `H` beforehand.
#[derive(Debug, Default)]
pub(super) struct Sketch {
    /// The diagonal blocks of the centred `H`, lower triangles: w, then the shifts.
    pub(super) diagonal: Vec<Matrix>,
    /// For each entry the unknowns that multiply it; none where blocks stay on their own.
    pub(super) entries: Vec<Together>,
}

impl Sketch {
    /// What it takes of memory, roughly.
    pub(super) fn bytes(&self) -> usize {
        let mut coupled: Vec<&Arc<Matrix>> =
            self.entries.iter().map(|of| &of.correlations).collect();
        coupled.dedup_by(|a, b| Arc::ptr_eq(a, b));
        let cells = self
            .diagonal
            .iter()
            .chain(coupled.into_iter().map(|m| &**m));
        cells.map(|m| size_of_val(m.as_slice())).sum()
    }
}

/// The unknowns that multiply one entry.
#[derive(Debug)]
pub(super) struct Together {
    /// Where they are, block by block.
    pub(super) places: Vec<usize>,
    /// The correlations of their blocks, the same for most entries.
    pub(super) correlations: Arc<Matrix>,
}

/// The correlations of so many blocks, ones on the diagonal, in the lower triangle: from the weight of the rows on which two of them
/// act both.
pub(super) fn correlations(n_blocks: usize, weights: impl Fn(usize, usize) -> f64) -> Matrix {
    let roots: Vec<f64> = (0..n_blocks)
        .map(|i| weights(i, i).max(0.0).sqrt())
        .collect();
    let mut correlations = Matrix::zeros(n_blocks, n_blocks);
    for j in 0..n_blocks {
        correlations[(j, j)] = 1.0;
        for i in j + 1..n_blocks {
            let size = roots[i] * roots[j];
            let share = if size > 0.0 {
                weights(i, j) / size
            } else {
                0.0
            };
            correlations[(i, j)] = BELIEVED * share;
        }
    }
    correlations
}

/// The factors, for one system.
pub(super) struct Preconditioner<'a> {
    sketch: &'a Sketch,
    blocks: Vec<(Range<usize>, Cholesky)>,
    /// Of R, entry by entry.
    coupling: Vec<Cholesky>,
}

impl<'a> Preconditioner<'a> {
    /// Of `scale H + penalty`.
    pub(super) fn new(
        sketch: &'a Sketch,
        layout: &Blocks,
        scale: f64,
        penalty: &Hessian<'_>,
    ) -> Result<Self> {
        let factor = |(b, block): (usize, &Matrix)| {
            let shift = b.checked_sub(1);
            let range = shift.map_or(0..layout.n_weights, |b| layout.range(b));
            let factor = Cholesky::of(|| {
                let mut system = block.scaled_lower(scale);
                penalty.add_block_to(shift, range.clone(), 0, &mut system);
                system
            })?;
            Ok((range, factor))
        };
        let blocks = sketch.diagonal.par_iter().enumerate().map(factor);
        let blocks: Vec<(Range<usize>, Cholesky)> = blocks.collect::<Result<_>>()?;
        let mut roots = vec![0.0; layout.dim()];
        for (range, factor) in &blocks {
            let penalties = &penalty.diagonal[range.clone()];
            let pivots = factor.pivots().zip(penalties);
            for (root, (pivot, p)) in roots[range.clone()].iter_mut().zip(pivots) {
                *root = (1.0 - p / (pivot * pivot)).max(0.0).sqrt();
            }
        }
        let couple = |together: &Together| {
            let roots: Vec<f64> = together.places.iter().map(|&i| roots[i]).collect();
            Cholesky::of(|| {
                let mut coupling = Matrix::clone(&together.correlations);
                for (j, right) in roots.iter().enumerate() {
                    let below = &mut coupling.col_mut(j)[j + 1..];
                    for (x, left) in below.iter_mut().zip(&roots[j + 1..]) {
                        *x *= left * right;
                    }
                }
                coupling
            })
        };
        let coupling = sketch.entries.par_iter().map(couple);
        Ok(Self {
            coupling: coupling.collect::<Result<_>>()?,
            sketch,
            blocks,
        })
    }

    /// Nearly the solution of the system.
    pub(super) fn apply(&self, rhs: &[f64]) -> Vec<f64> {
        let mut out = rhs.to_vec();
        if self.coupling.is_empty() {
            // Each factor is read once.
            for (range, factor) in &self.blocks {
                factor.solve(&mut out[range.clone()]);
            }
            return out;
        }
        for (range, factor) in &self.blocks {
            factor.solve_lower(&mut out[range.clone()]);
        }
        for (Together { places, .. }, factor) in self.sketch.entries.iter().zip(&self.coupling) {
            let mut of_entry: Vec<f64> = places.iter().map(|&i| out[i]).collect();
            factor.solve(&mut of_entry);
            places.iter().zip(of_entry).for_each(|(&i, x)| out[i] = x);
        }
        for (range, factor) in &self.blocks {
            factor.solve_upper(&mut out[range.clone()]);
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::super::conjugate::{self, Effort};
    use super::*;
    use crate::linalg::{add_scaled, dot};
    use std::cell::Cell;

    const ENTRIES: usize = 12;
    const HOLES: usize = 10;

    /// Weights of rows in which half of the cells are missing at random, that of all rows first.
    fn weight(k: usize, l: usize) -> f64 {
        let holes = [k, l].map(|b| b > 0);
        match (holes, k == l) {
            ([false, false], _) => 1.0,
            ([true, true], false) => 0.25,
            _ => 0.5,
        }
    }

    /// Entry (i, j) of `Σ x̃ x̃ᵀ`.
    fn square(i: usize, j: usize) -> f64 {
        1.0 + if i == j { 1.0 + i as f64 } else { 0.0 }
    }

    /// `H v` where holes have nothing to do with values.
    fn times(v: &[f64]) -> Vec<f64> {
        let cell = |at: usize| {
            let (k, i) = (at / ENTRIES, at % ENTRIES);
            let row: Vec<f64> = (0..v.len())
                .map(|other| weight(k, other / ENTRIES) * square(i, other % ENTRIES))
                .collect();
            dot(&row, v)
        };
        (0..v.len()).map(cell).collect()
    }

    /// Products it takes to solve a system, the holes believed to go together or not.
    fn products(is_coupled: bool) -> usize {
        let layout = Blocks {
            n_weights: ENTRIES,
            partners: (0..HOLES).collect(),
            starts: (1..=HOLES + 1).map(|b| b * ENTRIES).collect(),
        };
        let block = |k: usize| {
            let mut block = Matrix::zeros(ENTRIES, ENTRIES);
            for j in 0..ENTRIES {
                for i in j..ENTRIES {
                    block[(i, j)] = weight(k, k) * square(i, j);
                }
            }
            block
        };
        let shared = Arc::new(correlations(HOLES + 1, weight));
        let together = |e: usize| Together {
            places: (0..=HOLES).map(|k| k * ENTRIES + e).collect(),
            correlations: Arc::clone(&shared),
        };
        let sketch = Sketch {
            diagonal: (0..=HOLES).map(block).collect(),
            entries: (0..ENTRIES).filter(|_| is_coupled).map(together).collect(),
        };
        let (penalty, scale) = (layout.majorant(1.0), 100.0);
        let near = Preconditioner::new(&sketch, &layout, scale, &penalty).unwrap();
        let counted = Cell::new(0);
        let system = |p: &[f64]| {
            counted.set(counted.get() + 1);
            let mut product = penalty.times(p);
            add_scaled(&mut product, scale, &times(p));
            product
        };
        let rhs: Vec<f64> = (0..layout.dim()).map(|i| (i as f64).sin()).collect();
        let x = conjugate::solve(&rhs, Effort::SHARP, |r| near.apply(r), system);
        let left: Vec<f64> = system(&x).iter().zip(&rhs).map(|(a, b)| a - b).collect();
        assert!(dot(&left, &left) < 1e-3 * dot(&rhs, &rhs));
        counted.get() - 1
    }

    #[test]
    fn holes_apart_from_values_cost_few_products() {
        let (alone, coupled) = (products(false), products(true));
        assert!(2 * coupled <= alone, "{coupled} {alone}");
    }
}
