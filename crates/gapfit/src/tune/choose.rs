//! Choosing the base of imputed ridge regression together with its parameters.
//!
//! Every base is tuned on the same folds. For losses other than the squared one there is something between nothing learnt
//! about the holes and shifts of all weights: those of the constant alone, which are indicators of what is missing. They
//! are searched on each base as well.

use super::prefer::{OfBase, Pick, preferred};
use super::split::ReadFold;
use super::splits::Splits;
use super::{Deadline, Progress, Search, Tuned, check_single, on_folds};
use crate::data::Dataset;
use crate::error::{Error, Result};
use crate::learn::{Learner, Parameters, affordable};
use crate::loss::Loss;
use crate::method::{Base, Method};
use crate::statistics::Evidence;
use crate::support::{SupportChoice, SupportRule};

/// The base that was chosen, and what was found for each; of one target.
#[derive(Clone, Debug, PartialEq)]
pub struct Chosen {
    /// The base.
    pub base: Base,
    /// Which weights may shift when a feature is missing: that of the learner, or the constant alone where
    /// that was looked at and is as good.
    pub support: SupportChoice,
    /// The parameters: those of least error, or `gamma` = 0 where that is as good; of losses other than the squared one with the
    /// largest `alpha` that is about as good.
    pub parameters: Parameters,
    /// What tuning found for the bases that were looked at, the simplest first.
    pub tuned: Vec<(Base, Tuned)>,
    /// The same with shifts of the constant alone, `gamma` above 0 and up to 1; empty where that was not looked at: for the
    /// squared loss, and where the learner has a support that was given.
    pub constant: Vec<(Base, Tuned)>,
    /// The bases for which the budget left no time, the simplest first.
    pub left_out: Vec<Base>,
    /// The bases that the table is too wide for, the simplest first.
    pub too_wide: Vec<Base>,
}

impl Chosen {
    /// What tuning found for the chosen base and support.
    pub fn best(&self) -> &Tuned {
        let tuned = match self.support == CONSTANT && !self.constant.is_empty() {
            true => &self.constant,
            false => &self.tuned,
        };
        let found = tuned.iter().find(|(base, _)| *base == self.base);
        &found.expect("a base that was looked at is chosen").1
    }
}

const CONSTANT: SupportChoice = SupportChoice::Rule(SupportRule::Constant);

/// The order in which bases are looked at, in case that time runs out: first what is quick and
/// seldom bad, then what is often best.
const BY_PROMISE: [Base; 4] = [Base::Mean, Base::Gaussian, Base::Independent, Base::Zero];

/// Chooses base and parameters of imputed ridge regression by cross-validation inside `data`, which has one
/// target.
///
/// Where no training row has a hole all bases are alike in training; the one that imputes best is
/// taken then, for holes that may come at prediction.
///
/// ```
/// use gapfit::data::{Dataset, MaskedMatrix};
/// use gapfit::tune::{self, Search};
/// use gapfit::{Base, Learner};
/// use std::ops::ControlFlow;
///
/// let hole = f64::NAN;
/// let cells = [1.0, 2.0, 2.0, hole, hole, 1.0, 4.0, 3.0, 5.0, hole, 6.0, 2.0];
/// let data = Dataset::new(MaskedMatrix::from_nan(6, 2, &cells)?, vec![3.0, 3.5, 2.5, 7.0, 7.5, 8.0])?;
/// let search = Search { folds: 3, ..Search::default() };
/// let go_on = |_, _| ControlFlow::Continue(());
/// let chosen = tune::choose_base(&Learner::default(), &Base::ALL, &data, &search, &go_on)?;
/// assert_eq!(chosen.tuned.len(), Base::ALL.len());
/// # Ok::<_, gapfit::Error>(())
/// ```
///
/// # Errors
/// [`Error::Setting`] without a base or for a learner of another method; as
/// [`cross_validate`](super::cross_validate).
pub fn choose_base<'a>(
    learner: &Learner,
    bases: &[Base],
    evidence: impl Into<Evidence<'a>>,
    search: &Search,
    progress: &Progress<'_>,
) -> Result<Chosen> {
    let evidence = evidence.into();
    check_single(&evidence)?;
    let mut each = choose_base_each(learner, bases, evidence, search, progress)?;
    Ok(each.swap_remove(0))
}

