//! Explanations add up to the prediction, and say nothing where there is nothing to say.

use crate::sample::{PARAMETERS, holey, learners, with_column};
use gapfit::data::MaskedMatrix;
use gapfit::{Learner, Method, Parameters};

#[test]
fn contributions_add_up_to_the_prediction_for_every_method() {
    let data = holey(60, 4, 0.4, 71);
    for learner in learners() {
        let model = learner.fit(&data, PARAMETERS).unwrap().model;
        let explained = model.explain(data.features()).unwrap();
        let predicted = model.predict(data.features()).unwrap();
        for (explanation, prediction) in explained.iter().zip(predicted) {
            let parts = &explanation.contributions;
            let sum = explanation.base + parts.iter().sum::<f64>();
            let size = explanation.base.abs() + parts.iter().map(|c| c.abs()).sum::<f64>();
            assert!((sum - prediction).abs() < 1e-12 * size, "{learner:?}");
        }
    }
}

#[test]
fn the_average_row_is_explained_by_the_base_alone() {
    let data = holey(60, 4, 0.4, 72);
    for method in Method::ALL {
        let model = Learner::new(method).fit(&data, PARAMETERS).unwrap().model;
        let mut row = MaskedMatrix::new(4);
        row.push_row((0..4).map(|j| Some(model.seen(j).mean)))
            .unwrap();
        let explanation = &model.explain(&row).unwrap()[0];
        let prediction = model.predict(&row).unwrap()[0];
        assert!((explanation.base - prediction).abs() < 1e-12, "{method}");
        let largest = explanation
            .contributions
            .iter()
            .fold(0.0, |m: f64, c| m.max(c.abs()));
        assert!(largest < 1e-12, "{method}: {largest}");
    }
}

#[test]
fn an_observed_feature_adds_its_weight_times_its_distance_from_the_mean() {
    let data = holey(60, 3, 0.4, 73);
    let model = Learner::default().fit(&data, PARAMETERS).unwrap().model;
    let complete = model.fill(data.features()).unwrap();
    let (_, weights) = model.weights();
    // inside the range of the training cells, where nothing is clipped
    let inside = with_column(&complete, 1, |_| model.seen(1).mean + 0.1);
    for explanation in model.explain(&inside).unwrap() {
        assert!((explanation.contributions[1] - 0.1 * weights[1]).abs() < 1e-12);
    }
}

#[test]
fn a_hole_filled_with_the_mean_adds_its_shift_alone() {
    let data = holey(60, 3, 0.4, 74);
    let plain = Learner::new("mean".parse().unwrap());
    let mut table = data.features().clone();
    (0..60).for_each(|i| table.hide(i, 1));
    let model = plain.fit(&data, PARAMETERS).unwrap().model;
    for explanation in model.explain(&table).unwrap() {
        assert!(
            explanation.contributions[1].abs() < 1e-12,
            "no shifts, no effect"
        );
    }
    let irr = Learner::default();
    let parameters = Parameters {
        alpha: 0.001,
        gamma: 4.0,
    };
    let model = irr.fit(&data, parameters).unwrap().model;
    let (constant, weights) = model.shift(1).unwrap();
    let at_mean = constant + (0..3).map(|j| weights[j] * model.seen(j).mean).sum::<f64>();
    let mut average = MaskedMatrix::new(3);
    let cell = |j: usize| (j != 1).then(|| model.seen(j).mean);
    average.push_row((0..3).map(cell)).unwrap();
    let explanation = &model.explain(&average).unwrap()[0];
    assert!((explanation.contributions[1] - at_mean).abs() < 1e-9 * at_mean.abs());
    assert!(at_mean.abs() > 0.01, "holes speak in this table: {at_mean}");
}
