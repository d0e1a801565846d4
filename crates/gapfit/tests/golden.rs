//! Files that earlier versions wrote are read, and predict what they predicted when they were written.
//!
//! `cargo test -p gapfit --test golden -- --ignored` writes the files that are not there yet, for kinds of
//! models that are new. Those that are there are never written again.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use gapfit::data::{Dataset, Kind, Levels, MaskedMatrix, Schema, SchemaColumn};
use gapfit::loss::Loss;
use gapfit::online::{
    Adaptive, AdaptiveRule, Auto, Learn, MirrorDescent, Rule, StreamLearner, Streaming, Units,
};
use gapfit::prepare::{Preparation, Scale};
use gapfit::support::{SupportChoice, SupportRule};
use gapfit::tune::{self, Search};
use gapfit::{Learner, Method, Model, Multiclass, Parameters, conformal};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

fn folder() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden"))
}

/// A number and a category of two levels, both with holes, and a number without.
fn data() -> Dataset {
    let levels = Levels::new(vec!["red".to_owned(), "blue".to_owned()], vec![]);
    let column = |name: &str, kind| SchemaColumn {
        name: name.to_owned(),
        kind,
    };
    let schema = Schema::new(vec![
        column("size", Kind::Numeric),
        column("colour", Kind::Categorical(levels.unwrap())),
        column("age", Kind::Numeric),
    ]);
    let mut table = MaskedMatrix::new(4);
    let mut target = Vec::new();
    for i in 0..60usize {
        let (size, age) = ((i * 7 % 13) as f64 / 4.0, (i * 5 % 11) as f64);
        let is_blue = (i * i % 3) as f64;
        let size = (i % 4 != 1).then_some(size);
        let colour = (i % 5 != 2).then_some(is_blue);
        table
            .push_row([size, colour.map(|c| 1.0 - c), colour, Some(age)])
            .unwrap();
        target.push(size.unwrap_or(4.0) + 3.0 * is_blue - age / 5.0);
    }
    let data = Dataset::new(table, target).unwrap();
    data.with_schema(schema.unwrap()).unwrap()
}

/// Models of every kind, by the names of their files.
fn models() -> BTreeMap<String, Vec<u8>> {
    let (data, mut all) = (data(), BTreeMap::new());
    let parameters = Parameters {
        alpha: 0.02,
        gamma: 0.8,
    };
    for (k, method) in Method::ALL.into_iter().enumerate() {
        let learner = Learner {
            preparation: Preparation {
                scale: [Scale::Standard, Scale::MinMax, Scale::None][k % 3],
                ..Preparation::default()
            },
            ..Learner::new(method)
        };
        let mut model = learner.fit(&data, parameters).unwrap().model;
        if k % 2 == 0 {
            let search = Search::default();
            let calibration = conformal::calibrate(&learner, parameters, &data, &search);
            model = model.with_calibration(calibration.unwrap());
        }
        let name = method.to_string().replace(':', "-");
        all.insert(name, model.to_bytes());
    }
    for (name, n_classes, multiclass) in [
        ("logistic", 2, Multiclass::Joint),
        ("multinomial", 3, Multiclass::Joint),
        ("one-vs-rest", 3, Multiclass::OneVsRest),
    ] {
        let learner = Learner {
            loss: Loss::Logistic,
            multiclass,
            ..Learner::default()
        };
        let fitted = learner.fit(&classes(&data, n_classes), parameters);
        all.insert(name.to_owned(), fitted.unwrap().model.to_bytes());
    }
    let judged = judged(&classes(&data, 2), parameters);
    all.insert("judged".to_owned(), judged.to_bytes());
    for (name, rule) in [
        ("support", SupportRule::Top(1)),
        ("constant", SupportRule::Constant),
    ] {
        let narrow = Learner {
            support: SupportChoice::Rule(rule),
            ..Learner::default()
        };
        let fitted = narrow.fit(&data, parameters).unwrap();
        all.insert(name.to_owned(), fitted.model.to_bytes());
    }
    all.insert("targets".to_owned(), targets(&data, parameters).to_bytes());
    for (name, rule, units) in streams() {
        let names = data.names().to_vec();
        let mut learner = Streaming { rule, units }.start(names).unwrap();
        for (row, y) in data.features().rows().zip(data.target()) {
            learner.learn(row, *y, 1.0).unwrap();
        }
        all.insert(format!("stream-{name}"), learner.to_bytes());
    }
    all
}

/// The same rows, their targets cut into classes.
fn classes(data: &Dataset, n_classes: usize) -> Dataset {
    let label = |y: &f64| match *y {
        y if y < 1.0 => "low",
        y if y < 3.0 && n_classes == 3 => "middle",
        _ => "high",
    };
    let labels: Vec<&str> = data.target().iter().map(label).collect();
    Dataset::classified(data.features().clone(), &labels).unwrap()
}

