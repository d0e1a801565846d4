//! Nothing in a row can break a learner, and a refused row changes nothing.

use crate::stream::{entries, every_setting, feed, stream};
use gapfit::data::MaskedMatrix;
use gapfit::loss::Loss;
use gapfit::online::{
    Feasible, Fill, Learn, MaskFeatures, Mirror, MirrorDescent, OnlineLearner, Step,
};

const EXTREMES: [f64; 9] = [
    1e308, -1e308, 1e200, -1e155, 1e100, 1e-100, 1e-160, -5e-324, 0.0,
];

/// A row of extreme values, the s-th of many.
fn extreme_row(d: usize, s: usize) -> MaskedMatrix {
    let mut table = MaskedMatrix::new(d);
    let cell = |j: usize| (!(s + j).is_multiple_of(4)).then_some(EXTREMES[(s * 5 + j * 7) % 9]);
    table.push_row((0..d).map(cell)).unwrap();
    table
}

fn all_settings(d: usize) -> Vec<MirrorDescent> {
    let mut all = every_setting(d);
    for (s, settings) in all.iter_mut().enumerate() {
        settings.fill = [Fill::Zero, Fill::Mean][s / 2 % 2];
        settings.step = [
            Step::Constant { eta: 0.1 },
            Step::Constant { eta: 1e100 },
            Step::Anytime {
                radius: 1.0,
                gradient: None,
            },
            Step::Horizon {
                radius: 1e100,
                gradient: 1e-100,
                rounds: 1,
            },
        ][s % 4];
    }
    all
}

fn assert_finite(learner: &OnlineLearner) {
    for a in entries(learner) {
        assert!(a.is_finite(), "{:?}", learner.settings());
    }
    assert!(learner.norm().is_finite());
}

#[test]
fn extreme_values_targets_and_weights_leave_the_state_finite() {
    let d = 5;
    for settings in all_settings(d) {
        let stream = stream(50, d, 0.3, settings.loss, 41);
        let mut learner = settings.start(d).unwrap();
        for s in 0..400 {
            let table = extreme_row(d, s);
            let target = if settings.loss.is_classification() {
                1.0 - 2.0 * (s % 2) as f64
            } else {
                [1.0, -1e150, 1e150, 0.0, 1e-150][s % 5]
            };
            let weight = [1.0, 1e100, 1e-100][s % 3];
            let learnt = learner.learn(table.row(0), target, weight).unwrap();
            assert!(learnt.prediction.is_finite() && learnt.loss.is_finite());
            feed(&mut learner, &stream, s % 50..s % 50 + 1);
            assert!(learner.predict(table.row(0)).unwrap().is_finite());
        }
        assert_finite(&learner);
        let resumed = OnlineLearner::from_bytes(&learner.to_bytes()).unwrap();
        assert_eq!(
            resumed.to_bytes(),
            learner.to_bytes(),
            "still a legal state"
        );
    }
}

#[test]
fn one_wild_row_does_not_poison_a_learner() {
    let d = 4;
    for loss in Loss::ALL {
        for step in [
            Step::Constant { eta: 0.05 },
            Step::Anytime {
                radius: 3.0,
                gradient: None,
            },
        ] {
            for set in [Feasible::Everything, Feasible::Ball(3.0)] {
                let settings = MirrorDescent {
                    loss,
                    step,
                    set,
                    ..MirrorDescent::default()
                };
                let stream = stream(600, d, 0.2, loss, 42);
                let mut learner = settings.start(d).unwrap();
                let mut spared = settings.start(d).unwrap();
                feed(&mut learner, &stream, 0..300);
                feed(&mut spared, &stream, 0..300);
                for wild in [1e308, -1e30] {
                    let table = MaskedMatrix::from_nan(1, d, &[wild, 1.0, f64::NAN, 1.0]).unwrap();
                    let learnt = learner.learn(table.row(0), 1.0, 1.0).unwrap();
                    let slope = loss.derivative(learnt.prediction, 1.0);
                    assert!(learnt.clipped || slope == 0.0, "{settings:?}");
                }
                for (a, b) in entries(&learner).iter().zip(entries(&spared)) {
                    assert!((a - b).abs() < 1e-6, "{settings:?}: {a} {b}");
                }
                let (a, b) = (
                    feed(&mut learner, &stream, 300..600),
                    feed(&mut spared, &stream, 300..600),
                );
                assert!((a - b).abs() < 0.02 * b.abs(), "{settings:?}: {a} {b}");
            }
        }
    }
}

