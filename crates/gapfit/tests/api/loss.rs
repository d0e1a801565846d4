//! Losses other than the squared one: certificates, limits, robustness.

use crate::certificate::{check_fit, learners, parameters, tables};
use crate::objective::Predictor;
use crate::sample::{
    INTERCEPTS, PARAMETERS, assert_close, classed, holey, normal, raw, rng, weighted,
};
use gapfit::data::{Dataset, MaskedMatrix};
use gapfit::joint::Status;
use gapfit::loss::Loss;
use gapfit::prepare::Intercept;
use gapfit::{Base, Error, Learner, Method, Parameters};
use proptest::prelude::*;
use rand::RngExt;

const CLASS_LOSSES: [Loss; 2] = [Loss::Logistic, Loss::SquaredHinge];

fn with_loss(method: Method, loss: Loss) -> Learner {
    Learner {
        loss,
        ..Learner::new(method)
    }
}

/// The same rows, each of them twice.
fn doubled(data: &Dataset) -> Dataset {
    let rows: Vec<usize> = (0..data.n_rows()).flat_map(|i| [i, i]).collect();
    data.select(&rows)
}

/// Two columns alike, one that is always missing, one constant, and two with holes.
fn degenerate(seed: u64) -> Dataset {
    let easy = classed(80, 3, 0.3, 2, seed);
    let mut table = MaskedMatrix::new(6);
    for row in easy.features().rows() {
        let [a, b, c] = [0, 1, 2].map(|j| row.get(j));
        table.push_row([a, b, b, None, Some(4.0), c]).unwrap();
    }
    let target = easy.target().to_vec();
    let data = Dataset::new(table, target).unwrap();
    data.with_classes(easy.classes().to_vec()).unwrap()
}

/// Classes that a line tells apart.
fn separable(seed: u64) -> Dataset {
    let rng = &mut rng(seed);
    let mut table = MaskedMatrix::new(2);
    let mut labels = Vec::new();
    for i in 0..40 {
        let side = if i % 2 == 0 { 1.0 } else { -1.0 };
        let other = (rng.random::<f64>() > 0.3).then(|| normal(rng));
        let first = side * (0.5 + rng.random::<f64>());
        table.push_row([Some(first), other]).unwrap();
        labels.push(if i % 2 == 0 { "in" } else { "out" });
    }
    Dataset::classified(table, &labels).unwrap()
}

fn as_numbers(data: &Dataset) -> Dataset {
    Dataset::new(data.features().clone(), data.target().to_vec()).unwrap()
}

#[test]
fn every_loss_reaches_a_small_certified_gap_over_the_grid() {
    let sets = [classed(90, 4, 0.3, 2, 61), degenerate(62), separable(63)];
    for (s, data) in sets.iter().enumerate() {
        for loss in [Loss::Logistic, Loss::SquaredHinge, Loss::Huber(0.3)] {
            let data = match loss.is_classification() {
                true => data.clone(),
                false => as_numbers(data),
            };
            for base in [Base::Zero, Base::Mean, Base::Gaussian] {
                for alpha in [-16, -10, -4, 2].map(|e| 2f64.powi(e)) {
                    for gamma in [0.0, 2f64.powi(-8), 0.5, 8.0, 1024.0] {
                        let learner = with_loss(Method::Irr(base), loss);
                        let parameters = Parameters { alpha, gamma };
                        let outcome = learner.fit(&data, parameters).unwrap().outcome;
                        let about = format!("set {s} {loss} {base} {parameters:?} {outcome:?}");
                        assert!(outcome.gap <= 1e-6, "{about}");
                        assert!(outcome.lower_bound <= outcome.objective, "{about}");
                    }
                }
            }
        }
    }
}

