//! One bad row does not spoil a learner, by any rule.

use crate::container::Parts;
use crate::stream::{Stream, feed, stream};
use crate::streaming::{every_rule, start};
use gapfit::data::MaskedMatrix;
use gapfit::loss::Loss;
use gapfit::online::{Learn, Rule, StreamLearner, Streaming};

/// Whether a row is one that the rule has to believe: gradient descent has no idea of usual targets and
/// weights.
fn is_believed(settings: &Streaming, target: f64, weight: f64) -> bool {
    matches!(settings.rule, Rule::Descent(_)) && (target.abs() > 1e100 || weight > 1e50)
}

/// Checks every number of the state.
#[track_caller]
pub(crate) fn assert_sound(learner: &StreamLearner) {
    let bytes = learner.to_bytes();
    for (name, _, cells) in Parts::of(&bytes).tensors {
        for cell in cells.chunks_exact(8) {
            let number = f64::from_le_bytes(cell.try_into().unwrap());
            assert!(number.is_finite(), "{name}: {number}");
        }
    }
    let resumed = StreamLearner::from_bytes(&bytes).expect("a legal state");
    assert_eq!(resumed.to_bytes(), bytes);
}

const HOLE: f64 = f64::NAN;

/// Rows that no stream should have, with targets and weights.
fn bad_rows(loss: Loss) -> Vec<([f64; 4], f64, f64)> {
    let mut rows = vec![
        ([HOLE; 4], 1.0, 1.0),
        ([1e308, 0.1, HOLE, 0.2], 1.0, 1.0),
        ([-1e308, 1e308, 1e308, -1e308], -1.0, 1.0),
        ([1e-308, 1e-308, -5e-324, 0.0], 1.0, 1.0),
        ([1e50, HOLE, HOLE, -1e9], -1.0, 1.0),
        ([0.1, 0.2, HOLE, -0.3], 1.0, 1e100),
        ([0.1, 0.2, HOLE, -0.3], -1.0, 1e-100),
        ([0.1, 0.2, 0.3, HOLE], -1.0, 0.0),
    ];
    if !loss.is_classification() {
        rows.push(([0.1, HOLE, 0.5, -0.3], 1e150, 1.0));
        rows.push(([1e308, 0.2, 0.5, -0.3], -1e150, 1e100));
        rows.push(([0.1, HOLE, 0.5, -0.3], 1e-308, 1.0));
    }
    rows
}

fn learn_one(learner: &mut StreamLearner, (cells, target, weight): ([f64; 4], f64, f64)) {
    let table = MaskedMatrix::from_nan(1, 4, &cells).unwrap();
    let learnt = learner.learn(table.row(0), target, weight).unwrap();
    assert!(learnt.prediction.is_finite() && learnt.loss.is_finite());
    assert!(learner.predict(table.row(0)).unwrap().is_finite());
}

/// The loss of predicting zero.
fn of_zero(stream: &Stream, loss: Loss, rows: std::ops::Range<usize>) -> f64 {
    rows.map(|i| stream.weights[i] * loss.value(0.0, stream.targets[i]))
        .sum()
}

/// All but the linear loss, which has no least value to come near.
fn bounded_losses() -> impl Iterator<Item = Loss> {
    Loss::ALL.into_iter().filter(|&loss| loss != Loss::Linear)
}

#[test]
fn a_bad_row_leaves_a_learner_nearly_as_good_as_it_was() {
    for loss in bounded_losses() {
        let stream = stream(1000, 4, 0.2, loss, 73);
        for settings in every_rule(loss, 4) {
            let mut spared = start(&settings, 4);
            feed(&mut spared, &stream, 0..300);
            let before = spared.clone();
            let best = feed(&mut spared, &stream, 300..1000);
            let nothing = of_zero(&stream, loss, 300..1000);
            for bad in bad_rows(loss) {
                let mut learner = before.clone();
                learn_one(&mut learner, bad);
                let loss = feed(&mut learner, &stream, 300..1000);
                assert_sound(&learner);
                if is_believed(&settings, bad.1, bad.2) {
                    continue;
                }
                let about = format!("{loss} {best} {nothing} {bad:?} {settings:?}");
                assert!(loss - best < 0.25 * (nothing - best), "{about}");
            }
        }
    }
}

#[test]
fn a_bad_row_at_the_very_start_is_outgrown() {
    for loss in bounded_losses() {
        let stream = stream(1500, 4, 0.2, loss, 74);
        for settings in every_rule(loss, 4) {
            let mut spared = start(&settings, 4);
            feed(&mut spared, &stream, 0..500);
            let best = feed(&mut spared, &stream, 500..1500);
            let nothing = of_zero(&stream, loss, 500..1500);
            for bad in bad_rows(loss) {
                // Nothing tells 1e50 from a legal unit, if it comes first.
                if (1e45..1e60).contains(&bad.0[0]) {
                    continue;
                }
                let mut learner = start(&settings, 4);
                learn_one(&mut learner, bad);
                feed(&mut learner, &stream, 0..500);
                let loss = feed(&mut learner, &stream, 500..1500);
                assert_sound(&learner);
                if is_believed(&settings, bad.1, bad.2) {
                    continue;
                }
                let about = format!("{loss} {best} {nothing} {bad:?} {settings:?}");
                assert!(loss - best < 0.25 * (nothing - best), "{about}");
            }
        }
    }
}

#[test]
fn nothing_but_bad_rows_leaves_the_state_finite() {
    for loss in Loss::ALL {
        for settings in every_rule(loss, 4) {
            let mut learner = start(&settings, 4);
            for _ in 0..30 {
                for bad in bad_rows(loss) {
                    learn_one(&mut learner, bad);
                }
            }
            assert_sound(&learner);
        }
    }
}