#[test]
fn a_step_that_would_feed_on_itself_is_clipped_and_counted() {
    for loss in [Loss::Squared, Loss::SquaredHinge] {
        let settings = MirrorDescent {
            loss,
            step: Step::Constant { eta: 10.0 },
            ..MirrorDescent::default()
        };
        let stream = stream(2000, 6, 0.3, loss, 43);
        let mut learner = settings.start(6).unwrap();
        feed(&mut learner, &stream, 0..2000);
        assert!(learner.clipped() > 100);
        let largest = entries(&learner).iter().fold(0.0f64, |m, a| m.max(a.abs()));
        assert!(largest < 1e3, "{loss}: {largest}");
    }
}

#[test]
fn ordinary_steps_are_not_clipped() {
    for mut settings in every_setting(6) {
        settings.step = Step::Constant { eta: 0.005 };
        let stream = stream(1000, 6, 0.3, settings.loss, 44);
        let mut learner = settings.start(6).unwrap();
        feed(&mut learner, &stream, 0..1000);
        assert_eq!(learner.clipped(), 0, "{settings:?}");
    }
}

#[test]
fn a_refused_row_changes_nothing() {
    for settings in all_settings(4) {
        let stream = stream(50, 4, 0.3, settings.loss, 45);
        let mut learner = settings.start(4).unwrap();
        feed(&mut learner, &stream, 0..50);
        let before = learner.to_bytes();
        let row = stream.table.row(0);
        for target in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e151] {
            assert!(learner.learn(row, target, 1.0).is_err());
        }
        if settings.loss.is_classification() {
            let error = learner.learn(row, 0.5, 1.0).unwrap_err();
            assert_eq!(error.to_string(), "target: expected -1 or 1, got 0.5");
        }
        for weight in [f64::NAN, -1.0, f64::INFINITY, 1e101] {
            assert!(learner.learn(row, 1.0, weight).is_err());
        }
        let wide = MaskedMatrix::from_nan(1, 5, &[1.0; 5]).unwrap();
        let error = learner.learn(wide.row(0), 1.0, 1.0).unwrap_err();
        assert_eq!(error.to_string(), "features of the row: expected 4, got 5");
        assert!(learner.predict(wide.row(0)).is_err());
        assert_eq!(learner.to_bytes(), before);
    }
}

#[test]
fn a_row_with_nothing_observed_is_predicted_and_learnt_from() {
    for settings in every_setting(3) {
        let stream = stream(50, 3, 0.3, settings.loss, 46);
        let mut learner = settings.start(3).unwrap();
        feed(&mut learner, &stream, 0..50);
        let empty = MaskedMatrix::from_nan(1, 3, &[f64::NAN; 3]).unwrap();
        let before = entries(&learner);
        assert!(learner.predict(empty.row(0)).unwrap().abs() < 1e-300);
        learner.learn(empty.row(0), 1.0, 1.0).unwrap();
        let after = entries(&learner);
        assert_eq!(
            before,
            after[..before.len()],
            "there is nothing to learn from zeros"
        );
    }
}

#[test]
fn a_learner_without_features_predicts_zero() {
    let mut learner = MirrorDescent::default().start(0).unwrap();
    let mut table = MaskedMatrix::new(0);
    table.push_row([]).unwrap();
    let learnt = learner.learn(table.row(0), 1.0, 1.0).unwrap();
    assert!(learnt.prediction.abs() < 1e-300 && !learnt.clipped);
    learner.add_column("first").unwrap();
    let table = MaskedMatrix::from_nan(1, 1, &[1.0]).unwrap();
    learner.learn(table.row(0), 1.0, 1.0).unwrap();
    assert!(learner.predict(table.row(0)).unwrap() > 0.0);
}

/// The rows with a column more: missing everywhere, or a number.
fn wider(table: &MaskedMatrix, new: Option<f64>) -> MaskedMatrix {
    let mut wider = MaskedMatrix::new(table.n_cols() + 1);
    for row in table.rows() {
        let cells = (0..table.n_cols()).map(|j| row.get(j));
        wider.push_row(cells.chain([new])).unwrap();
    }
    wider
}

