//! Predictions for rows by models that have not seen them.

use super::split::{FoldRows, ReadFold};
use super::{SEARCH_TOL, Search};
use crate::data::{Dataset, MaskedMatrix};
use crate::error::Result;
use crate::learn::{Learner, Parameters};
use crate::model::Model;
use crate::pipeline::{Prefer, Problem};
use rayon::prelude::*;

/// The numbers and predictions of all rows that are held out in some fold, each by the model that
/// the learner fits to that fold's training rows. `search` says how rows are parted: its `folding`,
/// `folds` and `seed`.
///
/// As in a search, the exact solver is used, and clipping, scaling and base are fitted anew in each
/// fold.
///
/// # Errors
/// [`Error::Setting`](crate::Error::Setting) for settings out of range, and those of
/// [`Folding::split`](super::Folding::split).
pub fn out_of_fold(
    learner: &Learner,
    parameters: Parameters,
    data: &Dataset,
    search: &Search,
) -> Result<Vec<(usize, f64)>> {
    let predict = |model: &Model, table: &MaskedMatrix| model.predict(table);
    held_out(learner, parameters, data, search, &predict)
}

/// The same with the probabilities of the classes instead of predictions.
///
/// # Errors
/// As [`out_of_fold`], and [`Error::Setting`](crate::Error::Setting) unless the loss is logistic.
pub fn out_of_fold_proba(
    learner: &Learner,
    parameters: Parameters,
    data: &Dataset,
    search: &Search,
) -> Result<Vec<(usize, Vec<f64>)>> {
    let predict = |model: &Model, table: &MaskedMatrix| {
        let probabilities = model.predict_proba(table)?;
        Ok(probabilities.rows().map(<[f64]>::to_vec).collect())
    };
    held_out(learner, parameters, data, search, &predict)
}

/// What a model says about each row of a table.
type Predict<'a, T> = dyn Fn(&Model, &MaskedMatrix) -> Result<Vec<T>> + Sync + 'a;

fn held_out<T: Send + Clone>(
    learner: &Learner,
    parameters: Parameters,
    data: &Dataset,
    search: &Search,
    predict: &Predict<'_, T>,
) -> Result<Vec<(usize, T)>> {
    learner.validate()?;
    learner.check_target(data)?;
    parameters.validate()?;
    let folds = search.folding.split(data, search.folds, search.seed)?;
    let rows = FoldRows::of(data, &folds);
    let read = ReadFold::all(data, &folds, &rows, learner.preparation.clip)?;
    let predict = |fold: &ReadFold<'_>| {
        let FoldRows { train, held_out } = fold.rows;
        let problem = Problem::new(learner, train, &fold.reading, Prefer::Cheaper);
        let (weights, solution) = problem.solve(parameters, SEARCH_TOL, None);
        let model = problem.model(data, parameters, &weights.full, &solution.outcome);
        let numbers: Vec<usize> = (0..held_out.len()).map(|i| held_out.number(i)).collect();
        let predictions = predict(&model, &data.features().select_rows(&numbers))?;
        Ok(numbers.into_iter().zip(predictions).collect::<Vec<_>>())
    };
    let parts: Result<Vec<_>> = read.par_iter().map(predict).collect();
    Ok(parts?.concat())
}
