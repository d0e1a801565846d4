//! Tables in which nearly every row has a pattern of holes of its own, learnt from in passes over the files.

use super::{Place, json};
use gapfit::eval::SquaredErrors;
use gapfit::tune::{Folding, Search, cross_validate};
use gapfit::{Base, Learner, Method, Model};
use gapfit_io::{Reader, Roles, Source, Supervised, Task, csv};
use std::fmt::Write as _;
use std::ops::{ControlFlow, Range};

const COLUMNS: usize = 20;

/// A number below 1 that looks random.
fn noise(i: usize, j: usize) -> f64 {
    let mut x = (i as u64) << 32 | j as u64;
    for _ in 0..3 {
        x = (x ^ x >> 29).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
    (x >> 11) as f64 / 2f64.powi(53)
}

/// Rows with half of the cells missing, one in 97 without a target; with a column of text if asked for.
fn rows(range: Range<usize>, has_text: bool) -> String {
    let names: Vec<String> = (0..COLUMNS).map(|j| format!("x{j}")).collect();
    let mut text = format!(
        "{}{},y\n",
        if has_text { "kind," } else { "" },
        names.join(",")
    );
    for i in range {
        if has_text {
            text += ["red,", "blue,", ",", "green,"][i * 7 % 4];
        }
        let mut sum = 3.0 * noise(i, 1000);
        for j in 0..COLUMNS {
            let x = noise(i, j) + noise(i, 500) + 0.1 * j as f64;
            sum += x / (1.0 + j as f64);
            if noise(i, 100 + j) < 0.5 {
                write!(text, "{x}").unwrap();
            }
            text += ",";
        }
        let target = if i % 97 == 3 {
            String::new()
        } else {
            sum.to_string()
        };
        writeln!(text, "{target}").unwrap();
    }
    text
}

/// Two files that together are `whole.csv`.
fn place(n: usize, has_text: bool) -> Place {
    let place = Place::with("whole.csv", &rows(0..n, has_text));
    place.write("part-1.csv", &rows(0..n / 4, has_text));
    place.write("part-2.csv", &rows(n / 4..n, has_text));
    place
}

fn table(place: &Place) -> gapfit::data::Dataset {
    let source = Source::from(place.path("whole.csv").as_path());
    let mut reader = Reader::open(&source, &csv::Options::default()).unwrap();
    let roles = Roles {
        target: "y".to_owned(),
        further_targets: vec![],
        weight: None,
        folds_by: None,
        task: Task::Auto,
    };
    Supervised::read(&mut reader, &roles).unwrap().data
}

fn model(place: &Place, name: &str) -> Model {
    Model::from_bytes(&std::fs::read(place.path(name)).unwrap()).unwrap()
}

const NOTE: &str = "a pattern of holes of its own";

#[test]
fn fits_with_given_parameters_are_those_of_the_rows_on_every_base() {
    let place = place(70_000, true);
    let data = table(&place);
    for base in Base::ALL {
        let settings = format!("--target y --base {base} --alpha 0.01 --gamma 1 --tol 1e-12");
        let run = place.run(&format!(
            "fit part-*.csv {settings} --no-calibration --out-of-core -o passes --json"
        ));
        assert_eq!(run.code, 0, "{}", run.stderr);
        assert!(run.stderr.contains(NOTE), "{}", run.stderr);
        assert!(run.stderr.contains("rows have no target"), "{}", run.stderr);
        assert_eq!(json(&run.stdout)["n_rows"], data.n_rows());
        place.success(&format!(
            "fit whole.csv {settings} --no-calibration --in-memory -o rows"
        ));
        let [a, b] = ["passes", "rows"].map(|name| model(&place, name));
        assert_eq!(a.schema(), b.schema());
        let tol = if base == Base::Gaussian { 1e-7 } else { 1e-10 };
        let [a, b] = [a, b].map(|model| model.predict(data.features()).unwrap());
        let mut pairs = a.iter().zip(&b);
        assert!(
            pairs.all(|(a, b)| (a - b).abs() <= tol * (1.0 + b.abs())),
            "{base}"
        );
    }
}

#[test]
fn tuning_and_scores_are_those_of_the_rows_folded_by_their_cells() {
    let place = place(70_000, false);
    let data = table(&place);
    let out_of_core = "--target y --out-of-core --folds 3 --json";
    let run = place.run(&format!(
        "fit part-*.csv {out_of_core} --method mask --tol 1e-12 -o m --threads 2"
    ));
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(run.stderr.contains(NOTE), "{}", run.stderr);
    let said = json(&run.stdout);
    let learner = Learner {
        tol: 1e-12,
        ..Learner::new(Method::Mask)
    };
    let search = Search {
        folding: Folding::Hashed,
        folds: 3,
        ..Search::default()
    };
    let go_on = |_, _| ControlFlow::Continue(());
    let parameters = cross_validate(&learner, &data, &search, &go_on)
        .unwrap()
        .best
        .parameters;
    let close = |a: f64, b: f64| (a - b).abs() <= 1e-10 * (1.0 + b.abs());
    assert!(close(said["alpha"].as_f64().unwrap(), parameters.alpha));
    let mut errors: Option<SquaredErrors> = None;
    for fold in Folding::Hashed.split(&data, 3, 0).unwrap().iter() {
        let [train, test] = [&fold.train, &fold.held_out].map(|rows| data.select(rows));
        let model = learner.fit(&train, parameters).unwrap().model;
        let predicted = model.predict(test.features()).unwrap();
        let of_fold = SquaredErrors::of(test.target(), &predicted, None);
        match &mut errors {
            None => errors = Some(of_fold),
            Some(all) => all.add(&of_fold),
        }
    }
    let rmse = errors.unwrap().rmse();
    assert!(
        close(said["held_out"]["rmse"].as_f64().unwrap(), rmse),
        "{rmse}"
    );
    let first = std::fs::read(place.path("m")).unwrap();
    place.success(&format!(
        "fit part-*.csv {out_of_core} --method mask --tol 1e-12 -o m --threads 1"
    ));
    assert_eq!(std::fs::read(place.path("m")).unwrap(), first);
    let run = place.run(&format!(
        "compare part-*.csv {out_of_core} --methods mean,mask"
    ));
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(run.stderr.contains(NOTE), "{}", run.stderr);
    let methods = json(&run.stdout)["methods"].as_array().unwrap().clone();
    assert_eq!(methods.len(), 2);
    assert_eq!(json(&run.stdout)["data"]["n_rows"], data.n_rows());
}

#[test]
fn standard_input_cannot_be_read_in_passes() {
    let place = Place::with("t.csv", &rows(0..10, false));
    let message = place.failure(1, "fit - --target y --out-of-core -o m");
    assert!(message.contains("which can be read once"), "{message}");
}

#[test]
fn statistics_of_too_many_patterns_are_for_constant_fills_and_say_so() {
    let (n_rows, n_cols) = (34_000, 40);
    let names: Vec<String> = (0..n_cols).map(|j| format!("x{j}")).collect();
    let mut text = names.join(",") + ",y\n";
    for i in 0..n_rows {
        let mut sum = noise(i, 1000);
        for j in 0..n_cols {
            let x = noise(i, j);
            sum += x / (1.0 + j as f64);
            if noise(i, 100 + j) > 0.1 {
                write!(text, "{x:.6}").unwrap();
            }
            text += ",";
        }
        writeln!(text, "{sum:.6}").unwrap();
    }
    let place = Place::with("t.csv", &text);
    let run = place.run("stats t.csv --target y --clip 0 --no-tuning -o s");
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(run.stderr.contains("bases mean and zero"), "{}", run.stderr);
    let said = place.success("stats t.csv --target y --clip 0 --no-tuning --json -o s");
    assert_eq!(json(&said)["by_pattern"], false);
    let settings = "--target y --method mask --alpha 0.01 --clip 0 --no-calibration";
    place.success(&format!("fit --from-stats s {settings} -o sums"));
    place.success(&format!("fit t.csv {settings} --in-memory -o rows"));
    let [a, b] = ["sums", "rows"].map(|name| {
        let out = place.success(&format!("predict {name} t.csv"));
        out.lines()
            .skip(1)
            .map(|line| line.parse().unwrap())
            .collect::<Vec<f64>>()
    });
    assert_eq!(a.len(), n_rows);
    assert!(a.iter().zip(&b).all(|(a, b)| (a - b).abs() < 1e-9));
    let message = place.failure(
        1,
        "fit --from-stats s --target y --base gaussian --alpha 1 --gamma 1 --clip 0 -o m",
    );
    assert!(message.contains("not told apart"), "{message}");
}

#[cfg(target_os = "linux")]
#[test]
fn an_interrupt_during_a_pass_leaves_no_file_and_keeps_the_old_one() {
    use std::io::{BufRead, BufReader};
    use std::process::{Command, Stdio};

    let place = Place::with("t.csv", &rows(0..70_000, false));
    place.write("m", "what was there");
    let before = place.files();
    let mut child = Command::new(assert_cmd::cargo::cargo_bin!("gapfit"))
        .current_dir(place.0.path())
        .args("fit t.csv --target y --out-of-core -o m".split_whitespace())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut said = BufReader::new(child.stderr.take().unwrap()).lines();
    let is_begun = said.any(|line| line.unwrap().contains(NOTE));
    assert!(is_begun, "passes begin");
    std::thread::sleep(std::time::Duration::from_millis(200));
    let sent = Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status();
    assert!(sent.unwrap().success());
    assert!(!child.wait().unwrap().success());
    assert_eq!(place.files(), before);
    assert_eq!(
        std::fs::read_to_string(place.path("m")).unwrap(),
        "what was there"
    );
}

#[cfg(target_os = "linux")]
#[test]
fn memory_does_not_grow_with_the_number_of_rows() {
    let place = Place::with("few.csv", &rows(0..70_000, false));
    place.write("many.csv", &rows(0..210_000, false));
    for method in [
        "--method mean",
        "--base gaussian --gamma 0 --alpha 0.01 --no-calibration",
    ] {
        let [few, many] = ["few.csv", "many.csv"].map(|file| {
            let args = format!("fit {file} --target y --out-of-core {method} -o o --threads 2");
            super::out_of_core::linux::peak(&place, &args)
        });
        // 140 000 rows more, of 168 bytes, would take 23 MB more as a table
        assert!(many < few + 10_000, "{method}: {few} kB, {many} kB");
    }
}
