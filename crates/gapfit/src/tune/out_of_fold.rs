//! Predictions for rows by models that have not seen them.

use super::split::{FoldRows, Judged, ReadFold, rows_and_sums};
use super::{SEARCH_TOL, Search};
use crate::data::{Dataset, MaskedMatrix};
use crate::error::Result;
use crate::learn::{Learner, Parameters, check_parameters};
use crate::model::Model;
use crate::pipeline::{Prefer, Problem};
use rayon::prelude::*;

/// A model and rows that it has not seen.
///
/// ```
/// use gapfit::data::{Dataset, MaskedMatrix};
/// use gapfit::tune::{self, Search};
/// use gapfit::{Learner, Parameters};
///
/// let table = MaskedMatrix::from_nan(4, 1, &[1.0, 2.0, f64::NAN, 4.0])?;
/// let data = Dataset::new(table, vec![1.0, 2.0, 3.0, 4.0])?;
/// let search = Search { folds: 2, ..Search::default() };
/// let parameters = Parameters { alpha: 0.1, gamma: 1.0 };
/// let held_out = tune::hold_out(&Learner::default(), parameters, &data, &search)?;
/// assert_eq!(held_out[0].rows.len() + held_out[1].rows.len(), 4);
/// assert_eq!(held_out[0].model.training().rows, 2);
/// # Ok::<_, gapfit::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct HeldOut {
    /// The numbers of the rows.
    pub rows: Vec<usize>,
    /// Their features as the model sees them: a category that it has not learnt is missing.
    pub features: MaskedMatrix,
    /// The model.
    pub model: Model,
}

/// The models that the learner fits to the training rows of each fold, with the rows held out.
/// `search` says how rows are parted: its `folding`, `folds` and `seed`.
///
/// As in a search, the exact solver is used, and clipping, scaling and base are fitted anew in each
/// fold.
///
/// # Errors
/// [`Error::Setting`](crate::Error::Setting) for settings out of range, and those of
/// [`Folding::split`](super::Folding::split).
pub fn hold_out(
    learner: &Learner,
    parameters: Parameters,
    data: &Dataset,
    search: &Search,
) -> Result<Vec<HeldOut>> {
    hold_out_each(learner, &vec![parameters; data.n_targets()], data, search)
}

/// The same with the parameters of each target.
///
/// # Errors
/// Those of [`hold_out`], [`Error::Shape`](crate::Error::Shape) unless there are parameters for each target.
pub fn hold_out_each(
    learner: &Learner,
    parameters: &[Parameters],
    data: &Dataset,
    search: &Search,
) -> Result<Vec<HeldOut>> {
    let keep = |rows: Vec<usize>, features: MaskedMatrix, model: Model| {
        Ok(HeldOut {
            rows,
            features,
            model,
        })
    };
    by_fold(learner, parameters, data, search, &keep)
}

/// The numbers and predictions of all rows that are held out in some fold, each by the model of
/// [`hold_out`] that has not seen it.
///
/// # Errors
/// Those of [`hold_out`].
pub fn out_of_fold(
    learner: &Learner,
    parameters: Parameters,
    data: &Dataset,
    search: &Search,
) -> Result<Vec<(usize, f64)>> {
    let predict = |rows: Vec<usize>, features: MaskedMatrix, model: Model| {
        let predictions = model.predict(&features)?;
        Ok(rows.into_iter().zip(predictions).collect::<Vec<_>>())
    };
    let parts = by_fold(learner, &[parameters], data, search, &predict)?;
    Ok(parts.concat())
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
    let predict = |rows: Vec<usize>, features: MaskedMatrix, model: Model| {
        let probabilities = model.predict_proba(&features)?;
        let shares = probabilities.rows().map(<[f64]>::to_vec);
        Ok(rows.into_iter().zip(shares).collect::<Vec<_>>())
    };
    let parts = by_fold(learner, &[parameters], data, search, &predict)?;
    Ok(parts.concat())
}

/// Cells of all folds together up to which they are fitted at once.
const CELLS: usize = 1 << 28;

/// What is made of the rows held out in each fold, as the model sees them that has not learnt from them.
fn by_fold<T: Send>(
    learner: &Learner,
    parameters: &[Parameters],
    data: &Dataset,
    search: &Search,
    make: &(dyn Fn(Vec<usize>, MaskedMatrix, Model) -> Result<T> + Sync),
) -> Result<Vec<T>> {
    learner.validate()?;
    learner.check_data(data)?;
    check_parameters(parameters, data.n_targets())?;
    let folds = search.folding.split(data, search.folds, search.seed)?;
    let judged = Judged::new(data, &folds);
    let clip = learner.preparation.clip;
    let (rows, sums) = rows_and_sums(data, &judged, &folds, clip);
    let read = ReadFold::all(data, &rows, sums, clip)?;
    let fit = |(fold, rows): (&ReadFold<'_>, &FoldRows<'_>)| {
        let held_out = &rows.held_out;
        let problems = Problem::each(learner, &fold.reading, Prefer::Cheaper { solves: 1 });
        let solved = Problem::solve_each(&problems, parameters, SEARCH_TOL);
        let targets = problems.iter().zip(parameters).zip(&solved);
        let models = targets.map(|((problem, parameters), (weights, solution))| {
            problem.model(data, *parameters, &weights.full, &solution.outcome)
        });
        let model = Model::joined(models.collect());
        let rows: Vec<usize> = (0..held_out.len()).map(|i| held_out.number(i)).collect();
        let features = held_out.data().features().select_rows(&rows);
        make(rows, features, model)
    };
    // Where rows fill the memory, one fold after the other.
    let cells = data.n_rows() * data.n_features() * read.len();
    if cells > CELLS {
        return read.iter().zip(&rows).map(fit).collect();
    }
    let folds = read.par_iter().with_max_len(1);
    folds.zip(&rows).map(fit).collect()
}
