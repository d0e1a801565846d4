//! Tables 3 to 5 and the lower half of the figure: root mean squared error on test rows.
//!
//! Every method sees the same rows and holes, prepared as in the paper: nothing is left to do to the scaled
//! table, and the constant is a feature like any other. The paper's way looks at the test rows at every point
//! of the grid; the honest one at folds of the training rows alone.

use super::draw::{self, Split};
use super::{Draw, Finding, Grid, Tuning};
use crate::Result;
use crate::experiment::{Drawn, Search};
use gapfit::data::Dataset;
use gapfit::eval::Scores;
use gapfit::prepare::{Intercept, Preparation, Scale};
use gapfit::tune::{self, Candidate, Chosen};
use gapfit::{Base, Learner, Method, Parameters};
use std::ops::ControlFlow;

/// The paper's preparation of rows that are scaled already.
pub(super) const PREPARATION: Preparation = Preparation {
    scale: Scale::None,
    clip: 0.0,
    intercept: Intercept::Penalised,
};

/// The paper's method: imputed ridge regression on the zero base.
const IRR: Method = Method::Irr(Base::Zero);

/// Fill the holes or lift the row, then ridge regression: by name, the paper's first.
const SIMPLE: [(&str, Method); 6] = [
    ("zero", Method::Impute(Base::Zero)),
    ("mean", Method::Impute(Base::Mean)),
    ("independent", Method::Impute(Base::Independent)),
    ("mask", Method::Mask),
    ("lifted", Method::Lifted),
    ("gaussian", Method::Impute(Base::Gaussian)),
];

pub(super) fn run(cell: &Drawn, search: &Search, table: &Dataset, draw: Draw) -> Result<Finding> {
    let rows = draw::rows(cell, table, draw)?;
    let search = &search.when(draw.quick);
    let mut run = Run {
        x: cell.beta.filter(|_| cell.is_on_an_axis),
        search,
        finding: Finding::default(),
    };
    for (name, method) in SIMPLE {
        run.both(name, method, &rows.holey)?;
    }
    run.irr(&rows.holey)?;
    if let Some(complete) = &rows.complete {
        run.both("complete", Method::Impute(Base::Zero), complete)?;
    }
    let fraction = rows.holey.train.features().observed_fraction();
    run.finding.push(run.x, "F", Tuning::None, fraction);
    Ok(run.finding)
}

struct Run<'a> {
    x: Option<f64>,
    search: &'a Search,
    finding: Finding,
}

impl Run<'_> {
    /// A method in both tunings.
    fn both(&mut self, name: &str, method: Method, rows: &Split) -> Result<()> {
        self.optimistic(name, method, rows)?;
        let learner = learner(method);
        let search = self.search.honest();
        let tuned = tune::cross_validate(&learner, &rows.train, &search, &go_on)?;
        let error = error(&learner, tuned.best.parameters, rows)?;
        self.finding.push(self.x, name, Tuning::Honest, error);
        Ok(())
    }

    /// The paper's method, and on the base that cross-validation favours.
    fn irr(&mut self, rows: &Split) -> Result<()> {
        self.optimistic("irr", IRR, rows)?;
        let search = self.search.honest();
        let chosen = tune::choose_base(&learner(IRR), &Base::ALL, &rows.train, &search, &go_on)?;
        let on_zero = on_base(&chosen, Base::Zero);
        let errors = [
            ("irr", Base::Zero, on_zero),
            ("auto", chosen.base, chosen.parameters),
        ];
        for (name, base, parameters) in errors {
            let error = error(&learner(Method::Irr(base)), parameters, rows)?;
            self.finding.push(self.x, name, Tuning::Honest, error);
        }
        Ok(())
    }

    /// The error on the test rows at every point of the paper's grid.
    fn optimistic(&mut self, name: &str, method: Method, rows: &Split) -> Result<()> {
        let learner = learner(method);
        let search = self.search.paper();
        let tuned = tune::optimistic(&learner, &rows.train, &rows.test, &search, &go_on)?;
        let has_gamma = method.has_gamma();
        let setting = |at: &Candidate| label(at.parameters, has_gamma);
        self.finding.grids.push(Grid {
            method: name.to_owned(),
            settings: tuned.candidates.iter().map(setting).collect(),
            xs: vec![self.x],
            values: tuned.candidates.iter().map(|at| vec![at.rmse]).collect(),
        });
        Ok(())
    }
}

/// The parameters that were best for this base.
fn on_base(chosen: &Chosen, base: Base) -> Parameters {
    let tuned = chosen.tuned.iter().find(|(of, _)| *of == base);
    // A table without holes is searched with one base only: all are the same there.
    tuned.map_or(chosen.parameters, |(_, tuned)| tuned.best.parameters)
}

pub(super) fn go_on(_: usize, _: usize) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

pub(super) fn learner(method: Method) -> Learner {
    Learner {
        preparation: PREPARATION,
        ..Learner::new(method)
    }
}

/// The root mean squared error on the test rows of a fit to the training rows.
pub(super) fn error(learner: &Learner, parameters: Parameters, rows: &Split) -> Result<f64> {
    Ok(scores(learner, parameters, &rows.train, &rows.test)?.rmse)
}

/// The scores on test rows of a fit to training rows.
pub(super) fn scores(
    learner: &Learner,
    parameters: Parameters,
    train: &Dataset,
    test: &Dataset,
) -> Result<Scores> {
    let model = learner.fit(train, parameters)?.model;
    let predicted = model.predict(test.features())?;
    Ok(Scores::of(test.target(), &predicted, None))
}

fn label(Parameters { alpha, gamma }: Parameters, has_gamma: bool) -> String {
    match has_gamma {
        true => format!("alpha {}, gamma {}", power(alpha), power(gamma)),
        false => format!("alpha {}", power(alpha)),
    }
}

/// A power of two as such.
pub(super) fn power(x: f64) -> String {
    format!("2^{}", x.log2().round())
}