#[test]
fn a_new_column_leaves_predictions_as_they_are_and_can_be_learnt() {
    for d in [3, 8, 64] {
        for settings in all_settings(d) {
            if matches!(settings.psi, MaskFeatures::Subsets(2)) && d > 8 {
                continue;
            }
            let mut stream = stream(60, d, 0.3, settings.loss, 47);
            let mut learner = settings.start(d).unwrap();
            feed(&mut learner, &stream, 0..40);
            let before: Vec<_> = stream
                .table
                .rows()
                .map(|r| learner.predict(r).unwrap())
                .collect();
            // a prediction is a sum, and rounds like its terms
            let size = entries(&learner).iter().fold(1.0f64, |m, a| m.max(a.abs()));
            learner.add_column("new").unwrap();
            assert_eq!(learner.feature_names().last().unwrap(), "new");
            let known = wider(&stream.table, None);
            // With ten patterns there is no column left for the rows that used to be complete.
            let is_full = learner.psi().n_columns() == 11;
            let is_pattern = matches!(settings.psi, MaskFeatures::Pattern(_));
            for (i, (row, before)) in known.rows().zip(before).enumerate() {
                let after = learner.predict(row).unwrap();
                let was_complete = stream.table.row(i).observed().count() == d;
                if !(is_pattern && is_full && was_complete) {
                    let off = (after - before).abs();
                    assert!(
                        off <= 1e-12 * before.abs().max(size),
                        "{settings:?}: {off:e}"
                    );
                }
            }
            stream.table = wider(&stream.table, Some(0.5));
            feed(&mut learner, &stream, 40..60);
            assert_finite(&learner);
            let resumed = OnlineLearner::from_bytes(&learner.to_bytes()).unwrap();
            assert_eq!(resumed.to_bytes(), learner.to_bytes());
        }
    }
}

#[test]
fn a_new_column_had_been_missing_all_along() {
    for psi in [
        MaskFeatures::Constant,
        MaskFeatures::Identity,
        MaskFeatures::Subsets(2),
    ] {
        let settings = MirrorDescent {
            psi,
            mirror: Mirror::Frob,
            ..MirrorDescent::default()
        };
        let stream = stream(200, 4, 0.3, Loss::Squared, 48);
        let mut grown = settings.start(4).unwrap();
        feed(&mut grown, &stream, 0..200);
        grown.add_column("x4").unwrap();
        let mut wide = settings.start(5).unwrap();
        for (i, row) in wider(&stream.table, None).rows().enumerate() {
            wide.learn(row, stream.targets[i], stream.weights[i])
                .unwrap();
        }
        for (a, b) in entries(&grown).iter().zip(entries(&wide)) {
            assert!((a - b).abs() < 1e-13, "{psi}: {a} {b}");
        }
    }
}

#[test]
fn a_name_comes_once() {
    let mut learner = MirrorDescent::default().start(2).unwrap();
    let error = learner.add_column("x1").unwrap_err();
    assert_eq!(
        error.to_string(),
        "feature names: expected distinct names, got 'x1' twice"
    );
    let names = vec!["a".to_owned(), "b".to_owned(), "a".to_owned()];
    assert!(OnlineLearner::new(MirrorDescent::default(), names).is_err());
}

#[test]
fn a_row_of_means_that_no_column_listens_to_moves_nothing() {
    // With ψ = z and everything missing ψ is zero, though the filled row is not.
    let settings = MirrorDescent {
        psi: MaskFeatures::Identity,
        fill: Fill::Mean,
        step: Step::Constant { eta: 1e100 },
        ..MirrorDescent::default()
    };
    let stream = stream(40, 3, 0.3, Loss::Squared, 49);
    let mut learner = settings.start(3).unwrap();
    feed(&mut learner, &stream, 0..40);
    let before = entries(&learner);
    let empty = MaskedMatrix::from_nan(1, 3, &[f64::NAN; 3]).unwrap();
    learner.learn(empty.row(0), 1e150, 1.0).unwrap();
    assert_eq!(entries(&learner), before);
    assert!(before.iter().any(|a| a.abs() > 1e-3));
}
