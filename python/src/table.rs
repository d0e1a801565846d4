//! Rows on their way into the library.

use std::mem;

use gapfit::Result;
use gapfit::data::{Dataset, Kind, MaskedMatrix, Schema, SchemaColumn};
use numpy::ndarray::ArrayView2;
use numpy::{PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

use crate::error::raised;

/// Rows with holes; a fit uses them up.
#[pyclass(module = "gapfit._gapfit")]
#[derive(Debug)]
pub(crate) struct Table {
    cells: Cells,
    schema: Option<Schema>,
}

/// Where the rows are.
#[derive(Debug)]
enum Cells {
    /// Where Python has them, row by row, NaN for holes: copied when that cannot be helped.
    Array(Py<PyArray2<f64>>),
    Rows(MaskedMatrix),
    Gone,
}

#[pymethods]
impl Table {
    /// The rows of an array, where NaN is a hole; with the names of its columns, and which of them
    /// are truths, where they have names.
    #[staticmethod]
    #[pyo3(signature = (cells, names=None, booleans=vec![]))]
    fn from_array(
        py: Python<'_>,
        cells: PyReadonlyArray2<'_, f64>,
        names: Option<Vec<String>>,
        booleans: Vec<usize>,
    ) -> PyResult<Self> {
        let schema = names.map(|names| schema(names, &booleans)).transpose();
        let schema = schema.map_err(|e| raised(&e))?;
        let cells = match cells.is_c_contiguous() {
            true => Cells::Array(cells.as_unbound().clone_ref(py)),
            false => Cells::Rows(copied(py, &cells)?),
        };
        Ok(Self { cells, schema })
    }

    #[getter]
    pub(crate) fn shape(&self, py: Python<'_>) -> PyResult<(usize, usize)> {
        match &self.cells {
            Cells::Array(array) => Ok((array.bind(py).shape()[0], array.bind(py).shape()[1])),
            Cells::Rows(rows) => Ok((rows.n_rows(), rows.n_cols())),
            Cells::Gone => Err(used_up()),
        }
    }

    /// The names of the features; without any, `x0`, `x1`, ...
    #[getter]
    fn names(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        let numbered = |n: usize| (0..n).map(|j| format!("x{j}")).collect();
        Ok(match &self.schema {
            Some(schema) => schema.feature_names(),
            None => numbered(self.shape(py)?.1),
        })
    }

    /// The share of rows in which each feature is missing.
    #[getter]
    fn missing_rate<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let rows = self.rows(py)?;
        let mut counts = vec![0.0; rows.n_cols()];
        rows.rows()
            .for_each(|row| row.observed().missing().for_each(|j| counts[j] += 1.0));
        let n_rows = rows.n_rows() as f64;
        Ok(PyArray1::from_iter(
            py,
            counts.iter().map(|count| count / n_rows),
        ))
    }
}

impl Table {
    pub(crate) fn new(features: MaskedMatrix, schema: Option<Schema>) -> Self {
        Self {
            cells: Cells::Rows(features),
            schema,
        }
    }

    /// The rows, to look at.
    pub(crate) fn rows(&mut self, py: Python<'_>) -> PyResult<&MaskedMatrix> {
        if let Cells::Array(array) = &self.cells {
            self.cells = Cells::Rows(copied(py, &array.bind(py).readonly())?);
        }
        match &self.cells {
            Cells::Rows(rows) => Ok(rows),
            _ => Err(used_up()),
        }
    }

    /// The rows, which are gone then.
    pub(crate) fn take(&mut self, py: Python<'_>) -> PyResult<MaskedMatrix> {
        self.rows(py)?;
        match mem::replace(&mut self.cells, Cells::Gone) {
            Cells::Rows(rows) => Ok(rows),
            _ => Err(used_up()),
        }
    }

    /// The rows, which are gone then, with their target.
    pub(crate) fn take_with(&mut self, py: Python<'_>, target: Vec<f64>) -> PyResult<Dataset> {
        let features = self.take(py)?;
        self.described(features, target).map_err(|e| raised(&e))
    }

    /// The array that the rows are in, and a table with their columns and no row; where they are still in an array.
    pub(crate) fn array<'py>(
        &self,
        py: Python<'py>,
    ) -> Option<Result<(PyReadonlyArray2<'py, f64>, Dataset)>> {
        let Cells::Array(array) = &self.cells else {
            return None;
        };
        let array = array.bind(py).readonly();
        let blank = MaskedMatrix::new(array.as_array().ncols());
        let blank = self.described(blank, Vec::new());
        Some(blank.map(|blank| (array, blank)))
    }

    fn described(&self, features: MaskedMatrix, target: Vec<f64>) -> Result<Dataset> {
        let data = Dataset::new(features, target)?;
        match &self.schema {
            Some(schema) => data.with_schema(schema.clone()),
            None => Ok(data),
        }
    }
}

fn used_up() -> PyErr {
    PyRuntimeError::new_err("a table is used once")
}

/// Columns of numbers, some of them truths.
fn schema(names: Vec<String>, booleans: &[usize]) -> Result<Schema> {
    let column = |(j, name)| SchemaColumn {
        name,
        kind: match booleans.contains(&j) {
            true => Kind::Boolean,
            false => Kind::Numeric,
        },
    };
    Schema::new(names.into_iter().enumerate().map(column).collect())
}

/// The cells of an array, copied without the interpreter's lock.
fn copied(py: Python<'_>, cells: &PyReadonlyArray2<'_, f64>) -> PyResult<MaskedMatrix> {
    let view = cells.as_array();
    py.detach(|| masked(&view)).map_err(|e| raised(&e))
}

/// The cells of an array of any layout, where NaN is a hole.
fn masked(cells: &ArrayView2<'_, f64>) -> Result<MaskedMatrix> {
    let (n_rows, n_cols) = cells.dim();
    if let Some(cells) = cells.as_slice() {
        return MaskedMatrix::from_nan(n_rows, n_cols, cells);
    }
    let mut table = MaskedMatrix::new(n_cols);
    table.reserve(n_rows);
    for row in cells.rows() {
        table.push_row(row.iter().map(|&x| (!x.is_nan()).then_some(x)))?;
    }
    Ok(table)
}

/// An array of the cells of a table, NaN where they are missing.
pub(crate) fn array<'py>(
    py: Python<'py>,
    table: &MaskedMatrix,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let cells = table.rows().flat_map(|row| {
        let cell = move |j: usize| row.get(j).unwrap_or(f64::NAN);
        (0..table.n_cols()).map(cell)
    });
    let flat: Vec<f64> = cells.collect();
    PyArray1::from_vec(py, flat).reshape([table.n_rows(), table.n_cols()])
}
