//! What every rule promises behind the one door: the units of columns do not matter, columns may come later.

use crate::stream::{Stream, feed, path, stream};
use crate::wild::assert_sound;
use gapfit::data::{MaskedMatrix, RowBuffer};
use gapfit::loss::Loss;
use gapfit::online::{
    Adaptive, AdaptiveRule, Auto, Learn, MaskFeatures, MirrorDescent, Rule, Step, StreamLearner,
    Streaming, Units,
};

/// Every rule without a unit of its own, in every unit.
pub(crate) fn every_rule(loss: Loss, d: usize) -> Vec<Streaming> {
    let mut all = Vec::new();
    for units in [Units::Raw, Units::Unit, Units::Standard] {
        for rule in [AdaptiveRule::Coin, AdaptiveRule::AdaGrad] {
            let settings = Adaptive {
                rule,
                psi: MaskFeatures::Affine,
                loss,
                support: if units == Units::Unit {
                    path(d)
                } else {
                    Default::default()
                },
            };
            all.push(Streaming {
                rule: Rule::Adaptive(settings),
                units,
            });
        }
        let descent = MirrorDescent {
            loss,
            step: Step::Relative { rate: 0.25 },
            ..MirrorDescent::default()
        };
        all.push(Streaming {
            rule: Rule::Descent(descent),
            units,
        });
    }
    for support in [None, Some(path(d))] {
        all.push(Streaming {
            rule: Rule::Auto(Auto { loss, support }),
            units: Units::Raw,
        });
    }
    all
}

pub(crate) fn start(settings: &Streaming, d: usize) -> StreamLearner {
    let names = (0..d).map(|j| format!("f{j}")).collect();
    settings.start(names).unwrap()
}

/// Whether predictions cannot depend on the units of columns.
fn is_scale_free(settings: &Streaming) -> bool {
    !matches!(settings.rule, Rule::Descent(_)) || settings.units != Units::Raw
}

/// The same stream with every column multiplied by a number.
fn scaled(stream: &Stream, by: &[f64]) -> Stream {
    let mut table = MaskedMatrix::new(by.len());
    for row in stream.table.rows() {
        let cells = by
            .iter()
            .enumerate()
            .map(|(j, by)| row.get(j).map(|x| x * by));
        table.push_row(cells).unwrap();
    }
    Stream {
        table,
        targets: stream.targets.clone(),
        weights: stream.weights.clone(),
    }
}

fn predictions(settings: &Streaming, stream: &Stream) -> Vec<f64> {
    let mut learner = start(settings, stream.table.n_cols());
    let rows = (0..stream.targets.len()).map(|i| {
        let (row, target) = (stream.table.row(i), stream.targets[i]);
        learner
            .learn(row, target, stream.weights[i])
            .unwrap()
            .prediction
    });
    rows.collect()
}

#[test]
fn the_unit_of_a_column_does_not_matter() {
    for loss in Loss::ALL {
        let plain = stream(400, 5, 0.3, loss, 71);
        let other = scaled(&plain, &[1e6, 1e-6, 1.0, -1e6, 3.0]);
        for settings in every_rule(loss, 5).iter().filter(|s| is_scale_free(s)) {
            let pairs = predictions(settings, &plain)
                .into_iter()
                .zip(predictions(settings, &other));
            for (i, (a, b)) in pairs.enumerate() {
                assert!(
                    (a - b).abs() <= 1e-6 * a.abs().max(1.0),
                    "{i}: {a} {b} {settings:?}"
                );
            }
        }
    }
}

#[test]
fn powers_of_two_change_no_bit() {
    for loss in Loss::ALL {
        let plain = stream(300, 5, 0.3, loss, 72);
        let powers = [20, -20, 0, 7, -33].map(|k| f64::from(k).exp2());
        let other = scaled(&plain, &powers);
        for settings in every_rule(loss, 5).iter().filter(|s| is_scale_free(s)) {
            let pairs = predictions(settings, &plain)
                .into_iter()
                .zip(predictions(settings, &other));
            for (i, (a, b)) in pairs.enumerate() {
                assert_eq!(a.to_bits(), b.to_bits(), "{i}: {a} {b} {settings:?}");
            }
        }
    }
}