#[test]
fn weight_two_is_the_row_twice_for_every_loss() {
    let classes = classed(60, 3, 0.3, 2, 64);
    let three = classed(60, 3, 0.3, 3, 65);
    for (loss, data) in [
        (Loss::Logistic, &classes),
        (Loss::SquaredHinge, &classes),
        (Loss::Logistic, &three),
        (Loss::Huber(0.5), &holey(60, 3, 0.3, 66)),
    ] {
        for method in [Method::Mask, Method::Irr(Base::Gaussian)] {
            let learner = Learner {
                tol: 1e-12,
                ..with_loss(method, loss)
            };
            let heavy = data.clone().with_weights(vec![2.0; 60]).unwrap();
            let once = learner.fit(&heavy, PARAMETERS).unwrap();
            let twice = learner.fit(&doubled(data), PARAMETERS).unwrap();
            let off = once.outcome.objective / twice.outcome.objective - 1.0;
            assert!(off.abs() < 1e-10, "{loss} {method}: {off:e}");
            let weights = |of: &gapfit::Fitted| of.model.weights().1;
            assert_close(&weights(&once), &weights(&twice), 1e-5, &learner);
        }
    }
}

#[test]
fn a_wide_huber_loss_is_the_squared_one_and_a_narrow_one_resists_outliers() {
    let data = weighted(holey(80, 3, 0.3, 67), 68);
    for method in Method::ALL {
        let fit = |loss| {
            let learner = Learner {
                tol: 1e-12,
                ..with_loss(method, loss)
            };
            let model = learner.fit(&data, PARAMETERS).unwrap().model;
            model.predict(data.features()).unwrap()
        };
        let learner = Learner::new(method);
        assert_close(&fit(Loss::Huber(1e3)), &fit(Loss::Squared), 1e-6, &learner);
    }
    let mut target = data.target().to_vec();
    target[3] += 1e4;
    let spoilt = Dataset::new(data.features().clone(), target).unwrap();
    let spoilt = spoilt
        .with_weights(data.weights().unwrap().to_vec())
        .unwrap();
    let off = |loss| {
        let fit = |data: &Dataset| {
            let learner = with_loss(Method::Irr(Base::Mean), loss);
            let model = learner.fit(data, PARAMETERS).unwrap().model;
            model.predict(data.features()).unwrap()
        };
        let pairs = fit(&data).into_iter().zip(fit(&spoilt));
        pairs.fold(0.0f64, |m, (a, b)| m.max((a - b).abs()))
    };
    assert!(off(Loss::Huber(0.3)) < 0.5, "{}", off(Loss::Huber(0.3)));
    assert!(off(Loss::Squared) > 50.0);
}

#[test]
fn the_unit_of_the_target_does_not_matter_to_the_huber_loss() {
    let data = holey(70, 3, 0.3, 69);
    for unit in [1e-90, 1e-3, 1e6, 1e90] {
        let scaled = crate::sample::with_target(&data, |y| y * unit);
        let fit = |data: &Dataset, h: f64| {
            let learner = with_loss(Method::Irr(Base::Mean), Loss::Huber(h));
            let fitted = learner.fit(data, PARAMETERS).unwrap();
            assert_eq!(fitted.outcome.status, Status::Converged);
            fitted.model.predict(data.features()).unwrap()
        };
        let got: Vec<f64> = fit(&scaled, 0.4 * unit).iter().map(|f| f / unit).collect();
        assert_close(&got, &fit(&data, 0.4), 1e-3, &Learner::default());
    }
}

#[test]
fn no_other_predictor_is_below_the_bound_of_any_loss() {
    let loss_of = |loss: Loss, data: &Dataset, predictions: &[f64]| {
        let rows = data.target().iter().zip(predictions);
        let losses = rows.map(|(&y, &f)| {
            let y = if loss.is_classification() {
                2.0 * y - 1.0
            } else {
                y
            };
            loss.value(f, y)
        });
        losses.sum::<f64>() / data.n_rows() as f64
    };
    for seed in 0..20 {
        let numbers = holey(14, 3, 0.4, seed);
        let classes = classed(14, 3, 0.4, 2, seed);
        for (loss, data) in [
            (Loss::Huber(0.5), &numbers),
            (Loss::Logistic, &classes),
            (Loss::SquaredHinge, &classes),
        ] {
            for intercept in INTERCEPTS {
                let learner = Learner {
                    loss,
                    ..raw(Method::Irr(Base::Zero), intercept)
                };
                let fitted = learner.fit(data, PARAMETERS).unwrap();
                let rng = &mut rng(seed);
                for size in [1e-4, 1e-2, 0.1, 1.0] {
                    let mut other = Predictor::of(&fitted.model);
                    let from = usize::from(intercept == Intercept::None);
                    let shifts = other.shifts.iter_mut().flatten();
                    for entries in std::iter::once(&mut other.weights).chain(shifts) {
                        entries[from..]
                            .iter_mut()
                            .for_each(|x| *x += size * normal(rng));
                    }
                    let penalty =
                        other.weight_squares(intercept) + other.shifts_alone(PARAMETERS.gamma);
                    let value =
                        loss_of(loss, data, &other.predict(data)) + PARAMETERS.alpha * penalty;
                    let bound = fitted.outcome.lower_bound;
                    assert!(
                        value >= bound * (1.0 - 1e-12),
                        "{loss}: {value} below {bound}"
                    );
                }
            }
        }
    }
}

