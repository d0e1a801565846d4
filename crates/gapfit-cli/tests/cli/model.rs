use super::{Place, holey, json, keys};
use std::fs;

/// A place with a table and a model fitted on it.
fn fitted() -> Place {
    let place = Place::with("t.csv", &holey(200));
    place.success("fit t.csv --target y -o m --alpha 0.001 --gamma 1");
    place
}

fn predictions(text: &str) -> Vec<f64> {
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("prediction"));
    lines.map(|line| line.parse().unwrap()).collect()
}

#[test]
fn fit_reports_the_documented_keys_with_a_certificate() {
    let place = Place::with("t.csv", &holey(200));
    let report = json(&place.success("fit t.csv --target y -o m --json"));
    let expected = "alpha base gamma gap iterations lower_bound method n_features n_rows objective \
                    observed_fraction seconds status";
    assert_eq!(
        keys(&report),
        expected.split_whitespace().collect::<Vec<_>>()
    );
    for part in ["read", "fit", "total"] {
        assert!(report["seconds"][part].as_f64().unwrap() >= 0.0, "{part}");
    }
    let number = |key: &str| report[key].as_f64().unwrap();
    let gap = (number("objective") - number("lower_bound")) / number("objective").abs();
    assert!((gap - number("gap")).abs() <= 1e-12, "{gap}");
    assert!(number("gap") <= 1e-8);
    assert_eq!(
        (&report["method"], &report["base"]),
        (&"irr".into(), &"mean".into())
    );
    assert_eq!(report["status"], "converged");
    assert_eq!(
        (&report["n_rows"], &report["n_features"]),
        (&200.into(), &3.into())
    );
    assert_eq!(place.files(), ["m", "t.csv"]);
}

#[test]
fn given_parameters_are_used_and_the_other_is_tuned() {
    let place = Place::with("t.csv", &holey(100));
    for (args, alpha, gamma) in [
        ("--alpha 0.25 --gamma 0.5", Some(0.25), Some(0.5)),
        ("--alpha 0.25", Some(0.25), None),
        ("--gamma 0.5 --base zero", None, Some(0.5)),
        ("--method mask --alpha 0.125", Some(0.125), None),
    ] {
        let report = json(&place.success(&format!("fit t.csv --target y -o m --json {args}")));
        for (key, given) in [("alpha", alpha), ("gamma", gamma)] {
            if let Some(given) = given {
                assert_eq!(report[key], given, "{args}");
            }
        }
        assert_eq!(report["gamma"].is_null(), args.contains("mask"), "{args}");
        assert_eq!(report["base"] == "zero", args.contains("zero"), "{args}");
    }
}

#[test]
fn the_same_data_and_seed_make_the_same_bytes_for_any_number_of_threads() {
    let place = Place::with("t.csv", &holey(200));
    for (name, threads) in [("one", 1), ("two", 2)] {
        place.success(&format!(
            "fit t.csv --target y --seed 5 --threads {threads} -o {name}"
        ));
    }
    assert_eq!(
        fs::read(place.path("one")).unwrap(),
        fs::read(place.path("two")).unwrap()
    );
}

#[test]
fn a_model_on_standard_output_is_the_model_in_a_file() {
    let place = fitted();
    let piped = assert_cmd::Command::new(assert_cmd::cargo::cargo_bin!("gapfit"))
        .current_dir(place.path(""))
        .args("fit t.csv --target y -o - --alpha 0.001 --gamma 1".split_whitespace())
        .output()
        .unwrap();
    assert_eq!(piped.stdout, fs::read(place.path("m")).unwrap());
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
            format!("error: --{flag}: expected a column that is no feature of the model, got a\n")
        );
    }
}

#[test]
fn an_absent_column_is_missing_in_every_row() {
    let place = fitted();
    place.write("short.csv", "a,c\n1,3\n,\n");
    place.write("holes.csv", "a,b,c\n1,,3\n,,\n");
    let run = place.run("predict m short.csv");
    assert_eq!(
        run.stderr,
        "warning: short.csv: the table lacks \"b\": missing in every row\n"
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
fn rows_without_a_target_are_counted_in_a_warning() {
    let place = Place::with("t.csv", &(holey(50) + "1,2,3,\n4,5,6,NA\n"));
    let run = place.run("fit t.csv --target y -o m --alpha 0.1 --gamma 1");
    let warning = "warning: t.csv: 2 of 52 rows have no target \"y\" and are left out\n";
    assert!(run.stderr.starts_with(warning), "{}", run.stderr);
    assert_eq!(place.run("evaluate m t.csv").stderr, warning);
}

#[test]
fn a_column_without_a_single_number_is_named() {
    let table = holey(50)
        .replace('\n', ",\n")
        .replacen(",\n", ",empty\n", 1);
    let place = Place::with("t.csv", &table);
    let run = place.run("fit t.csv --target y -o m --alpha 0.1 --gamma 1");
    assert_eq!(run.code, 0);
    assert!(
        run.stderr
            .starts_with("warning: nothing is observed in 'empty'"),
        "{}",
        run.stderr
    );
}

#[test]
fn contradicting_settings_end_with_code_2() {
    let place = Place::with("t.csv", &holey(30));
    for (args, expected) in [
        (
            "--method mean --gamma 1",
            "--gamma: expected --method irr with it, got mean",
        ),
        (
            "--method mask --base zero",
            "--base: expected --method irr with it, got mask",
        ),
        ("--alpha 0", "--alpha: expected a positive number, got 0"),
        (
            "--gamma -1",
            "--gamma: expected a number that is not negative, got -1",
        ),
        ("--tol 0", "--tol: expected a positive number, got 0"),
        (
            "--clip 0.5",
            "--clip: expected a quantile from 0 (off) to below 0.5, got 0.5",
        ),
        ("--scale big", "invalid value 'big' for '--scale <SCALE>'"),
        (
            "--method guess",
            "invalid value 'guess' for '--method <METHOD>'",
        ),
    ] {
        let message = place.failure(2, &format!("fit t.csv --target y -o m {args}"));
        assert!(message.contains(expected), "{args}\n{message}");
    }
    let message = place.failure(2, "fit t.csv --target y -o - --json");
    assert!(
        message.contains("--json: expected a file for --output"),
        "{message}"
    );
}

#[test]
fn faults_of_tables_and_models_end_with_code_1() {
    let place = fitted();
    place.write("header.csv", "a,b,c,y\n");
    place.write("other.csv", "p,q\n1,2\n");
    place.write("text.csv", "a,b,c,y\n1,2,3,4\n1,two,3,4\n");
    place.write("junk", "not a model");
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
            "folds: expected at least 2 and at most",
        ),
        ("predict junk t.csv -o o", "error: junk: "),
        ("predict none t.csv -o o", "error: none: cannot be read"),
        (
            "predict m header.csv -o o",
            "error: header.csv: expected rows after the header, got none",
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
        let message = message.lines().next_back().unwrap();
        assert!(message.starts_with("error: "), "{message}");
        assert!(message.contains(expected), "{args}\n{message}");
    }
}
