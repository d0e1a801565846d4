use super::{Place, holey, json, keys};
use std::fs;

/// A place with a table and a model fitted on it.
pub(super) fn fitted() -> Place {
    let place = Place::with("t.csv", &holey(200));
    place.success("fit t.csv --target y -o m --alpha 0.001 --gamma 1");
    place
}

pub(super) fn predictions(text: &str) -> Vec<f64> {
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("prediction"));
    lines.map(|line| line.parse().unwrap()).collect()
}

#[test]
fn predictions_come_in_input_order_and_agree_with_evaluate() {
    let place = fitted();
    let predicted = predictions(&place.success("predict m t.csv"));
    place.success("predict m t.csv -o p.csv");
    assert_eq!(predictions(&place.read("p.csv")), predicted);
    let table = place.read("t.csv");
    let target = table
        .lines()
        .skip(1)
        .map(|line| line.rsplit(',').next().unwrap());
    let squares = target
        .zip(&predicted)
        .map(|(y, p)| (y.parse::<f64>().unwrap() - p).powi(2));
    let rmse = (squares.sum::<f64>() / 200.0).sqrt();
    let report = json(&place.success("evaluate m t.csv --target y --json"));
    assert!(
        (report["rmse"].as_f64().unwrap() - rmse).abs() < 1e-9 * rmse,
        "{rmse}"
    );
    assert!(rmse < 2.0, "{rmse}");
}

#[test]
fn columns_are_matched_by_name() {
    let place = fitted();
    place.write("a.csv", "a,b,c\n1,2,3\n4,,6\n");
    place.write("b.csv", "c;note;a;b\n3;x;1;2\n6;y;4;\n");
    let run = place.run("predict m b.csv");
    assert_eq!(run.stdout, place.success("predict m a.csv"));
    assert_eq!(
        run.stderr,
        "warning: b.csv: the model does not know \"note\": ignored\n"
    );
    assert_eq!(place.run("predict m b.csv --quiet").stderr, "");
}

#[test]
fn the_target_of_the_model_is_neither_used_nor_warned_of() {
    let place = fitted();
    place.write("a.csv", "a,b,c\n1,2,3\n4,,6\n");
    place.write("b.csv", "a,b,c,y\n1,2,3,not yet known\n4,,6,\n");
    let run = place.run("predict m b.csv");
    assert_eq!(run.stdout, place.success("predict m a.csv"));
    assert_eq!(run.stderr, "");
}

