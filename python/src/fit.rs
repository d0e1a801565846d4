//! Fitting: a table and its target in, a model out.

use std::ops::ControlFlow;

use gapfit::data::Dataset;
use gapfit::{Fitted, Result};
use numpy::PyReadonlyArray1;
use pyo3::prelude::*;

use crate::error::raised;
use crate::job::{self, Watch};
use crate::model::Model;
use crate::settings::{Plan, Settings, Tried};
use crate::table::Table;

/// The target of each row, and what goes with it.
#[derive(Debug, FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Target<'py> {
    /// Numbers, or with `classes` the number of the class of each row.
    y: PyReadonlyArray1<'py, f64>,
    weights: Option<PyReadonlyArray1<'py, f64>>,
    classes: Option<Vec<String>>,
    name: String,
}

/// What a fit has to say beside its model: candidates of the search, and sentences of warning.
type Said = (Vec<Tried>, Vec<String>);

/// Fits a model: to parameters that are given, or that cross-validation finds.
#[pyfunction]
#[pyo3(signature = (table, target, settings, n_jobs=1, show=None))]
pub(crate) fn fit(
    py: Python<'_>,
    table: &mut Table,
    target: Target<'_>,
    settings: Settings,
    n_jobs: usize,
    show: Option<Py<PyAny>>,
) -> PyResult<(Model, Said)> {
    let data = dataset(table, &target)?;
    let fitted = move |watch: &Watch| fitted(&data, &settings, watch);
    let (plan, fitted) = job::run(py, n_jobs, show.as_ref(), fitted)?;
    let said = (plan.tried, fitted.warnings);
    Ok((Model::from(fitted.model), said))
}

pub(crate) fn dataset(table: &mut Table, target: &Target<'_>) -> PyResult<Dataset> {
    let numbers = |array: &PyReadonlyArray1<'_, f64>| array.as_array().to_vec();
    let mut data = table.take_with(numbers(&target.y))?;
    data = data.with_target_name(&target.name);
    if let Some(weights) = &target.weights {
        data = data
            .with_weights(numbers(weights))
            .map_err(|e| raised(&e))?;
    }
    if let Some(classes) = &target.classes {
        data = data.with_classes(classes.clone()).map_err(|e| raised(&e))?;
    }
    Ok(data)
}

fn fitted(data: &Dataset, settings: &Settings, watch: &Watch) -> Result<(Plan, Fitted)> {
    let progress = |done, planned| watch.report(done, planned);
    let plan = settings.plan(data, &progress)?;
    if let ControlFlow::Break(()) = watch.report(0, 0) {
        return Err(gapfit::Error::Stopped);
    }
    let fitted = plan.learner.fit(data, plan.parameters)?;
    Ok((plan, fitted))
}
