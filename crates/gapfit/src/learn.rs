//! Fitting: settings, parameters, and what comes out.

mod check;
mod memory;
mod stage;

pub(crate) use check::affordable;
#[doc(hidden)]
pub use stage::{NormalForm, Stage};

use crate::data::Dataset;
use crate::error::{Error, Result};
use crate::impute::Report;
use crate::impute::gaussian::Ended;
use crate::joint::{Outcome, Status};
use crate::loss::Loss;
use crate::method::{Lift, Method};
use crate::model::Model;
use crate::moments::{Reading, Rows};
use crate::pipeline::{Prefer, Problem, Weights};
use crate::prepare::Preparation;
use crate::rival::{self, Rival, Solver};
use crate::statistics::{Evidence, Kind};
use crate::support::{SupportChoice, SupportKind};
use crate::sweep::Sweep;
use std::borrow::Cow;

/// The two numbers that tuning chooses.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameters {
    /// Weight of the penalty, the paper's λ; positive.
    pub alpha: f64,
    /// How much the learnt imputation may do, the paper's γ; 0 leaves the base imputer alone.
    /// Methods without it ignore it.
    pub gamma: f64,
}

impl Parameters {
    /// Checks the ranges: 1e-100 to 1e100, and 0 for `gamma`.
    ///
    /// # Errors
    /// [`Error::Setting`] for a number outside its range.
    pub fn validate(&self) -> Result<()> {
        let sensible = 1e-100..=1e100;
        if !sensible.contains(&self.alpha) {
            return Err(Error::Setting {
                name: "alpha",
                expected: "a number from 1e-100 to 1e100",
                got: self.alpha.to_string(),
            });
        }
        if self.gamma != 0.0 && !sensible.contains(&self.gamma) {
            return Err(Error::Setting {
                name: "gamma",
                expected: "0 or a number from 1e-100 to 1e100",
                got: self.gamma.to_string(),
            });
        }
        Ok(())
    }
}

/// How more than two classes are told apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Multiclass {
    /// One model of all classes: multinomial logistic regression. The squared hinge has none, and
    /// takes one class against the others.
    #[default]
    Joint,
    /// For each class a model of it against the others; probabilities are scaled to add up to 1.
    OneVsRest,
}

/// What to fit and how; minimises `(1/Σs) Σ s_i loss(y_i, f_i) + alpha Ω`.
///
/// | field | default | purpose | range |
/// |---|---|---|---|
/// | `method` | `irr` | what is fitted, see [`Method`] | |
/// | `loss` | `squared` | what a wrong prediction costs, see [`Loss`] | `squared`, `huber=H` for numbers; `logistic`, `squared-hinge` for classes |
/// | `multiclass` | joint | how more than two classes are told apart | |
/// | `preparation` | see [`Preparation`] | clipping, scaling, intercept | |
/// | `support` | `auto` | which weights may shift when a feature is missing, see [`SupportChoice`]; of `irr` and `lifted` | |
/// | `tol` | 1e-8 | certified relative duality gap to reach | above 0, below 1 |
/// | `max_iter` | 200 | Newton steps at most; rounds of `silp`, turns of `alternating` | |
/// | `solver` | `exact` | who solves it, see [`Solver`]; tuning always takes the exact one | `irr` with `gamma` above 0 and the squared loss unless `exact` |
///
/// ```
/// use gapfit::data::{Dataset, MaskedMatrix};
/// use gapfit::{Learner, Parameters};
///
/// let hole = f64::NAN;
/// let cells = [1.0, 2.0, 2.0, hole, hole, 1.0, 4.0, 3.0, 5.0, hole, 6.0, 2.0];
/// let table = MaskedMatrix::from_nan(6, 2, &cells)?;
/// let data = Dataset::new(table.clone(), vec![3.0, 3.5, 2.5, 7.0, 7.5, 8.0])?;
///
/// let fitted = Learner::default().fit(&data, Parameters { alpha: 0.01, gamma: 1.0 })?;
/// assert!(fitted.outcome.gap <= 1e-8); // certified
/// let predictions = fitted.model.predict(&table)?;
/// assert_eq!(predictions.len(), 6);
/// # Ok::<(), gapfit::Error>(())
/// ```
///
/// Classes are learnt with a loss for them:
///
/// ```
/// use gapfit::data::{Dataset, MaskedMatrix};
/// use gapfit::loss::Loss;
/// use gapfit::{Learner, Parameters};
///
/// let hole = f64::NAN;
/// let cells = [1.0, 2.0, 2.0, hole, hole, 1.0, 4.0, 3.0, 5.0, hole, 6.0, 2.0];
/// let table = MaskedMatrix::from_nan(6, 2, &cells)?;
/// let data = Dataset::classified(table.clone(), &["no", "no", "no", "yes", "no", "yes"])?;
///
/// let learner = Learner { loss: Loss::Logistic, ..Learner::default() };
/// let model = learner.fit(&data, Parameters { alpha: 0.01, gamma: 1.0 })?.model;
/// let probabilities = model.predict_proba(&table)?;
/// assert!((probabilities.row(0).iter().sum::<f64>() - 1.0).abs() < 1e-12);
/// assert_eq!(model.classes()[model.decide(&table)?[3]], "yes");
/// # Ok::<(), gapfit::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Learner {
    /// What is fitted.
    pub method: Method,
    /// What a wrong prediction costs.
    pub loss: Loss,
    /// How more than two classes are told apart.
    pub multiclass: Multiclass,
    /// How rows are prepared.
    pub preparation: Preparation,
    /// Which weights may shift when a feature is missing.
    pub support: SupportChoice,
    /// Certified relative duality gap to reach.
    pub tol: f64,
    /// Newton steps at most.
    pub max_iter: usize,
    /// Who solves it.
    pub solver: Solver,
}