#[test]
fn evaluate_takes_the_target_of_the_model_unless_told_otherwise() {
    let place = fitted();
    let run = place.run("evaluate m t.csv");
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    assert_eq!(run.stdout, place.success("evaluate m t.csv --target y"));
    let renamed = place.read("t.csv").replacen(",y\n", ",truth\n", 1);
    place.write("u.csv", &renamed);
    let message = place.failure(1, "evaluate m u.csv");
    assert!(
        message.contains(r#"u.csv: expected the target column "y""#),
        "{message}"
    );
    assert_eq!(run.stdout, place.success("evaluate m u.csv --target truth"));
    for flag in ["target", "weight"] {
        assert_eq!(
            place.failure(1, &format!("evaluate m t.csv --{flag} a")),
            format!(
                "error: --{flag}: expected a column that is no feature of the model, got a\n\
                 hint: name another column, or fit again with the feature left out by --ignore\n"
            )
        );
    }
}

#[test]
fn an_absent_column_is_missing_in_every_row() {
    let place = fitted();
    place.write("short.csv", "a,c\n1,3\n,\n");
    place.write("holes.csv", "a,b,c\n1,,3\n,,\n");
    let run = place.run("predict m short.csv");
    let first = run.stderr.lines().next().unwrap();
    assert_eq!(
        first,
        "warning: short.csv: the table lacks \"b\": missing in every row"
    );
    assert_eq!(run.stdout, place.success("predict m holes.csv"));
    assert!(predictions(&run.stdout).iter().all(|p| p.is_finite()));
}

#[test]
fn evaluate_splits_scores_by_the_number_of_missing_features() {
    let place = fitted();
    let report = json(&place.success("evaluate m t.csv --target y --json"));
    assert_eq!(keys(&report), ["by_missing", "mae", "n_rows", "r2", "rmse"]);
    let groups = report["by_missing"].as_array().unwrap();
    let rows: u64 = groups
        .iter()
        .map(|group| group["n_rows"].as_u64().unwrap())
        .sum();
    assert_eq!(rows, 200);
    assert_eq!(keys(&groups[0]), ["mae", "missing", "n_rows", "r2", "rmse"]);
    let missing: Vec<_> = groups
        .iter()
        .map(|group| group["missing"].as_u64().unwrap())
        .collect();
    assert_eq!(missing, [0, 1, 2]);
    let table = place.success("evaluate m t.csv --target y");
    assert_eq!(table.lines().count(), 5);
    assert!(
        table.lines().next_back().unwrap().starts_with("all"),
        "{table}"
    );
}

#[test]
fn a_model_with_a_flipped_bit_gives_a_message_or_predictions() {
    let place = fitted();
    let model = fs::read(place.path("m")).unwrap();
    for at in (0..model.len()).step_by(17) {
        let mut flipped = model.clone();
        flipped[at] ^= 1 << (at % 8);
        fs::write(place.path("flipped"), &flipped).unwrap();
        let run = place.run("predict flipped t.csv");
        match run.code {
            0 => assert_eq!(predictions(&run.stdout).len(), 200, "byte {at}"),
            code => {
                assert_eq!((code, run.stdout.as_str()), (1, ""), "byte {at}");
                assert!(
                    run.stderr.contains("error: flipped: ")
                        || run.stderr.contains("error: t.csv: "),
                    "{}",
                    run.stderr
                );
            }
        }
    }
}

#[test]
fn faults_of_tables_and_models_end_with_code_1() {
    let place = fitted();
    place.write("header.csv", "a,b,c,y\n");
    place.write("other.csv", "p,q\n1,2\n");
    place.write("text.csv", "a,b,c,y\n1,2,3,4\n1,two,3,4\n");
    place.write("weightless.csv", "a,y,w\n1,2,0\n2,3,0\n");
    place.write("junk", "not a model");
    let model = fs::read(place.path("m")).unwrap();
    fs::write(place.path("short"), &model[..model.len() - 8]).unwrap();
    for (args, expected) in [
        (
            "fit t.csv --target z -o o",
            r#"t.csv: expected the target column "z", got 4 columns"#,
        ),
        (
            "fit t.csv --target y --weight y -o o",
            "expected different columns for target and weight",
        ),
        (
            "fit t.csv --target y --ignore bb -o o",
            r#"expected the ignored column "bb""#,
        ),
        (
            "fit text.csv --target y -o o",
            r#"error: text.csv, line 3, column 2 ("b"): expected a number"#,
        ),
        (
            "fit header.csv --target y -o o",
            "error: header.csv: expected rows after the header, got none",
        ),
        (
            "fit t.csv --target y --folds 500 -o o",
            "t.csv: --folds: expected at least 2 and at most the number of rows, got 500 (rows: 200)",
        ),
        ("predict junk t.csv -o o", "error: junk: "),
        ("predict none t.csv -o o", "error: none: cannot be read"),
        (
            "predict m header.csv -o o",
            "error: header.csv: expected rows after the header, got none",
        ),
        (
            "predict m header.csv",
            "error: header.csv: expected rows after the header, got none",
        ),
        (
            "fit m --target y -o o",
            "error: m, line 1: expected a column name in UTF-8, got binary data",
        ),
        ("predict short t.csv -o o", "error: short: model file: "),
        (
            "fit weightless.csv --target y --weight w -o o",
            r#"weightless.csv, column 3 ("w"): expected a positive weight in some row, got none"#,
        ),
        (
            "fit t.csv --target y -o no/m",
            "error: no/m: cannot be written: expected a folder no, got none",
        ),
        (
            "predict m text.csv -o o",
            r#"error: text.csv, line 3, column 2 ("b"): expected a number"#,
        ),
        (
            "predict m other.csv -o o",
            r#"other.csv: expected columns of the model ("a", "b", "c"), got none"#,
        ),
        (
            "evaluate m t.csv --target z",
            r#"t.csv: expected the target column "z""#,
        ),
        ("evaluate junk t.csv --target y", "error: junk: "),
    ] {
        let message = place.failure(1, args);
        let is_error = |line: &&str| line.starts_with("error: ");
        let message = message.lines().find(is_error).unwrap();
        assert!(message.contains(expected), "{args}\n{message}");
    }
}

#[test]
fn holes_where_training_had_none_are_told() {
    // Column a is complete in training, b is not.
    let place = Place::with("t.csv", &holey(100));
    place.success("fit t.csv --target y -o m --base mean");
    place.success("fit t.csv --target y -o plain --method mean");
    place.write("new.csv", "a,b,c\n,1,2\n3,,4\n,5,NA\n");
    let run = place.run("predict m new.csv");
    let expected = "holes where training had none: 'a' (2); filled by the base mean";
    assert!(run.stderr.contains(expected), "{}", run.stderr);
    assert_eq!(run.stdout.lines().count(), 4);
    assert_eq!(place.run("predict plain new.csv").stderr, "");
    assert_eq!(place.run("predict m t.csv").stderr, "");
}
