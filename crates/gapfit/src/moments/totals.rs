//! What is known of each column alone: cheap also where every row has a mask of its own.

use super::{Frame, Moments, Rows};
use rayon::prelude::*;

/// Sums over the rows, and over the rows in which each column is observed.
#[derive(Clone, Debug)]
pub(crate) struct Totals {
    pub(crate) n_rows: usize,
    pub(crate) weight: f64,
    /// One per column of the table.
    pub(crate) columns: Vec<Total>,
}

/// Sums over the rows in which a column is observed; values in the frame.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Total {
    pub(crate) n_rows: usize,
    pub(crate) weight: f64,
    pub(crate) sum: f64,
    pub(crate) squares: f64,
}

/// Parts summed in parallel; fixed, so that sums do not depend on the number of threads.
const PARTS: usize = 16;

impl Totals {
    pub(super) fn zeros(n_columns: usize) -> Self {
        Self {
            n_rows: 0,
            weight: 0.0,
            columns: vec![Total::default(); n_columns],
        }
    }

    /// From sums by mask.
    pub(super) fn of_moments(moments: &Moments, n_columns: usize) -> Self {
        let mut totals = Self::zeros(n_columns);
        for (_, moments) in &moments.masks {
            totals.n_rows += moments.n_rows;
            totals.weight += moments.weight();
            for (o, &j) in moments.observed.iter().enumerate() {
                let column = &mut totals.columns[j];
                column.n_rows += moments.n_rows;
                column.weight += moments.weight();
                column.sum += moments.sum(0, o + 1);
                column.squares += moments.sum(o + 1, o + 1);
            }
        }
        totals
    }

    /// The share of the cells that are observed, by the weight of their rows; 1 without cells.
    pub(crate) fn observed_fraction(&self) -> f64 {
        let observed: f64 = self.columns.iter().map(|column| column.weight).sum();
        match self.weight * self.columns.len() as f64 {
            cells if cells > 0.0 => observed / cells,
            _ => 1.0,
        }
    }

    /// From the rows themselves.
    pub(super) fn of_rows(rows: &Rows<'_>, frame: &Frame) -> Self {
        let cut = |p: usize| p * rows.len() / PARTS;
        let part = |p: usize| {
            let mut part = Self::zeros(frame.columns.len());
            (cut(p)..cut(p + 1)).for_each(|i| part.add_row(rows, i, frame));
            part
        };
        let parts: Vec<Self> = (0..PARTS).into_par_iter().map(part).collect();
        let mut total = Self::zeros(frame.columns.len());
        parts.iter().for_each(|part| total.add(part));
        total
    }

    fn add_row(&mut self, rows: &Rows<'_>, i: usize, frame: &Frame) {
        let (row, weight) = (rows.row(i), rows.weight(i));
        self.n_rows += 1;
        self.weight += weight;
        for j in row.observed().iter() {
            let held = frame.columns[j].hold(row.values()[j]);
            let column = &mut self.columns[j];
            column.n_rows += 1;
            column.weight += weight;
            column.sum += weight * held;
            column.squares += weight * held * held;
        }
    }

    pub(super) fn add(&mut self, other: &Self) {
        self.n_rows += other.n_rows;
        self.weight += other.weight;
        for (mine, theirs) in self.columns.iter_mut().zip(&other.columns) {
            mine.n_rows += theirs.n_rows;
            mine.weight += theirs.weight;
            mine.sum += theirs.sum;
            mine.squares += theirs.squares;
        }
    }
}
