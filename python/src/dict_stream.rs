//! Learning from dictionaries, one after the other.

use gapfit::data::RowBuffer;
use gapfit::loss::Loss;
use gapfit::online::{Learn, StreamLearner};
use numpy::ndarray::ArrayView1;
use numpy::{PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyFloat};

use crate::error::raised;
use crate::job;
use crate::keys::{Keys, name};
use crate::stream::StreamSettings;

/// A learner from rows that are dictionaries; pickled as its state and its keys.
///
/// A key that is absent, None or NaN is a hole. A key is known once it has had a number; until then it
/// changes nothing.
#[pyclass(module = "gapfit._gapfit")]
#[derive(Debug)]
pub(crate) struct DictStream {
    learner: StreamLearner,
    keys: Keys,
    /// Scratch: the row at hand, and as the learner sees it.
    row: RowBuffer,
    seen: RowBuffer,
}

/// What becomes of values under keys that are not known yet.
enum Unknown<'py> {
    /// They count for nothing.
    Skipped,
    /// They are to be learnt.
    Gathered(Vec<New<'py>>),
}

/// A value under a key that is not known yet.
struct New<'py> {
    name: String,
    key: Bound<'py, PyAny>,
    value: f64,
    /// Where on the route of the known keys it was met.
    place: usize,
}

/// What a pickle of it holds: its state, its keys with their columns.
type State<'py> = (Bound<'py, PyBytes>, Vec<(Py<PyAny>, usize)>);

#[pymethods]
impl DictStream {
    /// A learner that knows nothing yet.
    #[new]
    fn new(py: Python<'_>, settings: StreamSettings) -> PyResult<Self> {
        let started = settings
            .streaming()
            .and_then(|streaming| streaming.start(Vec::new()));
        Ok(Self {
            learner: started.map_err(|e| raised(&e))?,
            keys: Keys::new(py),
            row: RowBuffer::default(),
            seen: RowBuffer::default(),
        })
    }

    /// The learner with this state and these keys.
    #[staticmethod]
    fn from_state(
        bytes: &[u8],
        keys: Vec<(Bound<'_, PyAny>, usize)>,
        py: Python<'_>,
    ) -> PyResult<Self> {
        let learner = StreamLearner::from_bytes(bytes).map_err(|e| raised(&e))?;
        let mut stream = Self {
            keys: Keys::new(py),
            row: RowBuffer::default(),
            seen: RowBuffer::default(),
            learner,
        };
        let names = stream.learner.feature_names();
        let mut is_there = vec![false; names.len()];
        for (key, column) in &keys {
            if names.get(*column) != Some(&name(key)?) || is_there[*column] {
                return Err(PyValueError::new_err("keys: expected those of the state"));
            }
            is_there[*column] = true;
            stream.keys.insert(key, *column, usize::MAX)?;
        }
        match is_there.contains(&false) {
            true => Err(PyValueError::new_err("keys: expected those of the state")),
            false => Ok(stream),
        }
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, State<'py>)> {
        let bytes = PyBytes::new(py, &self.learner.to_bytes());
        let from_state = py.get_type::<Self>().getattr("from_state")?;
        Ok((from_state, (bytes, self.keys.steps(py))))
    }

    /// The number of rows learnt from.
    #[getter]
    fn rows(&self) -> u64 {
        self.learner.rows()
    }

    /// Learns the target of a row.
    fn learn_one(&mut self, x: &Bound<'_, PyAny>, y: f64, weight: f64) -> PyResult<()> {
        job::guarded(|| {
            let mut unknown = Unknown::Gathered(Vec::new());
            self.read(x, &mut unknown)?;
            self.learn_row(unknown, y, weight)
        })
    }

    /// The prediction for a row.
    fn predict_one(&mut self, x: &Bound<'_, PyAny>) -> PyResult<f64> {
        job::guarded(|| {
            self.read(x, &mut Unknown::Skipped)?;
            self.predict_row()
        })
    }

    /// The probabilities of the classes False and True for a row.
    fn predict_proba_one(&mut self, x: &Bound<'_, PyAny>) -> PyResult<(f64, f64)> {
        self.predict_one(x).map(probabilities)
    }

    /// Learns the targets of the rows of an array, whose columns have these keys.
    fn learn_many(
        &mut self,
        keys: Vec<Bound<'_, PyAny>>,
        cells: PyReadonlyArray2<'_, f64>,
        y: PyReadonlyArray1<'_, f64>,
        weights: PyReadonlyArray1<'_, f64>,
    ) -> PyResult<()> {
        let (targets, weights) = (y.as_array(), weights.as_array());
        job::guarded(|| {
            for (i, cells) in cells.as_array().rows().into_iter().enumerate() {
                let mut unknown = Unknown::Gathered(Vec::new());
                self.read_cells(&keys, cells.iter(), &mut unknown)?;
                self.learn_row(unknown, targets[i], weights[i])?;
            }
            Ok(())
        })
    }

    /// The predictions for the rows of an array, whose columns have these keys.
    fn predict_many<'py>(
        &mut self,
        keys: Vec<Bound<'py, PyAny>>,
        cells: PyReadonlyArray2<'py, f64>,
        py: Python<'py>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let predictions = self.predictions(&keys, &cells)?;
        Ok(PyArray1::from_vec(py, predictions))
    }

