//! A model file is untrusted: damaged ones are refused, none makes the library panic.

use crate::container::Parts;
use crate::sample::{PARAMETERS, classed, holey, learner};
use gapfit::loss::Loss;
use gapfit::prepare::{Intercept, Scale};
use gapfit::tune::{self, Search};
use gapfit::{Base, Error, Learner, Method, Model};
use proptest::prelude::*;
use safetensors::tensor::{Dtype, TensorView};
use serde_json::json;
use std::collections::HashMap;

fn model(method: Method) -> Vec<u8> {
    let data = holey(40, 3, 0.3, 51);
    let learner = learner(method, Scale::Standard, Intercept::Free, 0.01);
    let fitted = learner.fit(&data, PARAMETERS).expect("legal input");
    fitted.model.to_bytes()
}

#[track_caller]
fn assert_refused(bytes: &[u8], about: &str) {
    match Model::from_bytes(bytes) {
        Err(error @ Error::Model { .. }) => {
            let text = error.to_string();
            assert!(text.starts_with("model file: "), "{about}: {text}");
        }
        other => panic!("{about}: expected a model error, got {other:?}"),
    }
}

#[test]
fn taking_apart_and_joining_keeps_a_model() {
    for method in Method::ALL {
        let bytes = model(method);
        let joined = Model::from_bytes(&Parts::of(&bytes).join()).unwrap();
        assert_eq!(joined, Model::from_bytes(&bytes).unwrap());
    }
}

#[test]
fn a_file_cut_short_or_continued_is_refused() {
    for method in Method::ALL {
        let bytes = model(method);
        for end in (0..bytes.len()).step_by(7).chain([bytes.len() - 1]) {
            assert_refused(&bytes[..end], &format!("{method}, {end} bytes"));
        }
        let longer = [&bytes[..], &[0]].concat();
        assert_refused(&longer, &format!("{method}, a byte more"));
    }
    assert_refused(b"age,income,price\n1,2,3\n", "a table");
}

#[test]
fn every_field_of_the_header_is_checked() {
    let altered = [
        (
            "format",
            vec![json!(0), json!(2), json!("1"), json!(-1), json!(1.5)],
        ),
        (
            "method",
            vec![json!("forest"), json!("irr:median"), json!(""), json!(1)],
        ),
        ("scale", vec![json!("robust"), json!(null)]),
        ("clip", vec![json!(-0.1), json!(0.5), json!("0.1")]),
        ("intercept", vec![json!("maybe"), json!(true)]),
        (
            "alpha",
            vec![json!(0.0), json!(-1.0), json!(null), json!("1")],
        ),
        ("gamma", vec![json!(-1e-9), json!([1.0])]),
        (
            "training",
            vec![
                json!(40),
                json!({"rows": 40}),
                json!({"rows": 0, "rmse": 1.0}),
                json!({"rows": -1, "rmse": 1.0}),
                json!({"rows": 40, "rmse": -1.0}),
                json!({"rows": 40, "rmse": null}),
            ],
        ),
        (
            "certificate",
            vec![
                json!(null),
                json!({"status": "fine", "iterations": 1, "objective": 1.0, "lower_bound": 1.0, "gap": 0.0}),
                json!({"status": "converged", "iterations": 1, "objective": 1.0, "lower_bound": 1.0}),
                json!({"status": "converged", "iterations": 1, "objective": 1.0, "lower_bound": 1.0, "gap": -1.0}),
                json!({"status": "converged", "iterations": 1, "objective": -1.0, "lower_bound": -1.0, "gap": 0.0}),
            ],
        ),
        (
            "calibration",
            vec![json!(1), json!({}), json!({"folds": 5})],
        ),
        (
            "features",
            vec![
                json!([]),
                json!(["a"]),
                json!(["a", "b", "c", "d"]),
                json!([1, 2, 3]),
            ],
        ),
        ("target", vec![json!(null), json!(3)]),
        (
            "live",
            vec![
                json!([]),
                json!([0, 1]),
                json!([0, 2, 1]),
                json!([0, 1, 3]),
                json!([0, 1, 1]),
                json!([-1, 1, 2]),
                json!(3),
            ],
        ),
        (
            "holes",
            vec![
                json!([]),
                json!([0, 1]),
                json!([3, 2]),
                json!([2, 4]),
                json!([2, 2]),
                json!([2, 1_000_000_000_000u64]),
            ],
        ),
    ];
    for method in [
        Method::default(),
        Method::Mask,
        Method::Lifted,
        "irr:independent".parse().unwrap(),
        "irr:gaussian".parse().unwrap(),
    ] {
        let sound = Parts::of(&model(method));
        let fields: Vec<_> = sound.header.as_object().unwrap().keys().cloned().collect();
        for field in fields.iter().filter(|field| *field != "checksum") {
            let listed = altered.iter().find(|(name, _)| name == field);
            let (_, values) = listed.unwrap_or_else(|| panic!("no alterations of {field}"));
            for value in values {
                let mut parts = sound.clone();
                parts.header[field] = value.clone();
                assert_refused(&parts.join(), &format!("{method}, {field} = {value}"));
            }
            let mut parts = sound.clone();
            parts.header.as_object_mut().unwrap().remove(field);
            assert_refused(&parts.join(), &format!("{method}, no {field}"));
        }
    }
}

