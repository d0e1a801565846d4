//! Choosing a base: the same folds for all, no leak, no luck with threads, an honest budget.

use crate::sample::{holey, weighted};
use gapfit::data::{Dataset, MaskedMatrix};
use gapfit::tune::{Chosen, Search, choose_base, cross_validate};
use gapfit::{Base, Error, Learner, Method};
use std::ops::ControlFlow;
use std::time::Duration;

fn go_on(_: usize, _: usize) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

fn search() -> Search {
    Search {
        alphas: vec![1e-3, 1e-2, 0.1, 1.0],
        gammas: vec![0.0, 0.1, 1.0, 10.0],
        coarse_to_fine: false,
        seed: 3,
        ..Search::default()
    }
}

fn choose(data: &Dataset, search: &Search) -> Chosen {
    choose_base(&Learner::default(), &Base::ALL, data, search, &go_on).unwrap()
}

#[test]
fn every_base_is_tuned_as_if_it_were_alone() {
    let data = weighted(holey(80, 4, 0.3, 91), 92);
    for clip in [0.0, 0.01] {
        let mut learner = Learner::default();
        learner.preparation.clip = clip;
        let chosen = choose_base(&learner, &Base::ALL, &data, &search(), &go_on).unwrap();
        assert_eq!(chosen.tuned.len(), Base::ALL.len());
        for (base, tuned) in &chosen.tuned {
            let alone = Learner {
                method: Method::Irr(*base),
                ..learner.clone()
            };
            let alone = cross_validate(&alone, &data, &search(), &go_on).unwrap();
            assert_eq!(*tuned, alone, "{base}");
        }
    }
}

#[test]
fn the_number_of_threads_and_a_second_run_change_nothing() {
    let data = weighted(holey(120, 5, 0.4, 93), 94);
    let run = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        pool.build().unwrap().install(|| {
            let chosen = choose(&data, &search());
            let learner = Learner::new(Method::Irr(chosen.base));
            let fitted = learner.fit(&data, chosen.parameters).unwrap();
            fitted.model.to_bytes()
        })
    };
    let first = run(1);
    assert!(first == run(1) && first == run(2) && first == run(3));
}

/// `data` with a column that equals the target in some rows and is 5 in the others.
fn telling(data: &Dataset, rows: &[usize]) -> Dataset {
    let mut table = MaskedMatrix::new(data.n_features() + 1);
    for (i, row) in data.features().rows().enumerate() {
        let tell = if rows.contains(&i) {
            data.target()[i]
        } else {
            5.0
        };
        let cells = (0..data.n_features()).map(|j| row.get(j));
        table.push_row(cells.chain([Some(tell)])).unwrap();
    }
    Dataset::new(table, data.target().to_vec()).unwrap()
}

#[test]
fn a_column_that_tells_the_target_only_in_held_out_rows_gives_no_advantage() {
    let data = holey(80, 3, 0.3, 95);
    let search = Search {
        folds: 2,
        ..search()
    };
    let folds = search.folding.split(&data, 2, search.seed).unwrap();
    for (f, fold) in folds.iter().enumerate() {
        let told = choose(&telling(&data, &fold.held_out), &search);
        let plain = choose(&data, &search);
        for ((base, with), (_, without)) in told.tuned.iter().zip(&plain.tuned) {
            // The zero base does not centre, so to it a constant column is an intercept it may use.
            if *base == Base::Zero {
                continue;
            }
            for (with, without) in with.candidates.iter().zip(&without.candidates) {
                let ratio = with.fold_errors[f] / without.fold_errors[f];
                assert!((ratio - 1.0).abs() < 1e-6, "{base} {ratio}");
            }
        }
    }
}

#[test]
fn the_choice_is_close_to_the_best_and_learns_no_more_than_pays() {
    // Holes at regular places: they say nothing about the target.
    let sample = holey(400, 4, 0.0, 96);
    let mut table = MaskedMatrix::new(4);
    for (i, row) in sample.features().rows().enumerate() {
        let is_hole = |j: usize| (i * 7 + j * 13).is_multiple_of(5);
        let cells = (0..4).map(|j| row.get(j).filter(|_| !is_hole(j)));
        table.push_row(cells).unwrap();
    }
    let data = Dataset::new(table, sample.target().to_vec()).unwrap();
    let chosen = choose(&data, &search());
    let errors = chosen.tuned.iter().map(|(_, tuned)| tuned.best.rmse);
    let least = errors.fold(f64::INFINITY, f64::min);
    let mut candidates = chosen.best().candidates.iter();
    let taken = candidates.find(|c| c.parameters == chosen.parameters);
    assert!(taken.expect("a candidate is taken").rmse <= 1.05 * least);
    assert_eq!(chosen.parameters.gamma.to_bits(), 0f64.to_bits());
    // Holes that move the target: to learn from them pays.
    let informative = choose(&holey(400, 4, 0.4, 96), &search());
    assert!(informative.parameters.gamma > 0.0);
}

#[test]
fn without_holes_the_base_that_imputes_best_is_taken() {
    let chosen = choose(&holey(60, 3, 0.0, 97), &search());
    assert_eq!(chosen.base, *Base::ALL.last().unwrap());
    assert_eq!(chosen.tuned.len(), 1);
    assert!(chosen.left_out.is_empty());
}

#[test]
fn a_budget_that_is_used_up_leaves_one_base_with_one_candidate() {
    let data = holey(80, 4, 0.3, 98);
    let search = Search {
        budget: Some(Duration::ZERO),
        ..search()
    };
    let chosen = choose(&data, &search);
    assert_eq!(chosen.base, Base::Mean);
    assert_eq!(chosen.best().candidates.len(), 1);
    assert_eq!(chosen.best().left_out, 15);
    assert_eq!(chosen.left_out.len(), Base::ALL.len() - 1);
    let tuned = cross_validate(&Learner::default(), &data, &search, &go_on).unwrap();
    assert_eq!((tuned.candidates.len(), tuned.left_out), (1, 15));
}

#[test]
fn a_budget_that_suffices_changes_nothing() {
    let data = holey(80, 4, 0.3, 99);
    let ample = Search {
        budget: Some(Duration::MAX),
        ..search()
    };
    assert_eq!(choose(&data, &ample), choose(&data, &search()));
}

#[test]
fn only_the_base_of_irr_can_be_chosen_and_there_must_be_one() {
    let data = holey(20, 2, 0.3, 100);
    let choose = |method, bases: &[Base]| {
        choose_base(&Learner::new(method), bases, &data, &search(), &go_on).unwrap_err()
    };
    let error = choose(Method::Mask, &Base::ALL);
    assert!(matches!(error, Error::Setting { name: "method", .. }));
    let error = choose(Method::default(), &[]);
    assert!(matches!(error, Error::Setting { name: "base", .. }));
}

#[test]
fn progress_counts_all_bases() {
    let data = holey(40, 3, 0.3, 101);
    let last = std::sync::Mutex::new((0, 0));
    let watch = |done: usize, planned: usize| {
        let mut last = last.lock().unwrap();
        last.0 = last.0.max(done);
        last.1 = planned;
        ControlFlow::Continue(())
    };
    choose_base(&Learner::default(), &Base::ALL, &data, &search(), &watch).unwrap();
    let all = Base::ALL.len() * 16 * 5;
    assert_eq!(*last.lock().unwrap(), (all, all));
}
