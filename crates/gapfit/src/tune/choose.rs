//! Choosing the base of imputed ridge regression together with its parameters.
//!
//! Every base is tuned on the same folds. Two preferences settle what cross-validation cannot, each
//! within one standard error of the difference to the best, taken over the folds:
//!
//! ```text
//! δ_f = error of the preferred - error of the best, on fold f with weight w_f,   Σ w_f = 1
//! preferred wins if  δ̄ = Σ w_f δ_f  <=  sqrt( Σ w_f (δ_f - δ̄)² / (folds - 1) )
//! ```
//!
//! The base that explains more of the holes without the target comes first: it leaves less to be
//! learnt. And on that base nothing is learnt about the holes (`gamma` = 0) unless it pays.
//!
//! Several targets share their base, since a model completes a row once: errors are then sums over the targets,
//! that of each in units of the least that any base has for it.

use super::split::ReadFold;
use super::{Candidate, Deadline, Progress, Search, Tuned, check_single, on_folds, search_on};
use crate::data::Dataset;
use crate::error::{Error, Result};
use crate::learn::{Learner, Parameters, affordable};
use crate::method::{Base, Method};
use crate::statistics::Evidence;

/// The base that was chosen, and what was found for each; of one target.
#[derive(Clone, Debug, PartialEq)]
pub struct Chosen {
    /// The base.
    pub base: Base,
    /// The parameters: those of least error, or `gamma` = 0 where that is as good.
    pub parameters: Parameters,
    /// What tuning found for the bases that were looked at, the simplest first.
    pub tuned: Vec<(Base, Tuned)>,
    /// The bases for which the budget left no time, the simplest first.
    pub left_out: Vec<Base>,
    /// The bases that the table is too wide for, the simplest first.
    pub too_wide: Vec<Base>,
}

impl Chosen {
    /// What tuning found for the chosen base.
    pub fn best(&self) -> &Tuned {
        let mut tuned = self.tuned.iter();
        let found = tuned.find(|(base, _)| *base == self.base);
        &found.expect("a base that was looked at is chosen").1
    }
}

/// The order in which bases are preferred where errors do not tell them apart.
const PREFERRED: [Base; 4] = [Base::Gaussian, Base::Mean, Base::Independent, Base::Zero];

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
    let affordable = affordable(bases, &outline, evidence.n_masks());
    let mut too_wide: Vec<Base> = bases.to_vec();
    too_wide.retain(|base| !affordable.contains(base));
    too_wide.sort();
    let bases = candidates(learner, &affordable, &outline)?;
    learner.check(&evidence, &outline)?;
    let deadline = Deadline::after(search.budget);
    let tune =
        |read: &[ReadFold<'_>]| each_base(&bases, learner, search, read, progress, &deadline);
    let (mut all, mut left_out) = on_folds(&evidence, search, learner.preparation.clip, tune)?;
    all.sort_by_key(|(base, _)| *base);
    left_out.sort();
    let (base, parameters) = preferred(&all);
    let chosen = |(t, parameters): (usize, Parameters)| Chosen {
        base,
        parameters,
        tuned: all
            .iter()
            .map(|(base, each)| (*base, each[t].clone()))
            .collect(),
        left_out: left_out.clone(),
        too_wide: too_wide.clone(),
    };
    Ok(parameters.into_iter().enumerate().map(chosen).collect())
}

/// A base, and what tuning found for it and each target.
type OfBase = (Base, Vec<Tuned>);

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
    let mut solves = 0;
    for (b, &base) in bases.iter().enumerate() {
        if b > 0 && deadline.has_passed() {
            left_out.push(base);
            continue;
        }
        let learner = Learner {
            method: Method::Irr(base),
            ..learner.clone()
        };
        // Bases to come are taken for as long as this one.
        let report = |done: usize, planned: usize| {
            progress(solves + done, solves + planned * (bases.len() - b))
        };
        let tuned = search_on(read, &learner, search, &report, deadline)?;
        let candidates = tuned.iter().map(|tuned| tuned.candidates.len());
        solves += candidates.sum::<usize>() * read.len();
        all.push((base, tuned));
    }
    Ok((all, left_out))
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

/// The preferred base that is as good as the best, and the parameters of each target.
fn preferred(tuned: &[OfBase]) -> (Base, Vec<Parameters>) {
    let units = units(tuned);
    let errors = |each: &[Tuned]| Errors::sum(each, &units);
    let all: Vec<_> = tuned
        .iter()
        .map(|(base, each)| (*base, errors(each)))
        .collect();
    let best = all.iter().min_by(|a, b| a.1.mean.total_cmp(&b.1.mean));
    let best = best.expect("at least one base");
    let weights = &tuned[0].1[0].fold_weights;
    let of = |base: Base| all.iter().find(|(b, _)| *b == base);
    let mut in_order = PREFERRED.into_iter().filter_map(of);
    let is_good = |(_, errors): &&(Base, Errors)| is_as_good(&errors.folds, &best.1.folds, weights);
    let (base, _) = in_order.find(is_good).unwrap_or(best);
    let (_, each) = tuned
        .iter()
        .find(|(b, _)| b == base)
        .expect("it is one of them");
    (*base, each.iter().map(plain_if_as_good).collect())
}

