//! The support that holds the constant alone: indicators of what is missing, under the penalty of the learnt imputation.

use crate::container::Parts;
use crate::sample::{INTERCEPTS, PARAMETERS, assert_close, classed, holey, learner, weighted};
use gapfit::data::Dataset;
use gapfit::loss::Loss;
use gapfit::prepare::{Intercept, Scale};
use gapfit::support::{SupportChoice, SupportKind, SupportRule};
use gapfit::tune::{self, Search};
use gapfit::{Base, Learner, Method, Model, Parameters};
use std::ops::ControlFlow;

const CONSTANT: SupportChoice = SupportChoice::Rule(SupportRule::Constant);

fn go_on(_: usize, _: usize) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

fn constant(learner: &Learner) -> Learner {
    Learner {
        support: CONSTANT,
        ..learner.clone()
    }
}

/// Every base and loss, with rows to learn from.
fn all() -> Vec<(Learner, Dataset)> {
    let numbers = weighted(holey(150, 5, 0.3, 401), 402);
    let classes = |n| classed(150, 5, 0.3, n, 403);
    let mut all = Vec::new();
    for base in Base::ALL {
        for (loss, data) in [
            (Loss::Squared, numbers.clone()),
            (Loss::Huber(0.5), numbers.clone()),
            (Loss::Logistic, classes(2)),
            (Loss::Logistic, classes(3)),
            (Loss::SquaredHinge, classes(2)),
        ] {
            let learner = Learner {
                loss,
                ..Learner::new(Method::Irr(base))
            };
            all.push((learner, data));
        }
    }
    all
}

#[test]
fn nothing_but_the_constant_shifts_and_the_gap_is_certified() {
    for (learner, data) in all() {
        let fitted = constant(&learner).fit(&data, PARAMETERS).unwrap();
        assert!(fitted.outcome.gap <= 1e-8, "{:?}", fitted.outcome);
        let model = fitted.model;
        assert_eq!(model.support(), SupportKind::Rule(SupportRule::Constant));
        for k in 1..5 {
            assert_eq!(model.shifted_by(k).unwrap(), [0; 0]);
            let (by, shift) = model.shift(k).unwrap();
            assert!(shift.iter().all(|&x| x == 0.0), "{k} shifts {shift:?}");
            assert!(by.is_finite());
        }
        let bytes = model.to_bytes();
        assert_eq!(Model::from_bytes(&bytes).unwrap(), model);
        let header = &Parts::of(&bytes).header["support"];
        assert_eq!(header["kind"], "constant");
        assert_eq!(header["entries"], serde_json::json!([[0], [0], [0], [0]]));
    }
}

#[test]
fn it_lies_between_no_shifts_and_all_of_them() {
    for (learner, data) in all() {
        let nothing = Parameters {
            gamma: 0.0,
            ..PARAMETERS
        };
        let [plain, full] = [nothing, PARAMETERS].map(|p| learner.fit(&data, p).unwrap().outcome);
        let narrow = constant(&learner);
        let [none, some] = [nothing, PARAMETERS].map(|p| narrow.fit(&data, p).unwrap().outcome);
        assert!((none.objective / plain.objective - 1.0).abs() < 1e-7);
        assert!(some.lower_bound <= plain.objective, "{}", learner.loss);
        assert!(full.lower_bound <= some.objective, "{}", learner.loss);
    }
}

#[test]
fn under_a_ridge_it_is_the_method_with_indicators() {
    let data = weighted(holey(120, 5, 0.3, 404), 405);
    for intercept in INTERCEPTS {
        let lifted = learner(Method::Lifted, Scale::Standard, intercept, 0.01);
        let mask = learner(Method::Mask, Scale::Standard, intercept, 0.01);
        let lifted = constant(&lifted);
        let fits = [&lifted, &mask].map(|l| l.fit(&data, PARAMETERS).unwrap());
        let objectives = fits[0].outcome.objective / fits[1].outcome.objective;
        assert!((objectives - 1.0).abs() < 1e-10, "{intercept}");
        let [got, want] = fits.map(|fit| fit.model.predict(data.features()).unwrap());
        assert_close(&got, &want, 1e-9, &lifted);
    }
}

#[test]
fn without_a_penalty_it_is_least_squares_with_indicators() {
    let data = holey(200, 4, 0.3, 406);
    let small = Parameters {
        alpha: 1e-12,
        gamma: 1.0,
    };
    let irr = learner(
        Method::Irr(Base::Mean),
        Scale::Standard,
        Intercept::Free,
        0.0,
    );
    let mask = learner(Method::Mask, Scale::Standard, Intercept::Free, 0.0);
    let irr = constant(&irr);
    let [got, want] = [&irr, &mask].map(|learner| {
        let model = learner.fit(&data, small).unwrap().model;
        model.predict(data.features()).unwrap()
    });
    assert_close(&got, &want, 1e-6, &irr);
}

