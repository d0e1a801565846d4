//! A record batch by the cells of its columns.

use arrow_array::RecordBatch;
use gapfit::data::MaskedColumn;

use super::Values;
use super::column::Cells;
use crate::cell::Missing;
use crate::reader::{Reading, Wanted};

/// What is asked of record batches: numbers of columns, ascending, and the rules for their cells.
#[derive(Clone, Debug)]
pub(super) struct Asked {
    pub(super) columns: Vec<usize>,
    readings: Vec<Reading>,
    missing: Missing,
}

impl From<Wanted<'_>> for Asked {
    fn from(wanted: Wanted<'_>) -> Self {
        Self {
            columns: wanted.columns.iter().map(|column| column.index).collect(),
            readings: wanted.readings.to_vec(),
            missing: wanted.missing.clone(),
        }
    }
}

impl Asked {
    /// Parts of about equal size, at most so many and at least one, that together ask the same.
    pub(super) fn parts(&self, at_most: usize) -> Vec<Self> {
        let size = self.columns.len().div_ceil(at_most).max(1);
        if size >= self.columns.len() {
            return vec![self.clone()];
        }
        let parts = self.columns.chunks(size).zip(self.readings.chunks(size));
        let part = |(columns, readings): (&[usize], &[Reading])| Self {
            columns: columns.to_vec(),
            readings: readings.to_vec(),
            missing: self.missing.clone(),
        };
        parts.map(part).collect()
    }
}

/// Rows that were decoded together, as columns of cells.
#[derive(Default)]
pub(super) struct Batch {
    pub(super) n_rows: usize,
    pub(super) cells: Vec<Cells>,
}

impl Batch {
    /// The cells of a record batch of the columns that are asked for.
    pub(super) fn new(batch: &RecordBatch, asked: &Asked) -> Self {
        let columns = batch.columns().iter().zip(&asked.readings);
        Self {
            n_rows: batch.num_rows(),
            cells: columns
                .map(|(array, reading)| Cells::new(array, *reading, &asked.missing))
                .collect(),
        }
    }

    /// The columns of all these, which have the same rows; `None` where they do not.
    pub(super) fn joined(parts: Vec<Self>) -> Option<Self> {
        let n_rows = parts.first()?.n_rows;
        let is_whole = parts.iter().all(|part| part.n_rows == n_rows);
        is_whole.then(|| Self {
            n_rows,
            cells: parts.into_iter().flat_map(|part| part.cells).collect(),
        })
    }

    /// The columns, where all of them are of numbers and none is infinite; no row is left then.
    pub(super) fn take_numbers(&mut self) -> Option<Vec<MaskedColumn<Values>>> {
        if !self.cells.iter().all(Cells::are_numbers) {
            return None;
        }
        let cells = std::mem::take(self).cells.into_iter();
        cells.map(Cells::into_numbers).collect()
    }
}
