//! Rows that are read in passes give the models of the rows in memory.

use crate::sample::{PARAMETERS, bits, holey};
use gapfit::data::Dataset;
use gapfit::eval::SquaredErrors;
use gapfit::prepare::Preparation;
use gapfit::tune::{BlockFold, Folding, Search, choose_base, cross_validate};
use gapfit::{Base, Error, Evidence, Learner, Method, Model, Passes, Statistics};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering};

const N_ROWS: usize = 3_000;

/// The rows in chunks of unequal size.
fn passes(data: &Dataset) -> Passes<'_> {
    let cuts = [0, 1, 1_000, 1_700, data.n_rows()];
    let passes = Passes::new(move |take| {
        for cut in cuts.windows(2) {
            take(&data.select(&(cut[0]..cut[1]).collect::<Vec<_>>()));
        }
        Ok(())
    });
    passes.unwrap()
}

/// Nearly every row has a mask of its own.
fn table(weighted: bool) -> Dataset {
    let data = holey(N_ROWS, 12, 0.5, 3);
    match weighted {
        false => data,
        true => {
            let weights = (0..N_ROWS).map(|i| (i % 4) as f64 * 8.0).collect();
            data.with_weights(weights).unwrap()
        }
    }
}

fn learner(method: Method, clip: f64) -> Learner {
    let preparation = Preparation {
        clip,
        ..Preparation::default()
    };
    Learner {
        preparation,
        tol: 1e-13,
        ..Learner::new(method)
    }
}

fn assert_alike(a: &Model, b: &Model, data: &Dataset, what: &str) {
    // 1e-15 of the likelihood are 1e-7 of a conditional mean
    let tol = match a.method().base() {
        Base::Gaussian => 1e-7,
        _ => 1e-10,
    };
    let [a, b] = [a, b].map(|model| model.predict(data.features()).unwrap());
    for (a, b) in a.iter().zip(&b) {
        assert!((a - b).abs() <= tol * (1.0 + a.abs()), "{what}: {a} {b}");
    }
}

fn go_on(_: usize, _: usize) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

#[test]
fn models_of_passes_are_those_of_rows_for_every_method_and_clipping() {
    for data in [table(false), table(true)] {
        let passes = passes(&data);
        let evidence = Evidence::from(&passes);
        assert_eq!(evidence.n_rows(), Evidence::from(&data).n_rows());
        for method in Method::ALL {
            for clip in [0.0, 0.002] {
                let learner = learner(method, clip);
                let of_rows = learner.fit(&data, PARAMETERS).unwrap().model;
                let of_passes = learner.fit(&passes, PARAMETERS).unwrap().model;
                let what = format!("{method}, clip {clip}");
                assert_alike(&of_rows, &of_passes, &data, &what);
                assert_eq!(of_rows.training().rows, of_passes.training().rows);
            }
        }
    }
}

#[test]
fn tuning_and_judging_in_passes_is_that_on_rows_folded_by_their_cells() {
    let data = table(true);
    let passes = passes(&data);
    let search = Search {
        folding: Folding::Hashed,
        folds: 3,
        ..Search::default()
    };
    let learner = learner(Method::Irr(Base::Mean), 0.002);
    let of_rows = cross_validate(&learner, &data, &search, &go_on).unwrap();
    let of_passes = cross_validate(&learner, &passes, &search, &go_on).unwrap();
    assert_eq!(of_rows.best.parameters, of_passes.best.parameters);
    let chosen = choose_base(&learner, &Base::ALL, &passes, &search, &go_on).unwrap();
    let of_rows = choose_base(&learner, &Base::ALL, &data, &search, &go_on).unwrap();
    assert_eq!(
        (chosen.base, chosen.parameters),
        (of_rows.base, of_rows.parameters)
    );
    let folds = Folding::Hashed.split(&data, 3, 0).unwrap();
    for (in_passes, fold) in BlockFold::all(&passes, 3).unwrap().iter().zip(folds.iter()) {
        let [train, test] = [&fold.train, &fold.held_out].map(|rows| data.select(rows));
        let model = learner.fit(&train, PARAMETERS).unwrap().model;
        let predicted = model.predict(test.features()).unwrap();
        let expected = SquaredErrors::of(test.target(), &predicted, test.weights());
        let (fitted, errors) = in_passes.judge(&learner, PARAMETERS).unwrap();
        assert_alike(&fitted.model, &model, &test, "fold");
        assert!((errors.rmse() - expected.rmse()).abs() < 1e-9 * expected.rmse());
    }
}

#[test]
fn the_number_of_threads_makes_no_difference() {
    let data = table(false);
    let learner = learner(Method::Irr(Base::Gaussian), 0.002);
    let fit = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        let fitted = pool
            .build()
            .unwrap()
            .install(|| learner.fit(&passes(&data), PARAMETERS));
        bits(&fitted.unwrap().model.predict(data.features()).unwrap())
    };
    assert_eq!(fit(1), fit(3));
}

#[test]
fn rows_that_cannot_be_read_again_or_have_changed_are_an_error() {
    let data = table(false);
    for (late, expected) in [(0, "no such tape"), (1, "rows, when they were read again")] {
        // the first pass is by `new`; it goes wrong early, and in the middle of the base's steps
        for bad in [2, 9] {
            let calls = AtomicUsize::new(0);
            let passes = Passes::new(|take| {
                match calls.fetch_add(1, Ordering::SeqCst) + 1 < bad {
                    true => take(&data),
                    false if late == 0 => return Err("no such tape".into()),
                    false => take(&data.select(&[1, 2, 3])),
                }
                Ok(())
            });
            let passes = passes.unwrap();
            let learner = learner(Method::Irr(Base::Gaussian), 0.002);
            let error = learner.fit(&passes, PARAMETERS).unwrap_err();
            assert!(error.to_string().contains(expected), "{bad}: {error}");
            let again = learner.fit(&passes, PARAMETERS).unwrap_err();
            assert!(matches!(again, Error::Pass(_)), "{again}");
        }
    }
    let nothing = Passes::new(|_| Ok(())).unwrap_err();
    assert!(matches!(nothing, Error::Empty { .. }), "{nothing}");
    let labels: Vec<&str> = (0..N_ROWS).map(|i| ["a", "b"][i % 2]).collect();
    let classes = Dataset::classified(data.features().clone(), &labels).unwrap();
    let classes = Passes::new(|take| {
        take(&classes);
        Ok(())
    });
    assert!(
        classes
            .unwrap_err()
            .to_string()
            .contains("classes are learnt from rows")
    );
}

#[test]
fn sums_outgrow_rows_that_hardly_share_a_mask() {
    let own_masks = holey(40_000, 24, 0.5, 5);
    assert!(Statistics::would_outgrow(&own_masks));
    // few rows are kept as they are, and few columns have few masks
    assert!(!Statistics::would_outgrow(
        &own_masks.select(&(0..9_000).collect::<Vec<_>>())
    ));
    let few_columns = holey(40_000, 12, 0.5, 5);
    assert!(!Statistics::would_outgrow(&few_columns));
    let sums = Statistics::of(&own_masks, gapfit::Gathering::default()).unwrap();
    assert!(sums.outgrows_rows());
    let sums = Statistics::of(&few_columns, gapfit::Gathering::default()).unwrap();
    assert!(!sums.outgrows_rows());
}