/// Chooses one base for all targets, and the parameters of each, as [`choose_base`] does.
///
/// # Errors
/// As [`choose_base`], but for several targets.
pub fn choose_base_each<'a>(
    learner: &Learner,
    bases: &[Base],
    evidence: impl Into<Evidence<'a>>,
    search: &Search,
    progress: &Progress<'_>,
) -> Result<Vec<Chosen>> {
    learner.validate()?;
    search.validate()?;
    let evidence = evidence.into();
    let outline = evidence.outline();
    let affordable = affordable(bases, &evidence, &outline);
    let mut too_wide: Vec<Base> = bases.to_vec();
    too_wide.retain(|base| !affordable.contains(base));
    too_wide.sort();
    let bases = candidates(learner, &affordable, &outline)?;
    learner.check(&evidence, &outline)?;
    let deadline = Deadline::after(search.budget);
    let tune =
        |read: &[ReadFold<'_>]| each_base(&bases, learner, search, read, progress, &deadline);
    let (mut all, mut left_out) = on_folds(&evidence, search, learner.preparation.clip, tune)?;
    all.sort_by_key(|of| of.base);
    left_out.sort();
    let (base, each) = preferred(&all, learner.loss);
    let chosen = |(t, pick): (usize, Pick)| Chosen {
        base,
        support: match pick.is_constant {
            true => CONSTANT,
            false => learner.support.clone(),
        },
        parameters: pick.parameters,
        tuned: of_target(&all, t, |of| &of.tuned),
        constant: of_target(&all, t, |of| &of.constant),
        left_out: left_out.clone(),
        too_wide: too_wide.clone(),
    };
    Ok(each.into_iter().enumerate().map(chosen).collect())
}

/// What was found for one target, base by base.
fn of_target(
    all: &[OfBase],
    t: usize,
    found: impl Fn(&OfBase) -> &Vec<Tuned>,
) -> Vec<(Base, Tuned)> {
    let target = |of: &OfBase| Some((of.base, found(of).get(t)?.clone()));
    all.iter().filter_map(target).collect()
}

/// What tuning finds for each of the bases and targets, and the bases for which there is no time.
fn each_base(
    bases: &[Base],
    learner: &Learner,
    search: &Search,
    read: &[ReadFold<'_>],
    progress: &Progress<'_>,
    deadline: &Deadline,
) -> Result<(Vec<OfBase>, Vec<Base>)> {
    let (mut all, mut left_out) = (Vec::new(), Vec::new());
    let shifts = shifts_of_constant(learner, search);
    let rounds = 1 + usize::from(shifts.is_some());
    let (mut solves, mut left) = (0, bases.len() * rounds);
    for (b, &base) in bases.iter().enumerate() {
        if b > 0 && deadline.has_passed() {
            left_out.push(base);
            continue;
        }
        let learner = Learner {
            method: Method::Irr(base),
            ..learner.clone()
        };
        let mut run = |splits: &Splits<'_>, search: &Search| -> Result<Vec<Tuned>> {
            // Searches to come are taken for as long as this one.
            let report =
                |done: usize, planned: usize| progress(solves + done, solves + planned * left);
            let tuned = splits.search(search, &report, deadline)?;
            let candidates = tuned.iter().map(|tuned| tuned.candidates.len());
            solves += candidates.sum::<usize>() * read.len();
            left -= 1;
            Ok(tuned)
        };
        let splits = Splits::new(read, &learner, search);
        let tuned = run(&splits, search)?;
        let shifts = shifts.as_ref().filter(|_| !deadline.has_passed());
        let narrow = shifts.and_then(|shifts| Some((splits.constant(read, shifts)?, shifts)));
        let constant = narrow.map(|(splits, shifts)| run(&splits, shifts));
        all.push(OfBase {
            base,
            tuned,
            constant: constant.transpose()?.unwrap_or_default(),
        });
    }
    Ok((all, left_out))
}

/// The largest `gamma` with which the constant alone is looked at: its shifts are then penalised as weights are. Beyond, a feature that is
/// seldom missing, and never in rows of one class, gets a shift without end, of which held-out rows tell little and new ones much.
const LARGEST_OF_CONSTANT: f64 = 1.0;

/// Where to look for shifts of the constant alone, if that is to be looked at: for losses other than the squared one, and
/// where the support is open. Without a shift (`gamma` = 0) there is nothing new to be seen.
fn shifts_of_constant(learner: &Learner, search: &Search) -> Option<Search> {
    let mut gammas = search.gammas.clone();
    gammas.retain(|&gamma| gamma > 0.0 && gamma <= LARGEST_OF_CONSTANT);
    let is_open = learner.support == SupportChoice::Auto && learner.loss != Loss::Squared;
    (is_open && !gammas.is_empty()).then(|| Search {
        gammas,
        ..search.clone()
    })
}

/// The bases worth a look, in the order in which to look.
fn candidates(learner: &Learner, bases: &[Base], data: &Dataset) -> Result<Vec<Base>> {
    if !matches!(learner.method, Method::Irr(_)) {
        return Err(Error::Setting {
            name: "method",
            expected: "irr, whose base can be chosen",
            got: learner.method.to_string(),
        });
    }
    let is_given = |base: &Base| bases.contains(base);
    let given: Vec<_> = BY_PROMISE.into_iter().filter(is_given).collect();
    let Some(&last) = given.iter().max() else {
        return Err(Error::Setting {
            name: "base",
            expected: "at least one to choose from",
            got: "none".to_owned(),
        });
    };
    let rows = data.features().rows().enumerate();
    let mut counted = rows.filter(|(i, _)| data.weight(*i) > 0.0);
    let has_holes = counted.any(|(_, row)| row.observed().count() < data.n_features());
    Ok(if has_holes { given } else { vec![last] })
}
