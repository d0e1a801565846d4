use super::{Place, holey, json, keys};
use serde_json::Value;

fn names(report: &Value) -> Vec<&str> {
    let methods = report["methods"].as_array().unwrap();
    methods
        .iter()
        .map(|line| line["name"].as_str().unwrap())
        .collect()
}

/// The report without what may differ from run to run.
fn timeless(mut report: Value) -> Value {
    for line in report["methods"].as_array_mut().unwrap() {
        assert!(line["seconds"].take().as_f64().unwrap() > 0.0);
    }
    report
}

#[test]
fn without_a_file_the_embedded_data_shows_irr_ahead_of_imputation() {
    let run = Place::new().run("compare --folds 2 --methods zero,mean,irr,complete --json");
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(
        run.stderr
            .starts_with("housing: median_house_value from 8 features, 20640 rows")
    );
    let report = json(&run.stdout);
    assert_eq!(names(&report), ["complete", "irr", "mean", "zero"]);
    assert_eq!(report["best"], "irr");
    assert_eq!(report["methods"][0]["reference"], true);
    assert_eq!(report["data"]["holes"]["mechanism"], "dependent");
    let gain = report["methods"][2]["difference"].as_f64().unwrap();
    let error = report["methods"][2]["difference_se"].as_f64().unwrap();
    assert!(gain > 5.0 * error, "{gain} ± {error}");
}

#[test]
fn json_has_the_documented_keys() {
    let place = Place::with("t.csv", &holey(120));
    let report = json(&place.success("compare t.csv --target y --folds 3 --json"));
    assert_eq!(
        keys(&report),
        ["best", "data", "folding", "folds", "methods", "metric"]
    );
    assert_eq!(
        (&report["folds"], &report["metric"]),
        (&3.into(), &"rmse".into())
    );
    assert_eq!(
        keys(&report["data"]),
        [
            "n_features",
            "n_rows",
            "name",
            "observed_fraction",
            "target",
            "task"
        ]
    );
    let mut methods = names(&report);
    methods.sort_unstable();
    assert_eq!(
        methods,
        [
            "gaussian",
            "independent",
            "irr",
            "irr:zero",
            "lifted",
            "mask",
            "mean",
            "zero"
        ]
    );
    for key in [
        "name",
        "rmse",
        "rmse_sd",
        "mae",
        "r2",
        "seconds",
        "difference",
    ] {
        assert!(keys(&report["methods"][0]).contains(&key), "{key}");
    }
}

#[test]
fn the_number_of_threads_changes_nothing_but_seconds() {
    let place = Place::with("t.csv", &holey(120));
    let run = |threads: u32| {
        let args = format!("compare t.csv --target y --json --threads {threads}");
        timeless(json(&place.success(&args)))
    };
    assert_eq!(run(1), run(2));
}

#[test]
fn the_table_marks_the_best_and_goes_to_stdout() {
    let place = Place::with("t.csv", &holey(120));
    let run = place.run("compare t.csv --target y --methods mean,irr --seed 3");
    let lines: Vec<_> = run.stdout.lines().collect();
    assert_eq!(lines.len(), 3);
    assert!(lines[0].starts_with("  method"), "{}", run.stdout);
    assert!(lines[1].starts_with("* "), "{}", run.stdout);
    assert!(lines[2].starts_with("  "), "{}", run.stdout);
    let notes: Vec<_> = run.stderr.lines().collect();
    assert_eq!(
        notes[0],
        "t.csv: y from 3 features, 120 rows, 82.8 % of the cells observed"
    );
    let counts = notes[1]
        .strip_prefix("folds by chosen base, irr: ")
        .unwrap();
    let folds = counts
        .split(", ")
        .map(|part| part.rsplit_once(' ').unwrap().1);
    let folds: usize = folds.map(|n| n.parse::<usize>().unwrap()).sum();
    assert_eq!((folds, notes.len()), (5, 2), "{counts}");
}

#[test]
fn weights_and_ignored_columns_are_no_features() {
    let table = holey(60)
        .replace('\n', ",1,x\n")
        .replacen(",1,x", ",w,id", 1);
    let place = Place::with("t.csv", &table);
    let args = "compare t.csv --target y --weight w --ignore id --methods mean --json";
    assert_eq!(json(&place.success(args))["data"]["n_features"], 3);
}

#[test]
fn candidates_and_their_ends_are_those_of_the_flags() {
    let place = Place::with("t.csv", &holey(120));
    let run = place.run("compare t.csv --target y --methods mean,irr --alphas 8,4 --gammas 0,0.5");
    let warnings: Vec<_> = run.stderr.lines().skip(1).collect();
    let expected = |name: &str| {
        format!(
            "warning: {name}: the tuned alpha 4 is the lower end of its grid: a better one may lie \
             beyond (--alphas)"
        )
    };
    assert!(
        warnings.contains(&expected("mean").as_str()),
        "{warnings:?}"
    );
    assert!(warnings.contains(&expected("irr").as_str()), "{warnings:?}");
    let report = |grid: &str| {
        let args = format!("compare t.csv --target y --methods irr:zero --json {grid}");
        timeless(json(&place.success(&args)))
    };
    assert_ne!(report("--grid paper"), report("--alphas 1 --gammas 0"));
}

