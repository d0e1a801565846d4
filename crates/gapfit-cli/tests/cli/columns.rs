//! Columns that are no numbers: categories, truths, dates, ids.

use super::{Place, json};
use std::fs;

/// Huts whose price depends on colour, lake and age; some colours are missing, two are rare.
fn huts(rows: usize) -> String {
    let mut text = "number,colour,lake,built,size,price\n".to_owned();
    for i in 0..rows {
        let colour = match i {
            7 => "teal",
            8 => "plum",
            _ if i % 9 == 4 => "",
            _ => ["red", "green", "dark blue"][i * i % 7 % 3],
        };
        let lake = ["true", "false"][i % 2];
        let (day, size) = (1 + i % 28, (i * 7 % 31) as f64);
        let month = 1 + i % 12;
        let price = size + 10.0 * colour.len() as f64 + 3.0 * (i % 2) as f64 + month as f64 / 4.0;
        text += &format!("hut {i},{colour},{lake},2024-{month:02}-{day:02},{size},{price}\n");
    }
    text
}

fn fitted() -> Place {
    let place = Place::with("t.csv", &huts(200));
    place.success("fit t.csv --target price --id number --dates built -o m");
    place
}

fn header(place: &Place) -> serde_json::Value {
    let bytes = fs::read(place.path("m")).unwrap();
    let length = u64::from_le_bytes(bytes[..8].try_into().unwrap()) as usize;
    let outer = json(std::str::from_utf8(&bytes[8..8 + length]).unwrap());
    json(outer["__metadata__"]["gapfit"].as_str().unwrap())
}

#[test]
fn kinds_are_guessed_and_kept_in_the_model() {
    let header = header(&fitted());
    let features = [
        "colour=green",
        "colour=dark blue",
        "colour=red",
        "colour=other",
        "lake",
        "built",
        "size",
    ];
    assert_eq!(header["features"], serde_json::json!(features));
    let schema = &header["schema"];
    let kinds: Vec<_> = (0..4)
        .map(|j| schema[j]["kind"].as_str().unwrap())
        .collect();
    assert_eq!(kinds, ["categorical", "boolean", "date", "numeric"]);
    assert_eq!(schema[0]["pooled"], serde_json::json!(["plum", "teal"]));
}

#[test]
fn the_model_explains_the_table_it_was_made_for() {
    let place = fitted();
    let scores = json(&place.success("evaluate m t.csv --json"));
    assert!(scores["r2"].as_f64().unwrap() > 0.95, "{scores}");
    let missing: Vec<_> = scores["by_missing"].as_array().unwrap().iter().collect();
    assert_eq!(missing.len(), 2, "a missing colour counts once: {scores}");
    place.success("bounds m t.csv --draws 2");
    place.success(
        "compare t.csv --target price --id number --dates built --methods mean,irr --folds 2",
    );
}

#[test]
fn an_unseen_category_is_a_missing_one_and_is_told() {
    let place = fitted();
    let row = |colour: &str| format!("colour,lake,built,size\n{colour},true,2024-05-01,12\n");
    for (name, colour) in [
        ("missing", ""),
        ("unseen", "pink"),
        ("pooled", "teal"),
        ("red", "red"),
    ] {
        place.write(&format!("{name}.csv"), &row(colour));
    }
    let predict = |name: &str| place.run(&format!("predict m {name}.csv"));
    let unseen = predict("unseen");
    assert_eq!(unseen.stdout, predict("missing").stdout);
    assert!(
        unseen.stderr.contains(
            "unseen.csv: categories that training did not have: 'colour' (1); taken as missing"
        ),
        "{}",
        unseen.stderr
    );
    let pooled = predict("pooled");
    assert!(
        !pooled.stderr.contains("training did not have"),
        "{}",
        pooled.stderr
    );
    assert_ne!(pooled.stdout, unseen.stdout);
    assert_ne!(predict("red").stdout, unseen.stdout);
}

#[test]
fn a_category_prediction_is_the_one_of_features_encoded_by_hand() {
    let place = fitted();
    place.write(
        "a.csv",
        "colour,lake,built,size\ngreen,false,2024-01-01,3\n",
    );
    place.write(
        "b.ndjson",
        "{\"size\":3,\"built\":\"2024-01-01\",\"lake\":0,\"colour\":\"green\"}\n",
    );
    assert_eq!(
        place.success("predict m a.csv"),
        place.success("predict m b.ndjson")
    );
}

