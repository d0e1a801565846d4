//! Tables at the edge: masks never seen, nothing observed, few rows, many columns.

use crate::sample::{
    INTERCEPTS, PARAMETERS, SCALES, assert_close, holey, learner, learners, normal, raw, rng,
};
use gapfit::data::{Dataset, MaskedMatrix};
use gapfit::joint::Status;
use gapfit::prepare::Intercept;
use gapfit::{Learner, Method};
use rand::RngExt;

fn table(rows: &[&[Option<f64>]]) -> MaskedMatrix {
    let mut table = MaskedMatrix::new(rows[0].len());
    for row in rows {
        table.push_row(row.iter().copied()).unwrap();
    }
    table
}

#[test]
fn any_mask_can_be_predicted() {
    let data = holey(50, 4, 0.1, 31);
    // Every mask, on the first row: column 0 has no holes in training.
    let mut all = data.features().select_rows(&[0; 16]);
    for mask in 0..16 {
        (0..4)
            .filter(|j| mask >> j & 1 == 0)
            .for_each(|j| all.hide(mask, j));
    }
    for learner in learners() {
        let fitted = learner.fit(&data, PARAMETERS).unwrap();
        let predictions = fitted.model.predict(&all).unwrap();
        assert!(
            predictions.iter().all(|f| f.abs() < 100.0),
            "{predictions:?} {learner:?}"
        );
        assert!(fitted.model.shift(0).is_none(), "column 0 is complete");
    }
}

#[test]
fn a_hole_in_a_complete_column_is_filled_by_the_base() {
    let data = holey(50, 3, 0.3, 32);
    let mut holed = data.features().select_rows(&[0]);
    holed.hide(0, 0);
    let means: f64 = (0..50)
        .map(|i| data.features().get(i, 0).unwrap())
        .sum::<f64>()
        / 50.0;
    let filled = |x: f64| crate::sample::with_column(&data.features().select_rows(&[0]), 0, |_| x);
    for (method, value) in [
        ("mean", means),
        ("mask", means),
        ("irr:mean", means),
        ("zero", 0.0),
        ("irr:zero", 0.0),
    ] {
        for scale in SCALES {
            let learner = learner(method.parse().unwrap(), scale, Intercept::Free, 0.0);
            // Zero means zero after scaling, unless that moves the origin to no purpose.
            let value = match scale {
                gapfit::prepare::Scale::MinMax if value == 0.0 => {
                    let column = (0..50).map(|i| data.features().get(i, 0).unwrap());
                    column.fold(f64::INFINITY, f64::min)
                }
                _ => value,
            };
            let model = learner.fit(&data, PARAMETERS).unwrap().model;
            let got = model.predict(&holed).unwrap();
            let want = model.predict(&filled(value)).unwrap();
            assert_close(&got, &want, 1e-12, &learner);
        }
    }
}

#[test]
fn a_row_with_nothing_observed_counts_in_training() {
    let data = holey(30, 3, 0.3, 33);
    let empty = table(&[&[None; 3]]);
    let mut features = data.features().clone();
    let mut target = data.target().to_vec();
    target.extend([50.0; 200]);
    for _ in 0..200 {
        features.push_row([None; 3]).unwrap();
    }
    let taught = Dataset::new(features, target).unwrap();
    for method in Method::ALL {
        let learner = Learner::new(method);
        let parameters = gapfit::Parameters {
            alpha: 1e-3,
            gamma: 10.0,
        };
        let before = learner
            .fit(&data, parameters)
            .unwrap()
            .model
            .predict(&empty)
            .unwrap()[0];
        let after = learner
            .fit(&taught, parameters)
            .unwrap()
            .model
            .predict(&empty)
            .unwrap()[0];
        assert!(before < 20.0 && after > 25.0, "{before} {after} {method}");
        if !matches!(method, Method::Impute(_)) {
            assert!((after - 50.0).abs() < 2.0, "{after} {method}");
        }
    }
}

