//! The stored columns of a learner: all rows of each, or only those on the support.
//!
//! Entries of a column lie side by side, so that the work on a missing feature is one straight loop
//! over the row.

use super::kernel;
use crate::linalg::LANES;

/// Columns of numbers over the rows of a table of weights.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Columns {
    /// Every row of every column; a column takes `stride` cells, those past the last row zero.
    Full {
        n_rows: usize,
        n_columns: usize,
        stride: usize,
        values: Vec<f64>,
    },
    /// Column j has the rows `rows[starts[j]..starts[j + 1]]`, ascending.
    Listed {
        starts: Vec<usize>,
        rows: Vec<u32>,
        values: Vec<f64>,
    },
}

impl Columns {
    /// No columns yet, of which all rows will be stored, or only some.
    pub(crate) fn new(n_rows: usize, full: bool) -> Self {
        match full {
            true => Self::Full {
                n_rows,
                n_columns: 0,
                stride: n_rows.next_multiple_of(LANES),
                values: Vec::new(),
            },
            false => Self::Listed {
                starts: vec![0],
                rows: Vec::new(),
                values: Vec::new(),
            },
        }
    }

    /// Appends a column of zeros that has these rows; all of them where columns are stored in full.
    pub(crate) fn push(&mut self, column: &[u32]) {
        match self {
            Self::Full {
                n_columns,
                stride,
                values,
                ..
            } => {
                *n_columns += 1;
                values.resize(*n_columns * *stride, 0.0);
            }
            Self::Listed {
                starts,
                rows,
                values,
            } => {
                rows.extend_from_slice(column);
                values.resize(rows.len(), 0.0);
                starts.push(rows.len());
            }
        }
    }

    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Full { n_columns, .. } => *n_columns,
            Self::Listed { starts, .. } => starts.len() - 1,
        }
    }

    /// Makes room for one more row, zero in every column.
    pub(crate) fn add_row(&mut self) {
        let Self::Full {
            n_rows,
            stride,
            values,
            ..
        } = self
        else {
            return;
        };
        if n_rows == stride {
            let longer = *stride + LANES;
            let column = |c: &[f64]| [c, &[0.0; LANES][..]].concat();
            *values = values
                .chunks_exact((*stride).max(1))
                .flat_map(column)
                .collect();
            *stride = longer;
        }
        *n_rows += 1;
    }

    /// The rows and values of column j.
    pub(crate) fn column(&self, j: usize) -> impl Iterator<Item = (usize, f64)> {
        let (rows, values) = match self {
            Self::Full {
                n_rows,
                stride,
                values,
                ..
            } => (None, &values[j * stride..][..*n_rows]),
            Self::Listed {
                starts,
                rows,
                values,
            } => {
                let range = starts[j]..starts[j + 1];
                (Some(&rows[range.clone()]), &values[range])
            }
        };
        let row = move |at: usize| rows.map_or(at, |rows| rows[at] as usize);
        values
            .iter()
            .enumerate()
            .map(move |(at, &value)| (row(at), value))
    }

    /// Every cell that counts, column by column, for a saved state.
    pub(crate) fn cells(&self) -> Vec<f64> {
        (0..self.len())
            .flat_map(|j| self.column(j).map(|(_, value)| value))
            .collect()
    }

    /// Replaces the cells by a function of row and value.
    pub(crate) fn map(&mut self, f: impl Fn(usize, f64) -> f64) {
        match self {
            Self::Full {
                n_rows,
                stride,
                values,
                ..
            } => {
                for column in values.chunks_exact_mut((*stride).max(1)) {
                    let cells = column[..*n_rows].iter_mut().enumerate();
                    cells.for_each(|(i, value)| *value = f(i, *value));
                }
            }
            Self::Listed { rows, values, .. } => {
                let cells = values.iter_mut().zip(rows);
                cells.for_each(|(value, &mut i)| *value = f(i as usize, *value));
            }
        }
    }

    /// Adds `factor` times the cells of columns of the same shape.
    pub(crate) fn add_columns(&mut self, factor: f64, other: &Self) {
        let (
            Self::Full { values, .. } | Self::Listed { values, .. },
            Self::Full { values: others, .. } | Self::Listed { values: others, .. },
        ) = (self, other);
        debug_assert_eq!(values.len(), others.len(), "cells of columns");
        kernel::add_scaled(values, factor, others);
    }

    /// Replaces the cells of column j, in the order of [`Self::column`].
    pub(crate) fn set_column(&mut self, j: usize, mut cell: impl FnMut(usize) -> f64) {
        match self {
            Self::Full {
                n_rows,
                stride,
                values,
                ..
            } => {
                let column = &mut values[j * *stride..][..*n_rows];
                column
                    .iter_mut()
                    .enumerate()
                    .for_each(|(i, value)| *value = cell(i));
            }
            Self::Listed {
                starts,
                rows,
                values,
            } => {
                for at in starts[j]..starts[j + 1] {
                    values[at] = cell(rows[at] as usize);
                }
            }
        }
    }

    /// `Σ_j Σ_i B_ij x_i` over the columns in `block`.
    pub(crate) fn dot(&self, block: &[u32], x: &[f64]) -> f64 {
        match self {
            Self::Full { stride, values, .. } => kernel::dot_columns(values, *stride, block, x),
            Self::Listed {
                starts,
                rows,
                values,
            } => {
                let mut sum = 0.0;
                for &j in block {
                    let range = starts[j as usize]..starts[j as usize + 1];
                    let cells = rows[range.clone()].iter().zip(&values[range]);
                    sum += cells.map(|(&i, b)| b * x[i as usize]).sum::<f64>();
                }
                sum
            }
        }
    }

    /// `B_ij += rate x_i` in the columns in `block`.
    pub(crate) fn add(&mut self, block: &[u32], rate: f64, x: &[f64]) {
        match self {
            Self::Full { stride, values, .. } => {
                kernel::add_to_columns(values, *stride, block, rate, x);
            }
            Self::Listed {
                starts,
                rows,
                values,
            } => {
                for &j in block {
                    let range = starts[j as usize]..starts[j as usize + 1];
                    let cells = rows[range.clone()].iter().zip(&mut values[range]);
                    cells.for_each(|(&i, b)| *b += rate * x[i as usize]);
                }
            }
        }
    }

    /// `Σ_j Σ_i c_i x_i` over the columns in `block` and their rows, where all rows give `all`.
    pub(crate) fn dot_same(&self, block: &[u32], c: &[f64], x: &[f64], all: f64) -> f64 {
        let Self::Listed { starts, rows, .. } = self else {
            return block.len() as f64 * all;
        };
        let mut sum = 0.0;
        for &j in block {
            let rows = &rows[starts[j as usize]..starts[j as usize + 1]];
            let products = rows.iter().map(|&i| c[i as usize] * x[i as usize]);
            sum += products.sum::<f64>();
        }
        sum
    }

    /// Counts in how many of the columns in `block` each row is, where not all are in all.
    pub(crate) fn count_rows(&self, block: &[u32], counts: &mut [f64]) {
        let Self::Listed { starts, rows, .. } = self else {
            return;
        };
        for &j in block {
            let rows = &rows[starts[j as usize]..starts[j as usize + 1]];
            rows.iter().for_each(|&i| counts[i as usize] += 1.0);
        }
    }

    /// Whether every column has every row.
    pub(crate) fn is_full(&self) -> bool {
        matches!(self, Self::Full { .. })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn two_columns(full: bool) -> Columns {
        let mut columns = Columns::new(3, full);
        columns.push(&[0, 2]);
        columns.push(&[1, 2]);
        columns
    }

    #[test]
    fn listed_columns_compute_like_full_ones_with_zeros() {
        let (mut full, mut listed) = (two_columns(true), two_columns(false));
        let x = [1.0, 2.0, 4.0];
        listed.add(&[0, 1], 0.5, &x);
        for j in 0..2 {
            let mut cells = [0.0; 3];
            listed.column(j).for_each(|(i, value)| cells[i] = value);
            full.set_column(j, |i| cells[i]);
        }
        assert_eq!(listed.cells(), [0.5, 2.0, 1.0, 2.0]);
        let weights = [3.0, 5.0, 7.0];
        assert!((full.dot(&[0, 1], &weights) - listed.dot(&[0, 1], &weights)).abs() < 1e-15);
        let mut counts = vec![0.0; 3];
        listed.count_rows(&[0, 1], &mut counts);
        assert_eq!(counts, [1.0, 1.0, 2.0]);
        let same = listed.dot_same(&[0, 1], &weights, &x, f64::NAN);
        assert!((same - (3.0 + 10.0 + 2.0 * 28.0)).abs() < 1e-15);
    }

    #[test]
    fn a_new_row_leaves_the_others_alone() {
        let mut columns = Columns::new(0, true);
        for d in 1..20 {
            columns.add_row();
            columns.push(&[]);
            columns.set_column(d - 1, |i| (100 * d + i) as f64);
            for j in 0..d {
                for (i, value) in columns.column(j) {
                    let expected = if i <= j {
                        (100 * (j + 1) + i) as f64
                    } else {
                        0.0
                    };
                    assert!((value - expected).abs() < 1e-15, "{d}: {i} {j}");
                }
            }
        }
    }
}
