use super::model::fitted;
use super::{Place, holey, json, keys};
use serde_json::Value;

/// The entry of a list of objects that has this name.
fn named<'a>(list: &'a Value, name: &str) -> &'a Value {
    let entries = list.as_array().unwrap();
    entries.iter().find(|entry| entry["name"] == name).unwrap()
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap()
}

/// The status of the assumption that begins like this.
fn status<'a>(report: &'a Value, what: &str) -> &'a str {
    let list = report["assumptions"].as_array().unwrap();
    let is_meant = |a: &&Value| a["what"].as_str().unwrap().starts_with(what);
    list.iter().find(is_meant).unwrap()["status"]
        .as_str()
        .unwrap()
}

#[test]
fn the_report_has_its_keys_and_is_the_same_again() {
    let place = fitted();
    let run = place.run("bounds m t.csv --json");
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    assert_eq!(
        run.stdout,
        place.success("bounds m t.csv --json --threads 1")
    );
    let report = json(&run.stdout);
    assert_eq!(
        keys(&report),
        [
            "alpha",
            "assumptions",
            "complexities",
            "delta",
            "errors",
            "facts",
            "gamma",
            "held_out",
            "method",
            "norms"
        ]
    );
    assert_eq!(
        keys(&report["facts"]),
        [
            "b",
            "centre",
            "missing",
            "n_entries",
            "n_rows",
            "r",
            "radius",
            "reach",
            "target_variance",
            "training_error"
        ]
    );
    assert_eq!(
        keys(named(&report["errors"], "corollary")),
        [
            "held_out",
            "holds",
            "name",
            "no_better_than",
            "not_covered",
            "squared_error",
            "vacuous"
        ]
    );
    assert_eq!(report["facts"]["n_rows"], 200);
    assert_eq!(report["held_out"]["folds"], 5);
    let evaluated = json(&place.success("evaluate m t.csv --json"));
    let training = number(&report["facts"]["training_error"]).sqrt();
    assert!((training / number(&evaluated["rmse"]) - 1.0).abs() < 1e-12);
}

#[test]
fn every_bound_is_above_what_was_measured_and_called_vacuous_where_it_is() {
    let place = Place::with("t.csv", &holey(300));
    for settings in [
        "",
        "--intercept penalised",
        "--base zero --scale none --clip 0",
    ] {
        for method in ["irr", "mean", "mask", "lifted"] {
            let settings = if method == "irr" {
                format!("{settings} --gamma 1")
            } else {
                settings.replace("--base zero", "")
            };
            let args =
                format!("fit t.csv --target y -o m --method {method} --alpha 0.01 {settings}");
            place.success(&args);
            let report = json(&place.success("bounds m t.csv --json"));
            let errors = report["errors"].as_array().unwrap();
            assert_eq!(errors.len(), 4);
            for bound in errors {
                assert_eq!(bound["holds"], true, "{args}\n{bound}");
                // A few hundred rows at this alpha promise nothing.
                assert_eq!(bound["vacuous"], true, "{args}\n{bound}");
                assert_eq!(bound["no_better_than"], "centre", "{args}\n{bound}");
            }
            assert!(
                report["norms"]
                    .as_array()
                    .unwrap()
                    .iter()
                    .all(|n| n["holds"] == true)
            );
            let complexity = |name| number(&named(&report["complexities"], name)["value"]);
            assert!(complexity("estimate") <= complexity("ours"), "{args}");
            assert!(complexity("ours") <= complexity("theorem_2"), "{args}");
            let text = place.success("bounds m t.csv");
            assert_eq!(text.matches("vacuous: predicting").count(), 4, "{text}");
        }
    }
}

#[test]
fn what_the_paper_does_not_cover_is_said() {
    let place = fitted();
    let report = json(&place.success("bounds m t.csv --json"));
    let corollary = named(&report["errors"], "corollary");
    let broken = corollary["not_covered"].as_array().unwrap();
    assert!(
        broken.contains(&Value::from("no free intercept")),
        "{broken:?}"
    );
    assert_eq!(
        named(&report["errors"], "ours")["not_covered"],
        Value::Array(vec![])
    );
    assert_eq!(status(&report, "clipping"), "fails");
    place.success("fit t.csv --target y -o p --alpha 1 --gamma 1 --base zero --scale none --clip 0 --intercept penalised");
    let report = json(&place.success("bounds p t.csv --json"));
    assert_eq!(status(&report, "no free intercept"), "holds");
    assert_eq!(status(&report, "clipping"), "holds");
    assert_eq!(report["facts"]["centre"], 0.0);
}

