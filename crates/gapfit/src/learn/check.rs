//! What goes together: losses and targets, solvers and methods.

use super::Learner;
use crate::data::Dataset;
use crate::error::{Error, Result};
use crate::loss::Loss;
use crate::rival::Solver;

impl Learner {
    /// Whether the settings go with the data.
    pub(crate) fn check_data(&self, data: &Dataset) -> Result<()> {
        self.check_memory(data)?;
        self.check_target(data)
    }

    /// Numbers and classes need losses of their own, and classes need rows of two.
    fn check_target(&self, data: &Dataset) -> Result<()> {
        let wrong = |name, expected, got: String| {
            Err(Error::Setting {
                name,
                expected,
                got,
            })
        };
        let got = self.loss.to_string();
        if !self.loss.is_classification() {
            return match data.classes() {
                [] => Ok(()),
                _ => wrong("loss", "logistic or squared-hinge, for classes", got),
            };
        }
        let totals = data.class_totals();
        let mut present = (0..totals.len()).filter(|&j| totals[j] > 0.0);
        match (present.next(), present.next()) {
            (None, _) if totals.is_empty() => {
                wrong("loss", "squared or huber=H, for a target of numbers", got)
            }
            (Some(only), None) => {
                let got = format!("'{}' alone", data.classes()[only]);
                wrong("target", "rows of two classes or more", got)
            }
            _ => Ok(()),
        }
    }

    /// A rival solver needs an imputation to learn, and squares.
    pub(super) fn check_solver(&self, gamma: Option<f64>) -> Result<()> {
        let has_gamma = self.method.has_gamma() && gamma != Some(0.0);
        let is_squared = self.loss == Loss::Squared;
        if self.solver == Solver::Exact || has_gamma && is_squared {
            return Ok(());
        }
        if !is_squared {
            return Err(Error::Setting {
                name: "solver",
                expected: "exact unless the loss is squared",
                got: format!("{} with loss {}", self.solver, self.loss),
            });
        }
        let got = match gamma {
            Some(gamma) if self.method.has_gamma() => format!("{} with gamma {gamma}", self.solver),
            _ => format!("{} with method {}", self.solver, self.method),
        };
        Err(Error::Setting {
            name: "solver",
            expected: "exact unless the method is irr with gamma above 0",
            got,
        })
    }
}
