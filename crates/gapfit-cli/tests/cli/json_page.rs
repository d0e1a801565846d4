//! docs/json.md against what commands write: every key is documented with its type, and every
//! documented key appears.

use super::{Place, holey};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

const PAGE: &str = include_str!("../../../../docs/json.md");

/// What the page says of a key.
struct Key {
    types: BTreeSet<&'static str>,
    is_optional: bool,
}

type Schema = BTreeMap<String, Key>;

/// The table below a heading of the page.
fn documented(heading: &str) -> Schema {
    let (_, rest) = PAGE
        .split_once(&format!("\n## {heading}\n"))
        .expect(heading);
    let section = rest.split("\n## ").next().unwrap();
    let rows = section.lines().filter(|line| line.starts_with("| `"));
    rows.map(|row| {
        let cells: Vec<&str> = row.split(" | ").collect();
        let name = cells[0].trim_start_matches("| ").trim_matches('`');
        assert!(cells[2].len() > 3, "{heading}: {row}");
        let types = cells[1].split(" or ").map(known).collect();
        let key = Key {
            types,
            is_optional: name.ends_with('?'),
        };
        (name.trim_end_matches('?').to_owned(), key)
    })
    .collect()
}

fn known(name: &str) -> &'static str {
    let names = [
        "number", "integer", "text", "boolean", "list", "object", "null",
    ];
    let found = names.into_iter().find(|known| *known == name);
    found.expect(name)
}

/// Whether a value is of a documented type; a whole number is a number, too.
fn is_of(types: &BTreeSet<&str>, value: &Value) -> bool {
    let has = |name| types.contains(name);
    match value {
        Value::Null => has("null"),
        Value::Bool(_) => has("boolean"),
        Value::Number(number) if number.is_f64() => has("number"),
        Value::Number(_) => has("number") || has("integer"),
        Value::String(_) => has("text"),
        Value::Array(_) => has("list"),
        Value::Object(_) => has("object"),
    }
}

/// The path that stands for a key: its own, or one that ends in a star.
fn documented_as(schema: &Schema, prefix: &str, name: &str) -> String {
    let path = format!("{prefix}{name}");
    if schema.contains_key(&path) {
        return path;
    }
    let is_star = |other: &&String| {
        let start = other.strip_suffix('*');
        start.is_some_and(|start| start.len() >= prefix.len() && path.starts_with(start))
    };
    schema.keys().find(is_star).cloned().unwrap_or(path)
}

/// Checks an object and everything in it; notes the keys that were met.
fn check(schema: &Schema, value: &Value, at: &str, met: &mut BTreeSet<String>, about: &str) {
    match value {
        Value::Object(entries) => {
            let prefix = if at.is_empty() {
                String::new()
            } else {
                format!("{at}.")
            };
            for (name, value) in entries {
                let path = documented_as(schema, &prefix, name);
                let fits = schema
                    .get(&path)
                    .is_some_and(|key| is_of(&key.types, value));
                assert!(fits, "{about}: {path}: not documented as {value}");
                met.insert(path.clone());
                check(schema, value, &path, met, about);
            }
            for (path, key) in schema {
                let own = path
                    .strip_prefix(&prefix)
                    .filter(|name| !name.contains(['.', '[', '*']));
                if let Some(name) = own.filter(|_| !key.is_optional) {
                    assert!(entries.contains_key(name), "{about}: {path} is absent");
                }
            }
        }
        Value::Array(items) => {
            let path = format!("{at}[]");
            for item in items {
                if !item.is_object() {
                    let fits = schema.get(&path).is_some_and(|key| is_of(&key.types, item));
                    assert!(fits, "{about}: {path}: not documented as {item}");
                    met.insert(path.clone());
                }
                check(schema, item, &path, met, about);
            }
        }
        _ => {}
    }
}

/// Checks what runs have written below a heading, and that they have written all that is there.
fn holds(headings: &[&str], runs: &[(String, Value)]) {
    let schema: Schema = headings
        .iter()
        .flat_map(|heading| documented(heading))
        .collect();
    assert!(!schema.is_empty());
    let mut met = BTreeSet::new();
    for (args, value) in runs {
        check(&schema, value, "", &mut met, args);
    }
    let unmet: Vec<&String> = schema.keys().filter(|path| !met.contains(*path)).collect();
    assert!(
        unmet.is_empty(),
        "{headings:?}: documented, not written: {unmet:?}"
    );
}

