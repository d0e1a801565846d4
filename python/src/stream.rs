//! Learning from rows in their order.

use gapfit::Error;
use gapfit::loss::Loss;
use gapfit::online::{
    Adaptive, AdaptiveRule, Auto, Feasible, Learn, MaskFeatures, MirrorDescent, Rule, Step,
    StreamLearner, Streaming, Units,
};
use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::error::raised;
use crate::job;
use crate::table::Table;

/// Rows that are learnt from before signals are looked after.
const BEAT: usize = 1024;

/// The settings of a stream's learner: a dictionary of this form, names as in `gapfit stream --help`.
#[derive(Debug, FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct StreamSettings {
    loss: String,
    step: String,
    psi: Option<String>,
    units: Option<String>,
    radius: f64,
}

impl StreamSettings {
    pub(crate) fn streaming(&self) -> gapfit::Result<Streaming> {
        let loss: Loss = self.loss.parse()?;
        let psi = self
            .psi
            .as_deref()
            .map_or(Ok(MaskFeatures::default()), str::parse)?;
        let adaptive = |rule| {
            let adaptive = Adaptive {
                rule,
                psi,
                loss,
                ..Adaptive::default()
            };
            (Rule::Adaptive(adaptive), Units::Standard)
        };
        let descent = |step, set| {
            let descent = MirrorDescent {
                psi,
                loss,
                set,
                step,
                ..MirrorDescent::default()
            };
            (Rule::Descent(descent), Units::Raw)
        };
        let radius = self.radius;
        let (rule, usual) = match self.step.as_str() {
            "auto" => (
                Rule::Auto(Auto {
                    loss,
                    support: None,
                }),
                Units::Raw,
            ),
            "coin" => adaptive(AdaptiveRule::Coin),
            "adagrad" => adaptive(AdaptiveRule::AdaGrad),
            "theory" => {
                let step = Step::Anytime {
                    radius,
                    gradient: None,
                };
                descent(step, Feasible::Ball(radius))
            }
            other => descent(other.parse()?, Feasible::Everything),
        };
        let units = self.units.as_deref().map_or(Ok(usual), str::parse)?;
        Ok(Streaming { rule, units })
    }
}

/// A learner from a stream; pickled as its state, from which it goes on bit by bit.
#[pyclass(module = "gapfit._gapfit")]
#[derive(Debug)]
pub(crate) struct Stream(StreamLearner);

/// How a stream is learnt from, in the words of [`StreamSettings`].
#[derive(Debug, IntoPyObject)]
pub(crate) struct Told {
    loss: String,
    step: String,
    psi: Option<String>,
    units: Option<String>,
    is_classification: bool,
}

impl Told {
    fn new(streaming: &Streaming) -> Self {
        let units = Some(streaming.units.to_string());
        let (step, psi, units) = match &streaming.rule {
            Rule::Auto(_) => ("auto".to_owned(), None, None),
            Rule::Adaptive(rule) => (rule.rule.to_string(), Some(rule.psi), units),
            Rule::Descent(rule) => (rule.step.to_string(), Some(rule.psi), units),
        };
        Self {
            loss: streaming.loss().to_string(),
            is_classification: streaming.loss().is_classification(),
            psi: psi.map(|psi| psi.to_string()),
            step,
            units,
        }
    }
}

#[pymethods]
impl Stream {
    /// A learner over features of these names that knows nothing yet.
    #[new]
    fn new(names: Vec<String>, settings: StreamSettings) -> PyResult<Self> {
        let started = settings
            .streaming()
            .and_then(|streaming| streaming.start(names));
        started.map(Self).map_err(|e| raised(&e))
    }

    /// The learner in the bytes of its state, and the note that is kept with it.
    #[staticmethod]
    fn from_file(bytes: &[u8]) -> PyResult<(Self, String)> {
        let read = StreamLearner::from_bytes_with(bytes).map_err(|e| raised(&e));
        read.map(|(learner, note)| (Self(learner), note))
    }

    /// Whether these bytes claim to be the state of a learner from a stream.
    #[staticmethod]
    fn recognises(bytes: &[u8]) -> bool {
        StreamLearner::recognises(bytes)
    }

    /// The learner in the bytes of its state.
    #[staticmethod]
    fn from_bytes(bytes: &[u8]) -> PyResult<Self> {
        let learner = StreamLearner::from_bytes(bytes);
        learner.map(Self).map_err(|e| raised(&e))
    }

    /// The bytes of its state.
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

    /// How it learns.
    #[getter]
    fn about(&self) -> Told {
        Told::new(&self.0.settings())
    }

    #[getter]
    fn feature_names(&self) -> Vec<String> {
        self.0.feature_names().to_vec()
    }

    /// The number of rows learnt from.
    #[getter]
    fn rows(&self) -> u64 {
        self.0.rows()
    }

    /// The number of rows of which something had to be cut.
    #[getter]
    fn clipped(&self) -> u64 {
        self.0.clipped()
    }

    /// Learns from rows, one after the other; the predictions made before each target was looked at.
    fn learn<'py>(
        &mut self,
        py: Python<'py>,
        table: &mut Table,
        y: PyReadonlyArray1<'py, f64>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let (rows, target) = (table.rows(py)?, y.as_array().to_vec());
        let (learner, mut predictions) = (&mut self.0, Vec::with_capacity(target.len()));
        if target.len() != rows.n_rows() {
            let (what, expected, got) = ("target values", rows.n_rows(), target.len());
            return Err(raised(&Error::Shape {
                what,
                expected,
                got,
            }));
        }
        for start in (0..rows.n_rows()).step_by(BEAT) {
            let end = rows.n_rows().min(start + BEAT);
            job::here(py, || {
                for (i, &y) in target.iter().enumerate().take(end).skip(start) {
                    predictions.push(learner.learn(rows.row(i), y, 1.0)?.prediction);
                }
                Ok(())
            })?;
            py.check_signals()?;
        }
        Ok(PyArray1::from_vec(py, predictions))
    }

    /// The predictions for rows; of classes, scores that are positive for the second.
    fn predict<'py>(
        &self,
        py: Python<'py>,
        table: &mut Table,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let rows = table.rows(py)?;
        let predictions = job::here(py, || rows.rows().map(|row| self.0.predict(row)).collect())?;
        Ok(PyArray1::from_vec(py, predictions))
    }
}