    /// The probabilities of the classes False and True for the rows of an array.
    fn predict_proba_many<'py>(
        &mut self,
        keys: Vec<Bound<'py, PyAny>>,
        cells: PyReadonlyArray2<'py, f64>,
        py: Python<'py>,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let scores = self.predictions(&keys, &cells)?.into_iter();
        let shares = scores.map(probabilities).flat_map(<[f64; 2]>::from);
        PyArray1::from_iter(py, shares).reshape([cells.as_array().nrows(), 2])
    }
}

impl DictStream {
    /// Writes the known features of a dictionary into the scratch row.
    fn read<'py>(&mut self, x: &Bound<'py, PyAny>, unknown: &mut Unknown<'py>) -> PyResult<()> {
        let copy;
        let row = match x.cast::<PyDict>() {
            Ok(row) => row,
            Err(_) => {
                copy = x.py().get_type::<PyDict>().call1((x,))?.cast_into()?;
                &copy
            }
        };
        self.row.clear(self.learner.n_features());
        let mut place = 0;
        for (key, value) in row {
            if let Some(value) = number(&key, &value)? {
                self.put(&key, value, &mut place, unknown)?;
            }
        }
        Ok(())
    }

    /// The same for the cells of an array.
    fn read_cells<'py, 'a>(
        &mut self,
        keys: &[Bound<'py, PyAny>],
        cells: impl Iterator<Item = &'a f64>,
        unknown: &mut Unknown<'py>,
    ) -> PyResult<()> {
        self.row.clear(self.learner.n_features());
        let mut place = 0;
        for (key, &value) in keys.iter().zip(cells).filter(|(_, value)| !value.is_nan()) {
            self.put(key, finite(key, value)?, &mut place, unknown)?;
        }
        Ok(())
    }

    #[inline(always)]
    fn put<'py>(
        &mut self,
        key: &Bound<'py, PyAny>,
        value: f64,
        place: &mut usize,
        unknown: &mut Unknown<'py>,
    ) -> PyResult<()> {
        if let Some(column) = self.keys.column(key, place)? {
            self.row.set(column, value).map_err(|e| raised(&e))?;
        } else if let Unknown::Gathered(new) = unknown {
            let (name, key) = (name(key)?, key.clone());
            new.push(New {
                name,
                key,
                value,
                place: *place,
            });
        }
        Ok(())
    }

    fn predictions(
        &mut self,
        keys: &[Bound<'_, PyAny>],
        cells: &PyReadonlyArray2<'_, f64>,
    ) -> PyResult<Vec<f64>> {
        let rows = cells.as_array();
        let predict = |cells: ArrayView1<'_, f64>| {
            self.read_cells(keys, cells.iter(), &mut Unknown::Skipped)?;
            self.predict_row()
        };
        job::guarded(|| rows.rows().into_iter().map(predict).collect())
    }

    fn predict_row(&mut self) -> PyResult<f64> {
        let prediction = self.learner.predict_with(self.row.as_row(), &mut self.seen);
        prediction.map_err(|e| raised(&e))
    }

    /// Learns from the scratch row and the new features of it.
    fn learn_row(&mut self, unknown: Unknown<'_>, y: f64, weight: f64) -> PyResult<()> {
        if let Unknown::Gathered(new) = unknown
            && !new.is_empty()
        {
            // what is refused leaves no columns behind
            self.learner.check(y, weight).map_err(|e| raised(&e))?;
            if weight > 0.0 {
                self.admit(new)?;
            }
        }
        let learnt = self.learner.learn(self.row.as_row(), y, weight);
        learnt.map(|_| ()).map_err(|e| raised(&e))
    }

    /// Makes columns of new features, by name whatever their order in the row, and puts them into it.
    fn admit(&mut self, new: Vec<New<'_>>) -> PyResult<()> {
        let first = self.learner.n_features();
        let mut names: Vec<String> = new.iter().map(|new| new.name.clone()).collect();
        names.sort_unstable();
        let added = self.learner.add_columns(&names);
        added.map_err(|e| raised(&e))?;
        for (before, new) in new.into_iter().enumerate() {
            let rank = names.binary_search(&new.name);
            let column = first + rank.expect("it is one of them");
            self.keys.insert(&new.key, column, new.place + before)?;
            while self.row.n_features() < self.learner.n_features() {
                self.row.push_hole();
            }
            self.row.set(column, new.value).map_err(|e| raised(&e))?;
        }
        Ok(())
    }
}

