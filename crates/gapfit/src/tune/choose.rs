//! Choosing the base of imputed ridge regression together with its parameters.
//!
//! Every base is tuned on the same folds. The best of them wins unless a simpler one is as good within
//! one standard error of their difference, taken over the folds:
//!
//! ```text
//! δ_f = error of the simpler base - error of the best, on fold f with weight w_f,   Σ w_f = 1
//! simpler wins if  δ̄ = Σ w_f δ_f  <=  sqrt( Σ w_f (δ_f - δ̄)² / (folds - 1) )
//! ```

use super::descent::Descent;
use super::split::{FoldRows, ReadFold, Split};
use super::{Deadline, Progress, Search, Tuned};
use crate::data::Dataset;
use crate::error::{Error, Result};
use crate::learn::Learner;
use crate::method::{Base, Method};
use rayon::prelude::*;

/// The base that was chosen, and what was found for each.
#[derive(Clone, Debug, PartialEq)]
pub struct Chosen {
    /// The base.
    pub base: Base,
    /// What tuning found for the bases that were looked at, the simplest first.
    pub tuned: Vec<(Base, Tuned)>,
    /// The bases for which the budget left no time, the simplest first.
    pub left_out: Vec<Base>,
}

impl Chosen {
    /// What tuning found for the chosen base.
    pub fn best(&self) -> &Tuned {
        let mut tuned = self.tuned.iter();
        let found = tuned.find(|(base, _)| *base == self.base);
        &found.expect("a base that was looked at is chosen").1
    }
}

/// The order in which bases are looked at, in case that time runs out: first what is quick and
/// seldom bad, then what is often best.
const BY_PROMISE: [Base; 4] = [Base::Mean, Base::Gaussian, Base::Independent, Base::Zero];

/// Chooses base and parameters of imputed ridge regression by cross-validation inside `data`.
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
pub fn choose_base(
    learner: &Learner,
    bases: &[Base],
    data: &Dataset,
    search: &Search,
    progress: &Progress<'_>,
) -> Result<Chosen> {
    learner.validate()?;
    search.validate()?;
    let bases = candidates(learner, bases, data)?;
    let deadline = Deadline::after(search.budget);
    let folds = search.folding.split(data, search.folds, search.seed)?;
    let rows = FoldRows::of(data, &folds);
    let read = ReadFold::all(data, &folds, &rows, learner.preparation.clip)?;
    let mut chosen = Chosen {
        base: bases[0],
        tuned: Vec::new(),
        left_out: Vec::new(),
    };
    let mut solves = 0;
    for (b, &base) in bases.iter().enumerate() {
        if b > 0 && deadline.has_passed() {
            chosen.left_out.push(base);
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
        let splits: Vec<_> = read
            .par_iter()
            .map(|fold| Split::new(&learner, fold))
            .collect();
        let tuned = Descent::new(&splits, search, &learner, &report).run(&deadline)?;
        solves += tuned.candidates.len() * splits.len();
        chosen.tuned.push((base, tuned));
    }
    chosen.tuned.sort_by_key(|(base, _)| *base);
    chosen.left_out.sort();
    chosen.base = simplest_of_the_good(&chosen.tuned);
    Ok(chosen)
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

/// The simplest base that is as good as the best within one standard error; simplest first.
fn simplest_of_the_good(tuned: &[(Base, Tuned)]) -> Base {
    let error = |(_, tuned): &&(Base, Tuned)| tuned.best.rmse;
    let best = tuned.iter().min_by(|a, b| error(a).total_cmp(&error(b)));
    let (best_base, best) = best.expect("at least one base");
    let is_good = |(_, tuned): &&(Base, Tuned)| {
        let (mean, error) = difference(tuned, best);
        mean <= error
    };
    // Where errors overflow nothing is as good as the best, not even itself.
    tuned
        .iter()
        .find(is_good)
        .map_or(*best_base, |found| found.0)
}

/// Mean and standard error over the folds of how much larger the error of `a` is than that of `b`.
fn difference(a: &Tuned, b: &Tuned) -> (f64, f64) {
    let pairs = a.best.fold_errors.iter().zip(&b.best.fold_errors);
    let differences: Vec<f64> = pairs.map(|(a, b)| a - b).collect();
    let weighted = |of: &dyn Fn(f64) -> f64| {
        let terms = differences.iter().zip(&a.fold_weights);
        terms.map(|(&d, w)| w * of(d)).sum::<f64>()
    };
    let mean = weighted(&|d| d);
    let spread = weighted(&|d| (d - mean).powi(2));
    (mean, (spread / (differences.len() as f64 - 1.0)).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::learn::Parameters;
    use crate::tune::Candidate;

    fn tuned(fold_errors: &[f64]) -> Tuned {
        let n = fold_errors.len() as f64;
        let best = Candidate {
            parameters: Parameters {
                alpha: 1.0,
                gamma: 0.0,
            },
            rmse: (fold_errors.iter().sum::<f64>() / n).sqrt(),
            fold_errors: fold_errors.to_vec(),
        };
        Tuned {
            candidates: vec![best.clone()],
            best,
            fold_weights: vec![1.0 / n; fold_errors.len()],
            left_out: 0,
        }
    }

    #[test]
    fn the_error_of_a_difference_is_that_of_a_mean() {
        let (mean, error) = difference(&tuned(&[3.0, 5.0, 4.0]), &tuned(&[2.0, 2.0, 2.0]));
        assert!((mean - 2.0).abs() < 1e-15);
        assert!((error - (1.0 / 3f64).sqrt()).abs() < 1e-15);
    }

    #[test]
    fn a_simpler_base_wins_within_one_standard_error_only() {
        let best = (Base::Gaussian, tuned(&[1.0, 2.0, 3.0]));
        let close = (Base::Mean, tuned(&[1.3, 1.9, 3.1]));
        let off = (Base::Zero, tuned(&[1.3, 2.3, 3.3]));
        let all = [off.clone(), close, best.clone()];
        assert_eq!(simplest_of_the_good(&all), Base::Mean);
        assert_eq!(simplest_of_the_good(&[off, best]), Base::Gaussian);
    }
}
