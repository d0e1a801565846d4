//! Rows that come column by column.

use super::MaskedMatrix;
use super::observed::WORD;
use crate::error::{Error, Result};

impl MaskedMatrix {
    /// Appends rows that come as columns of equal length, where NaN marks a hole. On an error the
    /// table is unchanged.
    ///
    /// ```
    /// use gapfit::data::MaskedMatrix;
    /// let mut table = MaskedMatrix::new(2);
    /// table.push_columns(&[&[1.0, f64::NAN], &[3.0, 4.0]])?;
    /// assert_eq!((table.get(1, 0), table.get(1, 1)), (None, Some(4.0)));
    /// # Ok::<_, gapfit::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Shape`] when there are too few or too many columns or one has another length than the
    /// first, [`Error::NotFinite`] when a value is infinite.
    pub fn push_columns(&mut self, columns: &[&[f64]]) -> Result<()> {
        let n_new = columns.first().map_or(0, |column| column.len());
        self.check_columns(columns, n_new)?;
        self.reserve(n_new);
        for i in 0..n_new {
            for columns in columns.chunks(WORD) {
                let mut word = 0;
                for (j, column) in columns.iter().enumerate() {
                    let is_observed = !column[i].is_nan();
                    self.values.push(if is_observed { column[i] } else { 0.0 });
                    word |= u64::from(is_observed) << j;
                }
                self.observed.push(word);
            }
        }
        self.n_rows += n_new;
        Ok(())
    }

    fn check_columns(&self, columns: &[&[f64]], n_rows: usize) -> Result<()> {
        let shape = |what, expected, got| Error::Shape {
            what,
            expected,
            got,
        };
        if columns.len() != self.n_cols {
            return Err(shape("columns", self.n_cols, columns.len()));
        }
        for (j, column) in columns.iter().enumerate() {
            if column.len() != n_rows {
                return Err(shape("values of a column", n_rows, column.len()));
            }
            if let Some(row) = column.iter().position(|x| x.is_infinite()) {
                return Err(Error::NotFinite {
                    what: format!("column {j}"),
                    row: self.n_rows + row,
                    got: column[row],
                });
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn columns_give_the_table_that_rows_give(
            width in 1usize..70,
            cells in prop::collection::vec(prop::option::of(-1e300..1e300f64), 0..4000),
            first in 0usize..3,
        ) {
            let mut by_rows = MaskedMatrix::new(width);
            let rows: Vec<_> = cells.chunks_exact(width).collect();
            for row in &rows {
                by_rows.push_row(row.iter().copied()).unwrap();
            }
            let first = first.min(rows.len());
            let mut by_columns = MaskedMatrix::new(width);
            for rows in [&rows[..first], &rows[first..]] {
                let cell = |j: usize| move |row: &&[Option<f64>]| row[j].unwrap_or(f64::NAN);
                let columns: Vec<Vec<f64>> =
                    (0..width).map(|j| rows.iter().map(cell(j)).collect()).collect();
                let columns: Vec<&[f64]> = columns.iter().map(Vec::as_slice).collect();
                by_columns.push_columns(&columns).unwrap();
            }
            prop_assert_eq!(by_columns, by_rows);
        }
    }

    #[test]
    fn bad_columns_are_refused_and_leave_the_table_unchanged() {
        let mut table = MaskedMatrix::from_nan(1, 2, &[1.0, f64::NAN]).unwrap();
        let before = table.clone();
        for bad in [
            &[&[1.0][..]][..],
            &[&[1.0], &[2.0], &[3.0]],
            &[&[1.0], &[2.0, 3.0]],
            &[&[1.0, 2.0], &[3.0, f64::INFINITY]],
        ] {
            assert!(table.push_columns(bad).is_err());
            assert_eq!(table, before);
        }
    }
}
