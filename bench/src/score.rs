//! Fits on training rows, scored on test rows.

use anyhow::Result;
use gapfit::data::Dataset;
use gapfit::eval::Scores;
use gapfit::tune::{self, Chosen, Search};
use gapfit::{Base, Learner, Method, Parameters};
use std::ops::ControlFlow;

/// The test scores of a learner with given parameters.
pub(crate) fn given(
    learner: &Learner,
    parameters: Parameters,
    train: &Dataset,
    test: &Dataset,
) -> Result<Scores> {
    let model = learner.fit(train, parameters)?.model;
    let predicted = model.predict(test.features())?;
    Ok(Scores::of(test.target(), &predicted, None))
}

/// The test scores of a method with parameters from cross-validation in the training rows.
pub(crate) fn tuned(method: Method, train: &Dataset, test: &Dataset) -> Result<Scores> {
    let (learner, go_on) = (Learner::new(method), |_, _| ControlFlow::Continue(()));
    let tuned = tune::cross_validate(&learner, train, &Search::default(), &go_on)?;
    given(&learner, tuned.best.parameters, train, test)
}

/// The base and parameters that `irr` chooses in the training rows.
pub(crate) fn choose(train: &Dataset) -> Result<Chosen> {
    let (learner, go_on) = (Learner::default(), |_, _| ControlFlow::Continue(()));
    Ok(tune::choose_base(
        &learner,
        &Base::ALL,
        train,
        &Search::default(),
        &go_on,
    )?)
}
