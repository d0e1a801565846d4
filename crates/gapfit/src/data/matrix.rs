//! A dense table with holes, row-major.

use super::observed::{Observed, WORD};
use crate::error::{Error, Result};

/// A dense table of numbers with holes, stored row by row.
///
/// ```
/// use gapfit::data::MaskedMatrix;
/// let mut table = MaskedMatrix::new(2);
/// table.push_row([Some(1.0), None]).unwrap();
/// assert_eq!(table.get(0, 0), Some(1.0));
/// assert_eq!(table.get(0, 1), None);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct MaskedMatrix {
    pub(super) n_rows: usize,
    pub(super) n_cols: usize,
    /// `n_rows x n_cols`, 0.0 where unobserved.
    pub(super) values: Vec<f64>,
    /// `n_rows x words_per_row`, bits past `n_cols` zero.
    pub(super) observed: Vec<u64>,
}

/// One row of a [`MaskedMatrix`]: the values `x' = x ∘ z` and the observed set `z`.
#[derive(Clone, Copy, Debug)]
pub struct MaskedRow<'a> {
    values: &'a [f64],
    observed: Observed<'a>,
}

impl<'a> MaskedRow<'a> {
    /// The row of these values, zero where `observed` says they are missing.
    pub(super) fn new(values: &'a [f64], observed: Observed<'a>) -> Self {
        Self { values, observed }
    }

    /// The values, 0.0 where unobserved.
    pub fn values(self) -> &'a [f64] {
        self.values
    }

    /// Which values are observed.
    pub fn observed(self) -> Observed<'a> {
        self.observed
    }

    /// The value of feature `j`, or `None` where it is missing.
    pub fn get(self, j: usize) -> Option<f64> {
        self.observed.contains(j).then(|| self.values[j])
    }
}

impl MaskedMatrix {
    /// An empty table with `n_cols` columns.
    pub fn new(n_cols: usize) -> Self {
        Self {
            n_rows: 0,
            n_cols,
            values: Vec::new(),
            observed: Vec::new(),
        }
    }

    /// The table in `cells`, row by row, where NaN marks a hole.
    ///
    /// # Errors
    /// [`Error::Shape`] when `cells` does not hold `n_rows * n_cols` numbers, [`Error::NotFinite`]
    /// at the first infinite one.
    pub fn from_nan(n_rows: usize, n_cols: usize, cells: &[f64]) -> Result<Self> {
        if cells.len() != n_rows * n_cols {
            return Err(Error::Shape {
                what: "cells of the table",
                expected: n_rows * n_cols,
                got: cells.len(),
            });
        }
        let mut table = Self::new(n_cols);
        table.reserve(n_rows);
        for row in 0..n_rows {
            table.push_nan_row(&cells[row * n_cols..(row + 1) * n_cols])?;
        }
        Ok(table)
    }

    /// Appends a row of as many cells as columns, where NaN marks a hole; by whole words, which is several
    /// times as fast as cell by cell.
    fn push_nan_row(&mut self, cells: &[f64]) -> Result<()> {
        if cells.iter().fold(false, |any, x| any | x.is_infinite()) {
            return self.push_row(cells.iter().map(|&x| (!x.is_nan()).then_some(x)));
        }
        for cells in cells.chunks(WORD) {
            let bits = cells.iter().zip(0..);
            let word = bits.fold(0, |word, (x, j)| word | u64::from(!x.is_nan()) << j);
            self.observed.push(word);
        }
        let value = |x: &f64| if x.is_nan() { 0.0 } else { *x };
        self.values.extend(cells.iter().map(value));
        self.n_rows += 1;
        Ok(())
    }

    /// Makes room for `additional` more rows.
    pub fn reserve(&mut self, additional: usize) {
        self.values.reserve(additional * self.n_cols);
        self.observed.reserve(additional * self.words_per_row());
    }

