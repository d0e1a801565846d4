//! Preferences that settle what cross-validation cannot, each within one standard error of the difference to the best:
//!
//! ```text
//! δ_f = error of the preferred - error of the best, on fold f with weight w_f,   Σ w_f = 1
//! preferred wins if  δ̄ = Σ w_f δ_f  <=  sqrt( Σ w_f (δ_f - δ̄)² / (folds - 1) )
//! ```
//!
//! or, where that is larger, the same root over the parts of the folds (`part.rs`): folds are few, and rows that belong
//! together may be in one of them.
//!
//! The base that explains more of the holes without the target comes first: it leaves less to be
//! learnt. And on that base nothing is learnt about the holes (`gamma` = 0) unless it pays, and where something is, the
//! constant alone shifts unless more pays (docs/math.md 6.8).
//! Losses other than the squared one punish a wrong choice more than held-out rows tell: where a class is rare, few of
//! its rows decide. There means with indicators stay unless more pays, shifts of all weights must pay twice that error, and the largest
//! `alpha` within a quarter of it is taken.
//!
//! Several targets share their base, since a model completes a row once: errors are then sums over the targets,
//! that of each in units of the least that any base has for it.

use super::{Candidate, Tuned};
use crate::learn::Parameters;
use crate::loss::Loss;
use crate::method::Base;

/// The order in which bases are preferred where errors do not tell them apart.
const PREFERRED: [Base; 4] = [Base::Gaussian, Base::Mean, Base::Independent, Base::Zero];

/// A base, and what tuning found for it and each target.
#[derive(Clone)]
pub(super) struct OfBase {
    pub(super) base: Base,
    pub(super) tuned: Vec<Tuned>,
    /// With shifts of the constant alone; empty where that was not looked at.
    pub(super) constant: Vec<Tuned>,
}

/// What is chosen for one target.
pub(super) struct Pick {
    pub(super) is_constant: bool,
    pub(super) parameters: Parameters,
}

/// Standard errors within which the largest `alpha` is taken.
const STEADY: f64 = 0.25;

/// Standard errors by which shifts of all weights must be better than what is simpler, for losses other than the squared one. They have as
/// many unknowns for each feature with holes as there are features: the best of them owes the most to chance.
const SHIFTS_OF_ALL: f64 = 2.0;

/// The preferred base that is as good as the best, and what is chosen for each target.
pub(super) fn preferred(all: &[OfBase], loss: Loss) -> (Base, Vec<Pick>) {
    let units = units(all);
    let errors: Vec<_> = all.iter().map(|of| (of, Errors::sum(of, &units))).collect();
    let best = errors.iter().min_by(|a, b| a.1.mean.total_cmp(&b.1.mean));
    let best = best.expect("at least one base");
    let among = &all[0].tuned[0];
    let of = |base: Base| errors.iter().find(|(of, _)| of.base == base);
    let mut in_order = PREFERRED.into_iter().filter_map(of);
    let is_good = |(_, errors): &&(&OfBase, Errors)| errors.are_as_good(&best.1, among, 1.0);
    let (of, _) = in_order.find(is_good).unwrap_or(best);
    if loss != Loss::Squared {
        let (base, pick) = careful(all, of);
        return (base, vec![pick]);
    }
    let pick = |t: usize| {
        let Found { best, .. } = of.simplest(t, 1.0);
        Pick {
            is_constant: false,
            parameters: best.parameters,
        }
    };
    (of.base, (0..of.tuned.len()).map(pick).collect())
}

/// The choice for a loss other than the squared one, of which there is one target, if `of` is the preferred base.
///
/// Means with indicators, as is usual, unless something else is better by more than a standard error, or two if it shifts all
/// weights; then the largest `alpha` that is about as good.
fn careful(all: &[OfBase], of: &OfBase) -> (Base, Pick) {
    let (mut base, mut found) = (of.base, of.simplest(0, SHIFTS_OF_ALL));
    let usual = all.iter().find(|of| of.base == Base::Mean);
    let within = match found.shifts_all() {
        true => SHIFTS_OF_ALL,
        false => 1.0,
    };
    if let Some(tuned) = usual.and_then(|of| of.constant.first())
        && is_as_good(&tuned.best, found.best, tuned, within)
    {
        base = Base::Mean;
        found = Found {
            best: &tuned.best,
            among: tuned,
            is_constant: true,
        };
    }
    let pick = Pick {
        is_constant: found.is_constant,
        parameters: steadiest(found.among, found.best).parameters,
    };
    (base, pick)
}

