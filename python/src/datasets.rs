//! Embedded data sets, and holes punched into tables.

use gapfit::Error;
use gapfit::corrupt::Mechanism;
use gapfit_paper::Embedded;
use numpy::{PyArray1, PyArray2, PyArrayMethods};
use pyo3::prelude::*;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;

use crate::error::raised;
use crate::job;
use crate::table::{Table, array};

/// An embedded set: a dictionary of this form.
#[derive(Debug, IntoPyObject)]
pub(crate) struct Loaded<'py> {
    data: Bound<'py, PyArray2<f64>>,
    target: Bound<'py, PyArray1<f64>>,
    feature_names: Vec<String>,
    target_name: &'static str,
    description: &'static str,
    source: &'static str,
    licence: &'static str,
}

/// The embedded set of this name.
#[pyfunction]
pub(crate) fn load_dataset<'py>(py: Python<'py>, name: &str) -> PyResult<Loaded<'py>> {
    let set = Embedded::ALL.into_iter().find(|set| set.name() == name);
    let set = set.ok_or_else(|| {
        raised(&Error::Setting {
            name: "data set",
            expected: "abalone, housing, hypothyroid, optdigits, splice or wine",
            got: name.to_owned(),
        })
    })?;
    let data = job::here(py, || Ok(set.load()))?;
    Ok(Loaded {
        data: array(py, data.features())?,
        target: PyArray1::from_slice(py, data.target()),
        feature_names: data.names().to_vec(),
        target_name: set.target_name(),
        description: set.description(),
        source: set.attribution(),
        licence: set.licence(),
    })
}

/// How holes are punched: a dictionary of this form, one of the last three given.
#[derive(Debug, FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Punch {
    mechanism: String,
    rate: Option<f64>,
    beta: Option<f64>,
    columns: Option<Vec<Vec<usize>>>,
}

/// Which cells of a table are observed once holes are punched into it, those of `gapfit corrupt`.
#[pyfunction]
pub(crate) fn punch<'py>(
    py: Python<'py>,
    table: &mut Table,
    how: Punch,
    seed: u64,
) -> PyResult<Bound<'py, PyArray2<bool>>> {
    let rows = table.rows(py)?;
    let holey = job::here(py, || {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        how.mechanism()?.apply(rows, &mut rng)
    })?;
    let observed = holey.rows().flat_map(|row| {
        let observed = row.observed();
        (0..observed.n_features()).map(move |j| observed.contains(j))
    });
    PyArray1::from_iter(py, observed).reshape([rows.n_rows(), rows.n_cols()])
}

impl Punch {
    fn mechanism(self) -> gapfit::Result<Mechanism> {
        let name = &self.mechanism[..];
        match (self.rate, self.beta, self.columns) {
            (Some(rate), None, None) => Mechanism::with_rate(name, rate),
            (None, Some(beta), None) => Mechanism::with_beta(name, beta),
            (None, None, Some(groups)) if name == "columns" => Ok(Mechanism::Columns { groups }),
            _ => Err(Error::Setting {
                name: "mechanism",
                expected: "beta for independent and dependent, columns for columns, rate for others",
                got: name.to_owned(),
            }),
        }
    }
}
