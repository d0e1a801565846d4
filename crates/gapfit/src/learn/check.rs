//! What goes together: losses and targets, solvers and methods.

use super::Learner;
use crate::data::Dataset;
use crate::error::{Error, Result};
use crate::loss::Loss;
use crate::method::Base;
use crate::moments::Rows;
use crate::pipeline::SMALL;
use crate::rival::Solver;
use crate::statistics::{Evidence, Kind};
use crate::support::{SupportChoice, SupportRule};
use crate::sweep::Sweep;

/// The cube of the number of columns times the number of patterns of holes from which on one fit of a
/// base that looks at other columns would take an hour or more.
const COSTLY: f64 = 1e12;
/// The same where such fits are made on folds, to choose from.
const MANY: f64 = 1e11;

/// The number of patterns of holes, if with it the table is beyond a limit; counted in the table unless it is given.
fn too_many_masks(data: &Dataset, n_masks: Option<usize>, limit: f64) -> Option<usize> {
    let is_beyond = |n: usize| (data.n_features() as f64).powi(3) * n as f64 > limit;
    if !is_beyond(n_masks.unwrap_or(data.n_rows())) {
        return None;
    }
    let n_masks = n_masks.unwrap_or_else(|| Rows::new(data, None).n_masks());
    Some(n_masks).filter(|&n| is_beyond(n))
}

fn fills_with_constants(base: Base) -> bool {
    matches!(base, Base::Zero | Base::Mean)
}

/// The bases to choose from: where patterns of holes are not told apart those that fill with constants; where a table is
/// too wide for those that look at other columns the mean alone, which with shifts of the constant can say what zero can.
pub(crate) fn affordable(bases: &[Base], evidence: &Evidence<'_>, outline: &Dataset) -> Vec<Base> {
    let mut bases = bases.to_vec();
    if let Kind::Sums(picked) = evidence.0
        && picked.is_folded()
        && bases.iter().any(|base| fills_with_constants(*base))
    {
        bases.retain(|base| fills_with_constants(*base));
        return bases;
    }
    let is_beyond = || too_many_masks(outline, evidence.n_masks(), MANY).is_some();
    if bases.contains(&Base::Mean) && is_beyond() {
        bases.retain(|base| *base == Base::Mean);
    }
    bases
}

impl Learner {
    /// Whether the settings go with what is learnt from and its [outline](Evidence::outline).
    pub(crate) fn check(&self, evidence: &Evidence<'_>, outline: &Dataset) -> Result<()> {
        match evidence.0 {
            Kind::Rows(data) => self.check_data(data),
            Kind::Sums(picked) => {
                self.check_sums()?;
                if picked.is_folded() && !fills_with_constants(self.method.base()) {
                    return Err(Error::Setting {
                        name: "base",
                        expected: "mean or zero, from statistics of so many patterns of holes that they are not told apart",
                        got: self.method.base().to_string(),
                    });
                }
                let support = match &self.support {
                    SupportChoice::Auto => SupportChoice::Rule(SupportRule::Full),
                    given => given.clone(),
                };
                let learner = Self {
                    support,
                    ..self.clone()
                };
                learner.check_table(outline, evidence.n_masks())
            }
        }
    }

    /// Sums say nothing of single rows.
    fn check_sums(&self) -> Result<()> {
        let wrong = |name, expected, got| {
            Err(Error::Setting {
                name,
                expected,
                got,
            })
        };
        match self {
            _ if self.loss != Loss::Squared => {
                wrong("loss", "squared, from statistics", self.loss.to_string())
            }
            _ if self.solver != Solver::Exact => {
                wrong("solver", "exact, from statistics", self.solver.to_string())
            }
            _ if self.support.needs_rows() => wrong(
                "support",
                "full or constant, from statistics",
                self.support.to_string(),
            ),
            _ => Ok(()),
        }
    }

    /// Whether a [`Sweep`] over rows of so many features is all that a fit needs of them. A target of numbers, no weights and
    /// given parameters are taken for granted.
    pub fn can_sweep(&self, n_features: usize) -> bool {
        // as many unknowns as are always solved for with their matrix formed, which sums are enough for
        let is_narrow = (n_features + 1).pow(2) <= SMALL;
        is_narrow && self.preparation.clip > 0.0 && self.check_sums().is_ok()
    }

    pub(super) fn check_sweep(&self, sweep: &Sweep) -> Result<()> {
        self.check_sums()?;
        let n_features = sweep.outline.n_features();
        let (name, expected, got) = match self.can_sweep(n_features) {
            false => (
                "features",
                "few enough to be swept over",
                n_features.to_string(),
            ),
            true if self.preparation.clip.to_bits() != sweep.clip.to_bits() => (
                "clip",
                "that of the sweep",
                self.preparation.clip.to_string(),
            ),
            true => return Ok(()),
        };
        Err(Error::Setting {
            name,
            expected,
            got,
        })
    }

    /// Whether the settings go with the data.
    pub(crate) fn check_data(&self, data: &Dataset) -> Result<()> {
        self.check_table(data, None)
    }

    /// The same where the number of masks may be known.
    fn check_table(&self, data: &Dataset, n_masks: Option<usize>) -> Result<()> {
        self.support.check(data.n_features())?;
        self.check_memory(data)?;
        self.check_base(data, n_masks)?;
        self.check_targets(data)?;
        self.check_target(data)
    }

    /// Bases that factor a matrix for each pattern of holes have an end.
    fn check_base(&self, data: &Dataset, n_masks: Option<usize>) -> Result<()> {
        let base = self.method.base();
        let is_cheap = fills_with_constants(base);
        let too_many = too_many_masks(data, n_masks, COSTLY);
        let Some(n_masks) = too_many.filter(|_| !is_cheap) else {
            return Ok(());
        };
        Err(Error::Setting {
            name: "base",
            expected: "mean or zero, for a table so wide with so many patterns of holes",
            got: format!(
                "{base} with {} columns and {n_masks} patterns",
                data.n_features()
            ),
        })
    }

    /// Several targets are numbers, learnt with squares by the exact solver.
    fn check_targets(&self, data: &Dataset) -> Result<()> {
        let wrong = |name, expected, got: String| {
            Err(Error::Setting {
                name,
                expected,
                got,
            })
        };
        if data.n_targets() == 1 {
            return Ok(());
        }
        if self.loss != Loss::Squared {
            return wrong(
                "loss",
                "squared, for several targets",
                self.loss.to_string(),
            );
        }
        match self.solver {
            Solver::Exact => Ok(()),
            rival => wrong("solver", "exact, for several targets", rival.to_string()),
        }
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

    /// A rival solver needs an imputation to learn, of all weights, and squares.
    pub(super) fn check_solver(&self, gamma: Option<f64>) -> Result<()> {
        let has_gamma = self.method.has_gamma() && gamma != Some(0.0);
        let is_squared = self.loss == Loss::Squared;
        let is_full = matches!(
            self.support,
            SupportChoice::Auto | SupportChoice::Rule(SupportRule::Full)
        );
        if self.solver == Solver::Exact || has_gamma && is_squared && is_full {
            return Ok(());
        }
        if !is_full {
            return Err(Error::Setting {
                name: "solver",
                expected: "exact unless the support is full",
                got: format!("{} with support {}", self.solver, self.support),
            });
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