impl Default for Learner {
    fn default() -> Self {
        Self {
            method: Method::default(),
            loss: Loss::default(),
            multiclass: Multiclass::default(),
            preparation: Preparation::default(),
            support: SupportChoice::default(),
            tol: 1e-8,
            max_iter: 200,
            solver: Solver::default(),
        }
    }
}

/// A fitted model, how its fit ended, and what the user should know about it.
#[derive(Clone, Debug)]
pub struct Fitted {
    /// The model.
    pub model: Model,
    /// Status and certificate; of several targets those of the first.
    pub outcome: Outcome,
    /// Those of the targets beside the first.
    pub further: Vec<Outcome>,
    /// How the distribution of the Gaussian base was fitted, if that is the base.
    pub gaussian: Option<GaussianFit>,
    /// Figures of the solver, unless it is the exact one; it takes one target then.
    pub rival: Option<rival::Report>,
    /// One sentence each.
    pub warnings: Vec<String>,
}

/// How the distribution of the Gaussian base was fitted to the observed cells.
///
/// ```
/// use gapfit::data::{Dataset, MaskedMatrix};
/// use gapfit::joint::Status;
/// use gapfit::{Learner, Parameters};
///
/// let hole = f64::NAN;
/// let cells = [1.0, 2.0, 2.0, hole, 5.0, 9.0, hole, 1.0, 4.0, 3.0, 3.0, 1.0];
/// let table = MaskedMatrix::from_nan(6, 2, &cells)?;
/// let data = Dataset::new(table, vec![3.0, 3.5, 9.0, 2.5, 7.0, 6.0])?;
///
/// let learner = Learner::new("gaussian".parse()?);
/// let fitted = learner.fit(&data, Parameters { alpha: 0.01, gamma: 0.0 })?;
/// let fit = fitted.gaussian.expect("the base is gaussian");
/// assert_eq!(fit.status, Status::Converged);
/// assert!(fit.shrinkage > 0.1, "six rows do not say much about a covariance");
/// # Ok::<(), gapfit::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GaussianFit {
    /// Converged when the likelihood has no more than 1e-15 per row to rise, as far as its curvature
    /// along the steps taken tells; inaccurate when rounding hid that.
    pub status: Status,
    /// Steps of accelerated EM.
    pub iterations: usize,
    /// Mean log-density of the observed cells of a row, every column in units of the standard
    /// deviation of its observed cells.
    pub log_likelihood: f64,
    /// How far covariances are shrunk: 0 not at all, 1 to the diagonal.
    pub shrinkage: f64,
}

impl GaussianFit {
    fn new(report: &Report) -> Self {
        Self {
            status: match report.ended {
                Ended::Converged => Status::Converged,
                Ended::Rounding => Status::Inaccurate,
                Ended::Iterations => Status::MaxIterations,
            },
            iterations: report.iterations,
            log_likelihood: report.log_likelihood,
            shrinkage: report.shrinkage,
        }
    }
}

impl Learner {
    /// A learner of this method with default settings.
    pub fn new(method: Method) -> Self {
        Self {
            method,
            ..Self::default()
        }
    }

