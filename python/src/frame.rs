//! Data frames, through the Arrow interface: numbers, truths, texts, categories, dates.

use arrow_schema::{DataType, SchemaRef};
use gapfit::data::MaskedMatrix;
use gapfit_io::{Encoder, Kinds, Reader, features};
use pyo3::prelude::*;
use pyo3_arrow::input::AnyRecordBatch;

use crate::error::raised_by_table;
use crate::model::Model;
use crate::table::Table;

/// What messages call a data frame.
const NAME: &str = "X";

/// The rows of a data frame. Columns of categories and dates are what they say, kinds of others are
/// guessed as `gapfit fit` does, or they are to be numbers.
#[pyfunction]
#[pyo3(signature = (frame, numbers_only=false))]
pub(crate) fn read_frame(
    py: Python<'_>,
    frame: AnyRecordBatch,
    numbers_only: bool,
) -> PyResult<Table> {
    let (schema, mut reader) = reader(frame)?;
    let mut kinds = kinds(&schema, &reader);
    if numbers_only {
        kinds.categorical.clear();
        let names = reader.columns().iter().map(|column| column.name.clone());
        kinds.numeric = names.filter(|name| !kinds.dates.contains(name)).collect();
    }
    let read = py.detach(|| features(&mut reader, &kinds));
    let (rows, schema) = read.map_err(|e| raised_by_table(&e))?;
    Ok(Table::new(rows, Some(schema)))
}

/// The rows of a data frame as the features of a model, and the columns with levels that it does not
/// know, each with the number of such cells.
#[pyfunction]
pub(crate) fn encode_frame(
    py: Python<'_>,
    frame: AnyRecordBatch,
    model: &Model,
) -> PyResult<(Table, Vec<(String, usize)>)> {
    let (_, mut reader) = reader(frame)?;
    let schema = model.schema();
    let encoded = py.detach(|| {
        let mut encoder = Encoder::new(&mut reader, &schema);
        let mut rows = MaskedMatrix::new(schema.n_features());
        while encoder.next_row(&mut reader, &mut rows)? {}
        let unseen = encoder.unseen().map(|(name, n)| (name.to_owned(), n));
        Ok((rows, unseen.collect()))
    });
    let (rows, unseen) = encoded.map_err(|e| raised_by_table(&e))?;
    Ok((Table::new(rows, None), unseen))
}

fn reader(frame: AnyRecordBatch) -> PyResult<(SchemaRef, Reader)> {
    let (schema, open) = reopened(frame)?;
    Ok((schema, open().map_err(|e| raised_by_table(&e))?))
}

/// The columns of a data frame, and what opens it as often as it takes.
pub(crate) fn reopened(
    frame: AnyRecordBatch,
) -> PyResult<(SchemaRef, impl Fn() -> gapfit_io::Result<Reader> + Send)> {
    let batches = frame.into_reader()?;
    let schema = batches.schema();
    let batches = batches.collect::<Result<Vec<_>, _>>();
    let batches = batches.map_err(|e| pyo3::exceptions::PyValueError::new_err(e.to_string()))?;
    let columns = SchemaRef::clone(&schema);
    let open = move || Reader::from_batches(SchemaRef::clone(&columns), batches.clone(), NAME);
    Ok((schema, open))
}

/// The columns of a data frame or of a stream, and a reader of its batches as they come.
pub(crate) fn stream(frame: AnyRecordBatch) -> PyResult<(SchemaRef, Reader)> {
    let batches = frame.into_reader()?;
    let schema = batches.schema();
    let reader = Reader::from_stream(SchemaRef::clone(&schema), batches, NAME);
    Ok((schema, reader.map_err(|e| raised_by_table(&e))?))
}

/// The kinds that the types of the columns tell.
pub(crate) fn kinds(schema: &SchemaRef, reader: &Reader) -> Kinds {
    let names = |is: fn(&DataType) -> bool| {
        let columns = reader.columns().iter();
        let columns = columns.filter(|c| is(schema.field(c.index).data_type()));
        columns.map(|c| c.name.clone()).collect()
    };
    Kinds {
        categorical: names(|data_type| matches!(data_type, DataType::Dictionary(..))),
        dates: names(|data_type| {
            use DataType as D;
            matches!(data_type, D::Date32 | D::Date64 | D::Timestamp(..))
        }),
        ..Kinds::default()
    }
}
