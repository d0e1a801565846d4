//! A fitted model.

use std::sync::Arc;

use gapfit::Result;
use gapfit::data::{Kind, RowBuffer, Schema, SchemaColumn};
use numpy::{PyArray1, PyArray2, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::about::About;
use crate::error::raised;
use crate::job;
use crate::table::{Table, array};

/// A fitted model; pickled as its file.
#[pyclass(frozen, module = "gapfit._gapfit")]
#[derive(Debug)]
pub(crate) struct Model(Arc<gapfit::Model>);

impl From<gapfit::Model> for Model {
    fn from(model: gapfit::Model) -> Self {
        Self(Arc::new(model))
    }
}

/// An array of two dimensions.
type Array2<'py> = Bound<'py, PyArray2<f64>>;

#[pymethods]
impl Model {
    /// The model in the bytes of a model file.
    #[staticmethod]
    fn from_bytes(bytes: &[u8]) -> PyResult<Self> {
        let model = gapfit::Model::from_bytes(bytes).map_err(|e| raised(&e))?;
        Ok(model.into())
    }

    /// The bytes of its file.
    fn to_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.0.to_bytes())
    }

    fn __reduce__<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        let from_bytes = py.get_type::<Self>().getattr("from_bytes")?;
        Ok((from_bytes, (self.to_bytes(py),)))
    }

    /// How it was fitted, and how close to optimal that was proved to be.
    #[getter]
    fn about(&self) -> About {
        About::new(&self.0)
    }

    #[getter]
    fn feature_names(&self) -> Vec<String> {
        self.0.feature_names().to_vec()
    }

    #[getter]
    fn classes(&self) -> Vec<String> {
        self.0.classes().to_vec()
    }

    #[getter]
    fn n_features(&self) -> usize {
        self.0.feature_names().len()
    }

    /// Whether each column is a number or a truth, so that arrays can be read without a schema.
    #[getter]
    fn is_numeric(&self) -> bool {
        let is_number = |c: &SchemaColumn| matches!(c.kind, Kind::Numeric | Kind::Boolean);
        self.0
            .schema()
            .is_none_or(|schema| schema.columns().iter().all(is_number))
    }

    /// The number of predictors: one per class where there are more than two.
    #[getter]
    fn n_predictors(&self) -> usize {
        match self.0.classes().len() {
            0..=2 => 1,
            n => n,
        }
    }

    /// The share of training rows in which each feature is missing.
    #[getter]
    fn missing_rate<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        let n = self.0.feature_names().len();
        PyArray1::from_iter(py, (0..n).map(|j| self.0.seen(j).missing))
    }

    /// The unit of each feature in which the model sees it.
    #[getter]
    fn units<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        let n = self.0.feature_names().len();
        PyArray1::from_iter(py, (0..n).map(|j| self.0.unit(j)))
    }

    /// Which features were observed in training at all.
    #[getter]
    fn was_observed(&self) -> Vec<bool> {
        let n = self.0.feature_names().len();
        (0..n).map(|j| self.0.was_observed(j)).collect()
    }

    /// Intercept and weights of a predictor with everything observed.
    fn weights<'py>(&self, py: Python<'py>, predictor: usize) -> (f64, Bound<'py, PyArray1<f64>>) {
        let (intercept, weights) = self.0.class_weights(predictor);
        (intercept, PyArray1::from_vec(py, weights))
    }

    /// How the intercept and, in columns, the weights of a predictor shift when each feature is missing.
    fn shifts<'py>(
        &self,
        py: Python<'py>,
        predictor: usize,
    ) -> PyResult<(Bound<'py, PyArray1<f64>>, Array2<'py>)> {
        let n = self.0.feature_names().len();
        let (mut intercepts, mut weights) = (vec![0.0; n], vec![0.0; n * n]);
        for (missing, to) in intercepts.iter_mut().enumerate() {
            if let Some((intercept, shift)) = self.0.class_shift(predictor, missing) {
                *to = intercept;
                let column = weights.iter_mut().skip(missing).step_by(n);
                column.zip(shift).for_each(|(to, shift)| *to = shift);
            }
        }
        let weights = PyArray1::from_vec(py, weights).reshape([n, n])?;
        Ok((PyArray1::from_vec(py, intercepts), weights))
    }

    /// Intercept and weights of a predictor where these features are observed, and no others.
    fn weights_for<'py>(
        &self,
        py: Python<'py>,
        observed: Vec<bool>,
        predictor: usize,
    ) -> PyResult<(f64, Bound<'py, PyArray1<f64>>)> {
        let mut mask = RowBuffer::new(observed.len());
        for (j, _) in observed.iter().enumerate().filter(|(_, is)| **is) {
            mask.set(j, 0.0).map_err(|e| raised(&e))?;
        }
        let found = self.0.weights_for(mask.as_row().observed(), predictor);
        let (intercept, weights) = found.map_err(|e| raised(&e))?;
        Ok((intercept, PyArray1::from_vec(py, weights)))
    }

    /// The scores of the rows: predictions, or one column per class where there are more than two.
    fn scores<'py>(
        &self,
        py: Python<'py>,
        table: &mut Table,
        n_jobs: usize,
    ) -> PyResult<Array2<'py>> {
        let n = table.shape(py)?.0;
        let scores = self.ask(py, table, n_jobs, |model, table| model.scores(table))?;
        let width = scores.len().checked_div(n).unwrap_or(1);
        PyArray1::from_vec(py, scores).reshape([n, width])
    }

    /// The probabilities of the classes.
    fn probabilities<'py>(
        &self,
        py: Python<'py>,
        table: &mut Table,
        n_jobs: usize,
    ) -> PyResult<Array2<'py>> {
        let n = table.shape(py)?.0;
        let found = self.ask(py, table, n_jobs, |model, table| model.predict_proba(table))?;
        let flat = (0..n).flat_map(|i| found.row(i).to_vec());
        PyArray1::from_iter(py, flat).reshape([n, self.0.classes().len()])
    }

    /// The rows with their holes filled: by the base, or as the predictor was taught to see them.
    fn filled<'py>(
        &self,
        py: Python<'py>,
        table: &mut Table,
        n_jobs: usize,
        learnt: bool,
    ) -> PyResult<Array2<'py>> {
        let filled = self.ask(py, table, n_jobs, move |model, table| match learnt {
            true => model.impute(table),
            false => model.fill(table),
        })?;
        array(py, &filled)
    }
}

impl Model {
    /// The columns behind its features.
    pub(crate) fn schema(&self) -> Schema {
        let numeric = || Schema::numeric(self.0.feature_names());
        self.0.schema().cloned().unwrap_or_else(numeric)
    }

    /// The model, to be kept.
    pub(crate) fn shared(&self) -> Arc<gapfit::Model> {
        Arc::clone(&self.0)
    }

    /// Asks the model about rows, on threads of its own.
    fn ask<T: Send + 'static>(
        &self,
        py: Python<'_>,
        table: &mut Table,
        n_jobs: usize,
        question: impl FnOnce(&gapfit::Model, &gapfit::data::MaskedMatrix) -> Result<T> + Send + 'static,
    ) -> PyResult<T> {
        let (model, rows) = (Arc::clone(&self.0), table.take(py)?);
        job::run(py, n_jobs, None, move |_| question(&model, &rows))
    }
}
