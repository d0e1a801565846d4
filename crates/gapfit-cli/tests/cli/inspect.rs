use super::model::fitted;
use super::{Place, holey, json, keys};

#[test]
fn the_card_has_the_documented_keys_and_true_numbers() {
    let place = fitted();
    let card = json(&place.success("inspect m --json"));
    let expected = "alpha average_prediction base certificate clip constant features gamma held_out intercept kind \
                    loss method n_features n_rows observed_fraction scale support target training_rmse";
    assert_eq!(keys(&card), expected.split_whitespace().collect::<Vec<_>>());
    assert_eq!(
        keys(&card["certificate"]),
        ["gap", "iterations", "lower_bound", "objective", "status"]
    );
    assert!(card["certificate"]["gap"].as_f64().unwrap() <= 1e-8);
    assert_eq!(
        (&card["n_rows"], &card["target"]),
        (&200.into(), &"y".into())
    );
    let feature = |name: &str| {
        card["features"]
            .as_array()
            .unwrap()
            .iter()
            .find(|f| f["name"] == name)
            .unwrap()
            .clone()
    };
    assert_eq!(feature("a")["missing"], 0.0);
    assert_eq!(feature("c")["missing"], 0.25);
    assert!(feature("b")["missing"].as_f64().unwrap() > 0.1);
    assert!(
        (feature("a")["weight"].as_f64().unwrap() - 2.0).abs() < 0.3,
        "{card}"
    );
    // b is missing where it is large, and its weight is negative: a hole lowers the prediction
    assert!(
        feature("b")["effect_of_missing"].as_f64().unwrap() < -0.5,
        "{card}"
    );
    assert!(feature("a")["shifts"].as_array().unwrap().is_empty());
    assert!(!feature("b")["shifts"].as_array().unwrap().is_empty());
}

#[test]
fn the_effect_of_a_hole_is_that_of_predict() {
    let place = fitted();
    let card = json(&place.success("inspect m --json"));
    let features = card["features"].as_array().unwrap();
    let mean = |name: &str| {
        features.iter().find(|f| f["name"] == name).unwrap()["mean"]
            .as_f64()
            .unwrap()
    };
    let (a, b, c) = (mean("a"), mean("b"), mean("c"));
    place.write(
        "average.csv",
        &format!("a,b,c\n{a:?},{b:?},{c:?}\n{a:?},,{c:?}\n"),
    );
    let predicted = super::model::predictions(&place.success("predict m average.csv"));
    let told = features.iter().find(|f| f["name"] == "b").unwrap()["effect_of_missing"]
        .as_f64()
        .unwrap();
    assert!((predicted[1] - predicted[0] - told).abs() < 1e-9);
    assert!((predicted[0] - card["average_prediction"].as_f64().unwrap()).abs() < 1e-9);
}

#[test]
fn people_get_text_or_markdown() {
    let place = fitted();
    let text = place.success("inspect m");
    for part in [
        "irr:mean for \"y\"",
        "200 rows, 3 features",
        "gap",
        "RMSE",
        "90 of 100 in",
        "never missing in training",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    let markdown = place.success("inspect m --markdown --top 1");
    assert!(
        markdown.starts_with("# irr:mean for \"y\"\n\n## Training\n\n* table: "),
        "{markdown}"
    );
    assert_eq!(
        markdown
            .lines()
            .filter(|line| line.starts_with("| a |"))
            .count(),
        2
    );
    assert_eq!(
        markdown
            .lines()
            .filter(|line| line.starts_with("| b |"))
            .count(),
        0
    );
    place.success("fit t.csv --target y -o bare --method mean --alpha 0.01 --no-calibration");
    let bare = place.success("inspect bare");
    assert!(
        bare.contains("nothing: fitted without calibration"),
        "{bare}"
    );
    let message = place.failure(2, "inspect m --json --markdown");
    assert!(message.contains("cannot be used with"), "{message}");
    assert!(
        place
            .failure(1, "inspect t.csv")
            .starts_with("error: t.csv: model file: ")
    );
}

#[test]
fn a_model_of_a_stream_has_a_card_too() {
    let place = Place::with("t.csv", &holey(50));
    place.success("stream t.csv --target y --model s");
    let card = json(&place.success("inspect s --json"));
    assert_eq!(
        keys(&card),
        "clipped experts features kind loss n_rows progressive rule target typical_prediction"
            .split(' ')
            .collect::<Vec<_>>()
    );
    assert_eq!(
        (&card["kind"], &card["n_rows"]),
        (&"stream".into(), &50.into())
    );
    let names = card["features"].as_array().unwrap().iter();
    let names: Vec<_> = names.map(|f| f["name"].as_str().unwrap()).collect();
    assert_eq!(names[0], "a", "the law is 2 a - b + c / 2: {card}");
    let share: f64 = card["experts"]
        .as_array()
        .unwrap()
        .iter()
        .map(|e| e["share"].as_f64().unwrap())
        .sum();
    assert!((share - 1.0).abs() < 1e-9, "{card}");
    let text = place.success("inspect s --top 2");
    assert!(
        text.contains("50 learnt from") && text.contains("auto, loss squared"),
        "{text}"
    );
    place.success("stream t.csv --target y --step coin --model c");
    let card = json(&place.success("inspect c --json"));
    assert_eq!(card["rule"], "coin");
    assert_eq!(card["experts"], serde_json::json!([]));
    let markdown = place.success("inspect c --markdown");
    assert!(markdown.contains("## Features"), "{markdown}");
}