#[test]
fn losses_that_do_not_suit_the_target_are_refused() {
    let numbers = holey(20, 2, 0.3, 70);
    let classes = classed(20, 2, 0.3, 2, 71);
    let text = |loss, data: &Dataset| {
        let error = with_loss(Method::Mask, loss)
            .fit(data, PARAMETERS)
            .unwrap_err();
        assert!(matches!(error, Error::Setting { .. }));
        error.to_string()
    };
    for loss in CLASS_LOSSES {
        assert_eq!(
            text(loss, &numbers),
            format!("loss: expected squared or huber=H, for a target of numbers, got {loss}")
        );
    }
    assert_eq!(
        text(Loss::Squared, &classes),
        "loss: expected logistic or squared-hinge, for classes, got squared"
    );
    assert_eq!(
        text(Loss::Hinge, &classes),
        "loss: expected squared, huber=H, squared-hinge or logistic, got hinge"
    );
    assert!(text(Loss::Huber(-1.0), &numbers).contains("a finite number H above 0"));
}

#[test]
fn rows_of_one_class_only_are_refused_with_its_name() {
    let data = classed(20, 2, 0.3, 2, 72);
    let weights: Vec<f64> = data.target().to_vec();
    let one = data.with_weights(weights).unwrap();
    for loss in CLASS_LOSSES {
        let error = with_loss(Method::Mask, loss)
            .fit(&one, PARAMETERS)
            .unwrap_err();
        assert_eq!(
            error.to_string(),
            "target: expected rows of two classes or more, got 'c1' alone"
        );
    }
}

#[test]
fn separable_classes_give_finite_certified_models() {
    for loss in CLASS_LOSSES {
        for method in Method::ALL {
            for alpha in [1e-12, 1e-6, 1.0, 1e6] {
                let parameters = Parameters { alpha, gamma: 1.0 };
                let fitted = with_loss(method, loss)
                    .fit(&separable(73), parameters)
                    .unwrap();
                let outcome = fitted.outcome;
                assert!(outcome.objective.is_finite() && outcome.gap >= 0.0);
                assert!(outcome.gap <= 1e-6, "{loss} {method} {alpha}: {outcome:?}");
                let scores = fitted.model.predict(separable(73).features()).unwrap();
                assert!(scores.iter().all(|f| f.is_finite()));
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn any_legal_fit_of_any_loss_is_finite_and_certified(
        table in tables(),
        learner in learners(),
        parameters in parameters(8.0),
        loss in prop::sample::select(vec![Loss::Huber(0.5), Loss::Logistic, Loss::SquaredHinge]),
    ) {
        let data = table.make();
        let learner = Learner { loss, ..learner };
        if !loss.is_classification() {
            return check_fit(&learner, &data, parameters);
        }
        let number = |(i, y): (usize, &f64)| f64::from(u8::from(*y > 0.0 || i == 1 || data.n_rows() == 1));
        let target = data.target().iter().enumerate().map(number).collect();
        let classes = Dataset::new(data.features().clone(), target).unwrap();
        let classes = classes.with_classes(vec!["a".to_owned(), "b".to_owned()]).unwrap();
        let classes = match data.weights() {
            Some(weights) => classes.with_weights(weights.to_vec()).unwrap(),
            None => classes,
        };
        if classes.class_totals().iter().all(|total| *total > 0.0) {
            check_fit(&learner, &classes, parameters)?;
        }
    }
}