/// A table with groups and classes, and models of both kinds.
fn place() -> Place {
    let place = Place::with("t.csv", &holey(120));
    place.write("few.csv", "a,b,c,y\n1,2,3,4\n,,,5\n2,1,,6\n");
    let rows = (0..60).map(|i| {
        format!(
            "{},{},{}\n",
            i % 7,
            i % 4,
            if i % 7 > 3 { "yes" } else { "no" }
        )
    });
    place.write(
        "kinds.csv",
        &format!("x,g,kind\n{}", rows.collect::<String>()),
    );
    place.success("fit t.csv --target y -o m --alpha 0.01 --gamma 1");
    place.success("fit few.csv --target y -o bare --method mean --alpha 1 --no-calibration");
    place.success("fit few.csv --target y -o tiny --method mean --alpha 1 --folds 3");
    place.success("fit kinds.csv --target kind -o c --alpha 0.1 --gamma 1");
    let rows = (0..60).map(|i| {
        let cell = if i % 3 == 0 { "" } else { "1" };
        format!("{cell},{},{}\n", i % 5, ["low", "mid", "high"][i % 5 / 2])
    });
    place.write(
        "many.csv",
        &format!("x,z,kind\n{}", rows.collect::<String>()),
    );
    place.success("fit many.csv --target kind -o three --alpha 0.01 --gamma 1 --no-calibration");
    // that a cell is missing decides, and what is there does not
    let rows = (0..120).map(|i| {
        let is_missing = i * i % 5 < 2;
        let cell = if is_missing {
            String::new()
        } else {
            (i * 53 % 97).to_string()
        };
        let kind = if is_missing == (i % 7 > 0) {
            "yes"
        } else {
            "no"
        };
        format!("{},{cell},{kind}\n", i * 37 % 101)
    });
    place.write(
        "gaps.csv",
        &format!("a,b,kind\n{}", rows.collect::<String>()),
    );
    let rows = (0..80).map(|i| {
        let cell = if i % 3 == 0 { "" } else { "1" };
        format!("{cell},{}\n", if i % 5 > 2 { "yes" } else { "no" })
    });
    place.write(
        "holes.csv",
        &format!("x,kind\n{}", rows.collect::<String>()),
    );
    place.success("fit t.csv --target y,a -o both --alpha 0.01 --gamma 1");
    place.success("stream t.csv --target y --model s");
    place.success("stream kinds.csv --target kind --model k");
    place.success("stream t.csv --target y --step eta=0.001 --model e");
    place
}

/// The objects that each of some commands writes.
fn objects(place: &Place, runs: &[&str]) -> Vec<(String, Value)> {
    let mut objects = Vec::new();
    for args in runs {
        let text = place.success(&format!("{args} --json"));
        let values = serde_json::Deserializer::from_str(&text).into_iter();
        objects.extend(values.map(|value| ((*args).to_owned(), value.unwrap())));
    }
    objects
}

#[test]
fn the_page_on_json_is_true() {
    let place = place();
    let fit = "fit t.csv --target y -o o";
    for (heading, runs) in [
        (
            "compare",
            &[
                "compare t.csv --target y --methods mean,irr --folds 3",
                "compare kinds.csv --target x --group g --methods mean --folds 2",
                "compare --folds 2 --methods mean,complete --alphas 1",
                "compare kinds.csv --target kind --methods mean --folds 2 --alphas 1",
                "compare t.csv --target y --methods mean --folds 2 --alphas 1 --out-of-core",
            ][..],
        ),
        (
            "fit",
            &[
                "fit t.csv --target y -o o --alphas 0.1,1 --gammas 0,1",
                "fit few.csv --target y -o o --method mean --alpha 1 --no-calibration",
                &format!("{fit} --alpha 0.1 --gamma 1 --solver silp"),
                &format!("{fit} --alpha 0.1 --gamma 1 --solver alternating"),
                "fit kinds.csv --target kind -o o --alphas 0.1,1 --gammas 0,1",
                "fit gaps.csv --target kind -o o --alphas 0.01,0.1 --gammas 0,1",
                "fit t.csv --target y -o o --alpha 0.1 --gamma 1 --out-of-core",
            ],
        ),
        (
            "predict",
            &[
                "predict m t.csv --intervals 90 --explain",
                "predict s t.csv --id y",
                "predict k kinds.csv",
                "predict c kinds.csv",
                "predict both t.csv --intervals 90 --explain",
                "predict three many.csv --explain",
            ],
        ),
        (
            "evaluate",
            &[
                "evaluate m t.csv",
                "evaluate m few.csv",
                "evaluate c kinds.csv",
            ],
        ),
        (
            "impute",
            &["impute m t.csv -o o", "impute m t.csv -o o --by base"],
        ),
        (
            "inspect, a model of fit",
            &[
                "inspect m",
                "inspect bare",
                "inspect tiny",
                "inspect c",
                "inspect three",
            ],
        ),
        (
            "inspect, a model of stream",
            &["inspect s", "inspect k", "inspect e"],
        ),
        (
            "profile",
            &[
                "profile t.csv --target y",
                "profile kinds.csv",
                "profile holes.csv --target kind",
            ],
        ),
        (
            "bounds",
            &[
                "bounds m t.csv",
                "bounds m t.csv --held-out few.csv",
                "bounds bare few.csv --folds 2",
            ],
        ),
        ("stats", &["stats t.csv --target y -o s"]),
        ("datasets", &["datasets"]),
        ("reproduce", &["reproduce table4 --quick --out r"]),
        (
            "corrupt",
            &["corrupt t.csv --mechanism mcar --rate 0.1 -o o"],
        ),
    ] {
        holds(&[heading], &objects(&place, runs));
    }
}

