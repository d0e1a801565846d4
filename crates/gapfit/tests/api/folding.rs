//! Folds: who is held out with whom, and who may learn from whom.

use crate::sample::{bits, holey, normal, rng, weighted};
use gapfit::data::{Dataset, MaskedMatrix};
use gapfit::tune::{Fold, Folding, Search, cross_validate};
use gapfit::{Base, Error, Learner, Method};
use proptest::prelude::*;
use rand::RngExt;
use std::collections::BTreeSet;
use std::ops::ControlFlow;

/// One constant column, these targets and weights.
fn table(target: Vec<f64>, weights: Vec<f64>) -> Dataset {
    let ones = vec![1.0; target.len()];
    let features = MaskedMatrix::from_nan(target.len(), 1, &ones).expect("finite cells");
    let data = Dataset::new(features, target).expect("one finite target per row");
    data.with_weights(weights).expect("one weight per row")
}

fn plain(target: Vec<f64>) -> Dataset {
    let weights = vec![1.0; target.len()];
    table(target, weights)
}

fn folds(folding: &Folding, data: &Dataset, k: usize, seed: u64) -> Vec<Fold> {
    let folds = folding.split(data, k, seed).expect("legal folds");
    assert_eq!(folds.count(), folds.iter().len());
    folds.iter().collect()
}

/// Fails unless each row that counts is held out once, and learnt from in all other folds.
fn assert_parts(folds: &[Fold], data: &Dataset) {
    let counting: Vec<usize> = (0..data.n_rows())
        .filter(|&i| data.weight(i) > 0.0)
        .collect();
    let held_out = folds.iter().flat_map(|fold| fold.held_out.clone());
    let mut held_out: Vec<usize> = held_out.collect();
    held_out.sort_unstable();
    assert_eq!(held_out, counting);
    for fold in folds {
        let mut all = [&fold.train[..], &fold.held_out].concat();
        all.sort_unstable();
        assert_eq!(all, counting);
        assert!(fold.train.is_sorted());
    }
}

fn values<T: Copy + Ord>(rows: &[usize], of: &[T]) -> BTreeSet<T> {
    rows.iter().map(|&i| of[i]).collect()
}

/// A table of some rows: target, weight (often none), group, time.
fn rows() -> impl Strategy<Value = Vec<(i8, bool, u8, i8)>> {
    prop::collection::vec((-3..4i8, prop::bool::weighted(0.8), 0..9u8, -6..7i8), 6..80)
}

