//! Record batches that no file has to be opened for.

use arrow_array::RecordBatch;
use arrow_schema::{ArrowError, SchemaRef};

use super::batches::Batches;
use super::rows_of;
use crate::error::Result;
use crate::reader::Reader;

impl Reader {
    /// A reader of these record batches, which messages call `name`.
    ///
    /// ```
    /// use arrow_array::{ArrayRef, Float64Array, RecordBatch};
    /// use gapfit_io::{Cell, Reader};
    /// use std::sync::Arc;
    /// let sizes: ArrayRef = Arc::new(Float64Array::from(vec![Some(40.0), None]));
    /// let batch = RecordBatch::try_from_iter([("size", sizes)])?;
    /// let mut reader = Reader::from_batches(batch.schema(), vec![batch], "huts")?;
    /// assert_eq!(reader.next_row()?.unwrap().cell(0), Cell::Number(40.0));
    /// assert_eq!(reader.next_row()?.unwrap().cell(0), Cell::Hole);
    /// # Ok::<_, Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::DuplicateColumn`](crate::Error::DuplicateColumn).
    pub fn from_batches(schema: SchemaRef, batches: Vec<RecordBatch>, name: &str) -> Result<Self> {
        let opened = rows_of(Batches::memory(schema, batches), name)?;
        Ok(Self::of_arrow(name, opened))
    }

    /// A reader of record batches as they come, which messages call `name`.
    ///
    /// # Errors
    /// As [`from_batches`](Self::from_batches).
    pub fn from_stream(
        schema: SchemaRef,
        batches: impl Iterator<Item = std::result::Result<RecordBatch, ArrowError>> + Send + 'static,
        name: &str,
    ) -> Result<Self> {
        let opened = rows_of(Batches::coming(schema, batches), name)?;
        Ok(Self::of_arrow(name, opened))
    }
}
