//! A saved state continues as if nothing had happened; a damaged one is refused.

use crate::container::Parts;
use crate::stream::{every_setting, feed, stream};
use gapfit::loss::Loss;
use gapfit::online::{Fill, MaskFeatures, Mirror, MirrorDescent, OnlineLearner, Step, Support};
use gapfit::{Error, Model};
use serde_json::json;

fn settings(d: usize) -> Vec<MirrorDescent> {
    let mut all = every_setting(d);
    for (s, settings) in all.iter_mut().enumerate() {
        settings.fill = [Fill::Zero, Fill::Mean][s % 2];
        settings.step = [
            Step::Constant { eta: 0.01 },
            Step::Anytime {
                radius: 0.7,
                gradient: None,
            },
            Step::Horizon {
                radius: 0.3,
                gradient: 0.1,
                rounds: 77,
            },
        ][s % 3];
    }
    all
}

#[test]
fn resuming_is_bit_identical_to_never_having_stopped() {
    for settings in settings(5) {
        let stream = stream(500, 5, 0.3, settings.loss, 61);
        let mut straight = settings.start(5).unwrap();
        let mut stopped = settings.start(5).unwrap();
        let mut at = 0;
        for next in [0, 1, 77, 300, 500] {
            let a = feed(&mut straight, &stream, at..next);
            let b = feed(&mut stopped, &stream, at..next);
            assert_eq!(a.to_bits(), b.to_bits(), "{settings:?}");
            assert_eq!(straight.to_bytes(), stopped.to_bytes());
            stopped = OnlineLearner::from_bytes(&stopped.to_bytes()).unwrap();
            at = next;
        }
        assert_eq!(stopped.rows(), 500);
        assert_eq!(stopped.settings(), &settings);
    }
}

fn state(settings: &MirrorDescent) -> Vec<u8> {
    let stream = stream(40, 3, 0.3, settings.loss, 62);
    let mut learner = settings.start(3).unwrap();
    feed(&mut learner, &stream, 0..40);
    learner.to_bytes()
}

fn patterns() -> MirrorDescent {
    MirrorDescent {
        psi: MaskFeatures::Pattern(5),
        fill: Fill::Mean,
        ..MirrorDescent::default()
    }
}

fn sparse() -> MirrorDescent {
    MirrorDescent {
        psi: MaskFeatures::Identity,
        mirror: Mirror::Sparse {
            row_penalty: 0.5,
            support: Support::grid(1, 3),
        },
        ..MirrorDescent::default()
    }
}

#[track_caller]
fn assert_refused(bytes: &[u8], about: &str) {
    match OnlineLearner::from_bytes(bytes) {
        Err(Error::Model { .. }) => {}
        other => panic!("{about}: expected a model error, got {other:?}"),
    }
}

#[test]
fn a_state_cut_short_continued_or_flipped_is_refused() {
    for settings in [patterns(), sparse()] {
        let bytes = state(&settings);
        for end in (0..bytes.len()).step_by(5) {
            assert_refused(&bytes[..end], "cut short");
        }
        assert_refused(&[&bytes[..], &[0]].concat(), "a byte more");
        for at in 0..bytes.len() {
            let mut flipped = bytes.clone();
            flipped[at] ^= 1 << (at % 8);
            assert_refused(&flipped, &format!("byte {at} flipped"));
        }
    }
}