/// A candidate, and those it was found among.
#[derive(Clone, Copy)]
struct Found<'a> {
    best: &'a Candidate,
    among: &'a Tuned,
    /// Whether nothing but the constant shifts.
    is_constant: bool,
}

impl Found<'_> {
    /// Whether all weights shift when a feature is missing.
    fn shifts_all(&self) -> bool {
        self.best.parameters.gamma > 0.0 && !self.is_constant
    }
}

impl OfBase {
    /// The candidate of least error for a target, whatever shifts.
    fn best(&self, t: usize) -> &Candidate {
        let best = &self.tuned[t].best;
        let constant = self.constant.get(t).map(|tuned| &tuned.best);
        let better = constant.filter(|constant| constant.rmse < best.rmse);
        better.unwrap_or(best)
    }

    /// The simplest candidate for a target that is as good as more: nothing learnt about the holes, then shifts of the constant
    /// alone, then of all weights, where these are better than both by more than so many standard errors.
    fn simplest(&self, t: usize, of_all: f64) -> Found<'_> {
        let tuned = &self.tuned[t];
        let full = Found {
            best: &tuned.best,
            among: tuned,
            is_constant: false,
        };
        let candidates = tuned.candidates.iter();
        let plain = candidates.filter(|c| c.parameters.gamma == 0.0);
        let plain = plain.min_by(|a, b| a.rmse.total_cmp(&b.rmse));
        let plain = plain.map(|best| Found { best, ..full });
        let constant = self.constant.get(t).map(|among| Found {
            best: &among.best,
            among,
            is_constant: true,
        });
        let lesser = [plain, constant].into_iter().flatten();
        let Some(least) = lesser.min_by(|a, b| a.best.rmse.total_cmp(&b.best.rmse)) else {
            return full;
        };
        if !is_as_good(least.best, &tuned.best, tuned, of_all) {
            return full;
        }
        plain
            .filter(|plain| is_as_good(plain.best, least.best, tuned, 1.0))
            .unwrap_or(least)
    }
}

/// The candidate of the largest `alpha`, with the same `gamma`, that is about as good as the one that was found.
fn steadiest<'a>(tuned: &'a Tuned, found: &'a Candidate) -> &'a Candidate {
    let is_steadier = |c: &&Candidate| {
        let (now, then) = (c.parameters, found.parameters);
        now.gamma.to_bits() == then.gamma.to_bits() && now.alpha > then.alpha
    };
    let steadier = tuned.candidates.iter().filter(is_steadier);
    let close = steadier.filter(|c| is_as_good(c, found, tuned, STEADY));
    let largest = close.max_by(|a, b| a.parameters.alpha.total_cmp(&b.parameters.alpha));
    largest.unwrap_or(found)
}

/// Errors, and what their differences are judged by.
struct Errors {
    mean: f64,
    folds: Vec<f64>,
    parts: Vec<f64>,
}

impl Errors {
    fn of(candidate: &Candidate) -> Self {
        Self {
            mean: candidate.mean_loss(),
            folds: candidate.fold_errors.clone(),
            parts: candidate.part_errors.clone(),
        }
    }

    /// Those of the best candidates of each target, in these units, summed over the targets.
    fn sum(of: &OfBase, units: &[f64]) -> Self {
        let mut sum = Self {
            mean: 0.0,
            folds: vec![0.0; of.tuned[0].fold_weights.len()],
            parts: vec![0.0; of.tuned[0].part_weights.len()],
        };
        for (t, unit) in units.iter().enumerate() {
            let best = Self::of(of.best(t));
            sum.mean += best.mean / unit;
            let folds = sum.folds.iter_mut().zip(&best.folds);
            let parts = sum.parts.iter_mut().zip(&best.parts);
            folds
                .chain(parts)
                .for_each(|(sum, error)| *sum += error / unit);
        }
        sum
    }

    /// Mean and standard error of how much larger they are than others, by the weights of what both were found among.
    fn beyond(&self, others: &Self, among: &Tuned) -> (f64, f64) {
        let (mean, of_folds) = difference(&self.folds, &others.folds, &among.fold_weights);
        let (_, of_parts) = difference(&self.parts, &others.parts, &among.part_weights);
        (mean, of_folds.max(of_parts))
    }

    /// Whether they are the best ones within so many standard errors.
    fn are_as_good(&self, best: &Self, among: &Tuned, within: f64) -> bool {
        let (mean, error) = self.beyond(best, among);
        mean <= within * error
    }
}

/// What errors of each target are measured in: the least of any base; 1 where there is one target.
fn units(all: &[OfBase]) -> Vec<f64> {
    let n_targets = all[0].tuned.len();
    let least = |t: usize| {
        let errors = all.iter().map(|of| of.best(t).mean_loss());
        errors.fold(f64::INFINITY, f64::min)
    };
    let unit = |t: usize| match least(t) {
        least if n_targets > 1 && least > 0.0 => least,
        _ => 1.0,
    };
    (0..n_targets).map(unit).collect()
}

