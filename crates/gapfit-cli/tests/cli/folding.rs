use super::{Place, holey, json, keys};
use serde_json::Value;

/// Rows of eight groups, each with a level of its own; columns `p0` ... `p7` say which one it is, so
/// that a group that was learnt from is predicted well, and another not at all.
fn patients() -> String {
    let names: Vec<String> = (0..8).map(|p| format!("p{p}")).collect();
    let mut text = format!("patient,{},y\n", names.join(","));
    for i in 0..160 {
        let patient = i * 5 % 8;
        let level = patient * patient * 3 % 17;
        let marks: Vec<String> = (0..8).map(|p| u8::from(p == patient).to_string()).collect();
        text += &format!("no {patient},{},{level}.{}\n", marks.join(","), i % 7);
    }
    text
}

/// A slow rise over 120 days, in random order, with the day as `t` as `day` writes it.
fn sales(day: impl Fn(usize) -> String) -> String {
    let mut text = "a,t,y\n".to_owned();
    for i in 0..120 {
        let at = i * 37 % 120;
        text += &format!("{},{},{}\n", i % 7, day(at), at * at / 100 + i % 7);
    }
    text
}

fn report(place: &Place, args: &str) -> Value {
    let mut report = json(&place.success(&format!("compare {args} --target y --json")));
    for line in report["methods"].as_array_mut().unwrap() {
        line["seconds"].take();
    }
    report
}

fn rmse(report: &Value) -> f64 {
    report["methods"][0]["rmse"].as_f64().unwrap()
}

#[test]
fn groups_are_held_out_whole_by_compare() {
    let place = Place::with("t.csv", &patients());
    let args = "t.csv --methods mean --folds 4";
    let grouped = report(&place, &format!("{args} --group patient"));
    let shuffled = report(&place, &format!("{args} --ignore patient"));
    assert_eq!(grouped["folding"]["kind"], "grouped");
    assert_eq!(grouped["folding"]["column"], "patient");
    assert_eq!(keys(&shuffled["folding"]), ["kind"]);
    assert_eq!(shuffled["folding"]["kind"], "shuffled");
    assert_eq!(grouped["data"]["n_features"], 8);
    assert!(rmse(&grouped) > 5.0 * rmse(&shuffled));
}

#[test]
fn a_category_of_a_held_out_group_alone_is_missing_there() {
    let table = |name: fn(usize) -> usize| {
        let row = |i: usize| format!("no {0},v{1},{2}\n", i % 8, name(i % 8), i % 8 * 3 + i % 7);
        let rows: String = (0..160).map(row).collect();
        Place::with("t.csv", &format!("patient,p,y\n{rows}"))
    };
    let args = "t.csv --methods mean --folds 4 --group patient";
    let [own, same] = [table(|p| p), table(|_| 0)].map(|place| rmse(&report(&place, args)));
    // filled in by its mean it says as little as a constant
    assert!((own / same - 1.0).abs() < 1e-9, "{own} {same}");
}

#[test]
fn tuning_holds_out_groups_as_well() {
    let place = Place::with("t.csv", &patients());
    let tuned = |flags: &str| {
        let args = format!("fit t.csv --target y -o m --method mean --json {flags}");
        json(&place.success(&args))["alpha"].as_f64().unwrap()
    };
    assert!(tuned("--group patient") > 100.0 * tuned("--ignore patient"));
    let ends = |flags: &str| {
        let args = "compare t.csv --target y --methods mean --alphas 0.001,1000 --folds 4";
        place.run(&format!("{args} {flags}")).stderr
    };
    // no alpha helps with a group that was not learnt from, so none is at an end
    assert_eq!(
        ends("--group patient"),
        "t.csv: y from 8 features, 160 rows, 100.0 % of the cells observed; folds by group \"patient\"\n"
    );
    let shuffled = ends("--ignore patient");
    assert!(
        shuffled.contains("the tuned alpha 0.001 is the lower end"),
        "{shuffled}"
    );
}

#[test]
fn the_future_is_not_learnt_from() {
    let place = Place::with("t.csv", &sales(|day| day.to_string()));
    let r2 = |flag: &str| {
        let report = report(&place, &format!("t.csv --methods mean --folds 3 {flag}"));
        assert_eq!(report["data"]["n_features"], 1);
        assert_eq!(report["folds"], 3);
        (
            report["methods"][0]["r2"].as_f64().unwrap(),
            report["folding"].clone(),
        )
    };
    let (shuffled, _) = r2("--ignore t");
    assert!(shuffled > -0.1, "{shuffled}");
    // what is held out lies above all that was seen
    let (timed, folding) = r2("--time t");
    assert!(timed < -5.0, "{timed}");
    assert_eq!(
        folding,
        serde_json::json!({ "kind": "timed", "column": "t" })
    );
}