#[test]
fn ids_mixed_columns_and_dates_are_refused_with_a_hint() {
    let place = Place::with("t.csv", &huts(60));
    let ids = place.failure(1, "fit t.csv --target price -o m");
    assert!(
        ids.contains(r#"error: t.csv, column 1 ("number"): expected categories that repeat, got 60 different texts in 60 cells"#),
        "{ids}"
    );
    assert!(
        ids.contains("hint: leave the column out by --id or --ignore"),
        "{ids}"
    );
    let dates = place.failure(
        1,
        "fit t.csv --target price --id number --dates colour -o m",
    );
    assert!(
        dates.contains(r#"line 2, column 2 ("colour"): expected a date such as"#),
        "{dates}"
    );
    let numeric = place.failure(
        1,
        "fit t.csv --target price --id number --numeric colour -o m",
    );
    assert!(
        numeric.contains(r#"column 2 ("colour"): expected a number"#),
        "{numeric}"
    );
    let twice = place.failure(
        1,
        "fit t.csv --target price --numeric size --categorical size -o m",
    );
    assert!(
        twice.contains("expected different columns for numeric and categorical"),
        "{twice}"
    );
}

#[test]
fn numbers_can_be_categories_and_simulated_holes_take_whole_groups() {
    let mut text = "zip,x,y\n".to_owned();
    for i in 0..80 {
        text += &format!("{:05},{},{}\n", i % 3, i % 7, i % 3 * 5 + i % 7);
    }
    let place = Place::with("t.csv", &text);
    place.success("fit t.csv --target y --categorical zip --simulate-holes 0.2 -o m");
    let header = header(&place);
    assert_eq!(
        header["schema"][0]["levels"],
        serde_json::json!(["00000", "00001", "00002"])
    );
    assert_eq!(header["holes"].as_array().unwrap().len(), 4);
    let model = place.success("evaluate m t.csv --json");
    assert!(json(&model)["r2"].as_f64().unwrap() > 0.8, "{model}");
}

#[test]
fn constant_and_empty_columns_keep_their_place_with_weight_zero() {
    let mut text = "none,same,one,x,y\n".to_owned();
    for i in 0..40 {
        text += &format!(",3,here,{},{}\n", i % 7, i % 7 * 2);
    }
    let place = Place::with("t.csv", &text);
    let run = place.run("fit t.csv --target y -o m");
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(
        run.stderr.contains("nothing is observed in 'none'"),
        "{}",
        run.stderr
    );
    let others = "no cell is missing in the other columns: ";
    assert!(run.stderr.contains(others), "{}", run.stderr);
    assert_eq!(
        header(&place)["features"],
        serde_json::json!(["none", "same", "one=here", "x"])
    );
    place.write("p.csv", "none,same,one,x\n5,3,here,2\n,1000,,2\n");
    let predictions = place.success("predict m p.csv");
    let numbers: Vec<f64> = predictions
        .lines()
        .skip(1)
        .map(|l| l.parse().unwrap())
        .collect();
    assert!((numbers[0] - 4.0).abs() < 0.2, "{predictions}");
    assert!((numbers[0] - numbers[1]).abs() < 1e-9, "{predictions}");
}

#[test]
fn dates_that_are_taken_as_categories_are_pointed_out() {
    let rows = (0..60).map(|i| format!("2024-01-{:02},{},{}\n", 1 + i % 9, i % 7, i % 5));
    let place = Place::with("t.csv", &format!("day,x,y\n{}", rows.collect::<String>()));
    let fit = "fit t.csv --target y --alpha 1 --gamma 1 -o m";
    let expected = "the dates in \"day\" are taken as categories; --dates day makes days of them";
    let told = |flags: &str| {
        place
            .run(&format!("{fit} {flags}"))
            .stderr
            .contains(expected)
    };
    assert!(told(""));
    assert!(!told("--dates day") && !told("--categorical day") && !told("--ignore day"));
}

#[test]
fn a_category_is_explained_as_one_and_counts_once() {
    let place = fitted();
    let text = place.success("predict m t.csv --explain");
    let mut lines = text.lines();
    let header = "prediction,base,contribution_colour,contribution_lake,contribution_built,contribution_size";
    assert_eq!(lines.next(), Some(header));
    for line in lines {
        let numbers: Vec<f64> = line.split(',').map(|cell| cell.parse().unwrap()).collect();
        let sum: f64 = numbers[1..].iter().sum();
        assert!((numbers[0] - sum).abs() < 1e-9, "{line}");
    }
    let card = json(&place.success("inspect m --json"));
    let missing = card["held_out"]["intervals"].as_array().unwrap().iter();
    let missing: Vec<_> = missing.map(|g| g["missing"].as_u64().unwrap()).collect();
    assert!(missing.iter().all(|&m| m <= 1), "{card}");
    place.write("new.csv", "colour,lake,built,size\nred,,2024-05-01,12\n");
    let message = place.failure(1, "predict m new.csv --on-new-missing error");
    assert!(message.contains("got some in 'lake' (1)"), "{message}");
}

#[test]
fn holes_of_every_kind_are_filled_with_cells_of_that_kind() {
    let place = Place::with("t.csv", &huts(200));
    place.success("fit t.csv --target price --id number --dates built --base mean -o m");
    let table = "number,colour,lake,built,size\n1,,true,2024-05-01,12\n2,pink,,,\n";
    place.write("new.csv", table);
    let run = place.run("impute m new.csv");
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(run.stderr.contains("4 holes filled"), "{}", run.stderr);
    let rows: Vec<Vec<&str>> = run.stdout.lines().map(|l| l.split(',').collect()).collect();
    assert!(
        ["red", "green", "dark blue"].contains(&rows[1][1]),
        "{rows:?}"
    );
    assert_eq!(rows[2][1], "pink", "an unseen category is no hole");
    assert!(["true", "false"].contains(&rows[2][2]), "{rows:?}");
    assert!(rows[2][3].starts_with("2024-0"), "{rows:?}");
    assert!(rows[2][4].parse::<f64>().is_ok(), "{rows:?}");
}
