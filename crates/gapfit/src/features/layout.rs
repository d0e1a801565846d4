//! Which unknowns there are, and where.

use super::{Lists, Shifted};
use crate::linalg::Matrix;
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
    /// The entries that are shifted when such a feature is missing.
    pub(crate) shifted: Shifted,
}

impl Layout {
    /// The layout for a lift of the rows behind `source`.
    pub(crate) fn new(
        lift: Lift,
        intercept: Intercept,
        prepared: &Prepared,
        source: &Source<'_>,
    ) -> Self {
        let holes = if lift == Lift::Plain {
            Vec::new()
        } else {
            entries_with_holes(prepared, source)
        };
        Self::with_holes(lift, intercept, prepared.n_entries(), holes)
    }

    /// The layout where these entries have holes.
    pub(crate) fn with_holes(
        lift: Lift,
        intercept: Intercept,
        n_entries: usize,
        holes: Vec<usize>,
    ) -> Self {
        let shifted = match (lift, intercept) {
            (Lift::Plain, _) => 0..0,
            (Lift::Indicators, _) => 0..1,
            (Lift::Full, Intercept::None) => 1..n_entries,
            (Lift::Full, _) => 0..n_entries,
        };
        Self {
            n_entries,
            holes,
            shifted: Shifted::Alike(shifted),
        }
    }

    /// The same entries, nothing added to them for holes.
    pub(crate) fn plain(&self) -> Self {
        Self {
            n_entries: self.n_entries,
            holes: Vec::new(),
            shifted: Shifted::Alike(0..0),
        }
    }

    /// The same entries, of which a missing feature shifts the constant alone.
    pub(crate) fn constant(&self) -> Self {
        Self {
            n_entries: self.n_entries,
            holes: self.holes.clone(),
            shifted: Shifted::Listed(Lists::new(&vec![vec![0]; self.holes.len()])),
        }
    }

    /// The number of unknowns.
    pub(crate) fn dim(&self) -> usize {
        self.start(self.holes.len())
    }

    /// Where block `b` of the shifts starts.
    pub(crate) fn start(&self, b: usize) -> usize {
        self.n_entries + self.shifted.start(b)
    }

    /// Where block `b` of the shifts is.
    pub(crate) fn range(&self, b: usize) -> Range<usize> {
        self.start(b)..self.start(b + 1)
    }

    /// The unknowns as a matrix: column 0 is w, column b + 1 is shift b, zero where not shifted.
    pub(crate) fn as_matrix(&self, v: &[f64]) -> Matrix {
        let mut matrix = Matrix::zeros(self.n_entries, self.holes.len() + 1);
        matrix.col_mut(0).copy_from_slice(&v[..self.n_entries]);
        for b in 0..self.holes.len() {
            let (shift, column) = (&v[self.range(b)], matrix.col_mut(b + 1));
            self.shifted.spread(b, shift, column);
        }
        matrix
    }

    /// The inverse of [`Layout::as_matrix`]: drops what is not shifted.
    pub(super) fn as_vector(&self, matrix: &Matrix) -> Vec<f64> {
        let mut v = matrix.col(0).to_vec();
        for b in 0..self.holes.len() {
            let column = matrix.col(b + 1);
            v.extend(self.shifted.entries(b).map(|e| column[e]));
        }
        v
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
    let totals = source.totals(prepared.columns.len());
    let is_holed = |e: &usize| totals.columns[prepared.live[e - 1]].n_rows < totals.n_rows;
    (1..prepared.n_entries()).filter(is_holed).collect()
}