proptest! {
    #[test]
    fn no_group_is_on_both_sides(rows in rows(), k in 2..5usize, seed in 0..9u64) {
        let target = rows.iter().map(|r| f64::from(r.0)).collect();
        let weights = rows.iter().map(|r| f64::from(u8::from(r.1))).collect();
        let data = table(target, weights);
        let groups: Vec<u8> = rows.iter().map(|r| r.2).collect();
        let folding = Folding::grouped(&groups);
        let counting: Vec<usize> = (0..rows.len()).filter(|&i| rows[i].1).collect();
        prop_assert_eq!(folding.most(&counting), values(&counting, &groups).len());
        if folding.most(&counting) < k {
            prop_assert!(folding.split(&data, k, seed).is_err());
            return Ok(());
        }
        let folds = folds(&folding, &data, k, seed);
        assert_parts(&folds, &data);
        let sizes: Vec<usize> = folds.iter().map(|fold| fold.held_out.len()).collect();
        let sorted_into = values(&counting, &groups).into_iter();
        let largest = sorted_into.map(|g| counting.iter().filter(|&&i| groups[i] == g).count());
        let spread = sizes.iter().max().unwrap() - sizes.iter().min().unwrap();
        prop_assert!(spread <= largest.max().unwrap());
        for fold in folds {
            let (past, out) = (values(&fold.train, &groups), values(&fold.held_out, &groups));
            prop_assert!(past.is_disjoint(&out));
        }
    }

    #[test]
    fn whatever_is_held_out_is_later_than_all_that_was_learnt(
        rows in rows(), k in 2..6usize, seed in 0..9u64,
    ) {
        let target = rows.iter().map(|r| f64::from(r.0)).collect();
        let weights = rows.iter().map(|r| f64::from(u8::from(r.1))).collect();
        let data = table(target, weights);
        let times: Vec<i8> = rows.iter().map(|r| r.3).collect();
        let folding = Folding::Timed(times.iter().map(|&t| f64::from(t)).collect());
        let counting: Vec<usize> = (0..rows.len()).filter(|&i| rows[i].1).collect();
        if values(&counting, &times).len() <= k {
            prop_assert!(folding.split(&data, k, seed).is_err());
            return Ok(());
        }
        let folds = folds(&folding, &data, k, seed);
        prop_assert_eq!(folds.len(), k);
        let mut known = folds[0].train.clone();
        for fold in &folds {
            prop_assert_eq!(&fold.train, &known);
            let last = values(&fold.train, &times).pop_last();
            let first = values(&fold.held_out, &times).pop_first();
            prop_assert!(last.is_some() && last < first);
            known.extend(&fold.held_out);
            known.sort_unstable();
        }
        prop_assert_eq!(known, counting);
    }

    #[test]
    fn strata_are_dealt_out_within_one(rows in rows(), k in 2..5usize, seed in 0..9u64) {
        let target: Vec<f64> = rows.iter().map(|r| f64::from(r.0)).collect();
        let weights = rows.iter().map(|r| f64::from(u8::from(r.1))).collect();
        let data = table(target.clone(), weights);
        let counting: Vec<usize> = (0..rows.len()).filter(|&i| rows[i].1).collect();
        prop_assume!(counting.len() >= k);
        let folds = folds(&Folding::Stratified, &data, k, seed);
        assert_parts(&folds, &data);
        let classes: Vec<i8> = rows.iter().map(|r| r.0).collect();
        let classes_of_rows = values(&counting, &classes);
        if classes_of_rows.len() * k > counting.len() {
            return Ok(());
        }
        for class in classes_of_rows {
            let in_class = |fold: &Fold| fold.held_out.iter().filter(|&&i| classes[i] == class).count();
            let counts: Vec<usize> = folds.iter().map(in_class).collect();
            prop_assert!(counts.iter().max().unwrap() - counts.iter().min().unwrap() <= 1);
        }
    }

    #[test]
    fn rows_without_weight_change_no_fold(rows in rows(), seed in 0..9u64) {
        let target: Vec<f64> = rows.iter().map(|r| f64::from(r.0)).collect();
        let weights = rows.iter().map(|r| f64::from(u8::from(r.1))).collect();
        let data = table(target, weights);
        let counting: Vec<usize> = (0..rows.len()).filter(|&i| rows[i].1).collect();
        let alone = data.select(&counting);
        for folding in [
            Folding::Shuffled,
            Folding::Stratified,
            Folding::grouped(&rows.iter().map(|r| r.2).collect::<Vec<_>>()),
            Folding::Timed(rows.iter().map(|r| f64::from(r.3)).collect()),
        ] {
            if folding.most(&counting) < 2 {
                continue;
            }
            let among = folds(&folding, &data, 2, seed);
            let alone = folds(&folding.select(&counting), &alone, 2, seed);
            for (among, alone) in among.iter().zip(alone) {
                let named = |rows: &[usize]| rows.iter().map(|&i| counting[i]).collect::<Vec<_>>();
                prop_assert_eq!(&among.train, &named(&alone.train));
                prop_assert_eq!(&among.held_out, &named(&alone.held_out));
            }
        }
    }
}

#[test]
fn shuffled_folds_part_the_rows_evenly() {
    for (n_rows, k) in [(10, 2), (10, 3), (10, 10), (103, 5)] {
        let data = plain(vec![0.0; n_rows]);
        let folds = folds(&Folding::Shuffled, &data, k, 3);
        assert_parts(&folds, &data);
        let even = |fold: &Fold| fold.held_out.len().abs_diff(n_rows / k) <= 1;
        assert!(folds.iter().all(even));
    }
}

#[test]
fn the_seed_decides_all_folds_but_those_by_time() {
    let data = plain((0..60).map(|i| f64::from(i % 6)).collect());
    let groups: Vec<i32> = (0..60).map(|i| i / 3).collect();
    let times = (0..60).map(|i| f64::from(i * 7 % 31)).collect();
    for (folding, is_drawn) in [
        (Folding::Shuffled, true),
        (Folding::Stratified, true),
        (Folding::grouped(&groups), true),
        (Folding::Timed(times), false),
    ] {
        let of = |seed| folds(&folding, &data, 4, seed);
        assert_eq!(of(1), of(1));
        assert_eq!(of(1) != of(2), is_drawn, "{folding:?}");
    }
}