    /// Appends a row; `None` marks a hole. On an error the table is unchanged.
    ///
    /// # Errors
    /// [`Error::Shape`] when the row is too short or too long, [`Error::NotFinite`] when an
    /// observed cell is not finite.
    pub fn push_row(&mut self, cells: impl IntoIterator<Item = Option<f64>>) -> Result<()> {
        let (first_value, first_word) = (self.values.len(), self.observed.len());
        self.observed.resize(first_word + self.words_per_row(), 0);
        let pushed = self.push_cells(cells.into_iter(), first_value, first_word);
        if pushed.is_err() {
            self.values.truncate(first_value);
            self.observed.truncate(first_word);
        } else {
            self.n_rows += 1;
        }
        pushed
    }

    fn push_cells(
        &mut self,
        cells: impl Iterator<Item = Option<f64>>,
        first_value: usize,
        first_word: usize,
    ) -> Result<()> {
        for (j, cell) in cells.enumerate() {
            if j >= self.n_cols {
                return Err(self.row_length(j + 1));
            }
            let value = cell.unwrap_or(0.0);
            if !value.is_finite() {
                return Err(Error::NotFinite {
                    what: format!("column {j}"),
                    row: self.n_rows,
                    got: value,
                });
            }
            self.values.push(value);
            self.observed[first_word + j / WORD] |= u64::from(cell.is_some()) << (j % WORD);
        }
        match self.values.len() - first_value {
            n if n == self.n_cols => Ok(()),
            n => Err(self.row_length(n)),
        }
    }

    fn row_length(&self, got: usize) -> Error {
        Error::Shape {
            what: "cells in the row",
            expected: self.n_cols,
            got,
        }
    }

    /// The number of rows.
    pub fn n_rows(&self) -> usize {
        self.n_rows
    }

    /// The number of columns.
    pub fn n_cols(&self) -> usize {
        self.n_cols
    }

    pub(super) fn words_per_row(&self) -> usize {
        self.n_cols.div_ceil(WORD)
    }

