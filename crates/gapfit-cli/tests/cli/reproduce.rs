//! `gapfit reproduce` and `gapfit datasets`.

use crate::Place;
use serde_json::Value;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

#[test]
fn datasets_are_listed_with_licences_and_written_out_as_they_are() {
    let place = Place::new();
    let list = place.run("datasets");
    for name in [
        "abalone",
        "housing",
        "hypothyroid",
        "optdigits",
        "splice",
        "wine",
        "CC BY 4.0",
        "doi:",
    ] {
        assert!(list.stdout.contains(name), "{}", list.stdout);
    }
    assert_eq!(place.run("datasets abalone -o abalone.csv").code, 0);
    let text = place.read("abalone.csv");
    assert_eq!(text.lines().count(), 4178);
    assert!(text.starts_with("length,diameter,height,"));
    assert_eq!(place.run("datasets abalone").stdout, text);
    assert_eq!(place.run("datasets atlantis").code, 2);
    let sets: Value = serde_json::from_str(&place.run("datasets --json").stdout).unwrap();
    assert_eq!(sets[0]["name"], "abalone");
    assert_eq!(sets[0]["rows"], 4177);
}

#[test]
fn what_is_written_is_the_same_bytes_on_one_thread_and_on_two() {
    let place = Place::new();
    let run = |threads: usize| {
        for what in ["table4", "theorem1"] {
            let run = place.run(&format!(
                "reproduce {what} --quick --threads {threads} --out {threads}"
            ));
            assert_eq!(run.code, 0, "{}", run.stderr);
        }
        let files = [
            "results.json",
            "report.html",
            "reproduction.md",
            "reproduction/theorem1.svg",
        ];
        files.map(|name| place.read(&format!("{threads}/{name}")))
    };
    assert_eq!(run(1), run(2));
}

#[test]
fn the_results_have_a_row_per_method_and_tuning_and_say_what_was_not_run() {
    let place = Place::new();
    let text = place
        .run("reproduce table3 --quick --seed 7 --out out")
        .stdout;
    assert!(text.contains("gapfit reproduce table3 --quick --seed 7 --out DIR"));
    assert!(
        text.contains("not run: file park.csv or parkinsons_updrs.data not found in --data-dir")
    );
    assert_eq!(place.read("out/reproduction.md"), text);
    let results: Value = serde_json::from_str(&place.read("out/results.json")).unwrap();
    let rows = results["rows"].as_array().unwrap();
    for tuning in ["paper", "honest"] {
        let is_it =
            |row: &&Value| row["method"] == "irr" && row["tuning"] == tuning && row["cell"] == "A";
        let row = rows.iter().find(is_it).unwrap();
        assert_eq!(row["experiment"], "table3");
        assert_eq!(row["paper"]["mean"], 0.183);
        assert!(row["mean"].is_f64() && row["sd"].is_f64());
        let mark = row["paper"]["mark"].as_str().unwrap();
        assert!(["better", "equal", "worse"].contains(&mark));
    }
    let park = rows.iter().find(|row| row["cell"] == "P").unwrap();
    assert!(park["mean"].is_null());
    assert!(park["not_run"].as_str().unwrap().starts_with("not run: "));
    let page = place.read("out/report.html");
    assert!(page.contains("<table>") && !page.contains("src=") && !page.contains("<link"));
}

#[test]
fn a_run_that_is_killed_goes_on_where_it_was() {
    let place = Place::new();
    let journal = place.path("out/journal.ndjson");
    let mut killed = Command::new(assert_cmd::cargo::cargo_bin!("gapfit"))
        .args("reproduce table4 --quick --threads 1 --out".split(' '))
        .arg(place.path("out"))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let start = Instant::now();
    let written = || std::fs::read_to_string(&journal).unwrap_or_default();
    while !written().contains('\n') && start.elapsed() < Duration::from_secs(120) {
        std::thread::sleep(Duration::from_millis(5));
    }
    killed.kill().unwrap();
    killed.wait().unwrap();
    let before = written();
    let whole = before.rfind('\n').map_or(0, |at| at + 1);

    assert_eq!(place.run("reproduce table4 --quick --out out").code, 0);
    let after = written();
    assert!(whole > 0 && after.starts_with(&before[..whole]));
    assert_eq!(after.lines().count(), 4, "two cells, two trials each, once");
    assert_eq!(place.run("reproduce table4 --quick --out fresh").code, 0);
    assert_eq!(
        place.read("out/results.json"),
        place.read("fresh/results.json")
    );
}

#[test]
fn an_unknown_experiment_is_wrong_use() {
    let place = Place::new();
    let run = place.run("reproduce table9 --out out");
    assert_eq!(run.code, 2);
    assert!(
        run.stderr
            .contains("expected one of all, fig1, theory, neumiss, table1"),
        "{}",
        run.stderr
    );
    assert_eq!(place.run("reproduce table1 --trials 1 --out out").code, 2);
    assert!(place.files().is_empty());
}