fn search() -> Search {
    Search {
        alphas: vec![1e-3, 1e-2, 0.1],
        gammas: vec![0.0, 0.25, 1.0, 4.0],
        coarse_to_fine: false,
        folds: 3,
        seed: 5,
        ..Search::default()
    }
}

#[test]
fn a_search_on_shared_rows_is_one_of_its_own() {
    let data = weighted(classed(160, 4, 0.3, 2, 407), 408);
    let learner = Learner {
        loss: Loss::Logistic,
        ..Learner::default()
    };
    let chosen = tune::choose_base(&learner, &Base::ALL, &data, &search(), &go_on).unwrap();
    assert_eq!(chosen.constant.len(), Base::ALL.len());
    let shifts = Search {
        gammas: vec![0.25, 1.0],
        ..search()
    };
    for (base, shared) in &chosen.constant {
        let alone = Learner {
            method: Method::Irr(*base),
            ..constant(&learner)
        };
        let alone = tune::cross_validate(&alone, &data, &shifts, &go_on).unwrap();
        assert_eq!(shared.candidates.len(), alone.candidates.len());
        for (one, two) in shared.candidates.iter().zip(&alone.candidates) {
            assert_eq!(one.parameters, two.parameters);
            assert!((one.rmse / two.rmse - 1.0).abs() < 1e-6, "{base}");
        }
    }
}

#[test]
fn classes_that_depend_on_what_is_missing_alone_shift_the_constant() {
    // Features are noise; that the second one is missing decides, up to a coin.
    let noise = holey(400, 4, 0.4, 409);
    let table = noise.features().clone();
    let labels: Vec<&str> = (0..400)
        .map(|i| {
            let is_missing = table.row(i).get(1).is_none();
            if is_missing == (i % 7 > 0) {
                "yes"
            } else {
                "no"
            }
        })
        .collect();
    let data = Dataset::classified(table, &labels).unwrap();
    let learner = Learner {
        loss: Loss::Logistic,
        ..Learner::default()
    };
    let search = Search::default();
    let chosen = tune::choose_base(&learner, &Base::ALL, &data, &search, &go_on).unwrap();
    assert_eq!(chosen.support, CONSTANT);
    assert!(chosen.parameters.gamma > 0.0);
    assert!(
        chosen
            .best()
            .candidates
            .iter()
            .all(|c| c.parameters.gamma > 0.0)
    );
    // A support that was given is kept, and the squared loss looks at nothing new.
    let full = Learner {
        support: SupportChoice::Rule(SupportRule::Full),
        ..learner
    };
    let chosen = tune::choose_base(&full, &Base::ALL, &data, &self::search(), &go_on).unwrap();
    assert_eq!(chosen.support, full.support);
    let squared = Learner::default();
    let chosen = tune::choose_base(&squared, &Base::ALL, &noise, &self::search(), &go_on).unwrap();
    assert!(chosen.constant.is_empty() && chosen.support == SupportChoice::Auto);
}

#[test]
fn a_class_that_a_rare_hole_never_meets_does_not_shift_it_without_end() {
    // One class in ten; the first feature is missing in six rows, none of them of that class.
    let noise = holey(600, 3, 0.0, 411);
    let is_rare = |i: usize| i.is_multiple_of(10);
    let cells = noise.features().rows().enumerate().flat_map(|(i, row)| {
        let mut cells = row.values().to_vec();
        cells[0] = if i % 100 == 7 { f64::NAN } else { cells[0] };
        cells
    });
    let cells: Vec<f64> = cells.collect();
    let labels: Vec<&str> = (0..600)
        .map(|i| if is_rare(i) { "ill" } else { "well" })
        .collect();
    let table = gapfit::data::MaskedMatrix::from_nan(600, 3, &cells).unwrap();
    let data = Dataset::classified(table, &labels).unwrap();
    let learner = Learner {
        loss: Loss::Logistic,
        ..Learner::default()
    };
    let chosen = tune::choose_base(&learner, &Base::ALL, &data, &Search::default(), &go_on);
    for (_, tuned) in chosen.unwrap().constant {
        let largest = tuned.candidates.iter().map(|c| c.parameters.gamma);
        assert!(largest.fold(0.0, f64::max) <= 1.0);
    }
}

#[test]
fn sums_are_enough_for_it() {
    let data = holey(200, 5, 0.3, 410);
    let learner = constant(&Learner::default());
    let statistics = gapfit::Statistics::of(&data, gapfit::Gathering::default()).unwrap();
    let of_sums = learner.fit(&statistics, PARAMETERS).unwrap().model;
    let of_rows = learner.fit(&data, PARAMETERS).unwrap().model;
    assert_eq!(of_sums.support(), of_rows.support());
    let [got, want] = [of_sums, of_rows].map(|model| model.predict(data.features()).unwrap());
    assert_close(&got, &want, 1e-6, &learner);
}