#[test]
fn a_column_without_a_value_has_weight_zero_and_is_named_in_a_warning() {
    let data = holey(40, 4, 0.3, 34);
    let columns = [Some(0), None, Some(1), Some(2), None, Some(3)];
    let wider = Dataset::new(
        data.features().select_columns(&columns),
        data.target().to_vec(),
    );
    let names = ["a", "b", "c", "d", "e", "f"].map(String::from);
    let wider = wider.unwrap().with_names(names.to_vec()).unwrap();
    for learner in learners() {
        let fitted = learner.fit(&wider, PARAMETERS).unwrap();
        let warning = "nothing is observed in 'b', 'e': left out of the fit, weight 0";
        assert_eq!(fitted.warnings, [warning]);
        let (_, weights) = fitted.model.weights();
        assert_eq!((weights[1].to_bits(), weights[4].to_bits()), (0, 0));
        assert!(fitted.model.shift(1).is_none() && fitted.model.shift(4).is_none());
        // Neither the fit nor a value that turns up later makes a difference.
        let narrow = learner.fit(&data, PARAMETERS).unwrap();
        assert!(narrow.warnings.is_empty());
        let late = with_late_values(wider.features());
        let got = fitted.model.predict(&late).unwrap();
        assert_eq!(
            got,
            narrow.model.predict(data.features()).unwrap(),
            "{learner:?}"
        );
    }
}

/// `table` with values in columns 1 and 4.
fn with_late_values(table: &MaskedMatrix) -> MaskedMatrix {
    let mut late = MaskedMatrix::new(table.n_cols());
    for row in table.rows() {
        let cell = |j: usize| {
            if j == 1 || j == 4 {
                Some(1e9)
            } else {
                row.get(j)
            }
        };
        late.push_row((0..table.n_cols()).map(cell)).unwrap();
    }
    late
}

#[test]
fn nothing_observed_anywhere_leaves_the_mean_of_the_target() {
    let data = Dataset::new(table(&[&[None, None], &[None, None]]), vec![1.0, 5.0]).unwrap();
    for learner in learners() {
        let fitted = learner.fit(&data, PARAMETERS).unwrap();
        let predictions = fitted.model.predict(&table(&[&[Some(1.0), None]])).unwrap();
        match learner.preparation.intercept {
            Intercept::Free => assert_close(&predictions, &[3.0], 1e-12, &learner),
            Intercept::Penalised => {
                let shrunk = 3.0 / (1.0 + PARAMETERS.alpha);
                assert_close(&predictions, &[shrunk], 1e-12, &learner);
            }
            Intercept::None => assert_close(&predictions, &[0.0], 0.0, &learner),
        }
        assert_eq!(fitted.warnings.len(), 1);
    }
}

#[test]
fn a_constant_column_adds_nothing_to_centred_columns_with_a_free_intercept() {
    let data = holey(40, 3, 0.3, 35);
    let mut wider = MaskedMatrix::new(4);
    for row in data.features().rows() {
        let cells = (0..3).map(|j| row.get(j));
        wider.push_row(cells.chain([Some(7.3)])).unwrap();
    }
    let constant = Dataset::new(wider.clone(), data.target().to_vec()).unwrap();
    for method in [
        Method::Impute(gapfit::Base::Mean),
        Method::Mask,
        Method::Impute(gapfit::Base::Zero),
    ] {
        for scale in SCALES {
            let learner = learner(method, scale, Intercept::Free, 0.0);
            let got = crate::sample::predictions(&learner, &constant, &wider);
            let want = crate::sample::predictions(&learner, &data, data.features());
            assert_close(&got, &want, 1e-9, &learner);
        }
    }
}

#[test]
fn one_row_is_learnt() {
    for features in [
        table(&[&[Some(3.0), Some(-1.0)]]),
        table(&[&[Some(3.0), None]]),
        table(&[&[None, None]]),
    ] {
        let data = Dataset::new(features.clone(), vec![4.0]).unwrap();
        for learner in learners() {
            let fitted = learner.fit(&data, PARAMETERS).unwrap();
            assert_eq!(fitted.outcome.status, Status::Converged, "{learner:?}");
            let prediction = fitted.model.predict(&features).unwrap()[0];
            assert!(
                (-1e-9..=4.0 + 1e-9).contains(&prediction),
                "{prediction} {learner:?}"
            );
            if learner.preparation.intercept == Intercept::Free {
                assert_close(&[prediction], &[4.0], 1e-12, &learner);
            }
        }
    }
}

#[test]
fn more_columns_than_rows_are_fitted() {
    let data = holey(6, 12, 0.3, 36);
    for learner in learners() {
        let fitted = learner.fit(&data, PARAMETERS).unwrap();
        assert!(
            fitted.outcome.gap <= 1e-8,
            "{:?} {learner:?}",
            fitted.outcome
        );
        let predictions = fitted.model.predict(data.features()).unwrap();
        let error = crate::objective::loss(&data, &predictions);
        assert!(
            error <= fitted.outcome.objective * (1.0 + 1e-9),
            "{error} {learner:?}"
        );
    }
}