#[test]
fn stratified_folds_share_a_continuous_target_evenly() {
    let mut rng = rng(90);
    let target: Vec<f64> = (0..200).map(|_| normal(&mut rng).exp()).collect();
    let data = plain(target.clone());
    let spread = |folding: &Folding| {
        let mean = |fold: &Fold| {
            let sum: f64 = fold.held_out.iter().map(|&i| target[i]).sum();
            sum / fold.held_out.len() as f64
        };
        let means: Vec<f64> = folds(folding, &data, 5, 1).iter().map(mean).collect();
        let most = means.iter().fold(f64::MIN, |a, &b| a.max(b));
        most - means.iter().fold(f64::MAX, |a, &b| a.min(b))
    };
    let (even, uneven) = (spread(&Folding::Stratified), spread(&Folding::Shuffled));
    assert!(even < 0.3 * uneven, "{even} {uneven}");
}

/// Rows of twelve groups, each with a level of its own; one column of noise, and one that names each
/// group if asked for.
fn patients(named: bool) -> (Dataset, Folding) {
    const GROUPS: usize = 12;
    let rng = &mut rng(91);
    let levels: Vec<f64> = (0..GROUPS).map(|_| 3.0 * normal(rng)).collect();
    let groups: Vec<usize> = (0..240).map(|_| rng.random_range(0..GROUPS)).collect();
    let mut features = MaskedMatrix::new(1 + if named { GROUPS } else { 0 });
    let mut target = Vec::new();
    for &group in &groups {
        let names = (0..GROUPS).map(|g| Some(f64::from(u8::from(g == group))));
        let cells = [Some(normal(rng))].into_iter();
        let cells: Vec<_> = cells.chain(names.filter(|_| named)).collect();
        features.push_row(cells).expect("finite cells");
        target.push(levels[group] + normal(rng));
    }
    let data = Dataset::new(features, target).expect("finite targets");
    (data, Folding::grouped(&groups))
}

#[test]
fn knowing_a_group_helps_only_where_it_was_learnt_from() {
    let rmse = |named: bool, in_groups: bool| {
        let (data, groups) = patients(named);
        let search = Search {
            folding: if in_groups { groups } else { Folding::Shuffled },
            ..Search::default()
        };
        let learner = Learner::new(Method::Impute(Base::Mean));
        let go_on = |_, _| ControlFlow::Continue(());
        let tuned = cross_validate(&learner, &data, &search, &go_on).expect("legal input");
        tuned.best.rmse
    };
    let (with, without) = (rmse(true, false), rmse(false, false));
    assert!(with < 0.6 * without, "{with} {without}");
    let (with, without) = (rmse(true, true), rmse(false, true));
    assert!(with > 0.97 * without, "{with} {without}");
}

#[test]
fn errors_by_fold_add_up_to_the_error() {
    let data = weighted(holey(50, 3, 0.3, 92), 93);
    let times = (0..50).map(|i| f64::from(i % 20)).collect();
    let search = Search {
        folding: Folding::Timed(times),
        ..Search::default()
    };
    let go_on = |_, _| ControlFlow::Continue(());
    let tuned = cross_validate(&Learner::default(), &data, &search, &go_on).expect("legal input");
    let folds = folds(&search.folding, &data, search.folds, search.seed);
    let weight = |fold: &Fold| fold.held_out.iter().map(|&i| data.weight(i)).sum::<f64>();
    let all: f64 = folds.iter().map(weight).sum();
    for (fold, share) in folds.iter().zip(&tuned.fold_weights) {
        assert!((share * all / weight(fold) - 1.0).abs() < 1e-12);
    }
    for candidate in &tuned.candidates {
        let pairs = candidate.fold_errors.iter().zip(&tuned.fold_weights);
        let mean: f64 = pairs.map(|(error, weight)| error * weight).sum();
        assert!((mean.sqrt() / candidate.rmse - 1.0).abs() < 1e-12);
    }
}

