//! Cross-validation: no leak, no luck with threads, and the errors it claims.

use crate::sample::{INTERCEPTS, PARAMETERS, SCALES, bits, holey, learner, weighted};
use gapfit::data::{Dataset, MaskedMatrix};
use gapfit::eval::Scores;
use gapfit::prepare::{Intercept, Scale};
use gapfit::tune::{Candidate, Search, Tuned, complement, cross_validate, folds, optimistic};
use gapfit::{Base, Error, Learner, Method};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The gap to which a search solves.
const TOL: f64 = 1e-5;

fn go_on(_: usize, _: usize) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

fn one_candidate() -> Search {
    Search {
        alphas: vec![PARAMETERS.alpha],
        gammas: vec![PARAMETERS.gamma],
        seed: 7,
        ..Search::default()
    }
}

fn small_grid() -> Search {
    Search {
        alphas: vec![1e-3, 1e-2, 0.1, 1.0],
        gammas: vec![0.0, 0.1, 1.0, 10.0],
        coarse_to_fine: false,
        ..Search::default()
    }
}

/// Root mean squared error of fits on everything but a fold, over all folds.
fn by_hand(learner: &Learner, data: &Dataset, search: &Search) -> f64 {
    let (mut predictions, mut rows) = (Vec::new(), Vec::new());
    for fold in folds(data.n_rows(), search.folds, search.seed).expect("legal folds") {
        let train = data.select(&complement(data.n_rows(), &fold));
        let model = learner.fit(&train, PARAMETERS).expect("legal input").model;
        let held_out = data.select(&fold);
        predictions.extend(model.predict(held_out.features()).expect("same columns"));
        rows.extend(fold);
    }
    let held_out = data.select(&rows);
    Scores::of(&predictions, held_out.target(), held_out.weights()).rmse
}

#[track_caller]
fn assert_honest(data: &Dataset, clip: f64) {
    for method in Method::ALL {
        for scale in SCALES {
            for intercept in INTERCEPTS {
                let learner = Learner {
                    tol: TOL,
                    ..learner(method, scale, intercept, clip)
                };
                let search = one_candidate();
                let tuned = cross_validate(&learner, data, &search, &go_on).unwrap();
                let (got, want) = (tuned.best.rmse, by_hand(&learner, data, &search));
                let off = (got / want - 1.0).abs();
                assert!(off <= 1e-8, "{got} is not {want}: {learner:?}");
            }
        }
    }
}

#[test]
fn the_error_is_that_of_fits_without_the_fold() {
    assert_honest(&weighted(holey(60, 4, 0.3, 71), 72), 0.0);
}

#[test]
fn the_error_is_that_of_fits_without_the_fold_when_clipping() {
    assert_honest(&weighted(holey(60, 4, 0.3, 73), 74), 0.05);
}

/// `data` with a last column that is the target in `rows` and `elsewhere` in the others.
fn telling(data: &Dataset, rows: &[usize], elsewhere: Option<f64>) -> Dataset {
    let mut table = MaskedMatrix::new(data.n_features() + 1);
    for (i, row) in data.features().rows().enumerate() {
        let tell = if rows.contains(&i) {
            Some(data.target()[i])
        } else {
            elsewhere
        };
        let cells = (0..data.n_features()).map(|j| row.get(j));
        table.push_row(cells.chain([tell])).expect("finite cells");
    }
    Dataset::new(table, data.target().to_vec()).expect("finite targets")
}

#[test]
fn a_column_observed_in_one_fold_only_is_dead_when_that_fold_is_held_out() {
    let data = holey(60, 3, 0.3, 75);
    let fold = &folds(60, 5, one_candidate().seed).unwrap()[2];
    for clip in [0.0, 0.05] {
        assert_honest(&telling(&data, fold, None), clip);
    }
}

#[test]
fn a_column_that_varies_in_one_fold_only_is_constant_when_that_fold_is_held_out() {
    let data = holey(60, 3, 0.3, 76);
    let fold = &folds(60, 5, one_candidate().seed).unwrap()[2];
    for clip in [0.0, 0.05] {
        assert_honest(&telling(&data, fold, Some(5.0)), clip);
    }
}

#[test]
fn a_column_that_tells_the_target_only_in_test_rows_is_no_help() {
    // Constant in training, hence nothing but zeros once it is centred.
    let data = holey(60, 3, 0.3, 77);
    let (train, test): (Vec<usize>, Vec<usize>) = (0..60).partition(|i| i % 3 > 0);
    let told = telling(&data, &test, Some(5.0));
    let centred = |method: &Method| method.base() != Base::Zero;
    for clip in [0.0, 0.05] {
        for method in Method::ALL.into_iter().filter(centred) {
            let learner = learner(method, Scale::Standard, Intercept::Free, clip);
            let tune = |data: &Dataset| {
                let (train, test) = (data.select(&train), data.select(&test));
                optimistic(&learner, &train, &test, &small_grid(), &go_on).unwrap()
            };
            let (with, without) = (tune(&told), tune(&data));
            for (with, without) in with.candidates.iter().zip(&without.candidates) {
                let off = (with.rmse / without.rmse - 1.0).abs();
                assert!(off <= 1e-8, "{with:?} {without:?} {learner:?}");
            }
        }
    }
}