/// Whether the errors of a candidate are those of the best within so many standard errors.
fn is_as_good(candidate: &Candidate, best: &Candidate, among: &Tuned, within: f64) -> bool {
    Errors::of(candidate).are_as_good(&Errors::of(best), among, within)
}

/// Mean and standard error over folds or parts of how much larger the errors `a` are than `b`.
fn difference(a: &[f64], b: &[f64], weights: &[f64]) -> (f64, f64) {
    let differences: Vec<f64> = a.iter().zip(b).map(|(a, b)| a - b).collect();
    let weighted = |of: &dyn Fn(f64) -> f64| {
        let terms = differences.iter().zip(weights);
        terms.map(|(&d, w)| w * of(d)).sum::<f64>()
    };
    let mean = weighted(&|d| d);
    if differences.len() < 2 {
        return (mean, 0.0); // one says nothing of its error
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
            part_errors: fold_errors.to_vec(),
        }
    }

    /// The last candidate is the best.
    fn tuned(candidates: &[Candidate]) -> Tuned {
        Tuned {
            best: candidates.last().unwrap().clone(),
            candidates: candidates.to_vec(),
            fold_weights: vec![1.0 / 3.0; 3],
            part_weights: vec![1.0 / 3.0; 3],
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
    fn folds_that_agree_by_chance_do_not_hide_how_much_rows_differ() {
        let with = |fold_errors: [f64; 2], part_errors: [f64; 4]| Candidate {
            part_errors: part_errors.to_vec(),
            ..candidate(1.0, &fold_errors)
        };
        let among = Tuned {
            fold_weights: vec![0.5; 2],
            part_weights: vec![0.25; 4],
            ..tuned(&[candidate(1.0, &[1.0; 2])])
        };
        let is_good = |candidate: &Candidate| {
            let best = with([1.0, 1.0], [1.0, 1.0, 1.0, 1.0]);
            is_as_good(candidate, &best, &among, 1.0)
        };
        assert!(is_good(&with([1.1, 1.1], [0.9, 1.3, 0.8, 1.4])));
        assert!(!is_good(&with([1.1, 1.1], [1.0, 1.2, 1.1, 1.1])));
        // and folds that differ more than their rows would make them count as well
        assert!(is_good(&with([0.9, 1.3], [1.0, 1.2, 1.1, 1.1])));
    }

    fn of_base(base: Base, tuned: Vec<Tuned>) -> OfBase {
        OfBase {
            base,
            tuned,
            constant: Vec::new(),
        }
    }

    #[test]
    fn a_preferred_base_wins_within_one_standard_error_only() {
        let of = |base, errors: &[f64]| of_base(base, vec![tuned(&[candidate(1.0, errors)])]);
        let best = of(Base::Zero, &[1.0, 2.0, 3.0]);
        let close = of(Base::Mean, &[1.3, 1.9, 3.1]);
        let off = of(Base::Gaussian, &[1.3, 2.3, 3.3]);
        let all = [best.clone(), close, off.clone()];
        assert_eq!(preferred(&all, Loss::Squared).0, Base::Mean);
        assert_eq!(preferred(&[best, off], Loss::Squared).0, Base::Zero);
    }

    #[test]
    fn targets_count_by_their_relative_errors() {
        let of = |base, a: [f64; 3], b: [f64; 3]| {
            let each = [a, b].map(|errors| tuned(&[candidate(1.0, &errors)]));
            of_base(base, each.to_vec())
        };
        // the second target is in units a thousand times larger
        let zero = of(Base::Zero, [1.0, 1.0, 1.0], [1010.0, 1010.0, 1010.0]);
        let mean = of(Base::Mean, [1.5, 1.5, 1.5], [1000.0, 1000.0, 1000.0]);
        assert_eq!(preferred(&[zero, mean], Loss::Squared).0, Base::Zero);
    }

    #[test]
    fn nothing_is_learnt_about_the_holes_unless_it_pays() {
        let best = candidate(2.0, &[1.0, 2.0, 3.0]);
        let close = candidate(0.0, &[1.3, 1.9, 3.1]);
        let off = candidate(0.0, &[1.3, 2.3, 3.3]);
        let gamma = |plain: &Candidate| {
            let all = tuned(&[plain.clone(), best.clone()]);
            let (_, picks) = preferred(&[of_base(Base::Mean, vec![all])], Loss::Squared);
            picks[0].parameters.gamma
        };
        assert_eq!(gamma(&close).to_bits(), 0f64.to_bits());
        assert_eq!(gamma(&off).to_bits(), 2f64.to_bits());
    }

    #[test]
    fn the_constant_shifts_alone_where_nothing_is_worse_and_more_is_no_better() {
        let plain = [1.5, 2.5, 3.5];
        let pick = |constant: &[f64], full: &[f64]| {
            let all = [OfBase {
                base: Base::Gaussian,
                tuned: vec![tuned(&[candidate(0.0, &plain), candidate(2.0, full)])],
                constant: vec![tuned(&[candidate(4.0, constant)])],
            }];
            let (_, picks) = preferred(&all, Loss::Logistic);
            let gamma = picks[0].parameters.gamma;
            (picks[0].is_constant, gamma > 0.0, gamma > 3.0)
        };
        let (close, off) = ([1.3, 1.9, 3.1], [1.3, 2.3, 3.3]);
        let best = [1.0, 2.0, 3.0];
        assert_eq!(pick(&close, &best), (true, true, true));
        assert_eq!(pick(&best, &close), (true, true, true));
        assert_eq!(pick(&off, &best), (false, true, false));
        let as_good = [1.8, 2.4, 3.3];
        assert_eq!(pick(&as_good, &as_good), (false, false, false));
    }

    #[test]
    fn all_weights_shift_only_where_that_is_better_by_two_standard_errors() {
        let of = |base, constant: &[f64]| OfBase {
            base,
            tuned: vec![tuned(&[
                candidate(0.0, &[9.0; 3]),
                candidate(2.0, &[1.0, 2.0, 3.0]),
            ])],
            constant: vec![tuned(&[candidate(1.0, constant)])],
        };
        // worse by 1.2 and by 2.6 standard errors
        let (close, off) = ([1.5, 1.9, 3.2], [1.5, 2.1, 3.3]);
        let is_constant = |base, constant: &[f64]| {
            let (_, picks) = preferred(&[of(base, constant)], Loss::Logistic);
            picks[0].is_constant
        };
        assert!(is_constant(Base::Gaussian, &close));
        assert!(!is_constant(Base::Gaussian, &off));
        // means with indicators likewise, beside shifts of all weights on another base
        let usual = |constant: &[f64]| {
            let all = [of(Base::Mean, constant), of(Base::Gaussian, &[9.0; 3])];
            preferred(&all, Loss::Logistic).0
        };
        assert_eq!(usual(&close), Base::Mean);
        assert_eq!(usual(&off), Base::Gaussian);
    }

    #[test]
    fn means_with_indicators_stay_unless_more_pays() {
        let of = |base, full: &[f64], constant: &[f64]| OfBase {
            base,
            tuned: vec![tuned(&[candidate(2.0, full)])],
            constant: vec![tuned(&[candidate(1.0, constant)])],
        };
        let choose = |usual: &[f64], loss: Loss| {
            let worse = [9.0; 3];
            let gaussian = of(Base::Gaussian, &[1.0, 2.0, 3.0], &worse);
            let (base, picks) = preferred(&[of(Base::Mean, &worse, usual), gaussian], loss);
            (base, picks[0].is_constant)
        };
        let (close, off) = ([1.3, 1.9, 3.1], [1.3, 2.3, 3.3]);
        assert_eq!(choose(&close, Loss::Logistic), (Base::Mean, true));
        assert_eq!(choose(&off, Loss::Logistic), (Base::Gaussian, false));
        assert_eq!(choose(&close, Loss::Squared), (Base::Gaussian, false));
    }

    #[test]
    fn a_larger_alpha_wins_within_a_quarter_of_a_standard_error() {
        let with = |alpha: f64, fold_errors: &[f64]| Candidate {
            parameters: Parameters { alpha, gamma: 2.0 },
            ..candidate(2.0, fold_errors)
        };
        let best = with(1.0, &[1.0, 2.0, 3.0]);
        let (close, off) = ([1.3, 1.9, 2.85], [1.3, 1.9, 3.1]);
        let alpha = |larger: &[f64], loss: Loss| {
            let all = tuned(&[with(8.0, &off), with(4.0, larger), best.clone()]);
            preferred(&[of_base(Base::Mean, vec![all])], loss).1[0]
                .parameters
                .alpha
        };
        assert_eq!(alpha(&close, Loss::Logistic).to_bits(), 4f64.to_bits());
        assert_eq!(alpha(&off, Loss::Logistic).to_bits(), 1f64.to_bits());
        assert_eq!(alpha(&close, Loss::Squared).to_bits(), 1f64.to_bits());
    }
}
