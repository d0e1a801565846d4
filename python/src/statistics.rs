//! Sums over rows that add up over parts of a table, and what its columns are.

use std::sync::Arc;

use gapfit::Gathering;
use gapfit_io::{Contents, Gathered, Roles, Task};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use pyo3_arrow::input::AnyRecordBatch;

use crate::error::{raised, raised_by_table};
use crate::fit::{Target, dataset};
use crate::frame::{kinds, reopened, stream};
use crate::job;
use crate::table::Table;

/// Statistics; pickled as their file.
#[pyclass(module = "gapfit._gapfit")]
#[derive(Debug)]
pub(crate) struct Statistics(Arc<gapfit::Statistics>);

/// Statistics, the number of rows without a target, and columns with unknown levels, each with the number of
/// such cells.
type Read = (Statistics, usize, Vec<(String, usize)>);

/// The names of target and weight.
type Names = (String, Option<String>);

/// The largest quantile to clip at, and whether there are to be blocks for tuning.
type How = (f64, bool);

#[pymethods]
impl Statistics {
    /// The rows of a data frame, its columns found in them.
    #[staticmethod]
    fn from_frame(
        py: Python<'_>,
        frame: AnyRecordBatch,
        names: Names,
        how: How,
        n_jobs: usize,
    ) -> PyResult<Read> {
        let (schema, open) = reopened(frame)?;
        let kinds = kinds(&schema, &open().map_err(|e| raised_by_table(&e))?);
        read(py, n_jobs, move || {
            Gathered::read(1, |_| open(), &roles(names), &kinds, gathering(how))
        })
    }

    /// The rows of a data frame or a stream, read once, with columns that are known.
    #[staticmethod]
    fn of_columns(
        py: Python<'_>,
        frame: AnyRecordBatch,
        names: Names,
        columns: &Columns,
        how: How,
        n_jobs: usize,
    ) -> PyResult<Read> {
        let like = columns.0.statistics(gathering(how));
        let like = Self(Arc::new(like.map_err(|e| raised_by_table(&e))?));
        Self::like(py, frame, names, &like, n_jobs)
    }

    /// The same, in the units and with the settings of other statistics.
    #[staticmethod]
    fn like(
        py: Python<'_>,
        frame: AnyRecordBatch,
        names: Names,
        like: &Self,
        n_jobs: usize,
    ) -> PyResult<Read> {
        let (_, reader) = stream(frame)?;
        let like = like.shared();
        read(py, n_jobs, move || {
            Gathered::read_like(reader, &roles(names), &like)
        })
    }

    /// The rows of a table.
    #[staticmethod]
    fn of_table(
        py: Python<'_>,
        table: &mut Table,
        target: Target<'_>,
        how: How,
        n_jobs: usize,
    ) -> PyResult<Self> {
        let data = dataset(py, table, &target)?;
        let sum = move |_: &job::Watch| gapfit::Statistics::of(&data, gathering(how));
        Ok(Self(Arc::new(job::run(py, n_jobs, None, sum)?)))
    }

    #[staticmethod]
    fn from_bytes(py: Python<'_>, bytes: &[u8]) -> PyResult<Self> {
        let read = job::here(py, || gapfit::Statistics::from_bytes(bytes))?;
        Ok(Self(Arc::new(read)))
    }

    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = job::here(py, || Ok(self.0.to_bytes()))?;
        Ok(PyBytes::new(py, &bytes))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bytes<'py>)> {
        let rebuild = py.get_type::<Self>().getattr("from_bytes")?;
        Ok((rebuild, (self.to_bytes(py)?,)))
    }

    /// A copy, which costs nothing before one of the two changes.
    fn copy(&self) -> Self {
        Self(self.shared())
    }

    /// Of no rows, with the same columns, units and settings.
    fn emptied(&self) -> Self {
        Self(Arc::new(self.0.emptied()))
    }

    /// Adds the rows of others.
    fn merge(&mut self, py: Python<'_>, other: &Self) -> PyResult<()> {
        let other = gapfit::Statistics::clone(&other.0);
        let mine = &mut self.0;
        job::here(py, move || Arc::make_mut(mine).merge(other))
    }

    #[getter]
    fn n_rows(&self) -> usize {
        self.0.n_rows()
    }

    #[getter]
    fn n_kept(&self) -> usize {
        self.0.n_kept()
    }

    #[getter]
    fn by_pattern(&self) -> bool {
        !self.0.is_folded()
    }

    #[getter]
    fn feature_names(&self) -> Vec<String> {
        self.0.names().to_vec()
    }

    #[getter]
    fn target(&self) -> &str {
        self.0.target_name()
    }

    #[getter]
    fn how(&self) -> How {
        let Gathering { clip, is_blocked } = self.0.gathering();
        (clip, is_blocked)
    }
}

impl Statistics {
    /// The statistics, to be kept.
    pub(crate) fn shared(&self) -> Arc<gapfit::Statistics> {
        Arc::clone(&self.0)
    }
}

type Bytes<'py> = (Bound<'py, PyBytes>,);

/// What the columns of a table are, found from its rows, part by part.
#[pyclass(module = "gapfit._gapfit")]
#[derive(Debug)]
pub(crate) struct Columns(Contents);

#[pymethods]
impl Columns {
    /// Those of a data frame or a stream.
    #[staticmethod]
    fn from_frame(py: Python<'_>, frame: AnyRecordBatch, names: Names) -> PyResult<Self> {
        let (schema, reader) = stream(frame)?;
        let kinds = kinds(&schema, &reader);
        let look = move |_: &job::Watch| Ok(Contents::read(reader, &roles(names), &kinds));
        let found = job::run(py, 1, None, look)?;
        Ok(Self(found.map_err(|e| raised_by_table(&e))?))
    }

    #[staticmethod]
    fn from_bytes(bytes: &[u8]) -> PyResult<Self> {
        let read = Contents::from_bytes(bytes);
        Ok(Self(read.map_err(|e| raised_by_table(&e))?))
    }

    fn to_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.0.to_bytes())
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bytes<'py>)> {
        let rebuild = py.get_type::<Self>().getattr("from_bytes")?;
        Ok((rebuild, (self.to_bytes(py),)))
    }

    fn copy(&self) -> Self {
        Self(self.0.clone())
    }

    /// Adds the rows of another part.
    fn merge(&mut self, other: &Self) -> PyResult<()> {
        let merged = self.0.merge(other.0.clone());
        merged.map_err(|e| raised_by_table(&e))
    }

    #[getter]
    fn feature_names(&self) -> PyResult<Vec<String>> {
        let schema = self.0.schema();
        Ok(schema.map_err(|e| raised_by_table(&e))?.feature_names())
    }
}

fn roles((target, weight): Names) -> Roles {
    Roles {
        target,
        further_targets: Vec::new(),
        weight,
        folds_by: None,
        task: Task::Regression,
    }
}

fn gathering((clip, is_blocked): How) -> Gathering {
    Gathering { clip, is_blocked }
}

fn read(
    py: Python<'_>,
    n_jobs: usize,
    job: impl FnOnce() -> gapfit_io::Result<Gathered> + Send + 'static,
) -> PyResult<Read> {
    let read = job::run(py, n_jobs, None, move |_| Ok(job()))?;
    let read = read.map_err(|error| match error {
        gapfit_io::Error::Rows(error) => raised(&error),
        error => raised_by_table(&error),
    })?;
    let statistics = Statistics(Arc::new(read.statistics));
    Ok((statistics, read.dropped, read.unseen))
}
