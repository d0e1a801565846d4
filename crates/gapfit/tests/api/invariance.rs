//! What must not matter does not matter, for every method, scale, intercept and clipping.

use crate::sample::{
    PARAMETERS, assert_close, bits, holey, learners, predictions, weighted, with_column,
    with_target,
};
use gapfit::data::{Dataset, MaskedMatrix};
use gapfit::prepare::{Intercept, Scale};
use rand::seq::SliceRandom;

/// Sums in another order differ in the last digits, and the solver's path with them.
const TOL: f64 = 1e-6;

fn shuffled(n: usize, seed: u64) -> Vec<usize> {
    let mut order: Vec<usize> = (0..n).collect();
    order.shuffle(&mut crate::sample::rng(seed));
    order
}

#[test]
fn the_order_of_rows_does_not_matter() {
    let data = weighted(holey(60, 5, 0.3, 11), 12);
    let other = data.select(&shuffled(60, 13));
    for learner in learners() {
        let got = predictions(&learner, &other, data.features());
        let want = predictions(&learner, &data, data.features());
        assert_close(&got, &want, TOL, &learner);
    }
}

#[test]
fn the_order_of_columns_does_not_matter() {
    let data = weighted(holey(60, 5, 0.3, 14), 15);
    let columns: Vec<_> = shuffled(5, 16).into_iter().map(Some).collect();
    let table = data.features().select_columns(&columns);
    let other = data.clone().with_features(table.clone()).unwrap();
    for learner in learners() {
        let got = predictions(&learner, &other, &table);
        let want = predictions(&learner, &data, data.features());
        assert_close(&got, &want, TOL, &learner);
    }
}

#[test]
fn a_row_of_weight_two_is_the_row_twice() {
    let data = holey(50, 4, 0.3, 17);
    let twice: Vec<usize> = (0..50).chain((0..50).step_by(3)).collect();
    let repeated = data.select(&twice);
    let weights = (0..50).map(|i| if i % 3 == 0 { 2.0 } else { 1.0 });
    let doubled = data.clone().with_weights(weights.collect()).unwrap();
    for learner in learners() {
        let got = predictions(&learner, &doubled, data.features());
        let want = predictions(&learner, &repeated, data.features());
        assert_close(&got, &want, TOL, &learner);
    }
}

#[test]
fn all_weights_times_a_constant_change_nothing() {
    let data = weighted(holey(50, 4, 0.3, 18), 19);
    let weights = data.weights().unwrap().iter().map(|w| 1e9 * w);
    let heavy = data.clone().with_weights(weights.collect()).unwrap();
    for learner in learners() {
        let got = predictions(&learner, &heavy, data.features());
        let want = predictions(&learner, &data, data.features());
        assert_close(&got, &want, TOL, &learner);
    }
}

/// `data` and rows of weight zero that would spoil everything: absurd values, a hole in the column
/// that has none, a row of holes.
fn with_absent_rows(data: &Dataset) -> Dataset {
    let mut table = MaskedMatrix::new(data.n_features());
    let (mut target, mut weights) = (Vec::new(), Vec::new());
    for (i, row) in data.features().rows().enumerate() {
        if i % 7 == 0 {
            let absurd = [Some(-1e300), None][i % 2];
            table.push_row(vec![absurd; data.n_features()]).unwrap();
            target.push(1e300);
            weights.push(0.0);
        }
        table
            .push_row((0..data.n_features()).map(|j| row.get(j)))
            .unwrap();
        target.push(data.target()[i]);
        weights.push(data.weight(i));
    }
    let data = Dataset::new(table, target).unwrap();
    data.with_weights(weights).unwrap()
}

#[test]
fn a_row_of_weight_zero_is_exactly_absent() {
    let data = weighted(holey(50, 4, 0.3, 20), 21);
    let padded = with_absent_rows(&data);
    for learner in learners() {
        let with = learner.fit(&padded, PARAMETERS).unwrap();
        let without = learner.fit(&data, PARAMETERS).unwrap();
        assert_eq!(with.outcome, without.outcome, "{learner:?}");
        assert_eq!(with.model, without.model, "{learner:?}");
    }
}

#[test]
fn the_unit_of_a_column_does_not_matter_once_it_is_scaled() {
    let data = holey(50, 4, 0.3, 22);
    for exponent in [-450, -3, 7, 450] {
        let unit = 2f64.powi(exponent);
        let table = with_column(data.features(), 2, |x| unit * x);
        let other = data.clone().with_features(table.clone()).unwrap();
        for learner in learners() {
            if learner.preparation.scale == Scale::None {
                continue;
            }
            let got = predictions(&learner, &other, &table);
            let want = predictions(&learner, &data, data.features());
            assert_eq!(bits(&got), bits(&want), "2^{exponent} {learner:?}");
        }
    }
}

#[test]
fn the_unit_of_the_target_is_that_of_the_predictions() {
    let data = holey(50, 4, 0.3, 23);
    for exponent in [-450, -3, 7, 450] {
        let unit = 2f64.powi(exponent);
        let other = with_target(&data, |y| unit * y);
        for learner in learners() {
            let got = predictions(&learner, &other, data.features());
            let want = predictions(&learner, &data, data.features());
            let want: Vec<_> = want.iter().map(|f| unit * f).collect();
            assert_eq!(bits(&got), bits(&want), "2^{exponent} {learner:?}");
        }
    }
}

#[test]
fn a_free_intercept_follows_the_target() {
    let data = weighted(holey(50, 4, 0.3, 24), 25);
    for constant in [-3.0, 1e4] {
        let other = with_target(&data, |y| y + constant);
        for learner in learners() {
            if learner.preparation.intercept != Intercept::Free {
                continue;
            }
            let got = predictions(&learner, &other, data.features());
            let got: Vec<_> = got.iter().map(|f| f - constant).collect();
            let want = predictions(&learner, &data, data.features());
            assert_close(&got, &want, TOL, &learner);
        }
    }
}

#[test]
fn a_free_intercept_makes_the_origin_of_centred_columns_irrelevant() {
    let data = holey(50, 4, 0.3, 26);
    let table = with_column(data.features(), 1, |x| x + 1e5);
    let other = data.clone().with_features(table.clone()).unwrap();
    for learner in learners() {
        let centred =
            learner.preparation.scale != Scale::None && learner.method.base() != gapfit::Base::Zero;
        if centred && learner.preparation.intercept == Intercept::Free {
            let got = predictions(&learner, &other, &table);
            let want = predictions(&learner, &data, data.features());
            assert_close(&got, &want, 1e-5, &learner);
        }
    }
}
