//! Choosing `alpha` and `gamma` by cross-validation inside the training rows.
//!
//! Candidates are judged on held-out rows by the loss that they are fitted with: the squared error, or
//! for classes the log-loss. Folds of classes that would be shuffled are stratified instead.
//! Clipping, scaling and base imputer are fitted anew in each fold, so nothing leaks from the rows a
//! candidate is judged on. Where moments are additive (no clipping) the training part of a fold is the
//! whole minus the fold, or the sum of what came before; errors on held-out rows come from their normal
//! equations, not from the rows.
//! Solves are warm-started along `gamma` and run in parallel over folds and `alpha`; the result is the
//! same for any number of threads. Several targets share folds, statistics and normal equations; each is then
//! searched for as if it were alone.

mod block;
mod block_fold;
mod choose;
mod deadline;
mod descent;
mod fold;
mod folding;
mod given;
mod judge;
mod out_of_fold;
mod part;
mod prefer;
mod search;
mod split;
mod splits;
mod sums;

pub use crate::ahead::Progress;
pub use block_fold::BlockFold;
pub use choose::{Chosen, choose_base, choose_base_each};
pub use fold::{Fold, Folds};
pub use folding::Folding;
pub use judge::judge;
pub use out_of_fold::{HeldOut, hold_out, hold_out_each, out_of_fold, out_of_fold_proba};
pub use search::Search;

use crate::data::Dataset;
use crate::error::{Error, Result};
use crate::learn::{Learner, Parameters};
use crate::moments::Rows;
use crate::statistics::{Evidence, Kind};
use deadline::Deadline;
use split::{FoldRows, Judged, ReadFold, rows_and_sums};
use splits::Splits;

/// Relative gap of solves on folds: far below the differences between candidates.
const SEARCH_TOL: f64 = 1e-5;

/// One candidate and its cross-validated error.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    /// The parameters.
    pub parameters: Parameters,
    /// Root of the mean loss over all held-out rows, weighted: for the squared loss the root mean
    /// squared error.
    pub rmse: f64,
    /// Mean loss over the held-out rows of each fold, weighted; their mean with the weights
    /// [`Tuned::fold_weights`] is the square of `rmse`.
    pub fold_errors: Vec<f64>,
    /// The same over parts of the folds, which tell more of the error of a difference: for losses other than the squared one
    /// up to twenty of each fold, into which its rows are dealt out at random; else the folds.
    pub part_errors: Vec<f64>,
}

impl Candidate {
    /// Mean loss over all held-out rows, weighted: the log-loss where the loss is logistic.
    pub fn mean_loss(&self) -> f64 {
        self.rmse * self.rmse
    }
}

/// What the search found.
#[derive(Clone, Debug, PartialEq)]
pub struct Tuned {
    /// The candidate with the smallest error.
    pub best: Candidate,
    /// Every candidate that was looked at, ascending in `alpha`, then `gamma`.
    pub candidates: Vec<Candidate>,
    /// Each fold's part of the weight of all held-out rows; they add up to 1.
    pub fold_weights: Vec<f64>,
    /// The same of each part of [`Candidate::part_errors`].
    pub part_weights: Vec<f64>,
    /// How many candidates were meant to be looked at but for the budget.
    pub left_out: usize,
    /// How many folds were left out since a table so large would not fit into memory that often; what is
    /// said of errors is about the others.
    pub unused_folds: usize,
}

/// Chooses parameters by cross-validation inside a table with one target, or inside
/// [`Statistics`](crate::Statistics) or [`Passes`](crate::Passes) that stand for one: by their blocks.
///
/// # Errors
/// [`Error::Setting`] for several targets; as [`cross_validate_each`].
pub fn cross_validate<'a>(
    learner: &Learner,
    evidence: impl Into<Evidence<'a>>,
    search: &Search,
    progress: &Progress<'_>,
) -> Result<Tuned> {
    let evidence = evidence.into();
    check_single(&evidence)?;
    let mut each = cross_validate_each(learner, evidence, search, progress)?;
    Ok(each.swap_remove(0))
}

/// Chooses the parameters of each target by cross-validation inside `data`. A budget is shared among them.
///
/// Folds that are stratified are so by the first target.
///
/// # Errors
/// [`Error::Setting`] for settings out of range, [`Error::Stopped`] when `progress` says so, and those of
/// [`Folding::split`].
pub fn cross_validate_each<'a>(
    learner: &Learner,
    evidence: impl Into<Evidence<'a>>,
    search: &Search,
    progress: &Progress<'_>,
) -> Result<Vec<Tuned>> {
    learner.validate()?;
    let evidence = evidence.into();
    learner.check(&evidence, &evidence.outline())?;
    search.validate()?;
    let deadline = Deadline::after(search.budget);
    on_folds(&evidence, search, learner.preparation.clip, |read| {
        search_on(read, learner, search, progress, &deadline)
    })
}

/// What `work` makes of the folds, read with values clipped at the quantile `clip`.
fn on_folds<T>(
    evidence: &Evidence<'_>,
    search: &Search,
    clip: f64,
    work: impl FnOnce(&[ReadFold<'_>]) -> Result<T>,
) -> Result<T> {
    match evidence.0 {
        Kind::Rows(data) => {
            let folds = search.folding.split(data, search.folds, search.seed)?;
            let judged = Judged::new(data, &folds);
            let (rows, sums) = rows_and_sums(data, &judged, &folds, clip);
            work(&ReadFold::all(data, &rows, sums, clip)?)
        }
        Kind::Sums(picked) => {
            let folds = sums::folds(picked, search, clip)?;
            evidence.vouch(work(&folds))
        }
    }
}

/// Refuses several targets, where one is chosen for.
fn check_single(evidence: &Evidence<'_>) -> Result<()> {
    match evidence.n_targets() {
        1 => Ok(()),
        n => Err(Error::Setting {
            name: "target",
            expected: "one, or a function for each of several",
            got: format!("{n} targets"),
        }),
    }
}

/// The search for each target, on folds that have been read.
fn search_on(
    folds: &[ReadFold<'_>],
    learner: &Learner,
    search: &Search,
    progress: &Progress<'_>,
    deadline: &Deadline,
) -> Result<Vec<Tuned>> {
    Splits::new(folds, learner, search).search(search, progress, deadline)
}

/// Chooses the parameters that are best on the test rows themselves, as the paper does.
///
/// The error found this way is optimistic; for reproducing the paper's tables only. The test rows are
/// the one fold; [`Search::folding`], `folds` and `seed` play no part.
///
/// # Errors
/// As [`cross_validate`].
pub fn optimistic(
    learner: &Learner,
    train: &Dataset,
    test: &Dataset,
    search: &Search,
    progress: &Progress<'_>,
) -> Result<Tuned> {
    check_single(&train.into())?;
    learner.validate()?;
    learner.check_data(train)?;
    search.validate()?;
    let deadline = Deadline::after(search.budget);
    let rows = FoldRows::new(Rows::new(train, None), Rows::new(test, None));
    let read = ReadFold::new(&rows, learner.preparation.clip)?;
    let mut each = search_on(&[read], learner, search, progress, &deadline)?;
    Ok(each.swap_remove(0))
}
