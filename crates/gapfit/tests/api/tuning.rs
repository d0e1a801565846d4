//! Cross-validation: no leak, no luck with threads, and the errors it claims.

use crate::sample::{INTERCEPTS, PARAMETERS, SCALES, bits, classed, holey, learner, weighted};
use gapfit::data::{Dataset, MaskedMatrix};
use gapfit::eval::Scores;
use gapfit::loss::Loss;
use gapfit::prepare::{Intercept, Scale};
use gapfit::tune::{Candidate, Folding, Search, Tuned, cross_validate, optimistic};
use gapfit::{Base, Error, Learner, Method, Parameters};
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The gap to which a search solves.
const TOL: f64 = 1e-5;

fn go_on(_: usize, _: usize) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

fn one_candidate(folding: Folding) -> Search {
    Search {
        alphas: vec![PARAMETERS.alpha],
        gammas: vec![PARAMETERS.gamma],
        folding,
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

/// Every kind of folding of these rows.
fn foldings(data: &Dataset) -> [Folding; 4] {
    let groups: Vec<usize> = (0..data.n_rows()).map(|i| i * i % 17).collect();
    let times = (0..data.n_rows()).map(|i| (i * 7 % 23) as f64);
    [
        Folding::Shuffled,
        Folding::Stratified,
        Folding::grouped(&groups),
        Folding::Timed(times.collect()),
    ]
}

/// Mean squared error of fits on the training rows of each fold, on the rows held out.
fn by_hand(learner: &Learner, data: &Dataset, search: &Search) -> Vec<f64> {
    let folds = search.folding.split(data, search.folds, search.seed);
    let error = |fold: gapfit::tune::Fold| {
        let train = data.select(&fold.train);
        let model = learner.fit(&train, PARAMETERS).expect("legal input").model;
        let held_out = data.select(&fold.held_out);
        let predictions = model.predict(held_out.features()).expect("same columns");
        let scores = Scores::of(&predictions, held_out.target(), held_out.weights());
        scores.rmse.powi(2)
    };
    folds.expect("legal folds").iter().map(error).collect()
}

#[track_caller]
fn assert_same(learner: &Learner, data: &Dataset, search: &Search) {
    let tuned = cross_validate(learner, data, search, &go_on).unwrap();
    let errors = by_hand(learner, data, search);
    assert_eq!(errors.len(), tuned.fold_weights.len());
    let pairs = errors.iter().zip(&tuned.fold_weights);
    let rmse = pairs.map(|(e, w)| e * w).sum::<f64>().sqrt();
    let best = &tuned.best;
    let got = best.fold_errors.iter().chain([&best.rmse]);
    for (got, want) in got.zip(errors.iter().chain([&rmse])) {
        let off = (got / want - 1.0).abs();
        assert!(off <= 1e-8, "{got} is not {want}: {learner:?}");
    }
}

#[track_caller]
fn assert_honest(data: &Dataset, folding: &Folding, clip: f64) {
    for method in Method::ALL {
        for scale in SCALES {
            for intercept in INTERCEPTS {
                let learner = Learner {
                    tol: TOL,
                    ..learner(method, scale, intercept, clip)
                };
                assert_same(&learner, data, &one_candidate(folding.clone()));
            }
        }
    }
}

#[test]
fn folds_of_many_rows_are_read_at_once_as_if_one_by_one() {
    let data = holey(40_000, 3, 0.3, 75);
    let tables = [
        (data.clone(), 0.002),
        (weighted(data.clone(), 76), 0.01),
        (data, 0.0),
    ];
    for (data, clip) in tables {
        let learner = learner(Method::Irr(Base::Gaussian), SCALES[0], INTERCEPTS[0], clip);
        for folding in foldings(&data) {
            let at_once = one_candidate(folding);
            let folds = at_once.folding.split(&data, at_once.folds, at_once.seed);
            let one_by_one = Search {
                folding: Folding::Given(folds.unwrap().iter().collect()),
                ..at_once.clone()
            };
            let [a, b] = [at_once, one_by_one].map(|search| {
                let tuned = cross_validate(&learner, &data, &search, &go_on).unwrap();
                tuned.best.fold_errors
            });
            assert_eq!(a.len(), b.len());
            for (a, b) in a.iter().zip(&b) {
                assert!((a - b).abs() <= 1e-8 * b, "{a} {b}");
            }
        }
    }
}

#[test]
fn the_error_is_that_of_fits_without_the_fold() {
    let data = weighted(holey(60, 4, 0.3, 71), 72);
    for folding in foldings(&data) {
        assert_honest(&data, &folding, 0.0);
    }
}

#[test]
fn the_error_is_that_of_fits_without_the_fold_when_clipping() {
    let data = weighted(holey(60, 4, 0.3, 73), 74);
    for folding in foldings(&data) {
        assert_honest(&data, &folding, 0.05);
    }
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
    for folding in foldings(&data) {
        let fold = folding.split(&data, 5, 7).unwrap().get(2);
        for clip in [0.0, 0.05] {
            assert_honest(&telling(&data, &fold.held_out, None), &folding, clip);
        }
    }
}

#[test]
fn a_column_that_varies_in_one_fold_only_is_constant_when_that_fold_is_held_out() {
    let data = holey(60, 3, 0.3, 76);
    for folding in foldings(&data) {
        let fold = folding.split(&data, 5, 7).unwrap().get(2);
        for clip in [0.0, 0.05] {
            assert_honest(&telling(&data, &fold.held_out, Some(5.0)), &folding, clip);
        }
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
            for Candidate {
                parameters, rmse, ..
            } in &tuned.candidates
            {
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
    let numbers = candidates.flat_map(|c| {
        let Parameters { alpha, gamma } = c.parameters;
        [&[alpha, gamma, c.rmse], &c.fold_errors[..]].concat()
    });
    bits(&numbers.collect::<Vec<_>>())
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let data = weighted(holey(120, 5, 0.3, 80), 81);
    for (method, clip) in Method::ALL.into_iter().flat_map(|m| [(m, 0.0), (m, 0.01)]) {
        let learner = learner(method, Scale::Standard, Intercept::Free, clip);
        for folding in foldings(&data) {
            let search = Search {
                folding,
                ..small_grid()
            };
            let run = |threads| {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
                pool.build().unwrap().install(|| {
                    let tuned = cross_validate(&learner, &data, &search, &go_on).unwrap();
                    let fitted = learner.fit(&data, tuned.best.parameters).unwrap();
                    (everything(&tuned), fitted.model.to_bytes())
                })
            };
            assert!(run(1) == run(2), "{learner:?} {search:?}");
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
fn other_losses_look_for_the_best_alpha_of_gamma_zero_however_good_other_gammas_are() {
    let classes = classed(150, 3, 0.3, 2, 41);
    // what is missing tells the class, so that something is to be learnt about the holes
    let mut table = MaskedMatrix::new(3);
    for (row, class) in classes.features().rows().zip(classes.target()) {
        let hidden = |j: usize| j == 0 && *class > 0.5;
        table
            .push_row((0..3).map(|j| row.get(j).filter(|_| !hidden(j))))
            .unwrap();
    }
    let telling = classes.with_features(table).unwrap();
    let learner = Learner {
        loss: Loss::Logistic,
        ..Learner::new(Method::Irr(Base::Mean))
    };
    let search = Search {
        folds: 3,
        ..Search::default()
    };
    let tuned = cross_validate(&learner, &telling, &search, &go_on).unwrap();
    assert!(tuned.best.parameters.gamma > 0.0, "{:?}", tuned.best);
    let plain = |tuned: &Tuned| {
        let candidates = tuned.candidates.iter();
        let plain = candidates.filter(|c| c.parameters.gamma == 0.0);
        let errors = plain.map(|c| (c.rmse, c.parameters.alpha));
        errors.min_by(|a, b| a.0.total_cmp(&b.0)).unwrap()
    };
    let every = Search {
        gammas: vec![0.0],
        coarse_to_fine: false,
        ..search
    };
    let every = cross_validate(&learner, &telling, &every, &go_on).unwrap();
    let ((found, alpha), (least, best)) = (plain(&tuned), plain(&every));
    assert!((alpha / best - 1.0).abs() < 1e-12, "{alpha} {best}");
    assert!((found - least).abs() <= TOL, "{found} {least}");
}

#[test]
fn other_losses_end_where_no_neighbour_is_better_also_along_the_valley() {
    let learner = Learner {
        loss: Loss::Logistic,
        ..Learner::new(Method::Irr(Base::Mean))
    };
    let search = Search {
        folds: 3,
        ..Search::default()
    };
    let place = |grid: &[f64], value: f64| grid.iter().position(|&v| v >= value).unwrap() as i32;
    for seed in 0..4 {
        let data = classed(120, 4, 0.4, 2, 60 + seed);
        let tuned = cross_validate(&learner, &data, &search, &go_on).unwrap();
        let at = |p: Parameters| {
            (
                place(&search.alphas, p.alpha),
                place(&search.gammas, p.gamma),
            )
        };
        let errors: BTreeMap<(i32, i32), f64> = tuned
            .candidates
            .iter()
            .map(|c| (at(c.parameters), c.rmse))
            .collect();
        let learnt = errors.iter().filter(|((_, g), _)| *g > 0);
        let (&(a, g), least) = learnt.min_by(|x, y| x.1.total_cmp(y.1)).unwrap();
        let around = (-1..=1).flat_map(|i| (-1..=1).map(move |j| (i, j)));
        for (i, j) in around.chain([(2, 1), (-2, -1)]) {
            let next = (a + i, g + j);
            if (0..31).contains(&next.0) && (1..24).contains(&next.1) {
                assert!(errors.get(&next).is_some_and(|e| e >= least), "{next:?}");
            }
        }
    }
}

#[test]
fn the_parts_of_a_fold_add_up_to_it_and_are_the_same_rows_for_every_base() {
    let data = weighted(classed(200, 4, 0.4, 2, 90), 91);
    let search = one_candidate(Folding::Shuffled);
    let tuned = |base: Base| {
        let learner = Learner {
            loss: Loss::Logistic,
            ..Learner::new(Method::Irr(base))
        };
        cross_validate(&learner, &data, &search, &go_on).unwrap()
    };
    let Tuned {
        best,
        fold_weights,
        part_weights,
        ..
    } = tuned(Base::Mean);
    let folds = Folding::Shuffled.split(&data, search.folds, search.seed);
    let mut parts = best.part_errors.iter().zip(&part_weights);
    for (f, fold) in folds.unwrap().iter().enumerate() {
        let n_parts = fold.held_out.len() / 10;
        let of_fold = parts.by_ref().take(n_parts).map(|(e, w)| e * w);
        let off = of_fold.sum::<f64>() / (best.fold_errors[f] * fold_weights[f]) - 1.0;
        assert!(n_parts > 1 && off.abs() < 1e-12, "{n_parts} {off}");
    }
    assert!(parts.next().is_none());
    let gaussian = tuned(Base::Gaussian);
    assert_eq!(bits(&gaussian.part_weights), bits(&part_weights));
}

#[test]
fn the_squared_loss_has_the_folds_alone() {
    let learner = Learner::new(Method::Irr(Base::Mean));
    let search = one_candidate(Folding::Shuffled);
    let tuned = cross_validate(&learner, &holey(200, 4, 0.4, 92), &search, &go_on).unwrap();
    assert_eq!(bits(&tuned.best.part_errors), bits(&tuned.best.fold_errors));
    assert_eq!(bits(&tuned.part_weights), bits(&tuned.fold_weights));
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