#[test]
fn a_score_that_does_not_exist_is_null_or_a_dash() {
    let rows: String = (0..20).map(|i| format!("{i},7\n")).collect();
    let place = Place::with("t.csv", &format!("a,y\n{rows}"));
    let args = "compare t.csv --target y --methods mean";
    let report = json(&place.success(&format!("{args} --json")));
    assert!(report["methods"][0]["r2"].is_null());
    let table = place.success(args);
    assert!(!table.contains("NaN"), "{table}");
    place.success("fit t.csv --target y -o m");
    assert!(json(&place.success("evaluate m t.csv --json"))["r2"].is_null());
    let table = place.success("evaluate m t.csv");
    assert!(table.lines().all(|line| !line.contains("NaN")), "{table}");
}

#[test]
fn faults_have_their_messages() {
    let place = Place::with("t.csv", &holey(30));
    place.write("few.csv", "a,y\n1,2\n2,3\n,4\n");
    let rows = "1,2,0\n".repeat(20);
    place.write("light.csv", &format!("a,y,w\n3,4,1\n{rows}"));
    for (code, args, expected) in [
        (2, "t.csv", "--target <COL,...>"),
        (2, "--target y", "<FILE>"),
        (
            2,
            "t.csv --target y --methods guess",
            "method: expected irr, zero, mean,",
        ),
        (
            2,
            "t.csv --target y --methods mean,complete",
            "complete needs the table before it had holes",
        ),
        (
            2,
            "--methods complete",
            "expected a method besides the reference complete",
        ),
        (
            2,
            "--clip 0.7",
            "--clip: expected a quantile from 0 (off) to below 0.5, got 0.7",
        ),
        (
            1,
            "t.csv --target Y",
            "error: t.csv: expected the target column \"Y\"",
        ),
        (
            1,
            "few.csv --target y",
            "few.csv: --folds: expected at least 2 and at most the number of rows, got 5 (rows: 3)",
        ),
        (
            1,
            "few.csv --target y --folds 2",
            "error: few.csv, fold 2 of 2: expected at least 2 training rows, got 1",
        ),
        (
            1,
            "light.csv --target y --weight w",
            "light.csv: --folds: expected at least 2 and at most the number of rows, got 5 (rows with weight: 1)",
        ),
        (
            2,
            "t.csv --target y --folds 1",
            "'--folds <K>': expected a whole number from 2",
        ),
        (
            2,
            "t.csv --target y --gammas 1,-1",
            "--gammas: gamma: expected 0 or a number from 1e-100 to 1e100, got -1",
        ),
    ] {
        let message = place.failure(code, &format!("compare {args}"));
        assert!(message.contains(expected), "{args}\n{message}");
    }
}

#[test]
fn a_support_holds_back_the_shifts_of_irr_and_nothing_else() {
    let place = Place::with("t.csv", &holey(120));
    place.write("none.txt", "a b\n");
    let errors = |support: &str| {
        let flags = "--methods mean,irr:mean --folds 2 --alphas 0.001 --gammas 4 --json";
        let run = format!("compare t.csv --target y {flags} --support {support}");
        let report = json(&place.success(&run));
        let methods = report["methods"].as_array().unwrap().clone();
        let error = |name: &str| {
            let line = methods.iter().find(|line| line["name"] == name).unwrap();
            line["rmse"].as_f64().unwrap()
        };
        (error("irr:mean"), error("mean"))
    };
    let (full, mean) = errors("full");
    for (support, is_narrower) in [("top=2", false), ("top=1", true), ("edges=none.txt", true)] {
        let (narrow, same) = errors(support);
        assert!((same - mean).abs() < 1e-12, "{support}: {same} {mean}");
        let differs = (narrow - full).abs() > 1e-6;
        assert_eq!(differs, is_narrower, "{support}: {narrow} {full}");
    }
    let flags = "--methods irr:mean --folds 2 --alphas 0.001 --gammas 4 --support top=1";
    place.success(&format!(
        "compare t.csv --target y {flags} --report page.html"
    ));
    assert!(place.read("page.html").contains("top=1"));
    place.write("off.txt", "a nobody\n");
    let message = place.failure(2, "compare t.csv --target y --support edges=off.txt");
    assert!(message.contains("--support: "), "{message}");
    assert!(message.contains("nobody"), "{message}");
}
