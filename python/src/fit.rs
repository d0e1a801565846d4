//! Fitting: a table and its target in, a model out.

use std::ops::ControlFlow;

use gapfit::data::Dataset;
use gapfit::{Evidence, Fitted, Result, Sweep};
use numpy::PyReadonlyArray1;
use pyo3::prelude::*;

use crate::error::raised;
use crate::job::{self, Watch};
use crate::model::Model;
use crate::settings::{Plan, Settings, Tried};
use crate::statistics::Statistics;
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
    if let Some(swept) = swept(py, table, &target, &settings, (n_jobs, show.as_ref()))? {
        return Ok(said(swept));
    }
    let data = dataset(py, table, &target)?;
    let fitted = move |watch: &Watch| fitted((&data).into(), &settings, watch);
    job::run(py, n_jobs, show.as_ref(), fitted).map(said)
}

/// As [`fit`], to sums that stand for the rows.
#[pyfunction]
#[pyo3(signature = (statistics, settings, n_jobs=1, show=None))]
pub(crate) fn fit_statistics(
    py: Python<'_>,
    statistics: &Statistics,
    settings: Settings,
    n_jobs: usize,
    show: Option<Py<PyAny>>,
) -> PyResult<(Model, Said)> {
    let sums = statistics.shared();
    let fitted = move |watch: &Watch| fitted((&*sums).into(), &settings, watch);
    job::run(py, n_jobs, show.as_ref(), fitted).map(said)
}

fn said((plan, fitted): (Plan, Fitted)) -> (Model, Said) {
    let said = (plan.tried, fitted.warnings);
    (Model::from(fitted.model), said)
}

/// The fit to rows that stay where Python has them, where parameters are given and one pass over the rows is enough.
fn swept(
    py: Python<'_>,
    table: &Table,
    target: &Target<'_>,
    settings: &Settings,
    (n_jobs, show): (usize, Option<&Py<PyAny>>),
) -> PyResult<Option<(Plan, Fitted)>> {
    let is_plain = target.weights.is_none() && target.classes.is_none();
    let plan = settings.given().map_err(|e| raised(&e))?;
    let Some(plan) = plan.filter(|_| is_plain) else {
        return Ok(None);
    };
    let Some(array) = table.array(py) else {
        return Ok(None);
    };
    let (array, blank) = array.map_err(|e| raised(&e))?;
    let (Ok(cells), Ok(y)) = (array.as_slice(), target.y.as_slice()) else {
        return Ok(None);
    };
    let n_features = blank.n_features();
    if !plan.learner.can_sweep(n_features) || cells.len() != y.len() * n_features {
        return Ok(None);
    }
    let blank = blank.with_target_name(&target.name);
    let fitted = |watch: &Watch| {
        let go_on = |done, planned| watch.report(done, planned);
        let clip = plan.learner.preparation.clip;
        let sweep = Sweep::of_array(&blank, clip, cells, y, &go_on)?;
        let fit = |sweep| plan.learner.fit_sweep(&sweep, plan.parameters);
        sweep.map(fit).transpose()
    };
    let fitted = job::scoped(py, n_jobs, show, fitted)?;
    Ok(fitted.map(|fitted| (plan, fitted)))
}

pub(crate) fn dataset(py: Python<'_>, table: &mut Table, target: &Target<'_>) -> PyResult<Dataset> {
    let numbers = |array: &PyReadonlyArray1<'_, f64>| array.as_array().to_vec();
    let mut data = table.take_with(py, numbers(&target.y))?;
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

fn fitted(data: Evidence<'_>, settings: &Settings, watch: &Watch) -> Result<(Plan, Fitted)> {
    let progress = |done, planned| watch.report(done, planned);
    let plan = settings.plan(data, &progress)?;
    if let ControlFlow::Break(()) = watch.report(0, 0) {
        return Err(gapfit::Error::Stopped);
    }
    let fitted = plan.learner.fit(data, plan.parameters)?;
    Ok((plan, fitted))
}
