//! The lift: from a completed row `x̃` and its mask to the features of a linear model.
//!
//! ```text
//! Φ(x̃, z) = (x̃, zb_k x̃ for each feature k with holes in training),   zb_k = 1 - z_k
//! f(x̃, z) = <w, x̃> + Σ_k zb_k <u_k, x̃>
//! ```
//!
//! (docs/math.md 2). Indicators alone, `zb_k`, are the lift of the constant entry.

use crate::method::Lift;
use crate::moments::Source;
use crate::prepare::{Intercept, Prepared};
use std::ops::Range;

/// Which unknowns there are: `w` over all entries, then a block of shifts per entry with holes.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Layout {
    /// Entries of a completed row, the constant (entry 0) included.
    pub(crate) n_entries: usize,
    /// The entries whose features have holes in training, ascending.
    pub(crate) holes: Vec<usize>,
    /// The entries that are shifted when a feature is missing.
    pub(crate) shifted: Range<usize>,
}

impl Layout {
    /// The layout for a lift of the rows behind `source`.
    pub(crate) fn new(lift: Lift, intercept: Intercept, prepared: &Prepared, source: &Source<'_>) -> Self {
        let n_entries = prepared.n_entries();
        let shifted = match (lift, intercept) {
            (Lift::Plain, _) => 0..0,
            (Lift::Indicators, _) => 0..1,
            (Lift::Full, Intercept::None) => 1..n_entries,
            (Lift::Full, _) => 0..n_entries,
        };
        let holes = if lift == Lift::Plain {
            Vec::new()
        } else {
            entries_with_holes(prepared, source)
        };
        Self {
            n_entries,
            holes,
            shifted,
        }
    }

    /// The number of unknowns.
    pub(crate) fn dim(&self) -> usize {
        self.n_entries + self.holes.len() * self.shifted.len()
    }

    /// Where block `b` of the shifts starts.
    pub(crate) fn start(&self, b: usize) -> usize {
        self.n_entries + b * self.shifted.len()
    }

    /// For each entry its block of shifts, if it has one.
    pub(crate) fn block_of_entry(&self) -> Vec<Option<usize>> {
        let mut block_of = vec![None; self.n_entries];
        for (b, &entry) in self.holes.iter().enumerate() {
            block_of[entry] = Some(b);
        }
        block_of
    }
}

fn entries_with_holes(prepared: &Prepared, source: &Source<'_>) -> Vec<usize> {
    let (mut total, mut observed) = (0, vec![0; prepared.n_entries()]);
    source.for_each(|moments| {
        total += moments.n_rows;
        for &j in &moments.observed {
            observed[prepared.entry_of[j]] += moments.n_rows;
        }
    });
    (1..prepared.n_entries()).filter(|&e| observed[e] < total).collect()
}