#[test]
fn a_held_out_table_gives_the_error_and_checks_the_limits() {
    let place = fitted();
    let table = place.read("t.csv");
    let far = format!("{table}1000,1,1,99999\n");
    place.write("far.csv", &far);
    let report = json(&place.success("bounds m t.csv --held-out t.csv --json"));
    assert_eq!(report["held_out"]["folds"], Value::Null);
    let training = number(&report["facts"]["training_error"]);
    assert!((number(&report["held_out"]["squared_error"]) / training - 1.0).abs() < 1e-12);
    for what in ["no target", "no row is longer", "no row reaches"] {
        assert_eq!(status(&report, what), "holds");
    }
    let report = json(&place.success("bounds m t.csv --held-out far.csv --json"));
    assert_eq!(report["held_out"]["n_rows"], 201);
    assert_eq!(status(&report, "no target"), "fails");
    // such a row is clipped first
    assert_eq!(status(&report, "no row is longer"), "holds");
    let ours = named(&report["errors"], "ours_cut");
    assert_eq!(ours["holds"], false, "{ours}");
    let text = place.success("bounds m t.csv --held-out far.csv");
    assert!(text.contains("measured, on 201 held-out rows"), "{text}");
}

#[test]
fn other_rows_than_those_of_the_training_are_warned_of() {
    let place = fitted();
    let table = place.read("t.csv");
    let shorter: String = table
        .lines()
        .take(150)
        .map(|line| format!("{line}\n"))
        .collect();
    place.write("shorter.csv", &shorter);
    place.write(
        "altered.csv",
        &table.replacen("0,0,NA,0\n", "0,0,NA,2\n", 1),
    );
    assert_ne!(place.read("altered.csv"), table);
    for file in ["shorter.csv", "altered.csv"] {
        let run = place.run(&format!("bounds m {file}"));
        assert_eq!(run.code, 0);
        let expected =
            format!("warning: {file}: expected the rows that the model was fitted to (200, ");
        assert!(run.stderr.starts_with(&expected), "{}", run.stderr);
    }
    assert_eq!(place.run("bounds m t.csv").stderr, "");
}

#[test]
fn weights_are_those_of_the_fit() {
    let place = Place::new();
    let weighted = |(i, line): (usize, &str)| match i {
        0 => format!("{line},n\n"),
        _ => format!("{line},{}\n", 1 + i % 3),
    };
    place.write(
        "t.csv",
        &holey(120)
            .lines()
            .enumerate()
            .map(weighted)
            .collect::<String>(),
    );
    place.success("fit t.csv --target y --weight n -o m --alpha 0.01 --gamma 1");
    let run = place.run("bounds m t.csv --weight n --json");
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    let report = json(&run.stdout);
    assert_eq!(status(&report, "all rows have the same weight"), "fails");
    assert_eq!(status(&report, "weights do not depend"), "unchecked");
    let run = place.run("bounds m t.csv");
    assert!(
        run.stderr.contains("see --weight if rows were weighted"),
        "{}",
        run.stderr
    );
}

#[test]
fn faults_end_with_code_1() {
    let place = fitted();
    place.write("other.csv", "p,q\n1,2\n");
    place.write("unnamed.csv", "a,b,c\n1,2,3\n");
    place.write("header.csv", "a,b,c,y\n");
    place.write("junk", "not a model");
    for (args, expected) in [
        (
            "bounds m other.csv",
            r#"other.csv: expected columns of the model ("a", "b", "c"), got none"#,
        ),
        (
            "bounds m unnamed.csv",
            r#"unnamed.csv: expected the target column "y""#,
        ),
        (
            "bounds m t.csv --held-out unnamed.csv",
            r#"unnamed.csv: expected the target column "y""#,
        ),
        (
            "bounds m header.csv",
            "header.csv: expected rows after the header, got none",
        ),
        ("bounds junk t.csv", "error: junk: "),
        ("bounds m none.csv", "error: none.csv: cannot be read"),
        (
            "bounds m t.csv --folds 500",
            "t.csv: --folds: expected at least 2 and at most the number of rows, got 500",
        ),
        (
            "bounds m t.csv --weight a",
            "--weight: expected a column that is no feature of the model, got a",
        ),
    ] {
        let message = place.failure(1, args);
        assert!(message.contains(expected), "{args}\n{message}");
    }
    // A table of fewer columns is matched by name, and cannot be the training table.
    place.write("narrow.csv", "a,y\n1,2\n3,4\n5,6\n");
    let run = place.run("bounds m narrow.csv --folds 2");
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(
        run.stderr.contains(r#"the table lacks "b", "c""#),
        "{}",
        run.stderr
    );
    assert!(
        run.stderr
            .contains("expected the rows that the model was fitted to"),
        "{}",
        run.stderr
    );
}
