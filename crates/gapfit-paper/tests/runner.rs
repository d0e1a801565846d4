//! The runner: resumed, on any number of threads, with files that are not there.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use gapfit_paper::experiment::Experiment;
use gapfit_paper::outcome::{Outcome, Row};
use gapfit_paper::runner::{self, Settings};
use gapfit_paper::{Error, Tuning};
use std::collections::HashSet;
use std::fs;
use std::ops::ControlFlow;
use std::path::Path;

/// Two cells that take no time, one of them from a folder.
const SMALL: &str = "
name = 'small'
title = 'a test'
place = 'nowhere'
metric = 'rmse'
[work]
kind = 'batch'
search = { honest_alphas = { from = -8, to = 0, step = 8 }, honest_gammas = { from = 0, to = 0, step = 1 }, alphas = { from = -8, to = 0, step = 4 }, gammas = { from = -4, to = 4, step = 4 }, folds = 2 }
[[work.cells]]
name = 'A'
data = 'abalone'
holes = 'independent'
beta = 0.75
rows = 400
train = 200
[[work.cells]]
name = 'P'
data = 'park'
holes = 'dependent'
beta = 0.75
rows = 60
train = 30
";

fn settings(folder: Option<&Path>) -> Settings {
    Settings {
        trials: Some(4),
        data_dir: folder.map(Path::to_owned),
        ..Settings::default()
    }
}

fn go_on(_: usize, _: usize, _: &str) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

fn run(text: &str, settings: &Settings, journal: &Path) -> Vec<Outcome> {
    let experiments = [Experiment::parse(text).unwrap()];
    runner::run(&experiments, settings, journal, &go_on).unwrap()
}

fn json(outcomes: &[Outcome]) -> String {
    let rows: Vec<&Row> = outcomes.iter().flat_map(|of| &of.rows).collect();
    serde_json::to_string(&rows).unwrap()
}

/// A park table of a few made-up rows.
fn park() -> String {
    let row = |i: usize| format!("{},{},{}\n", i % 7, (i * i) % 11, (3 * i + i * i) % 13);
    let rows: String = (0..80).map(row).collect();
    format!("a,b,motor_UPDRS\n{rows}")
}

#[test]
fn a_run_that_was_stopped_goes_on_without_losing_or_repeating_a_trial() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("park.csv"), park()).unwrap();
    let settings = settings(Some(folder.path()));
    let whole = run(SMALL, &settings, &folder.path().join("whole"));

    let journal = folder.path().join("stopped");
    let experiments = [Experiment::parse(SMALL).unwrap()];
    let stop = |done: usize, _: usize, _: &str| match done {
        0..3 => ControlFlow::Continue(()),
        _ => ControlFlow::Break(()),
    };
    let stopped = runner::run(&experiments, &settings, &journal, &stop);
    assert!(matches!(stopped, Err(Error::Stopped)));
    let lines = |path: &Path| -> Vec<String> {
        let text = fs::read_to_string(path).unwrap();
        text.lines().map(str::to_owned).collect()
    };
    let before = lines(&journal);
    assert!((3..8).contains(&before.len()), "{}", before.len());

    // A kill in the middle of a line leaves half of it.
    let mut text = fs::read(&journal).unwrap();
    text.extend_from_slice(b"{\"key\":\"half a li");
    fs::write(&journal, text).unwrap();
    let resumed = run(SMALL, &settings, &journal);
    assert_eq!(json(&resumed), json(&whole));
    let after = lines(&journal);
    assert_eq!(after[..before.len()], before[..]);
    let distinct: HashSet<&String> = after.iter().collect();
    assert_eq!((after.len(), distinct.len()), (8, 8));

    // Nothing is left to run.
    let again = run(SMALL, &settings, &journal);
    assert_eq!((json(&again), lines(&journal).len()), (json(&whole), 8));
}

