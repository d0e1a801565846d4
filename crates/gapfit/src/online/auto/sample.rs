//! The first rows, kept until they tell which features belong together.

use crate::data::{MaskedMatrix, MaskedRow, RowBuffer};
use crate::error::Result;
use crate::support::Support;

/// Rows that make a sample.
const ENOUGH: usize = 128;

/// Features whose correlation reaches this in size belong together (paper 5.1).
const THRESHOLD: f64 = 0.2;

/// The first rows of a stream.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Sample {
    pub(super) rows: Vec<Kept>,
}

/// One row of the sample.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Kept {
    pub(super) row: RowBuffer,
    pub(super) target: f64,
    pub(super) weight: f64,
}

impl Sample {
    /// Keeps a row; says whether there are enough.
    pub(super) fn push(&mut self, row: MaskedRow<'_>, target: f64, weight: f64) -> bool {
        let mut kept = RowBuffer::default();
        kept.copy_from(row);
        self.rows.push(Kept {
            row: kept,
            target,
            weight,
        });
        self.rows.len() >= ENOUGH
    }

    /// The pairs of features that belong together, with the constant behind which they stand.
    pub(super) fn support(&self) -> Result<Support> {
        let width = self.rows.first().map_or(0, |kept| kept.row.n_features());
        let mut table = MaskedMatrix::new(width);
        for kept in &self.rows {
            let row = kept.row.as_row();
            table.push_row((0..width).map(|j| row.get(j)))?;
        }
        Ok(Support::correlated(&table, THRESHOLD)?.with_hub())
    }

    pub(super) fn add_column(&mut self) {
        self.rows.iter_mut().for_each(|kept| kept.row.push_hole());
    }
}
