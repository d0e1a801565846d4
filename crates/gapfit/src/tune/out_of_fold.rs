//! Predictions for rows by models that have not seen them.

use super::split::{FoldRows, ReadFold};
use super::{SEARCH_TOL, Search};
use crate::data::Dataset;
use crate::error::Result;
use crate::learn::{Learner, Parameters};
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
    learner.validate()?;
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
        let predictions = model.predict(&data.features().select_rows(&numbers))?;
        Ok(numbers.into_iter().zip(predictions).collect::<Vec<_>>())
    };
    let parts: Result<Vec<_>> = read.par_iter().map(predict).collect();
    Ok(parts?.concat())
}