#[test]
fn every_field_of_the_header_is_checked() {
    let altered = [
        ("format", vec![json!(2), json!("1")]),
        ("kind", vec![json!("batch"), json!(null)]),
        (
            "features",
            vec![
                json!([]),
                json!(["a", "b"]),
                json!(["a", "a", "b"]),
                json!("abc"),
            ],
        ),
        (
            "psi",
            vec![
                json!("linear"),
                json!("subsets=0"),
                json!("subsets=2"),
                json!(1),
            ],
        ),
        ("loss", vec![json!("huber"), json!(null)]),
        (
            "set",
            vec![json!("ball=-1"), json!("ball"), json!("ball=NaN")],
        ),
        (
            "step",
            vec![json!("eta=0"), json!("eta=inf"), json!("slow")],
        ),
        ("fill", vec![json!("median"), json!(0)]),
        ("row_penalty", vec![json!(-1.0), json!("1")]),
        (
            "support",
            vec![
                json!([[0], [1]]),
                json!([[0, 1], [1], [2]]),
                json!([[0], [1], [2], [3]]),
                json!([[0], [1], [7]]),
                json!(1),
            ],
        ),
        (
            "patterns",
            vec![
                json!([[1], [1], [2], [3], [5]]),
                json!([[7]]),
                json!([[8]]),
                json!([[1, 1]]),
                json!([[]]),
                json!([[0], [1], [2], [3], [4], [5]]),
                json!([[-1]]),
            ],
        ),
        ("rows", vec![json!(-1), json!(0.5)]),
        ("clipped", vec![json!(41), json!(-1)]),
        ("largest_gradient", vec![json!(-1.0), json!(null)]),
        ("mean_square", vec![json!(-1.0), json!(null), json!("1")]),
        (
            "scale",
            vec![json!(0.0), json!(2.0), json!(1e-30), json!(-1.0)],
        ),
        ("norm_squared", vec![json!(-1.0), json!("1")]),
    ];
    for settings in [patterns(), sparse()] {
        let sound = Parts::of(&state(&settings));
        assert!(OnlineLearner::from_bytes(&sound.join()).is_ok());
        let fields: Vec<_> = sound.header.as_object().unwrap().keys().cloned().collect();
        for field in fields.iter().filter(|field| *field != "checksum") {
            let listed = altered.iter().find(|(name, _)| name == field);
            let (_, values) = listed.unwrap_or_else(|| panic!("no alterations of {field}"));
            for value in values {
                let mut parts = sound.clone();
                parts.header[field] = value.clone();
                assert_refused(&parts.join(), &format!("{field} = {value}"));
            }
        }
    }
}

#[test]
fn numbers_that_no_learner_could_have_reached_are_refused() {
    for settings in [patterns(), sparse()] {
        let sound = Parts::of(&state(&settings));
        for (t, (name, ..)) in sound.tensors.iter().enumerate() {
            let most = if name == "mean_weight" { -1.0 } else { 1e151 };
            for bad in [f64::NAN, f64::INFINITY, most] {
                let mut parts = sound.clone();
                parts.tensors[t].2[..8].copy_from_slice(&bad.to_le_bytes());
                assert_refused(&parts.join(), &format!("{name}: {bad}"));
            }
            let mut parts = sound.clone();
            parts.tensors.remove(t);
            assert_refused(&parts.join(), &format!("no {name}"));
            let mut parts = sound.clone();
            parts.tensors[t].1.push(1);
            assert_refused(&parts.join(), &format!("{name} of another shape"));
        }
        let mut parts = sound.clone();
        parts
            .tensors
            .push(("spare".to_owned(), vec![1], vec![0; 8]));
        assert_refused(&parts.join(), "a surplus tensor");
    }
}

#[test]
fn a_small_file_cannot_ask_for_a_large_matrix() {
    let mut parts = Parts::of(&state(&MirrorDescent::default()));
    let names: Vec<_> = (0..11_000).map(|j| j.to_string()).collect();
    parts.header["features"] = json!(names);
    let error = OnlineLearner::from_bytes(&parts.join())
        .unwrap_err()
        .to_string();
    assert_eq!(
        error,
        "model file: tensor 'columns': expected 64-bit numbers of shape [121000000], \
         got F64 of shape [9]"
    );
}

#[test]
fn a_batch_model_and_an_online_state_are_not_mistaken_for_each_other() {
    let data = gapfit::data::Dataset::new(
        gapfit::data::MaskedMatrix::from_nan(2, 1, &[1.0, 2.0]).unwrap(),
        vec![1.0, 2.0],
    );
    let parameters = gapfit::Parameters {
        alpha: 0.1,
        gamma: 1.0,
    };
    let fitted = gapfit::Learner::default()
        .fit(&data.unwrap(), parameters)
        .unwrap();
    assert_refused(&fitted.model.to_bytes(), "a batch model");
    let online = state(&MirrorDescent {
        loss: Loss::Hinge,
        ..MirrorDescent::default()
    });
    assert!(matches!(
        Model::from_bytes(&online),
        Err(Error::Model { .. })
    ));
}
