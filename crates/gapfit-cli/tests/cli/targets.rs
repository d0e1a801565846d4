//! Several targets at once.

use super::{Place, holey, json};
use serde_json::Value;

/// The table with a second target `z`, which is missing in three rows, and a third, `w`.
fn table() -> String {
    let mut text = String::new();
    for (i, line) in holey(150).lines().enumerate() {
        let (z, w) = match i {
            0 => ("z".to_owned(), "w".to_owned()),
            7 | 8 | 99 => (String::new(), i.to_string()),
            _ => ((i * 17 % 23).to_string(), (i * 5 % 19).to_string()),
        };
        text += &format!("{line},{z},{w}\n");
    }
    text
}

fn place() -> Place {
    Place::with("t.csv", &table())
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap()
}

#[test]
fn each_target_is_predicted_as_by_a_model_of_its_own() {
    let place = place();
    let flags = "--method irr --base gaussian --alphas 0.01,0.1,1 --gammas 0,1";
    let run = place.run(&format!(
        "fit t.csv --target y,z --ignore w {flags} -o both"
    ));
    assert_eq!(run.code, 0, "{}", run.stderr);
    let says = |what: &str| assert!(run.stderr.contains(what), "{}", run.stderr);
    says("3 of 150 rows lack one of the 2 targets and are left out");
    says("y: irr on base gaussian");
    says("z: held-out rows: RMSE");
    let kept: String = table()
        .lines()
        .enumerate()
        .filter(|(i, _)| ![7, 8, 99].contains(i))
        .map(|(_, line)| format!("{line}\n"))
        .collect();
    place.write("kept.csv", &kept);
    place.success(&format!(
        "fit kept.csv --target y --ignore z,w {flags} -o one"
    ));
    place.success(&format!(
        "fit kept.csv --target z --ignore y,w {flags} -o two"
    ));
    let both = place.success("predict both t.csv --intervals 90");
    let head = "prediction_y,prediction_z,lower_y,upper_y,lower_z,upper_z";
    assert_eq!(both.lines().next(), Some(head));
    let one = place.success("predict one t.csv --intervals 90");
    let two = place.success("predict two t.csv --intervals 90");
    for ((both, one), two) in both.lines().zip(one.lines()).zip(two.lines()).skip(1) {
        let [one, two] = [one, two].map(|line| line.split(',').collect::<Vec<_>>());
        let expected = [one[0], two[0], one[1], one[2], two[1], two[2]].join(",");
        assert_eq!(both, expected);
    }
}

#[test]
fn a_column_whose_name_has_a_comma_is_one_target() {
    let text = table().replacen(",w", ",\"u,v\"", 1);
    let place = Place::with("t.csv", &text);
    place.success("fit t.csv --target u,v --alpha 0.1 --gamma 1 -o m");
    let card = json(&place.success("inspect m --json"));
    assert_eq!(card["target"], "u,v");
}

#[test]
fn scores_and_cards_come_by_target() {
    let place = place();
    place.success("fit t.csv --target z,y --ignore w --alpha 0.1 --gamma 1 -o m");
    let text = place.success("evaluate m t.csv");
    assert!(text.starts_with("z\nmissing"), "{text}");
    assert!(text.contains("\n\ny\nmissing"), "{text}");
    let scores = json(&place.success("evaluate m t.csv --target y,z --json"));
    let names: Vec<_> = scores["targets"].as_array().unwrap().iter().collect();
    assert_eq!(names[0]["target"], "z");
    let swapped = number(&names[0]["rmse"]);
    let right = json(&place.success("evaluate m t.csv --json"));
    assert!(number(&right["targets"][0]["rmse"]) < swapped);
    let cards = place.success("inspect m");
    assert!(
        cards.contains("for \"z\"") && cards.contains("for \"y\""),
        "{cards}"
    );
}

#[test]
fn explanations_add_up_for_each_target() {
    let place = place();
    place.success("fit t.csv --target y,z --ignore w --alpha 0.1 --gamma 1 -o m");
    for object in place
        .success("predict m t.csv --explain --json")
        .lines()
        .map(json)
    {
        for target in ["y", "z"] {
            let parts = object["contributions"][target]
                .as_object()
                .unwrap()
                .values();
            let sum = number(&object["base"][target]) + parts.map(number).sum::<f64>();
            assert!(
                (sum - number(&object["prediction"][target])).abs() < 1e-9,
                "{object}"
            );
        }
    }
    let wide = place.success("predict m t.csv --explain");
    let head = "prediction_y,prediction_z,base[y],contribution_a[y],contribution_b[y],contribution_c[y],base[z]";
    assert!(wide.starts_with(head), "{wide}");
    let long = place.success("predict m t.csv --explain=long");
    assert!(
        long.starts_with("row,target,part,feature,contribution\n1,y,base,,"),
        "{long}"
    );
}

#[test]
fn a_comparison_has_a_table_for_each_target() {
    let place = place();
    let compare = "compare t.csv --target y,z --ignore w --methods mean,irr:mean --alphas 0.1,1 --gammas 0,1 --folds 3";
    let text = place.success(&format!("{compare} --report r.html --figures pictures"));
    assert!(text.starts_with("y\n  method"), "{text}");
    assert!(text.contains("\n\nz\n  method"), "{text}");
    let page = place.read("r.html");
    for title in ["y, z from t.csv", "y: The methods", "z: The best method"] {
        assert!(page.contains(title), "{title}");
    }
    assert_eq!(page.matches(">The table<").count(), 1);
    let pictures = place.path("pictures");
    assert!(pictures.join("league-1.svg").exists() && pictures.join("league-2.svg").exists());
}

#[test]
fn a_fit_reports_each_target_on_one_page() {
    let place = place();
    place.success(
        "fit t.csv --target y,z --ignore w --alphas 0.1,1 --gammas 0,1 -o m --report r.html",
    );
    let page = place.read("r.html");
    for title in [
        "y: The model",
        "z: The model",
        "z: Rows that it had not seen",
    ] {
        assert!(page.contains(title), "{title}");
    }
}

#[test]
fn holes_are_filled_by_the_base_that_targets_share() {
    let place = place();
    place.success("fit t.csv --target y,z --ignore w --alpha 0.1 --gamma 1 -o m");
    let run = place.run("impute m t.csv -o filled.csv");
    assert!(
        run.stderr
            .contains("each of the 2 targets has a correction of its own"),
        "{}",
        run.stderr
    );
    let filled = place.read("filled.csv");
    place.success("impute m t.csv --by base -o base.csv");
    assert_eq!(filled, place.read("base.csv"));
}

#[test]
fn what_takes_one_target_says_so() {
    let place = place();
    place.success("fit t.csv --target y,z --ignore w --alpha 0.1 --gamma 1 -o m");
    let message = place.failure(1, "bounds m t.csv");
    assert!(
        message.contains("m: expected a model of one target, got one of 2"),
        "{message}"
    );
    let message = place.failure(1, "evaluate m t.csv --target y");
    assert!(
        message.contains("expected as many columns as the model has targets, 2, got 1"),
        "{message}"
    );
}
