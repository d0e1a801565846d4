//! What Python asks for, in the terms of the library.

use std::time::Duration;

use gapfit::prepare::{Intercept, Preparation};
use gapfit::support::{SupportChoice, SupportRule};
use gapfit::tune::{self, Fold, Folding, Progress, Search};
use gapfit::{Base, Evidence, Learner, Method, Multiclass, Parameters, Result};
use pyo3::prelude::*;

/// The settings of a fit: a dictionary of this form, names as in `gapfit fit --help`.
#[derive(Debug, FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Settings {
    /// As in [`Method`], or `irr:auto`.
    method: String,
    loss: String,
    one_vs_rest: bool,
    scale: String,
    clip: f64,
    intercept: String,
    solver: String,
    tol: Option<f64>,
    max_iter: usize,
    /// Tuned where there is none.
    alpha: Option<f64>,
    gamma: Option<f64>,
    cv: Cv,
    seed: u64,
    budget: Option<f64>,
}

/// A number of folds, or the folds themselves: rows to learn from, rows to be judged on.
#[derive(Debug, FromPyObject)]
enum Cv {
    Count(usize),
    Folds(Vec<(Vec<usize>, Vec<usize>)>),
}

/// What is fitted: a learner and its parameters, and how well candidates did.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) learner: Learner,
    pub(crate) parameters: Parameters,
    pub(crate) tried: Vec<Tried>,
}

/// A candidate of a search and its mean loss on held-out rows.
#[derive(Clone, Debug, IntoPyObject)]
pub(crate) struct Tried {
    base: String,
    support: String,
    alpha: f64,
    gamma: f64,
    loss: f64,
    fold_losses: Vec<f64>,
}

impl Settings {
    /// The learner, and whether its base is left to the data.
    fn learner(&self) -> Result<(Learner, bool)> {
        let is_open = self.method == "irr:auto";
        let method: Method = match is_open {
            true => Method::default(),
            false => self.method.parse()?,
        };
        let solver = self.solver.parse()?;
        let learner = Learner {
            loss: self.loss.parse()?,
            multiclass: match self.one_vs_rest {
                true => Multiclass::OneVsRest,
                false => Multiclass::Joint,
            },
            preparation: Preparation {
                scale: self.scale.parse()?,
                clip: self.clip,
                intercept: self.intercept.parse::<Intercept>()?,
            },
            tol: self.tol.unwrap_or(gapfit::rival::Solver::usual_tol(solver)),
            max_iter: self.max_iter,
            solver,
            ..Learner::new(method)
        };
        learner.validate()?;
        Ok((learner, is_open))
    }

    fn search(&self) -> Search {
        let mut search = Search {
            seed: self.seed,
            budget: self.budget.map(Duration::from_secs_f64),
            ..Search::default()
        };
        match &self.cv {
            Cv::Count(folds) => search.folds = *folds,
            Cv::Folds(folds) => {
                let fold = |(train, held_out): &(Vec<usize>, Vec<usize>)| Fold {
                    train: train.clone(),
                    held_out: held_out.clone(),
                };
                search.folds = folds.len();
                search.folding = Folding::Given(folds.iter().map(fold).collect());
            }
        }
        if let Some(alpha) = self.alpha {
            search.alphas = vec![alpha];
        }
        if let Some(gamma) = self.gamma {
            search.gammas = vec![gamma];
        }
        search
    }

    /// What is fitted, where nothing is left to a search.
    pub(crate) fn given(&self) -> Result<Option<Plan>> {
        let (learner, is_open) = self.learner()?;
        let gamma = self.gamma.or((!learner.method.has_gamma()).then_some(0.0));
        let parameters = self.alpha.zip(gamma).filter(|_| !is_open);
        Ok(parameters.map(|(alpha, gamma)| Plan {
            learner,
            parameters: Parameters { alpha, gamma },
            tried: Vec::new(),
        }))
    }

    /// What is fitted to these rows or sums: as given, or as a search finds it.
    pub(crate) fn plan(&self, data: Evidence<'_>, progress: &Progress<'_>) -> Result<Plan> {
        if let Some(given) = self.given()? {
            return Ok(given);
        }
        let (learner, is_open) = self.learner()?;
        let search = self.search();
        if !is_open {
            let tuned = tune::cross_validate(&learner, data, &search, progress)?;
            return Ok(Plan {
                parameters: tuned.best.parameters,
                tried: Tried::all(learner.method.base(), &learner.support, &tuned).collect(),
                learner,
            });
        }
        let chosen = tune::choose_base(&learner, &Base::ALL, data, &search, progress)?;
        let usual = chosen.tuned.iter().map(|of| (of, &learner.support));
        let constant = SupportChoice::Rule(SupportRule::Constant);
        let narrow = chosen.constant.iter().map(|of| (of, &constant));
        let tried = usual.chain(narrow);
        let tried = tried.flat_map(|((base, tuned), support)| Tried::all(*base, support, tuned));
        let tried = tried.collect();
        Ok(Plan {
            learner: Learner {
                method: Method::Irr(chosen.base),
                support: chosen.support,
                ..learner
            },
            parameters: chosen.parameters,
            tried,
        })
    }
}

impl Tried {
    fn all(base: Base, support: &SupportChoice, tuned: &tune::Tuned) -> impl Iterator<Item = Self> {
        let support = support.to_string();
        tuned.candidates.iter().map(move |candidate| Self {
            base: base.to_string(),
            support: support.clone(),
            alpha: candidate.parameters.alpha,
            gamma: candidate.parameters.gamma,
            loss: candidate.mean_loss(),
            fold_losses: candidate.fold_errors.clone(),
        })
    }
}
