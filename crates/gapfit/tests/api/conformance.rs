//! One list of promises, run over every method.

use crate::sample::{PARAMETERS, bits, holey, learner, learners, weighted};
use gapfit::data::{Dataset, MaskedMatrix};
use gapfit::eval::Scores;
use gapfit::prepare::{Intercept, Scale};
use gapfit::{Error, Learner, Method, Model};

#[test]
fn fitting_and_predicting_again_gives_the_same_bits() {
    let data = weighted(holey(60, 4, 0.3, 41), 42);
    for learner in learners() {
        let one = learner.fit(&data, PARAMETERS).unwrap();
        let two = learner.fit(&data, PARAMETERS).unwrap();
        assert_eq!(one.outcome, two.outcome);
        assert_eq!(one.model, two.model);
        let before = one.model.clone();
        let first = one.model.predict(data.features()).unwrap();
        let second = one.model.predict(data.features()).unwrap();
        assert_eq!(bits(&first), bits(&second));
        assert_eq!(one.model, before, "predicting changes nothing");
    }
}

#[test]
fn a_row_is_predicted_alike_alone_and_among_others() {
    let data = holey(5000, 3, 0.3, 43);
    for method in Method::ALL {
        let model = Learner::new(method).fit(&data, PARAMETERS).unwrap().model;
        let all = model.predict(data.features()).unwrap();
        for i in [0, 4095, 4096, 4999] {
            let alone = model.predict(&data.features().select_rows(&[i])).unwrap();
            assert_eq!(bits(&alone), bits(&all[i..=i]), "{method}");
        }
        assert!(model.predict(&MaskedMatrix::new(3)).unwrap().is_empty());
    }
}

#[test]
fn a_saved_model_comes_back_bit_by_bit() {
    let data = weighted(holey(60, 4, 0.3, 44), 45)
        .with_target_name("price \"€\"")
        .with_names(["a", "b\n", "ü", ""].map(String::from).to_vec())
        .unwrap();
    // One column that is never observed.
    let columns = [Some(0), Some(1), None, Some(3)];
    let features = data.features().select_columns(&columns);
    let data = data.with_features(features).unwrap();
    for learner in learners() {
        let model = learner.fit(&data, PARAMETERS).unwrap().model;
        let bytes = model.to_bytes();
        let back = Model::from_bytes(&bytes).unwrap();
        assert_eq!(back, model, "{learner:?}");
        assert_eq!(back.to_bytes(), bytes, "{learner:?}");
        let (want, got) = (
            model.predict(data.features()),
            back.predict(data.features()),
        );
        assert_eq!(bits(&want.unwrap()), bits(&got.unwrap()), "{learner:?}");
        assert_eq!(back.method(), learner.method);
        assert_eq!(*back.preparation(), learner.preparation);
        assert_eq!(back.parameters(), PARAMETERS);
        assert_eq!(back.feature_names(), data.names());
        assert_eq!(back.target_name(), "price \"€\"");
    }
}

#[test]
fn the_weights_in_original_units_reproduce_the_predictions_of_complete_rows() {
    let data = holey(60, 4, 0.3, 46);
    let complete = holey(20, 4, 0.0, 47);
    for learner in learners() {
        if learner.preparation.clip > 0.0 {
            continue;
        }
        let model = learner.fit(&data, PARAMETERS).unwrap().model;
        let (constant, weights) = model.weights();
        let by_hand = complete.features().rows().map(|row| {
            let parts = row.values().iter().zip(&weights).map(|(x, w)| x * w);
            constant + parts.sum::<f64>()
        });
        let by_hand: Vec<_> = by_hand.collect();
        let predictions = model.predict(complete.features()).unwrap();
        crate::sample::assert_close(&by_hand, &predictions, 1e-10, &learner);
    }
}

#[test]
fn a_table_of_another_width_is_refused() {
    let data = holey(20, 4, 0.3, 48);
    for method in Method::ALL {
        let model = Learner::new(method).fit(&data, PARAMETERS).unwrap().model;
        for width in [0, 3, 5, 70] {
            let error = model.predict(&MaskedMatrix::new(width)).unwrap_err();
            let text = format!("columns of the table: expected 4, got {width}");
            assert!(matches!(error, Error::Shape { .. }));
            assert_eq!(error.to_string(), text);
        }
    }
}

#[test]
fn clipping_bounds_what_one_absurd_cell_can_do() {
    let data = holey(200, 3, 0.2, 49);
    let absurd =
        crate::sample::with_column(&data.features().select_rows(&[0, 1, 2, 3]), 0, |x| x * 1e12);
    for method in Method::ALL {
        let predict = |clip| {
            let learner = learner(method, Scale::Standard, Intercept::Free, clip);
            let model = learner.fit(&data, PARAMETERS).unwrap().model;
            let predictions = model.predict(&absurd).unwrap();
            predictions.iter().fold(0.0f64, |m, f| m.max(f.abs()))
        };
        assert!(predict(0.01) < 20.0, "{method}");
        assert!(predict(0.0) > 1e9, "{method}");
    }
}

#[test]
fn without_a_row_of_positive_weight_there_is_nothing_to_learn() {
    let nothing = Dataset::new(MaskedMatrix::new(2), vec![]).unwrap();
    let weightless = holey(3, 2, 0.3, 50).with_weights(vec![0.0; 3]).unwrap();
    for data in [nothing, weightless] {
        for method in Method::ALL {
            let error = Learner::new(method).fit(&data, PARAMETERS).unwrap_err();
            assert!(matches!(error, Error::Empty { .. }));
            assert_eq!(
                error.to_string(),
                "training rows: expected at least one row with positive weight, got none"
            );
        }
    }
}

#[test]
fn a_model_remembers_how_well_it_fitted_its_training_rows() {
    let mut weights = vec![1.0; 80];
    (weights[3], weights[5]) = (0.0, 2.5);
    let data = holey(80, 4, 0.3, 52).with_weights(weights).unwrap();
    for learner in learners() {
        let model = learner.fit(&data, PARAMETERS).unwrap().model;
        let predictions = model.predict(data.features()).unwrap();
        let scores = Scores::of(data.target(), &predictions, data.weights());
        let training = model.training();
        assert_eq!(training.rows, 79, "{learner:?}");
        let off = training.rmse / scores.rmse - 1.0;
        assert!(off.abs() < 1e-10, "{learner:?}: {off:e}");
    }
}
