//! Parquet and Arrow: record batches into rows of cells. The only folder that names their crates.

mod batches;
mod column;
mod guard;
mod ipc;
mod message;
mod pandas;
mod temporal;

use std::collections::HashMap;

use arrow_schema::{Schema, SchemaRef};

use crate::error::{Error, Result};
use crate::format::Format;
use crate::input::Input;
use crate::location::{Column, Location};
use crate::reader::{Draft, Place, Wanted};
use batches::Batches;
use column::Cells;

/// Reads record batches row by row.
pub(crate) struct Rows {
    batches: Batches,
    schema: SchemaRef,
    /// The columns of the current batch, one per column that is read.
    cells: Vec<Cells>,
    /// Rows of the current batch, and the next of them.
    n_rows: usize,
    next: usize,
    /// Rows so far.
    row: u64,
    /// The numbers of a batch, column by column; a buffer.
    block: Vec<Vec<f64>>,
}

/// The rows of a file, its columns, and those of them that are the index of a data frame.
pub(crate) fn open(input: &mut Input, format: Format) -> Result<(Rows, Vec<Column>, Vec<Column>)> {
    let batches = Batches::open(input, format)?;
    let schema = batches.schema();
    let columns = columns(&schema, input.file())?;
    let index = pandas::index(&schema);
    let (hidden, columns) = columns.into_iter().partition(|c| index.contains(&c.name));
    let rows = Rows {
        batches,
        schema,
        cells: Vec::new(),
        n_rows: 0,
        next: 0,
        row: 0,
        block: Vec::new(),
    };
    Ok((rows, columns, hidden))
}

impl Rows {
    pub(crate) fn next(&mut self, wanted: Wanted<'_>, draft: &mut Draft) -> Result<bool> {
        while self.next == self.n_rows {
            if !self.load(wanted)? {
                return Ok(false);
            }
        }
        let i = self.next;
        self.next += 1;
        self.row += 1;
        draft.place = Place::Row(self.row);
        for (j, cells) in self.cells.iter().enumerate() {
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

    /// All rows of the next batch as columns of numbers, NaN for holes; `None` where the rows have to be
    /// looked at one by one, or there are no more.
    pub(crate) fn next_block(&mut self, wanted: Wanted<'_>) -> Result<Option<&[Vec<f64>]>> {
        while self.next == self.n_rows {
            if !self.load(wanted)? {
                return Ok(None);
            }
        }
        if self.next > 0 || wanted.missing.has_numbers() {
            return Ok(None);
        }
        self.block.resize_with(self.cells.len(), Vec::new);
        let mut columns = self.cells.iter().zip(&mut self.block);
        if !columns.all(|(cells, block)| cells.write_numbers(block)) {
            return Ok(None);
        }
        self.next = self.n_rows;
        self.row += self.n_rows as u64;
        Ok(Some(&self.block))
    }

    /// Takes the next batch; `false` after the last.
    fn load(&mut self, wanted: Wanted<'_>) -> Result<bool> {
        let columns: Vec<usize> = wanted.columns.iter().map(|c| c.index).collect();
        for column in wanted.columns {
            self.check_type(column, wanted.file)?;
        }
        let Some(batch) = self.batches.next(&columns, wanted.file)? else {
            return Ok(false);
        };
        let readings = wanted.readings.iter();
        let cells = batch.columns().iter().zip(readings);
        self.cells = cells
            .map(|(array, reading)| Cells::new(array, *reading))
            .collect();
        (self.n_rows, self.next) = (batch.num_rows(), 0);
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
