//! A whole table in memory.

use std::io::Read;

use gapfit::data::MaskedMatrix;

use crate::csv::Reader;
use crate::error::{Error, Result};
use crate::location::{Column, position};

/// A table of numbers and holes with named columns; target and weight are columns like others.
///
/// ```
/// use gapfit_io::{Table, csv};
/// let text = "size,price\n,3.5\n";
/// let mut reader = csv::Reader::new(text.as_bytes(), "huts.csv", &csv::Options::default())?;
/// let table = Table::read(&mut reader)?;
/// assert_eq!(table.columns()[1].name, "price");
/// assert_eq!(table.cells().get(0, 0), None);
/// # Ok::<_, gapfit_io::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    file: String,
    columns: Vec<Column>,
    cells: MaskedMatrix,
}

impl Table {
    /// The columns that `reader` does not ignore, all rows.
    ///
    /// # Errors
    /// Those of [`Reader::next_row`], and [`Error::HeaderOnly`].
    pub fn read<R: Read>(reader: &mut Reader<R>) -> Result<Self> {
        let file = reader.file().to_owned();
        let columns = reader.columns().to_vec();
        let mut cells = MaskedMatrix::new(columns.len());
        while let Some(row) = reader.next_row()? {
            cells
                .push_row(row.cells.iter().copied())
                .expect("the reader gives finite cells, one per column");
        }
        if cells.n_rows() == 0 {
            return Err(Error::HeaderOnly { file });
        }
        Ok(Self {
            file,
            columns,
            cells,
        })
    }

    /// The columns: names, and places in the file.
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// The place of a column among [`columns`](Self::columns); `role` says in the error what it
    /// was wanted for.
    ///
    /// # Errors
    /// [`Error::AbsentColumn`], with the name that was probably meant.
    pub fn position(&self, name: &str, role: &'static str) -> Result<usize> {
        position(&self.columns, name, role, &self.file)
    }

    /// The cells, one column per entry of [`columns`](Self::columns).
    pub fn cells(&self) -> &MaskedMatrix {
        &self.cells
    }
}
