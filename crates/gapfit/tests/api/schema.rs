//! A model keeps the columns behind its features, and a file is believed only where they fit.

use crate::container::Parts;
use crate::sample::PARAMETERS;
use gapfit::data::{Dataset, Kind, Levels, MaskedMatrix, Schema, SchemaColumn, Value};
use gapfit::{Error, Learner, Method, Model};
use serde_json::json;

const COLOURS: [&str; 3] = ["red", "blue", "teal"];

fn schema() -> Schema {
    let owned = |texts: &[&str]| texts.iter().map(|&t| t.to_owned()).collect();
    let levels = Levels::new(owned(&COLOURS[..2]), owned(&COLOURS[2..])).unwrap();
    let column = |name: &str, kind| SchemaColumn {
        name: name.to_owned(),
        kind,
    };
    Schema::new(vec![
        column("size", Kind::Numeric),
        column("colour", Kind::Categorical(levels)),
        column("lake", Kind::Boolean),
        column("built", Kind::Date),
    ])
    .unwrap()
}

fn data() -> Dataset {
    let schema = schema();
    let mut table = MaskedMatrix::new(schema.n_features());
    let mut target = Vec::new();
    for i in 0..60 {
        let mut row = Vec::new();
        let colour = schema.level(1, COLOURS[i * i % 3]).unwrap();
        let number = |x: usize, every: usize| match i % every {
            0 => Value::Missing,
            _ => Value::Number(x as f64),
        };
        schema.encode(0, number(i * 7 % 13, 6), &mut row);
        let value = if i % 5 == 0 {
            Value::Missing
        } else {
            Value::Level(colour)
        };
        schema.encode(1, value, &mut row);
        schema.encode(2, number(i % 2, 7), &mut row);
        schema.encode(3, number(19_000 + i * i % 31, 8), &mut row);
        table.push_row(row).unwrap();
        target.push((i * 7 % 13 + 3 * colour) as f64);
    }
    Dataset::new(table, target)
        .unwrap()
        .with_schema(schema)
        .unwrap()
}

fn model(method: Method) -> Model {
    Learner::new(method).fit(&data(), PARAMETERS).unwrap().model
}

#[test]
fn every_method_fits_groups_that_go_missing_together_and_keeps_the_schema() {
    for method in Method::ALL {
        let model = model(method);
        let loaded = Model::from_bytes(&model.to_bytes()).unwrap();
        assert_eq!(loaded, model, "{method}");
        assert_eq!(loaded.schema(), Some(&schema()), "{method}");
        assert_eq!(loaded.feature_names()[1], "colour=red");
        let predictions = loaded.predict(data().features()).unwrap();
        assert!(predictions.iter().all(|f| f.is_finite()), "{method}");
    }
}

#[test]
fn a_schema_changes_no_prediction() {
    let data = data();
    let bare = data.clone().with_names(data.names().to_vec()).unwrap();
    assert!(bare.schema().is_none());
    let fitted = Learner::default().fit(&bare, PARAMETERS).unwrap();
    let predictions = fitted.model.predict(data.features()).unwrap();
    let with_schema = model(Method::default()).predict(data.features()).unwrap();
    let bits = |numbers: &[f64]| numbers.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
    assert_eq!(bits(&predictions), bits(&with_schema));
}

#[test]
fn a_schema_that_does_not_fit_the_features_is_refused() {
    let sound = Parts::of(&model(Method::default()).to_bytes());
    let column = |edit: &dyn Fn(&mut serde_json::Value)| {
        let mut parts = sound.clone();
        edit(&mut parts.header["schema"]);
        parts.join()
    };
    let altered = [
        column(&|s| *s = json!([])),
        column(&|s| *s = json!(3)),
        column(&|s| s[0]["name"] = json!("breadth")),
        column(&|s| s[0]["name"] = json!("lake")),
        column(&|s| s[0]["kind"] = json!("text")),
        column(&|s| s[0]["kind"] = json!("categorical")),
        column(&|s| s[0]["levels"] = json!(["a"])),
        column(&|s| s[0]["surplus"] = json!(1)),
        column(&|s| s[1]["kind"] = json!("numeric")),
        column(&|s| s[1]["levels"] = json!(["red"])),
        column(&|s| s[1]["levels"] = json!(["red", "red"])),
        column(&|s| s[1]["levels"] = json!(["blue", "red"])),
        column(&|s| s[1]["levels"] = json!(["red", ""])),
        column(&|s| s[1]["pooled"] = json!([])),
        column(&|s| s[1]["pooled"] = json!(["red"])),
        column(&|s| s[1]["pooled"] = json!(["teal", "teal"])),
        column(&|s| s[1] = json!({"name": "colour", "kind": "numeric"})),
    ];
    for (i, bytes) in altered.iter().enumerate() {
        let found = Model::from_bytes(bytes);
        assert!(matches!(found, Err(Error::Model { .. })), "{i}: {found:?}");
    }
    let mut without = sound.clone();
    without.header.as_object_mut().unwrap().remove("schema");
    assert!(
        Model::from_bytes(&without.join())
            .unwrap()
            .schema()
            .is_none()
    );
}
