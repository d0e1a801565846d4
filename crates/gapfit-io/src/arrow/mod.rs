//! Parquet and Arrow: record batches into rows of cells. The only folder that names their crates.

mod batch;
mod batches;
mod column;
mod guard;
mod ipc;
mod memory;
mod message;
mod pandas;
mod temporal;

use std::collections::HashMap;

use arrow_buffer::ScalarBuffer;
use arrow_schema::{Schema, SchemaRef};
use gapfit::data::MaskedColumn;

use crate::error::{Error, Result};
use crate::format::Format;
use crate::input::Input;
use crate::location::{Column, Location};
use crate::reader::{Draft, Place, Wanted};
use batch::Batch;
use batches::Batches;

/// Numbers of a column, as they were decoded.
pub(crate) type Values = ScalarBuffer<f64>;

/// Reads record batches row by row.
pub(crate) struct Rows {
    batches: Batches,
    schema: SchemaRef,
    /// The current batch, and the next of its rows.
    batch: Batch,
    next: usize,
    /// Rows so far.
    row: u64,
}

/// Rows, their columns, and those of them that are the index of a data frame.
pub(crate) type Opened = (Rows, Vec<Column>, Vec<Column>);

/// The rows of a file.
pub(crate) fn open(input: &mut Input, format: Format) -> Result<Opened> {
    let batches = Batches::open(input, format)?;
    rows_of(batches, input.file())
}

fn rows_of(batches: Batches, file: &str) -> Result<Opened> {
    let schema = batches.schema();
    let columns = columns(&schema, file)?;
    let index = pandas::index(&schema);
    let (hidden, columns) = columns.into_iter().partition(|c| index.contains(&c.name));
    let rows = Rows {
        batches,
        schema,
        batch: Batch::default(),
        next: 0,
        row: 0,
    };
    Ok((rows, columns, hidden))
}

impl Rows {
    pub(crate) fn next(&mut self, wanted: Wanted<'_>, draft: &mut Draft) -> Result<bool> {
        if !self.has_row(wanted)? {
            return Ok(false);
        }
        let i = self.next;
        self.next += 1;
        self.row += 1;
        draft.place = Place::Row(self.row);
        for (j, cells) in self.batch.cells.iter().enumerate() {
            cells.push(i, wanted, j, draft).map_err(|(fault, got)| {
                let at = Location::at(wanted.file, Some(draft.place));
                fault.error(at.in_column(Some(&wanted.columns[j])), got.as_bytes())
            })?;
        }
        Ok(true)
    }

    /// The number of rows, where the file claims to know it.
    pub(crate) fn n_rows(&self) -> Option<usize> {
        self.batches.n_rows()
    }

    /// All rows of the next batch as columns of numbers; `None` where the rows have to be looked at one by
    /// one, or there are no more.
    pub(crate) fn next_block(
        &mut self,
        wanted: Wanted<'_>,
    ) -> Result<Option<Vec<MaskedColumn<Values>>>> {
        if !self.has_row(wanted)? || self.next > 0 {
            return Ok(None);
        }
        let n_rows = self.batch.n_rows;
        let columns = self.batch.take_numbers();
        if columns.is_some() {
            self.row += n_rows as u64;
        }
        Ok(columns)
    }

    /// Whether there is one more row; takes the next batch after the last row of one.
    fn has_row(&mut self, wanted: Wanted<'_>) -> Result<bool> {
        while self.next == self.batch.n_rows {
            if self.row == 0 {
                for column in wanted.columns {
                    self.check_type(column, wanted.file)?;
                }
            }
            match self.batches.next(wanted)? {
                None => return Ok(false),
                Some(batch) => (self.batch, self.next) = (batch, 0),
            }
        }
        Ok(true)
    }

    fn check_type(&self, column: &Column, file: &str) -> Result<()> {
        let field = self.schema.field(column.index);
        if column::is_supported(field.data_type()) {
            return Ok(());
        }
        Err(Error::Unsupported {
            at: Location::new(file, None).in_column(Some(column)),
            got: field.data_type().to_string(),
        })
    }
}

/// The columns of a schema, which must have distinct names.
fn columns(schema: &Schema, file: &str) -> Result<Vec<Column>> {
    let mut seen = HashMap::new();
    let mut columns = Vec::with_capacity(schema.fields().len());
    for (index, field) in schema.fields().iter().enumerate() {
        let name = field.name().clone();
        if let Some(first) = seen.insert(name.clone(), index) {
            return Err(Error::DuplicateColumn {
                at: Location::new(file, None),
                name,
                first: first + 1,
                second: index + 1,
            });
        }
        columns.push(Column { index, name });
    }
    Ok(columns)
}