#[test]
fn a_journal_of_other_settings_or_of_rubbish_is_not_taken_for_this_one() {
    let folder = tempfile::tempdir().unwrap();
    let journal = folder.path().join("journal");
    let clean = run(SMALL, &settings(None), &folder.path().join("clean"));
    let other = Settings {
        seed: 100,
        ..settings(None)
    };
    run(SMALL, &other, &journal);
    let mut text = fs::read_to_string(&journal).unwrap();
    text += "rubbish\n{\"key\": 3}\n\n";
    // The right key with figures that do not fit is not believed either.
    let first = fs::read_to_string(folder.path().join("clean")).unwrap();
    let first: serde_json::Value = serde_json::from_str(first.lines().next().unwrap()).unwrap();
    let hollow = serde_json::json!({"key": first["key"], "finding": {"values": [], "grids": [
        {"method": "zero", "settings": ["a"], "xs": [null], "values": []}
    ]}});
    text += &format!("{hollow}\n");
    fs::write(&journal, text).unwrap();
    assert_eq!(json(&run(SMALL, &settings(None), &journal)), json(&clean));
}

#[test]
fn results_are_the_same_bits_on_one_thread_and_on_two() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("park.csv"), park()).unwrap();
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        let journal = folder.path().join(threads.to_string());
        let settings = settings(Some(folder.path()));
        pool.build()
            .unwrap()
            .install(|| json(&run(SMALL, &settings, &journal)))
    };
    assert_eq!(on(1), on(2));
}

#[test]
fn a_file_that_is_absent_or_hostile_is_a_row_that_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let reason = |data_dir: Option<&Path>, journal: &str| {
        let outcomes = run(SMALL, &settings(data_dir), &folder.path().join(journal));
        let rows = &outcomes[0].rows;
        let park: Vec<&Row> = rows.iter().filter(|row| row.cell == "P").collect();
        assert_eq!(park.len(), 1);
        assert_eq!((park[0].mean, &park[0].method), (None, &None));
        assert!(rows.iter().any(|row| row.cell == "A" && row.mean.is_some()));
        park[0].not_run.clone().unwrap()
    };
    assert_eq!(
        reason(None, "a"),
        "not run: file park.csv or parkinsons_updrs.data not found in --data-dir, which was not given"
    );
    let text = reason(Some(folder.path()), "b");
    assert!(text.starts_with("not run: file park.csv or parkinsons_updrs.data not found in "));
    for (hostile, expected) in [
        ("motor_UPDRS\n", "rows below the header"),
        ("a,motor_UPDRS\n1,2\n2,3\n", "at least 30 rows, got 2"),
        ("a,motor_UPDRS\n1,2\n2,2\n", "expected a finite number"),
        ("a,motor_UPDRS\n1,1e999\n", "line 2"),
    ] {
        fs::write(folder.path().join("park.csv"), hostile).unwrap();
        let text = reason(Some(folder.path()), "c");
        assert!(
            text.starts_with("not run: ") && text.contains(expected),
            "{text}"
        );
    }
}

#[test]
fn every_corruption_leaves_the_share_of_cells_that_it_should() {
    let cell = |data: &str, holes: &str, beta: &str| {
        format!(
            "[[work.cells]]\nname = '{data} {holes}'\ndata = '{data}'\nholes = '{holes}'\n{beta}\n"
        )
    };
    let beta = "beta = 0.75";
    let text = [
        "name = 'share'\ntitle = 't'\nplace = 'p'\nmetric = 'fraction'\n[work]\nkind = 'fractions'\n".to_owned(),
        cell("abalone", "independent", beta),
        cell("abalone", "dependent", beta),
        cell("wine", "dependent", beta),
        cell("splice-uci", "independent", beta),
        cell("optdigits", "columns", ""),
    ];
    let settings = Settings {
        trials: Some(100),
        ..Settings::default()
    };
    let folder = tempfile::tempdir().unwrap();
    let outcomes = run(&text.concat(), &settings, &folder.path().join("journal"));
    let shares = outcomes[0]
        .rows
        .iter()
        .filter(|row| row.method.as_deref() == Some("F"));
    let mut n_cells = 0;
    for row in shares {
        // A chance from U[0, beta] has the mean beta / 2; and whatever a value in [0, 1], it is on the losing
        // side of a threshold from U[0, 1] with a fair sign half of the time.
        let expected = if row.cell.starts_with("optdigits") {
            0.875
        } else {
            0.625
        };
        let error = row.sd.unwrap() / 10.0;
        let off = (row.mean.unwrap() - expected).abs();
        assert!(off <= 4.0 * error + 1e-12, "{}: {off} {error}", row.cell);
        assert_eq!(row.tuning, Some(Tuning::None));
        n_cells += 1;
    }
    assert_eq!(n_cells, 5);
}