#[test]
fn a_judgement_must_be_possible() {
    let data = classed(40, 3, 0.2, 2, 7);
    let learner = Learner {
        loss: Loss::Logistic,
        ..Learner::default()
    };
    let judgement = tune::judge(&learner, PARAMETERS, (&data, &data), &Search::default());
    let judgement = judgement.unwrap();
    let model = learner.fit(&data, PARAMETERS).unwrap().model;
    let model = model.with_judgement(judgement).unwrap();
    let sound = Parts::of(&model.to_bytes());
    for (field, values) in [
        ("folds", vec![json!(1), json!(-2), json!(null)]),
        ("accuracy", vec![json!(1.1), json!(-0.1), json!(null)]),
        ("auc", vec![json!(1.1), json!(-0.1), json!("high")]),
        ("log_loss", vec![json!(-0.1), json!(null)]),
        ("brier", vec![json!(-0.1), json!(null)]),
        ("calibration_error", vec![json!(-0.1), json!(null)]),
        ("surplus", vec![json!(1)]),
    ] {
        for value in values {
            let mut parts = sound.clone();
            parts.header["judgement"][field] = value.clone();
            assert_refused(&parts.join(), &format!("{field} = {value}"));
        }
        let mut parts = sound.clone();
        let judgement = parts.header["judgement"].as_object_mut().unwrap();
        if judgement.remove(field).is_some() {
            assert_refused(&parts.join(), &format!("no {field}"));
        }
    }
    // numbers have a calibration instead
    let mut parts = Parts::of(&self::model(Method::default()));
    parts.header["judgement"] = sound.header["judgement"].clone();
    assert_refused(&parts.join(), "a judgement of numbers");
    let numbers = Model::from_bytes(&self::model(Method::default())).unwrap();
    assert!(numbers.with_judgement(judgement).is_err());
}

#[test]
fn another_version_says_so() {
    let mut parts = Parts::of(&model(Method::default()));
    parts.header["format"] = json!(7);
    let error = Model::from_bytes(&parts.join()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "model file: format version: expected 1, got 7"
    );
}

#[test]
fn a_header_that_is_no_header_is_refused() {
    let parts = Parts::of(&model(Method::default()));
    for header in [
        "",
        "[]",
        "null",
        "{",
        "{\"format\": 1}",
        &"[".repeat(100_000),
    ] {
        let about = &header[..header.len().min(20)];
        assert_refused(&parts.join_as(Dtype::F64, header), about);
    }
    let views = Vec::<(&str, TensorView<'_>)>::new();
    let bare = safetensors::serialize(views, None).unwrap();
    assert_refused(&bare, "no metadata at all");
}

#[test]
fn every_number_of_every_tensor_must_be_finite() {
    for method in Method::ALL {
        let sound = Parts::of(&model(method));
        for (t, (name, shape, bytes)) in sound.tensors.iter().enumerate() {
            for at in (0..bytes.len()).step_by(8) {
                for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
                    let mut parts = sound.clone();
                    parts.tensors[t].2[at..at + 8].copy_from_slice(&bad.to_le_bytes());
                    assert_refused(
                        &parts.join(),
                        &format!("{method}, {name} {shape:?}, {bad} at {at}"),
                    );
                }
            }
        }
    }
}

