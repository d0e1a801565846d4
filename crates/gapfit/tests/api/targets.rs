//! Several targets: each is what a fit to it alone gives, whatever they share.

use crate::container::Parts;
use crate::sample::{PARAMETERS, bits, holey, learner, learners, normal, rng, weighted};
use gapfit::data::Dataset;
use gapfit::loss::Loss;
use gapfit::prepare::{Intercept, Scale};
use gapfit::rival::Solver;
use gapfit::tune::{self, Search};
use gapfit::{Base, Learner, Method, Model, Parameters, conformal};
use serde_json::{Value, json};
use std::ops::ControlFlow;

fn go_on(_: usize, _: usize) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

/// The table with two more targets, in quite other units.
fn three(data: Dataset, seed: u64) -> Dataset {
    let rng = &mut rng(seed);
    let mut other = |size: f64, middle: f64| -> Vec<f64> {
        let rows = data.features().rows().zip(data.target());
        let value = |(row, y): (gapfit::data::MaskedRow<'_>, &f64)| {
            middle + size * (0.2 * y + row.get(1).unwrap_or(-2.0) + normal(rng))
        };
        rows.map(value).collect()
    };
    let (small, large) = (other(1e-5, 0.0), other(300.0, 1e6));
    let data = data.with_further_target("small", small).unwrap();
    data.with_further_target("large", large).unwrap()
}

const EACH: [Parameters; 3] = [
    PARAMETERS,
    Parameters {
        alpha: 0.3,
        gamma: 0.0,
    },
    Parameters {
        alpha: 0.002,
        gamma: 4.0,
    },
];

/// The models of fits to each target alone.
fn alone(learner: &Learner, data: &Dataset, parameters: &[Parameters]) -> Vec<Model> {
    let fit = |(t, parameters): (usize, &Parameters)| {
        let fitted = learner.fit(&data.of_target(t), *parameters);
        fitted.unwrap().model
    };
    parameters.iter().enumerate().map(fit).collect()
}

#[test]
fn each_target_has_the_model_of_a_fit_to_it_alone() {
    let data = three(holey(150, 4, 0.3, 1), 2);
    for learner in learners() {
        for data in [data.clone(), weighted(data.clone(), 3)] {
            let fitted = learner.fit_each(&data, &EACH).unwrap();
            let models: Vec<Model> = fitted.model.each_target().collect();
            assert_eq!(models, alone(&learner, &data, &EACH), "{learner:?}");
            let gaps = fitted.further.iter().map(|outcome| outcome.gap);
            let certified = models[1..].iter().map(|model| model.certificate().gap);
            assert!(gaps.eq(certified));
        }
    }
}

#[test]
fn wide_and_long_tables_too() {
    // masks of their own in blocks of columns, rows in bins, and a fit without its matrix
    for (n_rows, n_cols, rate) in [(300, 40, 0.3), (40_000, 3, 0.2), (60, 60, 0.5)] {
        let data = three(holey(n_rows, n_cols, rate, 4), 5);
        let learner = Learner::default();
        let model = learner.fit(&data, PARAMETERS).unwrap().model;
        let apart = alone(&learner, &data, &[PARAMETERS; 3]);
        let together = model.predict_each(data.features()).unwrap();
        for (one, predictions) in apart.iter().zip(together) {
            let wanted = one.predict(data.features()).unwrap();
            let size = wanted.iter().fold(0.0f64, |m, y| m.max(y.abs()));
            for (got, wanted) in predictions.iter().zip(&wanted) {
                let off = (got - wanted).abs();
                assert!(off <= 1e-10 * size, "{n_rows} x {n_cols}: {got} {wanted}");
            }
        }
    }
}

#[test]
fn tuning_and_calibration_are_those_of_each_target_alone() {
    let data = three(holey(120, 3, 0.3, 6), 7);
    for (method, clip) in [
        (Method::Irr(Base::Gaussian), 0.0),
        (Method::Irr(Base::Mean), 0.02),
        (Method::Lifted, 0.0),
    ] {
        let learner = Learner {
            tol: 1e-8,
            ..learner(method, Scale::Standard, Intercept::Free, clip)
        };
        let search = Search {
            folds: 3,
            ..Search::default()
        };
        let tuned = tune::cross_validate_each(&learner, &data, &search, &go_on).unwrap();
        let parameters: Vec<_> = tuned.iter().map(|tuned| tuned.best.parameters).collect();
        let calibrations = conformal::calibrate_each(&learner, &parameters, &data, &search);
        let calibrations = calibrations.unwrap();
        for t in 0..3 {
            let one = data.of_target(t);
            let found = tune::cross_validate(&learner, &one, &search, &go_on).unwrap();
            assert_eq!(tuned[t], found, "{method}, target {t}");
            let found = conformal::calibrate(&learner, parameters[t], &one, &search).unwrap();
            assert_eq!(calibrations[t], found, "{method}, target {t}");
        }
    }
}