/// A wide table, a few columns of it with holes, most of them beyond the first word of the mask.
fn wide(n_cols: usize) -> Dataset {
    let rng = &mut rng(n_cols as u64);
    let mut table = MaskedMatrix::new(n_cols);
    let mut target = Vec::new();
    for _ in 0..60 {
        let row: Vec<_> = (0..n_cols)
            .map(|j| {
                let x = normal(rng);
                let holey = j == 3 || j + 3 >= n_cols || j == 64;
                (!holey || rng.random::<bool>()).then_some(x)
            })
            .collect();
        let last = |j: usize| row[n_cols - j].unwrap_or(1.0);
        target.push(last(1) - last(2) + row[0].unwrap_or(0.0) + 0.1 * normal(rng));
        table.push_row(row).unwrap();
    }
    Dataset::new(table, target).unwrap()
}

#[test]
fn masks_of_several_words_are_told_apart() {
    for n_cols in [64, 70, 130] {
        let data = wide(n_cols);
        for method in Method::ALL {
            let learner = raw(method, Intercept::Free);
            let fitted = learner.fit(&data, PARAMETERS).unwrap();
            assert!(fitted.outcome.gap <= 1e-8, "{:?}", fitted.outcome);
            // The same columns backwards put the holes into other words.
            let backwards: Vec<_> = (0..n_cols).rev().map(Some).collect();
            let table = data.features().select_columns(&backwards);
            let other = data.clone().with_features(table.clone()).unwrap();
            let got = crate::sample::predictions(&learner, &other, &table);
            let want = fitted.model.predict(data.features()).unwrap();
            assert_close(&got, &want, 1e-6, &learner);
            let with_shift = (0..n_cols)
                .filter(|&j| fitted.model.shift(j).is_some())
                .count();
            let holey = if n_cols == 64 { 4 } else { 5 };
            let expected = if matches!(method, Method::Impute(_)) {
                0
            } else {
                holey
            };
            assert_eq!(with_shift, expected, "{method}");
        }
    }
}

#[test]
fn every_row_may_have_its_own_mask() {
    // Row i misses the columns that are bits of i + 1: 31 rows, 31 masks.
    let complete = holey(31, 5, 0.0, 37);
    let mut table = complete.features().clone();
    for i in 0..31 {
        (0..5)
            .filter(|j| (i + 1) >> j & 1 == 1)
            .for_each(|j| table.hide(i, j));
    }
    let data = complete.with_features(table).unwrap();
    for method in Method::ALL {
        for intercept in INTERCEPTS {
            let learner = raw(method, intercept);
            let fitted = learner.fit(&data, PARAMETERS).unwrap();
            assert!(
                fitted.outcome.gap <= 1e-8,
                "{:?} {learner:?}",
                fitted.outcome
            );
            let predictions = fitted.model.predict(data.features()).unwrap();
            assert!(predictions.iter().all(|f| f.is_finite()));
        }
    }
}

#[test]
fn without_a_hole_in_training_the_fit_warns_of_those_to_come() {
    let complete = holey(40, 3, 0.0, 51);
    let some = holey(40, 3, 0.3, 51);
    for method in Method::ALL {
        let says = |data: &Dataset| {
            let fitted = Learner::new(method).fit(data, PARAMETERS).unwrap();
            let warnings = fitted.warnings;
            warnings.iter().any(|w| w.contains("never seen to matter"))
        };
        assert_eq!(
            says(&complete),
            !matches!(method, Method::Impute(_)),
            "{method}"
        );
        assert!(!says(&some), "{method}");
    }
}

#[test]
fn filling_leaves_what_is_observed_and_what_was_never_seen() {
    let data = table(&[
        &[Some(1.0), None, Some(4.0)],
        &[Some(3.0), None, Some(8.0)],
        &[None, None, Some(6.0)],
    ]);
    let data = Dataset::new(data, vec![1.0, 2.0, 3.0]).unwrap();
    for (method, expected) in [("zero", 0.0), ("mean", 2.0), ("gaussian", 2.0)] {
        let learner = learner(method.parse().unwrap(), SCALES[2], Intercept::Free, 0.0);
        let model = learner.fit(&data, PARAMETERS).unwrap().model;
        let filled = model.fill(data.features()).unwrap();
        for i in 0..3 {
            assert_eq!(filled.get(i, 1), None);
            assert_eq!(filled.get(i, 2), data.features().get(i, 2));
        }
        assert_eq!(filled.get(0, 0), Some(1.0));
        let value = filled.get(2, 0).unwrap();
        assert!((value - expected).abs() < 1e-3, "{method} {value}");
    }
}
