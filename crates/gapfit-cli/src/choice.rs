//! What is fitted: a method, or imputed ridge regression on the base that suits the data.

use std::fmt;
use std::ops::ControlFlow;
use std::str::FromStr;

use gapfit::loss::Loss;
use gapfit::tune::{self, Search, Tuned};
use gapfit::{Base, Error, Evidence, Learner, Method, Parameters};
use serde::Serialize;

/// A method, or imputed ridge regression on a base that is chosen by cross-validation.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) enum Choice {
    #[default]
    Irr,
    Method(Method),
}

impl FromStr for Choice {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self, Error> {
        match name {
            "irr" | "irr:auto" => Ok(Self::Irr),
            _ => name.parse().map(Self::Method).map_err(|_| Error::Setting {
                name: "method",
                expected: "irr, zero, mean, independent, gaussian, mask, lifted or irr:BASE",
                got: name.to_owned(),
            }),
        }
    }
}

impl fmt::Display for Choice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Irr => f.pad("irr"),
            Self::Method(method) => method.fmt(f),
        }
    }
}

/// What was found for a choice: the learner, its parameters, the competition.
#[derive(Debug)]
pub(crate) struct Found {
    pub(crate) learner: Learner,
    pub(crate) parameters: Parameters,
    pub(crate) tuned: Tuned,
    /// The bases that were compared, the simplest first; empty where there was nothing to choose.
    pub(crate) bases: Vec<BaseScore>,
    /// The bases that were not, for want of time.
    left_out: Vec<Base>,
    /// The bases that were not since the table is too wide for them.
    too_wide: Vec<Base>,
    /// Candidates that were looked at, over all bases.
    n_candidates: usize,
}

/// How well a base did in cross-validation, with its own best parameters.
#[derive(Debug, Serialize)]
pub(crate) struct BaseScore {
    base: String,
    alpha: f64,
    gamma: f64,
    /// Of the squared loss.
    #[serde(skip_serializing_if = "Option::is_none")]
    rmse: Option<f64>,
    /// The mean of any other.
    #[serde(skip_serializing_if = "Option::is_none")]
    loss: Option<f64>,
}

impl BaseScore {
    fn new((base, tuned): &(Base, Tuned), loss: Loss) -> Self {
        let is_squared = loss == Loss::Squared;
        Self {
            base: base.to_string(),
            alpha: tuned.best.parameters.alpha,
            gamma: tuned.best.parameters.gamma,
            rmse: is_squared.then_some(tuned.best.rmse),
            loss: (!is_squared).then(|| tuned.best.mean_loss()),
        }
    }
}

impl Choice {
    /// Whether `gamma` matters to it.
    pub(crate) fn has_gamma(self) -> bool {
        match self {
            Self::Irr => true,
            Self::Method(method) => method.has_gamma(),
        }
    }

    /// The method, where it is not left to the data.
    pub(crate) fn method(self) -> Option<Method> {
        match self {
            Self::Irr => None,
            Self::Method(method) => Some(method),
        }
    }

    /// Tunes what is to be tuned; `settings` has everything but the method.
    pub(crate) fn tune<'a>(
        self,
        settings: &Learner,
        data: impl Into<Evidence<'a>>,
        search: &Search,
        show: &(dyn Fn(usize, usize) + Sync),
    ) -> gapfit::Result<Found> {
        let progress = |done: usize, planned: usize| {
            show(done, planned);
            ControlFlow::Continue(())
        };
        let with = |method: Method| Learner {
            method,
            ..settings.clone()
        };
        let Some(method) = self.method() else {
            let irr = with(Method::default());
            let chosen = tune::choose_base(&irr, &Base::ALL, data, search, &progress)?;
            let score = |tuned| BaseScore::new(tuned, settings.loss);
            return Ok(Found {
                learner: with(Method::Irr(chosen.base)),
                parameters: chosen.parameters,
                tuned: chosen.best().clone(),
                bases: chosen.tuned.iter().map(score).collect(),
                n_candidates: chosen.tuned.iter().map(|t| t.1.candidates.len()).sum(),
                left_out: chosen.left_out,
                too_wide: chosen.too_wide,
            });
        };
        let learner = with(method);
        let tuned = tune::cross_validate(&learner, data, search, &progress)?;
        Ok(Found {
            n_candidates: tuned.candidates.len(),
            parameters: tuned.best.parameters,
            tuned,
            learner,
            bases: Vec::new(),
            left_out: Vec::new(),
            too_wide: Vec::new(),
        })
    }
}

impl Found {
    /// The number of problems that were solved.
    pub(crate) fn n_solves(&self) -> usize {
        self.n_candidates * self.tuned.fold_weights.len()
    }

    /// One sentence for each thing that the size of the table left out.
    pub(crate) fn narrowed(&self, search: &Search) -> Vec<String> {
        let bases = listed(&self.too_wide);
        let bases = bases.map(|bases| {
            format!("the table is too wide, in too many patterns of holes, for {bases}: left out")
        });
        let unused = self.tuned.unused_folds;
        let folds = (unused > 0).then(|| {
            let used = search.folds - unused;
            format!("so large a table does not fit into memory often enough: tuned on {used} of {} folds", search.folds)
        });
        bases.into_iter().chain(folds).collect()
    }

    /// One sentence when the budget ran out.
    pub(crate) fn cut_short(&self, search: &Search) -> Option<String> {
        let seconds = search.budget?.as_secs_f64();
        let pairs = match self.tuned.left_out {
            0 => None,
            n => Some(format!("{n} candidates for alpha and gamma")),
        };
        let bases = listed(&self.left_out);
        let left_out: Vec<String> = bases.into_iter().chain(pairs).collect();
        (!left_out.is_empty()).then(|| {
            let left_out = left_out.join(" and ");
            format!("the budget of {seconds} s left no time for {left_out}")
        })
    }
}

/// Bases, in words.
fn listed(bases: &[Base]) -> Option<String> {
    match bases {
        [] => None,
        [base] => Some(format!("the base {base}")),
        bases => {
            let names: Vec<_> = bases.iter().map(ToString::to_string).collect();
            Some(format!("the bases {}", names.join(", ")))
        }
    }
}

/// What irr starts from: a base, or the one that suits the data.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum BaseChoice {
    Auto,
    Base(Base),
}

impl FromStr for BaseChoice {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let names = Base::ALL.map(|base| base.to_string()).join(", ");
        match name {
            "auto" => Ok(Self::Auto),
            _ => match name.parse() {
                Ok(base) => Ok(Self::Base(base)),
                Err(_) => Err(format!("expected {names} or auto")),
            },
        }
    }
}