#[test]
fn dates_and_numbers_give_the_same_folds() {
    let place = Place::with("numbers.csv", &sales(|day| day.to_string()));
    let date = |day: usize| format!("2023-{:02}-{:02}", 1 + day / 28, 1 + day % 28);
    place.write("dates.csv", &sales(date));
    place.write(
        "clock.csv",
        &sales(|day| format!("{}T23:59:59Z", date(day))),
    );
    let methods = |file: &str| {
        report(&place, &format!("{file}.csv --time t --methods mean,irr"))["methods"].take()
    };
    let expected = methods("numbers");
    assert_eq!(methods("dates"), expected);
    assert_eq!(methods("clock"), expected);
    let alpha = |file: &str| {
        let args = format!("fit {file}.csv --target y --time t -o m --json");
        json(&place.success(&args))["alpha"].clone()
    };
    assert_eq!(alpha("dates"), alpha("numbers"));
}

#[test]
fn stratified_folds_are_of_one_kind() {
    // one large value in ten: in shuffled folds their number differs
    let rows: String = (0..100)
        .map(|i| format!("{},{}\n", i % 7, if i % 10 == 0 { 9 } else { 0 }))
        .collect();
    let place = Place::with("t.csv", &format!("a,y\n{rows}"));
    let spread = |flags: &str| {
        let report = report(
            &place,
            &format!("t.csv --task regression --methods mean {flags}"),
        );
        report["methods"][0]["rmse_sd"].as_f64().unwrap()
    };
    assert!(spread("--stratify") < 0.2 * spread(""));
    let report = report(&place, "t.csv --methods mean --stratify");
    assert_eq!(report["folding"]["kind"], "stratified");
    place.success("fit t.csv --target y -o m --stratify");
}

#[test]
fn without_a_file_folds_can_be_stratified() {
    let run = Place::new().run("compare --stratify --folds 2 --methods mean --json");
    assert_eq!(json(&run.stdout)["folding"]["kind"], "stratified");
    assert!(
        run.stderr.contains("; stratified folds\n"),
        "{}",
        run.stderr
    );
}

#[test]
fn the_number_of_threads_changes_no_fold() {
    let place = Place::with("p.csv", &patients());
    place.write("s.csv", &sales(|day| day.to_string()));
    place.write("t.csv", &holey(60));
    for args in [
        "p.csv --group patient",
        "s.csv --time t",
        "t.csv --stratify",
    ] {
        let run = |threads| report(&place, &format!("{args} --methods irr --threads {threads}"));
        assert_eq!(run(1), run(2), "{args}");
    }
}

#[test]
fn faults_have_their_messages() {
    let place = Place::with(
        "t.csv",
        "g,t,a,y\nx,1,1,1\nx,2,2,2\ny,3,3,3\ny,3,4,5\nx,3,,6\n",
    );
    place.write("few.csv", "g,t,a,y\nx,1,1,1\n,2,2,2\ny,3/4,3,3\n");
    for (code, args, expected) in [
        (2, "compare --group g", "<FILE>"),
        (2, "compare --time t", "<FILE>"),
        (
            2,
            "fit t.csv --target y -o m --group g --time t",
            "'--group <COL>' cannot be used with '--time <COL>'",
        ),
        (
            2,
            "fit t.csv --target y -o m --group g --stratify",
            "'--group <COL>' cannot be used with '--stratify'",
        ),
        (
            2,
            "compare t.csv --target y --time t --stratify",
            "'--time <COL>' cannot be used with '--stratify'",
        ),
        (
            1,
            "fit t.csv --target y -o m --group G",
            "error: t.csv: expected the group column \"G\", got none of that name; did you mean \"g\"?",
        ),
        (
            1,
            "fit t.csv --target y -o m --time y",
            "column 4 (\"y\"): expected different columns for target and time",
        ),
        (
            1,
            "fit few.csv --target y -o m --group g --ignore t",
            "error: few.csv, line 3, column 1 (\"g\"): expected a group in every row, got a missing one",
        ),
        (
            1,
            "compare few.csv --target y --time t --ignore g",
            "error: few.csv, line 4, column 2 (\"t\"): expected a number, or a date such as 2024-03-01",
        ),
        (
            1,
            "fit t.csv --target y -o m --group g --ignore t",
            "error: t.csv: --folds: expected at least 2 and at most the number of groups, got 5 (groups: 2)",
        ),
        (
            1,
            "compare t.csv --target y --time t --ignore g",
            "error: t.csv: --folds: expected at least 2 and at most the number of times after the first, \
             got 5 (times after the first: 2)",
        ),
        (
            1,
            "compare t.csv --target y --group g --ignore t --folds 2",
            "error: t.csv, fold 1 of 2: expected at least 2 training groups, got 1",
        ),
        (
            1,
            "compare t.csv --target y --time t --ignore g --folds 2",
            "error: t.csv, fold 1 of 2: expected at least 2 training times after the first, got 0",
        ),
    ] {
        let message = place.failure(code, args);
        assert!(message.contains(expected), "{args}\n{message}");
    }
}
