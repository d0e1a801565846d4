//! Mirror descent with any regulariser, on the whole matrix: d x k work per row.

use super::mask_map::MaskMap;
use super::mirror::Regulariser;
use super::step::{Pace, Size, Step};
use super::weights::Weights;
use super::{Learn, Learnt, check_row, check_target};
use crate::data::MaskedRow;
use crate::error::{Error, Result};
use crate::linalg::add_scaled;
use crate::loss::Loss;

/// Mirror descent with any [`Regulariser`], on the whole matrix.
///
/// The plain form of the algorithm: every step goes to the dual and back, nothing is skipped or
/// clipped. For the shipped regularisers [`OnlineLearner`](super::OnlineLearner) does the same in a
/// fraction of the time. The example at [`Regulariser`] shows how to bring one's own.
#[derive(Clone, Debug)]
pub struct DenseDescent<R> {
    psi: MaskMap,
    loss: Loss,
    regulariser: R,
    step: Step,
    pace: Pace,
    weights: Weights,
}

impl<R: Regulariser> DenseDescent<R> {
    /// A learner that starts at zero. Masks that `pattern` has not noted are not learnt from.
    ///
    /// # Errors
    /// [`Error::Setting`] when a setting is out of range, or when the step asks for the dual norm of
    /// gradients, which a [`Regulariser`] does not know.
    pub fn new(psi: MaskMap, loss: Loss, regulariser: R, step: Step) -> Result<Self> {
        loss.validate()?;
        step.validate()?;
        if matches!(
            step,
            Step::Anytime { gradient: None, .. } | Step::Relative { .. }
        ) {
            return Err(Error::Setting {
                name: "step",
                expected: "one that does not measure gradients",
                got: step.to_string(),
            });
        }
        let weights = Weights::zeros(psi.n_features(), psi.n_columns());
        Ok(Self {
            psi,
            loss,
            regulariser,
            step,
            pace: Pace::default(),
            weights,
        })
    }

    /// The matrix A.
    pub fn weights(&self) -> &Weights {
        &self.weights
    }
}

impl<R: Regulariser> Learn for DenseDescent<R> {
    fn n_features(&self) -> usize {
        self.psi.n_features()
    }

    fn loss(&self) -> Loss {
        self.loss
    }

    fn predict(&self, row: MaskedRow<'_>) -> Result<f64> {
        check_row(row, self.psi.n_features())?;
        Ok(self.weights.predict(&self.psi, row))
    }

    fn learn(&mut self, row: MaskedRow<'_>, target: f64, weight: f64) -> Result<Learnt> {
        let prediction = self.predict(row)?;
        check_target(self.loss, target, weight, self.pace.rounds)?;
        let loss = self.loss.value(prediction, target);
        if weight > 0.0 {
            let eta = self.pace.next(self.step, Size::default());
            let rate = eta * weight * self.loss.derivative(prediction, target);
            let mut dual = self.regulariser.gradient(&self.weights);
            for j in self.psi.active(row.observed()) {
                add_scaled(dual.column_mut(j), -rate, row.values());
            }
            self.weights = self.regulariser.inverse(dual);
        }
        Ok(Learnt {
            prediction,
            loss,
            clipped: false,
        })
    }
}