#[test]
fn the_optimistic_way_scores_fits_on_the_test_rows() {
    let data = weighted(holey(80, 4, 0.3, 78), 79);
    let (train, test): (Vec<usize>, Vec<usize>) = (0..80).partition(|i| i % 4 > 0);
    let (train, test) = (data.select(&train), data.select(&test));
    for clip in [0.0, 0.05] {
        for method in Method::ALL {
            let learner = Learner {
                tol: TOL,
                ..learner(method, Scale::MinMax, Intercept::Free, clip)
            };
            let tuned = optimistic(&learner, &train, &test, &small_grid(), &go_on).unwrap();
            assert_eq!(
                tuned.candidates.len(),
                if method.has_gamma() { 16 } else { 4 }
            );
            let least = tuned
                .candidates
                .iter()
                .map(|c| c.rmse)
                .fold(f64::INFINITY, f64::min);
            assert_eq!(tuned.best.rmse.to_bits(), least.to_bits());
            for Candidate { parameters, rmse } in &tuned.candidates {
                let model = learner.fit(&train, *parameters).unwrap().model;
                let predictions = model.predict(test.features()).unwrap();
                let scores = Scores::of(&predictions, test.target(), test.weights());
                // A search starts each solve from the one before, so both are within the gap only.
                let tol = if method.has_gamma() { 1e-2 } else { 1e-8 };
                assert!(
                    (rmse / scores.rmse - 1.0).abs() <= tol,
                    "{rmse} {scores:?} {parameters:?} {learner:?}"
                );
            }
        }
    }
}

fn everything(tuned: &Tuned) -> Vec<u64> {
    let candidates = tuned.candidates.iter().chain([&tuned.best]);
    let numbers = candidates.flat_map(|c| [c.parameters.alpha, c.parameters.gamma, c.rmse]);
    bits(&numbers.collect::<Vec<_>>())
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let data = weighted(holey(120, 5, 0.3, 80), 81);
    for clip in [0.0, 0.01] {
        for method in Method::ALL {
            let learner = learner(method, Scale::Standard, Intercept::Free, clip);
            let run = |threads| {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
                pool.build().unwrap().install(|| {
                    let tuned = cross_validate(&learner, &data, &small_grid(), &go_on).unwrap();
                    let fitted = learner.fit(&data, tuned.best.parameters).unwrap();
                    (everything(&tuned), fitted.model.to_bytes())
                })
            };
            assert!(run(1) == run(2), "{learner:?}");
        }
    }
}

#[test]
fn coarse_to_fine_comes_within_a_percent_of_the_whole_grid() {
    let data = holey(80, 3, 0.4, 82);
    for method in [Method::default(), Method::Lifted] {
        let learner = Learner::new(method);
        let quick = Search::default();
        let whole = Search {
            coarse_to_fine: false,
            ..Search::default()
        };
        let quick = cross_validate(&learner, &data, &quick, &go_on).unwrap();
        let whole = cross_validate(&learner, &data, &whole, &go_on).unwrap();
        assert!(quick.candidates.len() < whole.candidates.len() / 2);
        assert!(
            quick.best.rmse <= 1.01 * whole.best.rmse,
            "{:?} {:?}",
            quick.best,
            whole.best
        );
    }
}

#[test]
fn candidates_ascend_and_the_best_is_among_them() {
    let data = holey(60, 3, 0.4, 83);
    for method in Method::ALL {
        let tuned =
            cross_validate(&Learner::new(method), &data, &Search::default(), &go_on).unwrap();
        let key = |c: &Candidate| (c.parameters.alpha, c.parameters.gamma);
        assert!(tuned.candidates.windows(2).all(|w| key(&w[0]) < key(&w[1])));
        assert!(tuned.candidates.contains(&tuned.best));
        assert!(tuned.candidates.iter().all(|c| c.rmse >= tuned.best.rmse));
    }
}

#[test]
fn the_grid_of_the_paper_has_every_point() {
    let paper = Search::paper();
    for grid in [&paper.alphas, &paper.gammas] {
        let want: Vec<_> = (-12..=10).map(|e| 2f64.powi(e)).collect();
        assert_eq!(*grid, want);
    }
    assert!(!paper.coarse_to_fine);
}

#[test]
fn the_callback_counts_and_can_stop_the_search() {
    let data = holey(40, 3, 0.3, 84);
    let learner = Learner::default();
    let calls = AtomicUsize::new(0);
    let count = |done: usize, planned: usize| {
        assert!(0 < done && done <= planned);
        calls.fetch_add(1, Ordering::Relaxed);
        ControlFlow::Continue(())
    };
    cross_validate(&learner, &data, &small_grid(), &count).unwrap();
    assert_eq!(calls.load(Ordering::Relaxed), 16 * 5);
    let stop = |done: usize, _: usize| {
        if done < 3 {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(())
        }
    };
    for error in [
        cross_validate(&learner, &data, &small_grid(), &stop).unwrap_err(),
        optimistic(&learner, &data, &data, &small_grid(), &stop).unwrap_err(),
    ] {
        assert!(matches!(error, Error::Stopped));
        assert_eq!(error.to_string(), "stopped on request");
    }
}

#[test]
fn folds_part_the_rows_evenly_and_repeatably() {
    for (n_rows, k) in [(10, 2), (10, 3), (10, 10), (103, 5)] {
        let parts = folds(n_rows, k, 3).unwrap();
        assert_eq!(parts, folds(n_rows, k, 3).unwrap());
        assert!(n_rows < 20 || parts != folds(n_rows, k, 4).unwrap());
        assert!(
            parts
                .iter()
                .all(|part| part.len().abs_diff(n_rows / k) <= 1)
        );
        let mut all: Vec<_> = parts.concat();
        all.sort_unstable();
        assert_eq!(all, (0..n_rows).collect::<Vec<_>>());
        for part in &parts {
            let rest = complement(n_rows, part);
            assert_eq!(rest.len() + part.len(), n_rows);
            assert!(rest.iter().all(|i| !part.contains(i)));
        }
    }
}
