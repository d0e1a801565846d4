//! What is fitted: a method, or imputed ridge regression on the base that suits the data.

use std::fmt;
use std::ops::ControlFlow;
use std::str::FromStr;

use gapfit::loss::Loss;
use gapfit::support::SupportRule;
use gapfit::tune::{self, Chosen, Search, Tuned};
use gapfit::{Base, Error, Evidence, Learner, Method, Parameters};
use serde::Serialize;

use crate::caution;

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

/// What was found for a choice: the learner, its parameters for each target, the competition.
#[derive(Debug)]
pub(crate) struct Found {
    pub(crate) learner: Learner,
    pub(crate) targets: Vec<FoundTarget>,
    /// The bases that were not, for want of time.
    left_out: Vec<Base>,
    /// The bases that were not since the table is too wide for them.
    too_wide: Vec<Base>,
    /// Candidates that were looked at, over all bases and targets.
    n_candidates: usize,
}

/// What was found for one target.
#[derive(Debug)]
pub(crate) struct FoundTarget {
    pub(crate) parameters: Parameters,
    pub(crate) tuned: Tuned,
    /// The bases that were compared, the simplest first; empty where there was nothing to choose.
    pub(crate) bases: Vec<BaseScore>,
}

/// How well a base did in cross-validation, with its own best parameters.
#[derive(Debug, Serialize)]
pub(crate) struct BaseScore {
    base: String,
    /// What may shift, where that is less than usual.
    #[serde(skip_serializing_if = "Option::is_none")]
    support: Option<String>,
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
    fn new((base, tuned): &(Base, Tuned), chosen: &Chosen, loss: Loss) -> Self {
        let is_squared = loss == Loss::Squared;
        let constant = chosen.constant.iter().find(|(of, _)| of == base);
        let constant = constant.map(|(_, tuned)| &tuned.best);
        let constant = constant.filter(|constant| constant.rmse < tuned.best.rmse);
        let best = constant.unwrap_or(&tuned.best);
        Self {
            base: base.to_string(),
            support: constant.map(|_| SupportRule::Constant.to_string()),
            alpha: best.parameters.alpha,
            gamma: best.parameters.gamma,
            rmse: is_squared.then_some(best.rmse),
            loss: (!is_squared).then(|| best.mean_loss()),
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

    /// Tunes what is to be tuned for each target; `settings` has everything but the method.
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
            let chosen = tune::choose_base_each(&irr, &Base::ALL, data, search, &progress)?;
            let learner = Learner {
                support: chosen[0].support.clone(),
                ..with(Method::Irr(chosen[0].base))
            };
            return Ok(Found::chosen(&chosen, learner));
        };
        let learner = with(method);
        let tuned = tune::cross_validate_each(&learner, data, search, &progress)?;
        let target = |tuned: Tuned| FoundTarget {
            parameters: tuned.best.parameters,
            tuned,
            bases: Vec::new(),
        };
        Ok(Found {
            n_candidates: tuned.iter().map(|tuned| tuned.candidates.len()).sum(),
            targets: tuned.into_iter().map(target).collect(),
            learner,
            left_out: Vec::new(),
            too_wide: Vec::new(),
        })
    }
}

impl Found {
    /// The learner on the base that was chosen for all targets.
    fn chosen(each: &[Chosen], learner: Learner) -> Self {
        let target = |chosen: &Chosen| {
            let score = |tuned| BaseScore::new(tuned, chosen, learner.loss);
            FoundTarget {
                parameters: chosen.parameters,
                tuned: chosen.best().clone(),
                bases: chosen.tuned.iter().map(score).collect(),
            }
        };
        let tuned = each.iter().flat_map(|c| c.tuned.iter().chain(&c.constant));
        Self {
            targets: each.iter().map(target).collect(),
            n_candidates: tuned.map(|(_, tuned)| tuned.candidates.len()).sum(),
            left_out: each[0].left_out.clone(),
            too_wide: each[0].too_wide.clone(),
            learner,
        }
    }

    /// The parameters of each target.
    pub(crate) fn parameters(&self) -> Vec<Parameters> {
        self.targets
            .iter()
            .map(|target| target.parameters)
            .collect()
    }

    /// The number of problems that were solved.
    pub(crate) fn n_solves(&self) -> usize {
        self.n_candidates * self.targets[0].tuned.fold_weights.len()
    }

    /// One sentence for each parameter of a target that was found at an end of its grid.
    pub(crate) fn grid_ends(&self, search: &Search) -> Vec<String> {
        let (method, is_single) = (self.learner.method, self.targets.len() == 1);
        let of_target = |(t, target): (usize, &FoundTarget)| {
            let ends = caution::grid_ends(&target.tuned, search, method).into_iter();
            let place = move |sentence| match is_single {
                true => sentence,
                false => format!("target {}: {sentence}", t + 1),
            };
            ends.map(place).collect::<Vec<String>>()
        };
        self.targets
            .iter()
            .enumerate()
            .flat_map(of_target)
            .collect()
    }

    /// One sentence for each thing that the size of the table left out.
    pub(crate) fn narrowed(&self, search: &Search) -> Vec<String> {
        let bases = listed(&self.too_wide);
        let bases = bases.map(|bases| {
            format!("the table is too wide, in too many patterns of holes, for {bases}: left out")
        });
        let unused = self.targets[0].tuned.unused_folds;
        let folds = (unused > 0).then(|| {
            let used = search.folds - unused;
            format!("so large a table does not fit into memory often enough: tuned on {used} of {} folds", search.folds)
        });
        bases.into_iter().chain(folds).collect()
    }

    /// One sentence when the budget ran out.
    pub(crate) fn cut_short(&self, search: &Search) -> Option<String> {
        let seconds = search.budget?.as_secs_f64();
        let left_out = self.targets.iter().map(|target| target.tuned.left_out);
        let pairs = match left_out.sum::<usize>() {
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