#[test]
fn a_refused_row_changes_nothing() {
    for loss in [Loss::Squared, Loss::Logistic] {
        let stream = stream(150, 4, 0.3, loss, 75);
        for settings in every_rule(loss, 4) {
            let mut learner = start(&settings, 4);
            feed(&mut learner, &stream, 0..150);
            let before = learner.to_bytes();
            let row = stream.table.row(0);
            for target in [f64::NAN, f64::INFINITY, 1e151] {
                assert!(learner.learn(row, target, 1.0).is_err());
            }
            for weight in [f64::NAN, -1.0, f64::INFINITY, 1e101] {
                assert!(learner.learn(row, 1.0, weight).is_err());
            }
            let wide = MaskedMatrix::from_nan(1, 5, &[1.0; 5]).unwrap();
            let error = learner.learn(wide.row(0), 1.0, 1.0).unwrap_err();
            assert_eq!(error.to_string(), "features of the row: expected 4, got 5");
            assert!(learner.predict(wide.row(0)).is_err());
            assert!(learner.add_column("f2").is_err());
            learner.learn(row, 1.0, 0.0).unwrap();
            assert_eq!(learner.to_bytes(), before, "{settings:?}");
        }
    }
}

#[test]
fn infinite_values_do_not_get_into_a_row() {
    for x in [f64::INFINITY, f64::NEG_INFINITY] {
        assert!(RowBuffer::new(2).set(1, x).is_err());
        assert!(MaskedMatrix::from_nan(1, 2, &[1.0, x]).is_err());
        assert!(MaskedMatrix::new(1).push_row([Some(x)]).is_err());
    }
}

#[test]
fn a_column_that_comes_later_is_learnt() {
    for loss in Loss::ALL {
        let mut stream = stream(900, 4, 0.2, loss, 76);
        let mut wide = MaskedMatrix::new(5);
        for (i, row) in stream.table.rows().enumerate() {
            // The new column tells the target, in its own unit; now and then it is absent.
            let new = (i % 5 > 0).then_some(1e4 * stream.targets[i]);
            wide.push_row((0..4).map(|j| row.get(j)).chain([new]))
                .unwrap();
        }
        for settings in every_rule(loss, 4).iter().filter(|s| is_scale_free(s)) {
            let mut learner = start(settings, 4);
            let mut without = start(settings, 4);
            feed(&mut learner, &stream, 0..300);
            feed(&mut without, &stream, 0..900 - 300);
            learner.add_column("new").unwrap();
            assert_eq!(learner.feature_names().last().unwrap(), "new");
            let narrow = std::mem::replace(&mut stream.table, wide.clone());
            feed(&mut learner, &stream, 300..600);
            let loss = feed(&mut learner, &stream, 600..900);
            stream.table = narrow;
            let blind = feed(&mut without, &stream, 600..900);
            assert!(
                loss < blind - 0.1 * blind.abs(),
                "{loss} {blind} {settings:?}"
            );
            assert_sound(&learner);
        }
    }
}

#[test]
fn columns_that_come_at_once_are_those_that_come_one_by_one_and_all_or_none() {
    let names = |names: &[&str]| {
        names
            .iter()
            .map(|n| (*n).to_owned())
            .collect::<Vec<String>>()
    };
    for loss in [Loss::Squared, Loss::Logistic] {
        let stream = stream(150, 4, 0.3, loss, 78);
        for settings in every_rule(loss, 4) {
            let mut learner = start(&settings, 4);
            feed(&mut learner, &stream, 0..150);
            let mut twin = learner.clone();
            for taken in [["new", "f2"], ["new", "new"]] {
                assert!(learner.add_columns(&names(&taken)).is_err());
            }
            assert_eq!(learner.to_bytes(), twin.to_bytes());
            learner.add_columns(&names(&["p", "q", "r"])).unwrap();
            for name in ["p", "q", "r"] {
                twin.add_column(name).unwrap();
            }
            assert_eq!(learner.to_bytes(), twin.to_bytes(), "{settings:?}");
        }
    }
}

#[test]
fn a_target_or_weight_that_would_be_refused_can_be_told_before() {
    let learner = start(&Streaming::default(), 2);
    assert!(learner.check(1.0, 1.0).is_ok());
    for (target, weight) in [(f64::NAN, 1.0), (1e151, 1.0), (1.0, -1.0), (1.0, 1e101)] {
        assert!(learner.check(target, weight).is_err());
    }
}

#[test]
fn what_is_predicted_is_what_learning_predicts() {
    for loss in Loss::ALL {
        let stream = stream(200, 4, 0.3, loss, 77);
        for settings in every_rule(loss, 4) {
            let (mut learner, mut twin) = (start(&settings, 4), start(&settings, 4));
            for i in 0..200 {
                let (row, y, weight) = (stream.table.row(i), stream.targets[i], stream.weights[i]);
                let before = learner.predict(row).unwrap();
                let learnt = learner.learn(row, y, weight).unwrap();
                assert_eq!(
                    before.to_bits(),
                    learnt.prediction.to_bits(),
                    "{settings:?}"
                );
                assert_eq!(twin.learn(row, y, weight).unwrap(), learnt);
            }
            assert_eq!(learner.to_bytes(), twin.to_bytes(), "deterministic");
        }
    }
}