#[test]
fn of_several_targets_each_is_told_as_one_is() {
    let place = place();
    for (heading, run) in [
        (
            "compare",
            "compare t.csv --target y,a --methods mean --folds 2 --alphas 1",
        ),
        (
            "fit",
            "fit t.csv --target y,a -o o --alphas 0.1,1 --gammas 0,1",
        ),
        ("evaluate", "evaluate both t.csv"),
        ("inspect, a model of fit", "inspect both"),
    ] {
        let schema = documented(heading);
        let (_, object) = objects(&place, &[run]).remove(0);
        assert_eq!(super::keys(&object), ["targets"], "{run}");
        let targets = object["targets"].as_array().unwrap();
        for (element, name) in targets.iter().zip(["y", "a"]) {
            assert_eq!(element["target"], name, "{run}");
            let mut told = element.clone();
            if !schema.contains_key("target") {
                told.as_object_mut().unwrap().remove("target");
            }
            check(&schema, &told, "", &mut BTreeSet::new(), run);
        }
    }
}

#[test]
fn the_page_on_json_is_true_of_streams() {
    let place = place();
    let runs = [
        "stream t.csv --target y --regret --step theory --checkpoint c",
        "stream t.csv --target y --checkpoint c --resume",
        "stream kinds.csv --target kind",
    ];
    let objects = objects(&place, &runs);
    let (summaries, lines): (Vec<_>, Vec<_>) = objects
        .into_iter()
        .partition(|(_, object)| object.get("summary").is_some());
    assert_eq!(summaries.len(), runs.len());
    holds(&["stream, a line"], &lines);
    holds(&["stream, a line", "stream, the summary"], &summaries);
}

#[test]
fn every_command_that_says_something_has_json() {
    let place = Place::new();
    let help = place.success("--help");
    let commands = help.split_once("Commands:\n").unwrap().1;
    let commands = commands.lines().take_while(|line| !line.is_empty());
    for name in commands.map(|line| line.split_whitespace().next().unwrap()) {
        // these write scripts, pages and a walk through the others
        if !["help", "completions", "man", "demo"].contains(&name) {
            assert!(
                place.success(&format!("{name} -h")).contains("--json"),
                "{name}"
            );
            assert!(PAGE.contains(&format!("\n## {name}")), "{name}");
        }
    }
}

#[test]
fn json_and_data_do_not_share_standard_output() {
    let place = place();
    for args in [
        "fit t.csv --target y -o - --json",
        "impute m t.csv --json",
        "corrupt t.csv --mechanism mcar --rate 0.1 --json",
    ] {
        let message = place.failure(2, args);
        assert!(
            message.contains("--json: expected a file for --output"),
            "{message}"
        );
    }
    let message = place.failure(2, "predict m t.csv --json --explain=long");
    assert!(
        message.contains("--explain: expected wide beside --json, got long"),
        "{message}"
    );
}

#[test]
fn predictions_as_json_are_those_of_the_csv() {
    let place = place();
    let csv = place.success("predict m t.csv --intervals 90");
    let json = place.success("predict m t.csv --intervals 90 --json");
    for (line, object) in csv.lines().skip(1).zip(json.lines()) {
        let object: Value = serde_json::from_str(object).unwrap();
        let numbers = ["prediction", "lower", "upper"].map(|key| object[key].as_f64().unwrap());
        let cells: Vec<f64> = line.split(',').map(|cell| cell.parse().unwrap()).collect();
        assert_eq!(cells, numbers);
    }
    assert_eq!(csv.lines().count(), 1 + json.lines().count());
    let explained = place.success("predict m t.csv --explain --json");
    let object: Value = serde_json::from_str(explained.lines().next().unwrap()).unwrap();
    let parts = object["contributions"].as_object().unwrap().values();
    let sum =
        parts.map(|part| part.as_f64().unwrap()).sum::<f64>() + object["base"].as_f64().unwrap();
    assert!(
        (sum - object["prediction"].as_f64().unwrap()).abs() < 1e-9,
        "{object}"
    );
}