#[test]
fn groups_and_times_are_one_per_row_and_enough() {
    let data = table(vec![0.0; 7], vec![1.0, 1.0, 1.0, 0.0, 1.0, 1.0, 1.0]);
    let error = Folding::Shuffled.split(&data, 7, 0).unwrap_err();
    assert!(
        error.to_string().ends_with("got 7 (rows with weight: 6)"),
        "{error}"
    );
    let features = MaskedMatrix::from_nan(6, 1, &[1.0; 6]).unwrap();
    let data = Dataset::new(features, vec![0.0; 6]).unwrap();
    let split = |folding: Folding, k| folding.split(&data, k, 0).expect_err("illegal").to_string();
    let years = |years: [f64; 6]| Folding::Timed(years.to_vec());
    for (error, expected) in [
        (
            split(Folding::Grouped(vec![1; 5]), 2),
            "groups of rows: expected 6, got 5",
        ),
        (
            split(Folding::Timed(vec![1.0; 7]), 2),
            "times of rows: expected 6, got 7",
        ),
        (
            split(years([1.0, 2.0, f64::NAN, 3.0, 4.0, 5.0]), 2),
            "time, row 2: expected a finite number, got NaN",
        ),
        (
            split(Folding::grouped(&["a", "b", "a", "c", "c", "c"]), 4),
            "folds: expected at least 2 and at most the number of groups, got 4 (groups: 3)",
        ),
        (
            split(years([1.0, 1.0, 2.0, 2.0, 3.0, 3.0]), 3),
            "folds: expected at least 2 and at most the number of times after the first, got 3 \
             (times after the first: 2)",
        ),
        (
            split(Folding::Stratified, 7),
            "folds: expected at least 2 and at most the number of rows, got 7 (rows: 6)",
        ),
        (
            split(years([0.0, -0.0, 0.0, 0.0, 1.0, 1.0]), 2),
            "folds: expected at least 2 and at most the number of times after the first, got 2 \
             (times after the first: 1)",
        ),
    ] {
        assert_eq!(error, expected);
    }
    let error = Folding::Grouped(vec![]).split(&data, 2, 0).unwrap_err();
    assert!(matches!(error, Error::Shape { .. }));
}

#[test]
fn a_selection_keeps_groups_and_times_with_their_rows() {
    let groups = Folding::grouped(&["b", "a", "b", "c"]);
    assert_eq!(groups, Folding::Grouped(vec![0, 1, 0, 2]));
    assert_eq!(groups.select(&[3, 0]), Folding::Grouped(vec![2, 0]));
    let Folding::Timed(times) = Folding::Timed(vec![1.0, 2.0, 3.0]).select(&[2, 2, 0]) else {
        panic!("the kind stays");
    };
    assert_eq!(bits(&times), bits(&[3.0, 3.0, 1.0]));
    assert_eq!(Folding::Stratified.select(&[1]), Folding::Stratified);
}

/// Two folds over four rows, the last of which has no weight.
fn given() -> (Dataset, Vec<Fold>) {
    let data = table(vec![1.0, 2.0, 4.0, 9.0], vec![1.0, 1.0, 1.0, 0.0]);
    let fold = |train: &[usize], held_out: &[usize]| Fold {
        train: train.to_vec(),
        held_out: held_out.to_vec(),
    };
    (data, vec![fold(&[2, 0], &[1, 3]), fold(&[3, 1], &[2])])
}

#[test]
fn given_folds_are_taken_as_they_are_but_for_rows_without_weight() {
    let (data, given) = given();
    let found = folds(&Folding::Given(given.clone()), &data, 9, 0);
    assert_eq!(
        (&found[0].train[..], &found[0].held_out[..]),
        (&[0, 2][..], &[1][..])
    );
    assert_eq!(
        (&found[1].train[..], &found[1].held_out[..]),
        (&[1][..], &[2][..])
    );
    let Folding::Given(picked) = Folding::Given(given).select(&[2, 2, 1]) else {
        panic!("a selection is of the same kind");
    };
    assert_eq!(
        (&picked[0].train[..], &picked[0].held_out[..]),
        (&[0, 1][..], &[2][..])
    );
}

#[test]
fn the_folds_of_a_rule_and_the_same_folds_given_tune_alike() {
    let (data, _) = patients(true);
    let by_rule = Search {
        folds: 3,
        ..Search::default()
    };
    let given = Search {
        folding: Folding::Given(folds(&by_rule.folding, &data, 3, by_rule.seed)),
        ..by_rule.clone()
    };
    let tuned = |search: &Search| {
        let go_on = |_, _| ControlFlow::Continue(());
        cross_validate(&Learner::default(), &data, search, &go_on).expect("legal folds")
    };
    assert_eq!(tuned(&given), tuned(&by_rule));
}

#[test]
fn given_folds_that_part_nothing_are_refused() {
    let (data, given) = given();
    let fold = |train: &[usize], held_out: &[usize]| Fold {
        train: train.to_vec(),
        held_out: held_out.to_vec(),
    };
    for (folds, text) in [
        (vec![], "got none"),
        (vec![fold(&[0, 1], &[1])], "row 1 on both sides of fold 0"),
        (
            vec![given[0].clone(), fold(&[0], &[4])],
            "row 4 of 4 in fold 1",
        ),
        (
            vec![fold(&[0], &[3])],
            "fold 0 without such rows on one side",
        ),
    ] {
        let error = Folding::Given(folds).split(&data, 2, 0).unwrap_err();
        assert!(error.to_string().contains(text), "{error}");
    }
}
