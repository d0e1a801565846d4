use super::{Place, holey, json, keys};

#[test]
fn the_profile_counts_holes_masks_and_pairs() {
    let place = Place::with("t.csv", &holey(200));
    let report = json(&place.success("profile t.csv --target y --json"));
    let expected = "columns complete_rows fit masks n_columns n_features n_masks n_rows observed_fraction target together";
    assert_eq!(
        keys(&report),
        expected.split_whitespace().collect::<Vec<_>>()
    );
    assert_eq!(
        (&report["n_rows"], &report["n_features"]),
        (&200.into(), &3.into())
    );
    let missing: Vec<_> = report["columns"]
        .as_array()
        .unwrap()
        .iter()
        .map(|c| c["missing"].as_u64().unwrap())
        .collect();
    let table = place.read("t.csv");
    let holes = |j: usize| {
        table
            .lines()
            .skip(1)
            .filter(|l| matches!(l.split(',').nth(j), Some("" | "NA")))
            .count() as u64
    };
    assert_eq!(missing, [holes(0), holes(1), holes(2)]);
    let rows: u64 = report["masks"]
        .as_array()
        .unwrap()
        .iter()
        .map(|m| m["rows"].as_u64().unwrap())
        .sum();
    assert_eq!(rows, 200, "four masks at most");
    assert_eq!(
        report["together"][0]["columns"],
        serde_json::json!(["b", "c"])
    );
    assert!(report["fit"]["seconds"].as_f64().unwrap() > 0.0);
}

#[test]
fn holes_that_go_with_the_target_are_called_informative() {
    // b goes missing where it is large, and the target falls with b; c goes missing by position
    let place = Place::with("t.csv", &holey(400));
    let report = json(&place.success("profile t.csv --target y --json"));
    let target = report["target"].as_array().unwrap();
    assert_eq!(target[0]["column"], "b");
    assert!(
        target[0]["p"].as_f64().unwrap() < 0.01 && target[0]["difference"].as_f64().unwrap() < 0.0
    );
    assert!(target[1]["p"].as_f64().unwrap() > 0.05, "{report}");
    let text = place.success("profile t.csv --target y");
    let line = |name: &str| {
        text.lines()
            .rfind(|l| l.starts_with(name))
            .unwrap()
            .to_owned()
    };
    assert!(
        line("b ").ends_with("yes") && line("c ").ends_with("not seen"),
        "{text}"
    );
}

#[test]
fn every_kind_of_column_is_told() {
    let mut table = "id,a,colour,seen,lake,odd,none,y\n".to_owned();
    for i in 0..60 {
        let (colour, odd) = (["red", "blue", ""][i % 3], ["1", "x"][i / 59]);
        let lake = ["true", "false"][i % 2];
        table += &format!(
            "p{i},{i},{colour},2024-01-{:02},{lake},{odd},,{}\n",
            1 + i % 28,
            i % 7
        );
    }
    let place = Place::with("t.csv", &table);
    let kinds = |args: &str| {
        let report = json(&place.success(&format!("profile t.csv --json {args}")));
        let columns = report["columns"].as_array().unwrap().iter();
        let kind = |c: &serde_json::Value| c["kind"].as_str().unwrap().to_owned();
        (columns.map(kind).collect::<Vec<_>>().join(" "), report)
    };
    let (found, report) = kinds("--target y");
    assert_eq!(found, "id numeric categorical date boolean mixed empty");
    assert_eq!(report["columns"][2]["distinct"], 2);
    assert_eq!(report["n_features"], 6, "two of the colour: {report}");
    let (found, _) = kinds("--ignore id,odd --categorical a,seen --target y");
    assert_eq!(found, "id categorical categorical boolean empty");
    let text = place.success("profile t.csv --target y");
    assert!(text.contains("categorical (2)"), "{text}");
    let message = place.failure(1, "profile t.csv --numeric colour");
    assert!(
        message.contains("line 2, column 3 (\"colour\"): expected a number"),
        "{message}"
    );
}

#[test]
fn counts_are_told_in_words_and_faults_with_their_place() {
    let place = Place::with("t.csv", "id,a,y\nx,1,2\ny,,3\n");
    let text = place.success("profile t.csv --ignore id");
    assert!(
        text.starts_with("2 rows, 2 columns, 75.0 % of the cells observed, 1 row complete\n"),
        "{text}"
    );
    assert!(!text.contains("where a column is missing"), "{text}");
    let message = place.failure(1, "profile t.csv --target z");
    assert!(
        message.contains(r#"expected the target column "z""#),
        "{message}"
    );
    let message = place.failure(1, "profile t.csv --ignore id,a --target y");
    assert!(message.starts_with("error: t.csv: "), "{message}");
}

#[test]
fn a_mask_of_many_columns_is_told_in_few_words() {
    let names: Vec<String> = (0..20_000).map(|j| format!("c{j}")).collect();
    let row = |cell: &str| vec![cell; names.len()].join(",");
    let table = format!("{},y\n{},1\n{},2\n", names.join(","), row("1"), row(""));
    let text = Place::with("t.csv", &table).success("profile t.csv --target y --top 3");
    let line = "c0, c1, c2, c3, c4, c5, c6, c7 and 19992 others     1  50.0\n";
    assert!(text.contains(line), "{text}");
}