#[test]
fn targets_share_their_base_and_have_parameters_of_their_own() {
    let data = three(holey(200, 3, 0.3, 8), 9);
    let (learner, search) = (Learner::default(), Search::default());
    let bases = [Base::Zero, Base::Mean];
    let chosen = tune::choose_base_each(&learner, &bases, &data, &search, &go_on).unwrap();
    assert_eq!(chosen.len(), 3);
    for (t, one) in chosen.iter().enumerate() {
        assert_eq!(one.base, chosen[0].base);
        let data = data.of_target(t);
        let alone = tune::choose_base(&learner, &bases, &data, &search, &go_on).unwrap();
        assert_eq!(one.tuned, alone.tuned);
    }
    let error = tune::choose_base(&learner, &bases, &data, &search, &go_on).unwrap_err();
    assert!(error.to_string().contains("3 targets"), "{error}");
}

#[test]
fn a_file_keeps_every_target() {
    let data = three(holey(120, 3, 0.3, 10), 11);
    let learner = Learner::default();
    let search = Search::default();
    let model = learner.fit_each(&data, &EACH).unwrap().model;
    let calibrations = conformal::calibrate_each(&learner, &EACH, &data, &search).unwrap();
    let calibrated = model.clone().with_calibrations(calibrations).unwrap();
    for model in [model, calibrated] {
        let read = Model::from_bytes(&model.to_bytes()).unwrap();
        assert_eq!(read, model);
        let names: Vec<_> = read.target_names().collect();
        assert_eq!(names, ["y", "small", "large"]);
        assert_eq!(read.of_target(2).parameters(), EACH[2]);
    }
}

#[test]
fn a_file_that_contradicts_itself_about_targets_is_refused() {
    let data = three(holey(60, 3, 0.3, 18), 19);
    let model = Learner::default().fit(&data, PARAMETERS).unwrap().model;
    let sound = Parts::of(&model.to_bytes());
    let refused = |change: &dyn Fn(&mut Value)| {
        let mut parts = sound.clone();
        change(&mut parts.header);
        assert!(Model::from_bytes(&parts.join()).is_err());
    };
    refused(&|header| header["further_targets"][0]["name"] = json!("y"));
    refused(&|header| header["further_targets"][0]["alpha"] = json!(-1.0));
    refused(&|header| header["further_targets"][1]["training"]["rows"] = json!(0));
    refused(&|header| header["further_targets"][1]["surplus"] = json!(0));
    refused(&|header| header["loss"] = json!("huber=1"));
    refused(&|header| {
        header["further_targets"].as_array_mut().unwrap().pop();
    });
    refused(&|header| header["further_targets"] = json!([]));
}

#[test]
fn intervals_are_those_of_each_target() {
    let data = three(holey(300, 3, 0.3, 12), 13);
    let learner = Learner::default();
    let search = Search::default();
    let model = learner.fit_each(&data, &EACH).unwrap().model;
    let calibrations = conformal::calibrate_each(&learner, &EACH, &data, &search).unwrap();
    let model = model.with_calibrations(calibrations).unwrap();
    let predictions = model.predict_each(data.features()).unwrap();
    for (one, predictions) in model.each_target().zip(predictions) {
        let intervals = one.predict_intervals(data.features(), 0.9).unwrap();
        let middles: Vec<f64> = intervals.iter().map(|i| i.prediction).collect();
        assert_eq!(bits(&middles), bits(&predictions));
    }
}

#[test]
fn one_prediction_per_row_is_refused_and_holes_are_filled_by_the_base() {
    let data = three(holey(80, 3, 0.3, 14), 15);
    let model = Learner::default().fit(&data, PARAMETERS).unwrap().model;
    let error = model.predict(data.features()).unwrap_err();
    assert!(error.to_string().contains("3 targets"), "{error}");
    assert!(model.explain(data.features()).is_err());
    let filled = model.impute(data.features()).unwrap();
    assert_eq!(filled, model.fill(data.features()).unwrap());
}

#[test]
fn what_takes_one_target_refuses_several() {
    let data = three(holey(80, 3, 0.3, 16), 17);
    let refused = |learner: Learner, word: &str| {
        let error = learner.fit(&data, PARAMETERS).unwrap_err();
        assert!(error.to_string().contains(word), "{error}");
    };
    let huber = Loss::Huber(1.0);
    refused(
        Learner {
            loss: huber,
            ..Learner::default()
        },
        "squared, for several targets",
    );
    refused(
        Learner {
            solver: Solver::Silp,
            ..Learner::default()
        },
        "exact, for several targets",
    );
    let error = Learner::default().fit_each(&data, &EACH[..2]).unwrap_err();
    assert!(error.to_string().contains("expected 3, got 2"), "{error}");
}
