//! Which cells of some rows are filled, with what.

use std::collections::HashMap;

use anyhow::Result;
use gapfit::Model;
use gapfit::data::{MaskedMatrix, Schema};
use gapfit_io::{Encoder, Reader, decode};

use super::By;

/// Rows that are filled at once, at most.
const ROWS: usize = 1 << 14;
/// Features of rows that are filled at once, at most, unless a row has more.
const CELLS: usize = 1 << 22;

/// Some rows of a file and what fills their holes.
pub(super) struct Filling<'a> {
    schema: &'a Schema,
    /// The column of the schema that each column of the file is, where it is one.
    columns: HashMap<usize, usize>,
    /// Whether the cells are holes, a column of the schema each, row by row.
    holes: Vec<bool>,
    filled: MaskedMatrix,
}

impl<'a> Filling<'a> {
    /// Reads some more rows; `None` after the last.
    pub(super) fn next(
        reader: &mut Reader,
        encoder: &mut Encoder<'a>,
        (model, by): (&Model, By),
    ) -> Result<Option<Self>> {
        let schema = encoder.schema();
        let n_features = schema.n_features();
        let at_most = ROWS.min(1 + CELLS / n_features);
        let (mut features, mut holes) = (MaskedMatrix::new(n_features), Vec::new());
        while features.n_rows() < at_most && encoder.next_row(reader, &mut features)? {
            holes.extend_from_slice(encoder.holes());
        }
        if features.n_rows() == 0 {
            return Ok(None);
        }
        let index = |column| Some((reader.columns()[encoder.place(column)?].index, column));
        let filled = match by {
            By::Learnt => model.impute(&features)?,
            By::Base => model.fill(&features)?,
        };
        Ok(Some(Self {
            schema,
            columns: (0..schema.columns().len()).filter_map(index).collect(),
            holes,
            filled,
        }))
    }

    /// The number of rows.
    pub(super) fn n_rows(&self) -> usize {
        self.filled.n_rows()
    }

    /// The text that fills a cell of the file, if it is a hole.
    pub(super) fn cell(&self, row: usize, column: usize) -> Option<String> {
        let column = *self.columns.get(&column)?;
        let is_hole = self.holes[row * self.schema.columns().len() + column];
        is_hole.then(|| self.text(row, column)).flatten()
    }

    /// What stands in a cell once it is filled; `None` in a column that was never observed in training.
    fn text(&self, row: usize, column: usize) -> Option<String> {
        let features = self.schema.features(column);
        let values = features.map(|j| self.filled.get(row, j));
        let values: Option<Vec<f64>> = values.collect();
        Some(decode(&self.schema.columns()[column].kind, &values?))
    }

    /// How many holes are filled, and how many are left.
    pub(super) fn count(&self) -> (usize, usize) {
        let n_columns = self.schema.columns().len();
        let holes = (0..self.holes.len()).filter(|&cell| self.holes[cell]);
        let is_filled = |cell: &usize| {
            let first = self.schema.features(cell % n_columns).start;
            self.filled.get(cell / n_columns, first).is_some()
        };
        let (filled, left): (Vec<_>, Vec<_>) = holes.partition(is_filled);
        (filled.len(), left.len())
    }
}