/// The best parameters, with nothing learnt about the holes where that is as good.
fn plain_if_as_good(tuned: &Tuned) -> Parameters {
    let (best, candidates) = (&tuned.best, tuned.candidates.iter());
    let plain = candidates.filter(|c| c.parameters.gamma == 0.0);
    let plain = plain.min_by(|a, b| a.rmse.total_cmp(&b.rmse));
    let is_good =
        |c: &&Candidate| is_as_good(&c.fold_errors, &best.fold_errors, &tuned.fold_weights);
    plain.filter(is_good).unwrap_or(best).parameters
}

/// The errors of a base, summed over the targets.
struct Errors {
    mean: f64,
    folds: Vec<f64>,
}

impl Errors {
    /// Those of the best candidates of each target, in these units.
    fn sum(each: &[Tuned], units: &[f64]) -> Self {
        let mut sum = Self {
            mean: 0.0,
            folds: vec![0.0; each[0].best.fold_errors.len()],
        };
        for (Tuned { best, .. }, unit) in each.iter().zip(units) {
            sum.mean += best.mean_loss() / unit;
            let folds = sum.folds.iter_mut().zip(&best.fold_errors);
            folds.for_each(|(sum, error)| *sum += error / unit);
        }
        sum
    }
}

/// What errors of each target are measured in: the least of any base; 1 where there is one target.
fn units(tuned: &[OfBase]) -> Vec<f64> {
    let n_targets = tuned[0].1.len();
    let least = |t: usize| {
        let errors = tuned.iter().map(|(_, each)| each[t].best.mean_loss());
        errors.fold(f64::INFINITY, f64::min)
    };
    let unit = |t: usize| match least(t) {
        least if n_targets > 1 && least > 0.0 => least,
        _ => 1.0,
    };
    (0..n_targets).map(unit).collect()
}

/// Whether errors on folds are those of the best within one standard error.
fn is_as_good(errors: &[f64], best: &[f64], weights: &[f64]) -> bool {
    let (mean, error) = difference(errors, best, weights);
    mean <= error
}

/// Mean and standard error over the folds of how much larger the errors `a` are than `b`.
fn difference(a: &[f64], b: &[f64], weights: &[f64]) -> (f64, f64) {
    let differences: Vec<f64> = a.iter().zip(b).map(|(a, b)| a - b).collect();
    let weighted = |of: &dyn Fn(f64) -> f64| {
        let terms = differences.iter().zip(weights);
        terms.map(|(&d, w)| w * of(d)).sum::<f64>()
    };
    let mean = weighted(&|d| d);
    if differences.len() < 2 {
        return (mean, 0.0); // one fold says nothing of its error
    }
    let spread = weighted(&|d| (d - mean).powi(2));
    (mean, (spread / (differences.len() as f64 - 1.0)).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn candidate(gamma: f64, fold_errors: &[f64]) -> Candidate {
        let mean = fold_errors.iter().sum::<f64>() / fold_errors.len() as f64;
        Candidate {
            parameters: Parameters { alpha: 1.0, gamma },
            rmse: mean.sqrt(),
            fold_errors: fold_errors.to_vec(),
        }
    }

    /// The last candidate is the best.
    fn tuned(candidates: &[Candidate]) -> Tuned {
        Tuned {
            best: candidates.last().unwrap().clone(),
            candidates: candidates.to_vec(),
            fold_weights: vec![1.0 / 3.0; 3],
            left_out: 0,
            unused_folds: 0,
        }
    }

    #[test]
    fn the_error_of_a_difference_is_that_of_a_mean() {
        let (mean, error) = difference(&[3.0, 5.0, 4.0], &[2.0; 3], &[1.0 / 3.0; 3]);
        assert!((mean - 2.0).abs() < 1e-15);
        assert!((error - (1.0 / 3f64).sqrt()).abs() < 1e-15);
    }

    #[test]
    fn a_preferred_base_wins_within_one_standard_error_only() {
        let of = |base, errors: &[f64]| (base, vec![tuned(&[candidate(1.0, errors)])]);
        let best = of(Base::Zero, &[1.0, 2.0, 3.0]);
        let close = of(Base::Mean, &[1.3, 1.9, 3.1]);
        let off = of(Base::Gaussian, &[1.3, 2.3, 3.3]);
        let all = [best.clone(), close, off.clone()];
        assert_eq!(preferred(&all).0, Base::Mean);
        assert_eq!(preferred(&[best, off]).0, Base::Zero);
    }

    #[test]
    fn targets_count_by_their_relative_errors() {
        let of = |base, a: [f64; 3], b: [f64; 3]| {
            let each = [a, b].map(|errors| tuned(&[candidate(1.0, &errors)]));
            (base, each.to_vec())
        };
        // the second target is in units a thousand times larger
        let zero = of(Base::Zero, [1.0, 1.0, 1.0], [1010.0, 1010.0, 1010.0]);
        let mean = of(Base::Mean, [1.5, 1.5, 1.5], [1000.0, 1000.0, 1000.0]);
        assert_eq!(preferred(&[zero, mean]).0, Base::Zero);
    }

    #[test]
    fn nothing_is_learnt_about_the_holes_unless_it_pays() {
        let best = candidate(2.0, &[1.0, 2.0, 3.0]);
        let close = candidate(0.0, &[1.3, 1.9, 3.1]);
        let off = candidate(0.0, &[1.3, 2.3, 3.3]);
        let gamma = |plain: &Candidate| {
            let all = tuned(&[plain.clone(), best.clone()]);
            preferred(&[(Base::Mean, vec![all])]).1[0].gamma
        };
        assert_eq!(gamma(&close).to_bits(), 0f64.to_bits());
        assert_eq!(gamma(&off).to_bits(), 2f64.to_bits());
    }
}