    /// Row `i`.
    pub fn row(&self, i: usize) -> MaskedRow<'_> {
        let words = self.words_per_row();
        MaskedRow {
            values: self.values(i),
            observed: Observed::new(&self.observed[i * words..(i + 1) * words], self.n_cols),
        }
    }

    /// The bits of the observed features of row `i`.
    pub(crate) fn words(&self, i: usize) -> &[u64] {
        let words = self.words_per_row();
        &self.observed[i * words..(i + 1) * words]
    }

    /// The values of row `i`, 0.0 where unobserved.
    pub(crate) fn values(&self, i: usize) -> &[f64] {
        &self.values[i * self.n_cols..(i + 1) * self.n_cols]
    }

    /// All rows, in order.
    pub fn rows(&self) -> impl ExactSizeIterator<Item = MaskedRow<'_>> {
        (0..self.n_rows).map(|i| self.row(i))
    }

    /// The cell in row `i`, column `j`, or `None` where it is missing.
    pub fn get(&self, i: usize, j: usize) -> Option<f64> {
        self.row(i).get(j)
    }

    /// Turns the cell in row `i`, column `j` into a hole.
    pub fn hide(&mut self, i: usize, j: usize) {
        let words = self.words_per_row();
        self.observed[i * words + j / WORD] &= !(1 << (j % WORD));
        self.values[i * self.n_cols + j] = 0.0;
    }

    /// The given rows, in the given order; an index may repeat.
    pub fn select_rows(&self, rows: &[usize]) -> Self {
        let words = self.words_per_row();
        let mut picked = Self::new(self.n_cols);
        picked.reserve(rows.len());
        for &i in rows {
            let range = i * self.n_cols..(i + 1) * self.n_cols;
            picked.values.extend_from_slice(&self.values[range]);
            let range = i * words..(i + 1) * words;
            picked.observed.extend_from_slice(&self.observed[range]);
        }
        picked.n_rows = rows.len();
        picked
    }

    /// The table of these values where their bits are set; bits beyond the columns are zero.
    pub(crate) fn from_bits(
        n_rows: usize,
        n_cols: usize,
        mut values: Vec<f64>,
        observed: Vec<u64>,
    ) -> Self {
        let words = n_cols.div_ceil(WORD);
        debug_assert_eq!(values.len(), n_rows * n_cols);
        debug_assert_eq!(observed.len(), n_rows * words);
        let rows = values.chunks_exact_mut(n_cols.max(1));
        for (row, mask) in rows.zip(observed.chunks_exact(words.max(1))) {
            for (cells, word) in row.chunks_mut(WORD).zip(mask) {
                for (bit, x) in cells.iter_mut().enumerate() {
                    // Without a branch: holes come at random.
                    let kept = (word >> bit & 1).wrapping_neg();
                    *x = f64::from_bits(x.to_bits() & kept);
                }
            }
        }
        Self {
            n_rows,
            n_cols,
            values,
            observed,
        }
    }

    /// Appends the rows of a table with as many columns.
    pub(crate) fn append(&mut self, other: &Self) {
        debug_assert_eq!(self.n_cols, other.n_cols);
        self.values.extend_from_slice(&other.values);
        self.observed.extend_from_slice(&other.observed);
        self.n_rows += other.n_rows;
    }

    /// The given columns, in the given order; `None` gives a column of holes.
    pub fn select_columns(&self, columns: &[Option<usize>]) -> Self {
        let mut picked = Self::new(columns.len());
        picked.reserve(self.n_rows);
        for row in self.rows() {
            picked
                .push_row(columns.iter().map(|j| j.and_then(|j| row.get(j))))
                .expect("cells of a valid row are finite and as many as columns");
        }
        picked
    }

    /// The fraction of cells that are observed; 1 for a table without cells.
    pub fn observed_fraction(&self) -> f64 {
        let cells = self.n_rows * self.n_cols;
        if cells == 0 {
            return 1.0;
        }
        let observed: u64 = self
            .observed
            .iter()
            .map(|w| u64::from(w.count_ones()))
            .sum();
        observed as f64 / cells as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn cells_survive_the_round_trip(
            width in 0usize..70,
            cells in prop::collection::vec(prop::option::of(-1e300..1e300f64), 0..400),
        ) {
            let mut table = MaskedMatrix::new(width);
            let rows: Vec<_> = cells.chunks_exact(width.max(1)).collect();
            for row in &rows {
                table.push_row(row.iter().copied().take(width)).unwrap();
            }
            for (i, row) in rows.iter().enumerate() {
                for j in 0..width {
                    prop_assert_eq!(table.get(i, j), row[j]);
                }
            }
        }
    }

    proptest! {
        #[test]
        fn cells_with_nan_give_the_table_that_rows_give(
            width in 0usize..140,
            cells in prop::collection::vec(prop::option::of(-1e300..1e300f64), 0..900),
        ) {
            let n_rows = cells.len() / width.max(1);
            let cells = &cells[..n_rows * width];
            let mut expected = MaskedMatrix::new(width);
            for i in 0..n_rows {
                let row = &cells[i * width..(i + 1) * width];
                expected.push_row(row.iter().copied()).unwrap();
            }
            let flat: Vec<f64> = cells.iter().map(|x| x.unwrap_or(f64::NAN)).collect();
            prop_assert_eq!(MaskedMatrix::from_nan(n_rows, width, &flat).unwrap(), expected);
        }
    }

    #[test]
    fn a_bad_row_is_refused_and_leaves_the_table_unchanged() {
        let mut table = MaskedMatrix::from_nan(1, 2, &[1.0, f64::NAN]).unwrap();
        let before = table.clone();
        for bad in [
            vec![Some(1.0)],
            vec![Some(1.0), None, None],
            vec![Some(1.0), Some(f64::INFINITY)],
            vec![Some(f64::NAN), Some(1.0)],
        ] {
            assert!(table.push_row(bad).is_err());
            assert_eq!(table, before);
        }
    }

    #[test]
    fn hiding_and_selecting_keep_zeros_and_holes_apart() {
        let mut table = MaskedMatrix::from_nan(2, 2, &[0.0, 1.0, 2.0, f64::NAN]).unwrap();
        table.hide(0, 1);
        assert_eq!(table.get(0, 0), Some(0.0));
        assert_eq!(table.get(0, 1), None);
        let picked = table
            .select_rows(&[1, 0, 1])
            .select_columns(&[None, Some(0)]);
        assert_eq!(picked.get(0, 1), Some(2.0));
        assert_eq!(picked.get(1, 1), Some(0.0));
        assert_eq!(picked.get(1, 0), None);
        assert!((table.observed_fraction() - 0.5).abs() < 1e-15);
    }
}