    /// Checks the ranges of the settings.
    ///
    /// # Errors
    /// [`Error::Setting`].
    pub fn validate(&self) -> Result<()> {
        self.preparation.validate()?;
        self.support.validate()?;
        self.check_solver(None)?;
        self.loss.validate()?;
        if !self.loss.is_smooth() {
            return Err(Error::Setting {
                name: "loss",
                expected: "squared, huber=H, squared-hinge or logistic",
                got: self.loss.to_string(),
            });
        }
        if self.tol > 0.0 && self.tol < 1.0 {
            return Ok(());
        }
        Err(Error::Setting {
            name: "tol",
            expected: "a number above 0 and below 1",
            got: self.tol.to_string(),
        })
    }

    /// The model for given parameters, with its certificate; of several targets each has the same ones. It
    /// is that of a table, or of [`Statistics`](crate::Statistics) that stand for one.
    ///
    /// # Errors
    /// As [`Learner::fit_each`].
    pub fn fit<'a>(
        &self,
        evidence: impl Into<Evidence<'a>>,
        parameters: Parameters,
    ) -> Result<Fitted> {
        let evidence = evidence.into();
        self.fit_each(evidence, &vec![parameters; evidence.n_targets()])
    }

    /// The model of all targets, for the parameters of each, with certificates. Statistics, base and normal
    /// equations are found once; for each target the result is that of a fit to it alone.
    ///
    /// # Errors
    /// [`Error::Shape`] unless there are parameters for each target,
    /// [`Error::Setting`] for a setting out of range or one that needs rows where there are sums, a loss that
    /// does not suit the target or rows of one class only, [`Error::Empty`] without a row of positive weight, [`Error::TooWide`] where features are too
    /// many for memory, [`Error::TooLarge`] for a table beyond a rival `solver`. Not reaching `tol` is no error:
    /// see [`Outcome::status`].
    pub fn fit_each<'a>(
        &self,
        evidence: impl Into<Evidence<'a>>,
        parameters: &[Parameters],
    ) -> Result<Fitted> {
        let evidence = evidence.into();
        let outline = self.checked(&evidence, parameters)?;
        match evidence.0 {
            Kind::Rows(data) => {
                let rows = Rows::new(data, None);
                let reading = Reading::new(&rows, self.preparation.clip)?;
                self.fit_reading(data, &reading, parameters)
            }
            Kind::Sums(picked) => {
                let reading = picked.reading(self.preparation.clip)?;
                evidence.vouch(self.fit_reading(&outline, &reading, parameters))
            }
        }
    }

    /// The model of rows that were swept over, for given parameters: that of a table of the same rows, to the bit.
    ///
    /// # Errors
    /// [`Error::Setting`] for a setting out of range, another `clip` than that of the sweep, or where
    /// the learner [needs rows](Learner::can_sweep).
    pub fn fit_sweep(&self, sweep: &Sweep, parameters: Parameters) -> Result<Fitted> {
        self.validate()?;
        parameters.validate()?;
        self.check_sweep(sweep)?;
        self.check_data(&sweep.outline)?;
        self.fit_reading(&sweep.outline, &sweep.reading, &[parameters])
    }

    /// The [outline](Evidence::outline) of what is learnt from, once it is clear that settings and parameters go
    /// with it.
    pub(crate) fn checked<'a>(
        &self,
        evidence: &Evidence<'a>,
        parameters: &[Parameters],
    ) -> Result<Cow<'a, Dataset>> {
        self.validate()?;
        check_parameters(parameters, evidence.n_targets())?;
        for parameters in parameters {
            self.check_solver(Some(parameters.gamma))?;
        }
        let outline = evidence.outline();
        self.check(evidence, &outline)?;
        Ok(outline)
    }

    /// The model of rows or sums that have been read; `data` has their columns.
    fn fit_reading(
        &self,
        data: &Dataset,
        reading: &Reading<'_>,
        parameters: &[Parameters],
    ) -> Result<Fitted> {
        let problems = Problem::each(self, reading, Prefer::Cheaper { solves: 1 });
        let fitted = self.fit_problems(data, (&problems, reading.rows), parameters);
        fitted.map(|(fitted, _)| fitted)
    }

    /// The model of problems that come from these rows, if there are rows, and the unknowns of each; `data` has
    /// their columns.
    pub(crate) fn fit_problems(
        &self,
        data: &Dataset,
        (problems, rows): (&[Problem<'_>], Option<&Rows<'_>>),
        parameters: &[Parameters],
    ) -> Result<(Fitted, Vec<Weights>)> {
        let (solved, rival) = self.solve(problems, rows, parameters)?;
        let far = problems[0].far_columns();
        let targets = problems.iter().zip(parameters).zip(&solved);
        let finish = |((problem, parameters), solved): ((&Problem<'_>, &Parameters), &Solved)| {
            finish(problem, data, *parameters, solved, !far.is_empty())
        };
        let (models, outcomes): (Vec<Model>, Vec<Outcome>) = targets.map(finish).unzip();
        let mut warnings = self.warnings(data, &problems[0], &far);
        warnings.extend(rival.as_ref().and_then(rival::Report::warning));
        let fitted = Fitted {
            gaussian: problems[0].base_report().map(GaussianFit::new),
            model: Model::joined(models),
            outcome: outcomes[0],
            further: outcomes[1..].to_vec(),
            rival,
            warnings,
        };
        let weights = solved.into_iter().map(|(weights, _)| weights);
        Ok((fitted, weights.collect()))
    }

    /// What the user should know about the fit to these rows.
    fn warnings(&self, data: &Dataset, problem: &Problem<'_>, far: &[usize]) -> Vec<String> {
        let mut warnings = warnings(data, problem.live(), far);
        if self.method.lift() != Lift::Plain && problem.has_no_holes() {
            let among = match problem.live().len() == data.n_features() {
                true => "",
                false => " in the other columns",
            };
            warnings.push(format!(
                "no cell is missing{among}: holes at prediction are filled by the base {}, and that a value is missing was never seen to matter",
                self.method.base()
            ));
        }
        warnings.extend(self.support_warning(problem));
        if let Some(report) = problem.base_report() {
            warnings.extend(report.warnings(|j| format!("'{}'", data.names()[j])));
        }
        warnings
    }

    /// What was left out of the shifts without being asked to.
    fn support_warning(&self, problem: &Problem<'_>) -> Option<String> {
        let kind = problem.support();
        let is_narrowed = kind != SupportKind::default() && self.support == SupportChoice::Auto;
        is_narrowed.then(|| {
            format!(
                "the table is wide: when a feature is missing only the weights of those that say most where it is missing can shift (support {kind}); support full lets all of them"
            )
        })
    }

    /// The solutions for each target.
    fn solve(
        &self,
        problems: &[Problem<'_>],
        rows: Option<&Rows<'_>>,
        parameters: &[Parameters],
    ) -> Result<(Vec<Solved>, Option<rival::Report>)> {
        let Some(rows) = rows.filter(|_| self.solver != Solver::Exact) else {
            let solved = Problem::solve_each(problems, parameters, self.tol).into_iter();
            let solved = solved.map(|(weights, solution)| (weights, solution.outcome));
            return Ok((solved.collect(), None));
        };
        let problem = &problems[0];
        let Rival { v, outcome, report } = rival::solve(problem, rows, parameters[0])?;
        Ok((vec![(problem.weights(v), outcome)], Some(report)))
    }
}

/// The unknowns of a target and how their solve ended, in the units of the solver.
type Solved = (Weights, Outcome);

/// The model of a target, and how its solve ended in the units of the target.
fn finish(
    problem: &Problem<'_>,
    data: &Dataset,
    parameters: Parameters,
    (weights, solved): &Solved,
    is_far: bool,
) -> (Model, Outcome) {
    let objective = |value| problem.objective(parameters, value);
    let outcome = Outcome {
        objective: objective(solved.objective),
        lower_bound: objective(solved.lower_bound),
        status: match is_far {
            true => Status::Inaccurate,
            false => solved.status,
        },
        ..*solved
    };
    let model = problem.model(data, parameters, &weights.full, &outcome);
    (model, outcome)
}

/// Refuses parameters out of range, and others than one pair for each target.
pub(crate) fn check_parameters(parameters: &[Parameters], n_targets: usize) -> Result<()> {
    if parameters.len() != n_targets {
        return Err(Error::Shape {
            what: "parameters, one pair for each target",
            expected: n_targets,
            got: parameters.len(),
        });
    }
    parameters.iter().try_for_each(Parameters::validate)
}

fn warnings(data: &Dataset, live: &[usize], far: &[usize]) -> Vec<String> {
    let list = |columns: &[usize]| {
        let names = columns.iter().map(|&j| format!("'{}'", data.names()[j]));
        names.collect::<Vec<_>>().join(", ")
    };
    let dead: Vec<_> = (0..data.n_features())
        .filter(|j| !live.contains(j))
        .collect();
    let mut warnings = Vec::new();
    if !dead.is_empty() {
        warnings.push(format!(
            "nothing is observed in {}: left out of the fit, weight 0",
            list(&dead)
        ));
    }
    if !far.is_empty() {
        warnings.push(format!(
            "the mean of {} is more than 10000 times the spread, which costs digits: centre it, or use scale standard with a base other than zero",
            list(far)
        ));
    }
    warnings
}