/// The probabilities of the classes False and True, from the score of the latter.
fn probabilities(score: f64) -> (f64, f64) {
    let of_other = |class| Loss::Logistic.derivative(score, class).abs();
    (of_other(1.0), of_other(-1.0))
}

/// The number under a key, if there is one.
#[inline(always)]
fn number(key: &Bound<'_, PyAny>, value: &Bound<'_, PyAny>) -> PyResult<Option<f64>> {
    if let Ok(number) = value.cast::<PyFloat>() {
        let number = number.value();
        if number.is_finite() {
            return Ok(Some(number));
        }
    }
    unusual(key, value)
}

/// The same of what is not a finite float.
fn unusual(key: &Bound<'_, PyAny>, value: &Bound<'_, PyAny>) -> PyResult<Option<f64>> {
    let number = match value.cast::<PyFloat>() {
        Ok(number) => number.value(),
        Err(_) if value.is_none() => return Ok(None),
        Err(_) => match value.extract::<f64>() {
            Ok(number) => number,
            Err(_) if is_na(value)? => return Ok(None),
            Err(_) => {
                let (key, value) = (key.repr()?, value.repr()?);
                return Err(PyTypeError::new_err(format!(
                    "feature {key}: expected a number, None or NaN, got {value}"
                )));
            }
        },
    };
    match number.is_nan() {
        true => Ok(None),
        false => finite(key, number).map(Some),
    }
}

/// Whether it is the missing value of pandas.
fn is_na(value: &Bound<'_, PyAny>) -> PyResult<bool> {
    Ok(value.get_type().name()? == "NAType")
}

fn finite(key: &Bound<'_, PyAny>, value: f64) -> PyResult<f64> {
    if value.is_finite() {
        return Ok(value);
    }
    Err(PyValueError::new_err(format!(
        "feature {}: expected a finite number, got {value}",
        key.repr()?
    )))
}