/// A model of classes with scores of held-out rows.
fn judged(data: &Dataset, parameters: Parameters) -> Model {
    let learner = Learner {
        loss: Loss::Logistic,
        ..Learner::default()
    };
    let judgement = tune::judge(&learner, parameters, (data, data), &Search::default());
    let model = learner.fit(data, parameters).unwrap().model;
    model.with_judgement(judgement.unwrap()).unwrap()
}

/// A model of two targets, the second without what is learnt about holes; with calibrations.
fn targets(data: &Dataset, parameters: Parameters) -> Model {
    let second = data.target().iter().map(|y| 10.0 - y * y).collect();
    let data = data.clone().with_further_target("second", second).unwrap();
    let plain = Parameters {
        gamma: 0.0,
        ..parameters
    };
    let (learner, each) = (Learner::default(), [parameters, plain]);
    let calibrations = conformal::calibrate_each(&learner, &each, &data, &Search::default());
    let model = learner.fit_each(&data, &each).unwrap().model;
    model.with_calibrations(calibrations.unwrap()).unwrap()
}

fn streams() -> [(&'static str, Rule, Units); 4] {
    let loss = Loss::Squared;
    let adaptive = |rule| {
        Rule::Adaptive(Adaptive {
            rule,
            loss,
            ..Adaptive::default()
        })
    };
    let descent = Rule::Descent(MirrorDescent {
        loss,
        ..MirrorDescent::default()
    });
    let auto = Auto {
        loss,
        support: None,
    };
    [
        ("auto", Rule::Auto(auto), Units::Raw),
        ("coin", adaptive(AdaptiveRule::Coin), Units::Standard),
        ("adagrad", adaptive(AdaptiveRule::AdaGrad), Units::Raw),
        ("descent", descent, Units::Unit),
    ]
}

/// Predictions, row by row of all targets, or the probabilities of the classes.
fn predictions(bytes: &[u8], table: &MaskedMatrix) -> Vec<f64> {
    if StreamLearner::recognises(bytes) {
        let learner = StreamLearner::from_bytes(bytes).unwrap();
        let predict = |row| learner.predict(row).unwrap();
        table.rows().map(predict).collect()
    } else {
        let model = Model::from_bytes(bytes).unwrap();
        if model.classes().is_empty() {
            return model.scores(table).unwrap();
        }
        let probabilities = model.predict_proba(table).unwrap();
        probabilities.rows().flatten().copied().collect()
    }
}

#[test]
fn files_of_earlier_versions_predict_as_they_did() {
    for name in models().keys() {
        let bytes = fs::read(folder().join(format!("{name}.gapfit"))).unwrap();
        let expected = fs::read_to_string(folder().join(format!("{name}.json"))).unwrap();
        let expected: Value = serde_json::from_str(&expected).unwrap();
        let mut table = MaskedMatrix::new(4);
        for row in expected["rows"].as_array().unwrap() {
            let cells = row.as_array().unwrap().iter();
            table.push_row(cells.map(Value::as_f64)).unwrap();
        }
        let found = predictions(&bytes, &table);
        let wanted = expected["predictions"].as_array().unwrap();
        assert_eq!(found.len(), wanted.len(), "{name}");
        for (found, wanted) in found.iter().zip(wanted) {
            let wanted = wanted.as_f64().unwrap();
            let off = (found - wanted).abs();
            assert!(
                off <= 1e-12 * (1.0 + wanted.abs()),
                "{name}: {found} {wanted}"
            );
        }
    }
}

#[test]
fn no_file_is_without_a_kind_of_model() {
    let kinds = models();
    for entry in fs::read_dir(folder()).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let kind = name.rsplit_once('.').unwrap().0;
        assert!(kinds.contains_key(kind), "{name}");
    }
}

#[test]
#[ignore = "writes the files that are not there yet"]
fn write_the_files_of_new_kinds() {
    let rows: Vec<usize> = (0..12).collect();
    let table = data().features().select_rows(&rows);
    let cells = |i: &usize| (0..4).map(|j| table.get(*i, j)).collect::<Vec<_>>();
    let rows: Vec<_> = rows.iter().map(cells).collect();
    for (name, bytes) in models() {
        let path = folder().join(format!("{name}.gapfit"));
        if path.exists() {
            continue;
        }
        let about = json!({"rows": rows, "predictions": predictions(&bytes, &table)});
        fs::write(&path, &bytes).unwrap();
        let text = format!("{about}\n");
        fs::write(folder().join(format!("{name}.json")), text).unwrap();
    }
}