#[test]
fn every_tensor_must_be_there_with_its_shape_and_type() {
    for method in Method::ALL {
        let sound = Parts::of(&model(method));
        for (t, (name, ..)) in sound.tensors.iter().enumerate() {
            let mut parts = sound.clone();
            parts.tensors.remove(t);
            assert_refused(&parts.join(), &format!("{method} without {name}"));
            let mut parts = sound.clone();
            parts.tensors[t].1.push(1);
            assert_refused(&parts.join(), &format!("{method}, {name} of another shape"));
        }
        let integers = sound.join_as(Dtype::I64, &sound.header.to_string());
        assert_refused(&integers, "integers");
    }
}

#[test]
fn scales_must_be_positive_and_bounds_in_order() {
    let sound = Parts::of(&model(Method::default()));
    for (name, number) in [
        ("scale", 0.0f64),
        ("scale", -1.0),
        ("lower", 1e9),
        ("upper", -1e9),
        ("missing", -0.1),
        ("missing", 1.1),
    ] {
        let mut parts = sound.clone();
        let tensor = parts.tensors.iter_mut().find(|t| t.0 == name).unwrap();
        tensor.2[..8].copy_from_slice(&number.to_le_bytes());
        assert_refused(&parts.join(), &format!("{name} {number}"));
    }
}

#[test]
fn a_gaussian_base_must_be_a_distribution() {
    let sound = Parts::of(&model(Method::Irr(Base::Gaussian)));
    // Positions are those of numbers in a matrix of order 3.
    for (name, changes, expected) in [
        ("spread", vec![(1, 0.0f64)], "positive numbers"),
        ("spread", vec![(2, -1.0)], "positive numbers"),
        ("correlation", vec![(4, 1.1)], "ones on the diagonal"),
        ("correlation", vec![(1, 0.3)], "a symmetric matrix"),
        (
            "correlation",
            vec![(1, 1.0), (3, 1.0)],
            "a positive definite matrix",
        ),
        (
            "correlation",
            vec![(1, -9.0), (3, -9.0)],
            "a positive definite matrix",
        ),
    ] {
        let mut parts = sound.clone();
        let tensor = parts.tensors.iter_mut().find(|t| t.0 == name).unwrap();
        for (at, number) in changes {
            tensor.2[8 * at..8 * at + 8].copy_from_slice(&number.to_le_bytes());
        }
        let error = Model::from_bytes(&parts.join()).unwrap_err().to_string();
        let text = format!("model file: tensor '{name}': expected {expected}");
        assert!(error.starts_with(&text), "{error}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn flipped_bits_are_noticed(
        method in prop::sample::select(Method::ALL.to_vec()),
        flips in prop::collection::vec((any::<prop::sample::Index>(), 0u8..8), 1..4),
    ) {
        thread_local! {
            static SOUND: HashMap<Method, Vec<u8>> =
                Method::ALL.into_iter().map(|method| (method, model(method))).collect();
        }
        let mut bytes = SOUND.with(|sound| sound[&method].clone());
        for (at, bit) in &flips {
            let at = at.index(bytes.len());
            bytes[at] ^= 1 << bit;
        }
        let (loaded, sound) = (Model::from_bytes(&bytes), SOUND.with(|sound| sound[&method].clone()));
        match loaded {
            Err(error) => prop_assert!(matches!(error, Error::Model { .. }), "{error}"),
            // Two flips of one bit undo each other.
            Ok(model) => prop_assert_eq!(model, Model::from_bytes(&sound).unwrap()),
        }
    }
}

#[test]
fn a_surplus_tensor_is_refused() {
    let mut parts = Parts::of(&model(Method::default()));
    parts
        .tensors
        .push(("spare".to_owned(), vec![1], vec![0; 8]));
    assert_refused(&parts.join(), "a surplus tensor");
}
