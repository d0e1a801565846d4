//! Models of several targets: one prepared row, a predictor for each target.

use super::{Calibration, Certificate, MaskLinear, Model, Training};
use crate::data::MaskedMatrix;
use crate::error::{Error, Result};
use crate::learn::Parameters;

/// What a target beside the first has to itself.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Further {
    pub(crate) name: String,
    pub(crate) parameters: Parameters,
    pub(crate) training: Training,
    pub(crate) certificate: Certificate,
    pub(crate) calibration: Option<Calibration>,
    pub(crate) linear: MaskLinear,
}

impl Model {
    /// The models of several targets as one: those of the same rows, which differ in nothing but what belongs
    /// to their targets.
    pub(crate) fn joined(models: Vec<Self>) -> Self {
        let mut models = models.into_iter();
        let mut first = models.next().expect("one target at least");
        first.further = models
            .map(|model| Further {
                name: model.target_name,
                parameters: model.parameters,
                training: model.training,
                certificate: model.certificate,
                calibration: model.calibration,
                linear: model.linear,
            })
            .collect();
        first
    }

    /// The number of targets.
    pub fn n_targets(&self) -> usize {
        1 + self.further.len()
    }

    /// The names of the targets.
    pub fn target_names(&self) -> impl Iterator<Item = &str> {
        let further = self.further.iter().map(|further| further.name.as_str());
        std::iter::once(self.target_name()).chain(further)
    }

    /// The model of one target, counted from 0: the one that a fit to that target alone gives.
    ///
    /// # Panics
    /// If there is no such target.
    pub fn of_target(&self, target: usize) -> Self {
        let mut model = self.clone();
        let mut further = std::mem::take(&mut model.further);
        let Some(place) = target.checked_sub(1) else {
            return model;
        };
        let further = further.swap_remove(place);
        Self {
            target_name: further.name,
            parameters: further.parameters,
            training: further.training,
            certificate: further.certificate,
            calibration: further.calibration,
            linear: further.linear,
            ..model
        }
    }

    /// The models of each target.
    pub fn each_target(&self) -> impl ExactSizeIterator<Item = Self> {
        (0..self.n_targets()).map(|target| self.of_target(target))
    }

    /// The predictions of each target for the rows of a table, target after target. Rows are completed once.
    ///
    /// # Errors
    /// [`Error::Shape`] when the number of columns differs, [`Error::Setting`] where the target is classes.
    pub fn predict_each(&self, table: &MaskedMatrix) -> Result<Vec<Vec<f64>>> {
        if !self.classes.is_empty() {
            return Err(Error::Setting {
                name: "target",
                expected: "numbers, for predictions of each target",
                got: format!("{} classes", self.classes.len()),
            });
        }
        let (n, scores) = (self.n_targets(), self.scores(table)?);
        let of_target = |t: usize| scores.iter().skip(t).step_by(n).copied().collect();
        Ok((0..n).map(of_target).collect())
    }

    /// The same model with these calibrations, one for each target.
    ///
    /// # Errors
    /// [`Error::Shape`] when there are too few or too many.
    pub fn with_calibrations(mut self, calibrations: Vec<Calibration>) -> Result<Self> {
        if calibrations.len() != self.n_targets() {
            return Err(Error::Shape {
                what: "calibrations",
                expected: self.n_targets(),
                got: calibrations.len(),
            });
        }
        let mut calibrations = calibrations.into_iter();
        self.calibration = calibrations.next();
        for (further, calibration) in self.further.iter_mut().zip(calibrations) {
            further.calibration = Some(calibration);
        }
        Ok(self)
    }
}
