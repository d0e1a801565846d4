//! Tables larger than memory: learning from sums, several files and patterns, memory that does not grow.

use super::{Place, holey, json};
use gapfit::eval::{Scores, SquaredErrors};
use gapfit::prepare::Preparation;
use gapfit::tune::{Folding, Search, choose_base, cross_validate};
use gapfit::{Base, Learner, Method, Model};
use gapfit_io::{Roles, Source, Supervised, Task, csv};
use std::fmt::Write as _;
use std::ops::{ControlFlow, Range};

/// Rows of a table that is sorted by its first column, with holes and a heavy tail.
fn sorted(rows: Range<usize>) -> String {
    let mut text = "time,size,rooms,price\n".to_owned();
    for i in rows {
        let size = ((i * 7919 % 10_007) as f64 / 10_007.0).tan();
        let rooms = i * 31 % 7;
        let price = i as f64 / 1e4 + 3.0 * size.min(5.0) + rooms as f64 + (i * 13 % 29) as f64;
        let size = if i % 5 == 1 {
            String::new()
        } else {
            size.to_string()
        };
        let rooms = if i % 7 == 2 {
            String::new()
        } else {
            rooms.to_string()
        };
        writeln!(text, "{i},{size},{rooms},{price}").unwrap();
    }
    text
}

/// The same columns in another order.
fn turned(text: &str) -> String {
    let turn = |line: &str| {
        let cells: Vec<&str> = line.split(',').collect();
        [cells[3], cells[1], cells[0], cells[2]].join(",") + "\n"
    };
    text.lines().map(turn).collect()
}

/// Two files that together are `whole.csv`.
fn place(rows: usize) -> Place {
    let place = Place::with("whole.csv", &sorted(0..rows));
    place.write("part-1.csv", &sorted(0..rows / 3));
    place.write("part-2.csv", &turned(&sorted(rows / 3..rows)));
    place
}

fn rows(place: &Place) -> gapfit::data::Dataset {
    let source = Source::from(place.path("whole.csv").as_path());
    let mut reader = gapfit_io::Reader::open(&source, &csv::Options::default()).unwrap();
    let roles = Roles {
        target: "price".to_owned(),
        further_targets: vec![],
        weight: None,
        folds_by: None,
        task: Task::Auto,
    };
    Supervised::read(&mut reader, &roles).unwrap().data
}

fn search() -> Search {
    Search {
        folding: Folding::Hashed,
        ..Search::default()
    }
}

fn go_on(_: usize, _: usize) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-10 * (1.0 + b.abs())
}

#[test]
fn fit_out_of_core_gives_the_model_of_the_rows_folded_by_their_cells() {
    // few enough to be kept, and more than are kept, sorted so that the first mislead
    for n in [2_000, 90_000] {
        let place = place(n);
        let run = place.run("fit part-*.csv --target price -o m --out-of-core --tol 1e-12 --json");
        assert_eq!(run.code, 0, "{}", run.stderr);
        assert!(run.stderr.contains("sums over the rows"), "{}", run.stderr);
        assert!(run.stderr.contains("intervals"), "{}", run.stderr);
        let (said, data) = (json(&run.stdout), rows(&place));
        let settings = Learner {
            tol: 1e-12,
            ..Learner::default()
        };
        let chosen = choose_base(&settings, &Base::ALL, &data, &search(), &go_on).unwrap();
        assert_eq!(said["base"], chosen.base.to_string());
        assert!(close(
            said["alpha"].as_f64().unwrap(),
            chosen.parameters.alpha
        ));
        assert!(close(
            said["gamma"].as_f64().unwrap(),
            chosen.parameters.gamma
        ));
        let learner = Learner {
            method: Method::Irr(chosen.base),
            ..settings
        };
        let expected = learner.fit(&data, chosen.parameters).unwrap().model;
        let model = Model::from_bytes(&std::fs::read(place.path("m")).unwrap()).unwrap();
        let [a, b] = [&model, &expected].map(|model| model.predict(data.features()).unwrap());
        assert!(a.iter().zip(&b).all(|(a, b)| close(*a, *b)));
        let mut errors: Option<SquaredErrors> = None;
        for fold in Folding::Hashed.split(&data, 5, 0).unwrap().iter() {
            let [train, test] = [&fold.train, &fold.held_out].map(|rows| data.select(rows));
            let model = learner.fit(&train, chosen.parameters).unwrap().model;
            let predicted = model.predict(test.features()).unwrap();
            let of_fold = SquaredErrors::of(test.target(), &predicted, None);
            match &mut errors {
                None => errors = Some(of_fold),
                Some(all) => all.add(&of_fold),
            }
        }
        let (errors, got) = (errors.unwrap(), &said["held_out"]);
        assert!(close(got["rmse"].as_f64().unwrap(), errors.rmse()), "{got}");
        assert!(close(got["r2"].as_f64().unwrap(), errors.r2()), "{got}");
        assert!(said["held_out"]["mae"].is_null());
    }
}

#[test]
fn compare_out_of_core_gives_the_scores_of_the_rows_folded_by_their_cells() {
    for n in [1_500, 60_000] {
        let place = place(n);
        let run = place.run(
            "compare part-*.csv --target price --out-of-core --methods mean,mask,irr:mean --folds 3 --json",
        );
        assert_eq!(run.code, 0, "{}", run.stderr);
        assert!(run.stderr.contains("absolute errors"), "{}", run.stderr);
        let (said, data) = (json(&run.stdout), rows(&place));
        assert_eq!(said["folding"]["kind"], "hashed");
        assert_eq!(said["data"]["n_rows"], n);
        let methods = said["methods"].as_array().unwrap();
        for method in [
            Method::Impute(Base::Mean),
            Method::Mask,
            Method::Irr(Base::Mean),
        ] {
            let learner = Learner::new(method);
            let folds = Folding::Hashed.split(&data, 3, 0).unwrap();
            let judge = |fold: gapfit::tune::Fold| {
                let [train, test] = [&fold.train, &fold.held_out].map(|rows| data.select(rows));
                let tuned = cross_validate(&learner, &train, &search(), &go_on).unwrap();
                let fitted = learner.fit(&train, tuned.best.parameters).unwrap();
                let predicted = fitted.model.predict(test.features()).unwrap();
                let scores = Scores::of(test.target(), &predicted, None);
                (scores.rmse, scores.r2)
            };
            let (rmse, r2): (Vec<f64>, Vec<f64>) = folds.iter().map(judge).unzip();
            let name = match method {
                Method::Irr(base) => format!("irr:{base}"),
                other => other.to_string(),
            };
            let line = methods
                .iter()
                .find(|line| line["name"] == name.as_str())
                .unwrap();
            for (key, values) in [("rmse", rmse), ("r2", r2)] {
                let mean = values.iter().sum::<f64>() / 3.0;
                let got = line[key].as_f64().unwrap();
                assert!(close(got, mean), "{name}, {key}: {got} {mean}");
            }
            assert!(line["mae"].is_null());
        }
    }
}

#[test]
fn sorted_tables_are_summed_in_a_second_pass() {
    let place = place(90_000);
    place.success("stats part-*.csv --target price -o s");
    let settings = "--target price --alpha 0.01 --gamma 1 --tol 1e-12";
    place.success(&format!("fit --from-stats s {settings} -o sums"));
    place.success(&format!(
        "fit whole.csv {settings} --no-calibration -o rows"
    ));
    let data = rows(&place);
    let [a, b] = ["sums", "rows"].map(|name| {
        let model = Model::from_bytes(&std::fs::read(place.path(name)).unwrap()).unwrap();
        model.predict(data.features()).unwrap()
    });
    assert!(a.iter().zip(&b).all(|(a, b)| close(*a, *b)));
    assert!(
        Preparation::default().clip > 0.0,
        "tails are what it is about"
    );
}

#[test]
fn files_are_one_table_for_fit_and_compare_in_memory_too() {
    let place = place(600);
    for (command, out) in [
        ("fit", "-o {} --no-calibration"),
        ("compare", "--methods mean --folds 2"),
    ] {
        let run = |files: &str, to: &str| {
            let out = out.replace("{}", to);
            let text = place.success(&format!("{command} {files} --target price {out} --json"));
            let mut said = json(&text);
            // time and name are no matter of rows
            for key in ["/seconds", "/data/name", "/methods/0/seconds"] {
                if let Some(value) = said.pointer_mut(key) {
                    *value = serde_json::Value::Null;
                }
            }
            said
        };
        assert_eq!(
            run("part-1.csv part-2.csv", "a"),
            run("whole.csv", "b"),
            "{command}"
        );
    }
    assert_eq!(
        std::fs::read(place.path("a")).unwrap(),
        std::fs::read(place.path("b")).unwrap()
    );
}

#[test]
fn what_sums_cannot_do_is_refused_with_a_hint() {
    let place = Place::with("t.csv", &holey(60));
    place.write("kinds.csv", "x,kind\n1,a\n2,b\n3,a\n4,b\n");
    for (args, expected) in [
        ("fit t.csv --target y --group a -o m", "got --group"),
        ("fit t.csv --target y --time a -o m", "got --time"),
        ("fit t.csv --target y --stratify -o m", "got --stratify"),
        (
            "fit t.csv --target y --loss huber=1 -o m",
            "a loss other than squared",
        ),
        ("fit t.csv --target y --report r.html -o m", "got --report"),
        (
            "fit t.csv --target y --simulate-holes 0.1 -o m",
            "got --simulate-holes",
        ),
        (
            "fit t.csv --target y,a -o m",
            "statistics are for one target",
        ),
        (
            "fit kinds.csv --target kind -o m",
            "classes are learnt from rows",
        ),
        (
            "compare kinds.csv --target kind",
            "classes are learnt from rows",
        ),
        (
            "compare t.csv --target y --metric mae",
            "a metric other than rmse",
        ),
        ("compare t.csv --target y --folds 11", "folds"),
        ("fit - --target y -o m", "which can be read once"),
    ] {
        let message = place.failure(1, &format!("{args} --out-of-core"));
        assert!(message.contains(expected), "{args}: {message}");
        assert!(message.contains("hint: "), "{args}: {message}");
    }
    let message = place.failure(2, "fit t.csv --target y -o m --out-of-core --in-memory");
    assert!(message.contains("cannot be used with"), "{message}");
}

#[test]
fn patterns_are_expanded_and_files_must_have_the_columns_of_the_first() {
    let place = place(300);
    let message = place.failure(1, "profile none-*.csv");
    let expected = "error: none-*.csv: expected files that match the pattern, got none\nhint: ";
    assert!(message.starts_with(expected), "{message}");
    place.write("other.csv", "time,size,price\n1,2,3\n");
    for command in [
        "fit {} --target price -o m",
        "compare {} --target price",
        "profile {}",
    ] {
        let message = place.failure(1, &command.replace("{}", "part-1.csv other.csv"));
        assert!(
            message.contains("other.csv") && message.contains("\"rooms\""),
            "{message}"
        );
    }
    let message = place.failure(2, "profile part-1.csv -");
    assert!(message.contains("standard input alone"), "{message}");
}

#[test]
fn predictions_of_several_files_follow_each_other() {
    let place = place(500);
    place.success("fit whole.csv --target price --id time --alpha 0.01 --gamma 1 -o m");
    place.write("empty.csv", "time,size,rooms,price\n");
    let whole = place.success("predict m whole.csv --id time --explain=long");
    let parts = place.success("predict m part-*.csv --id time --explain=long");
    assert_eq!(parts, whole);
    place.success("predict m part-1.csv empty.csv part-2.csv --json -o parts");
    assert_eq!(
        place.read("parts"),
        place.success("predict m whole.csv --json")
    );
    let message = place.failure(1, "predict m empty.csv empty.csv");
    assert!(message.contains("empty.csv"), "{message}");
}

#[test]
fn several_files_are_evaluated_as_one_table() {
    let place = place(500);
    place.success("fit whole.csv --target price --id time --alpha 0.01 --gamma 1 -o one");
    place.success("fit whole.csv --target price,rooms --id time --alpha 0.01 --gamma 1 -o two");
    for flags in [
        "one {}",
        "one {} --json",
        "two {} --json",
        "one {} --weight time",
    ] {
        let run = |files: &str| place.success(&format!("evaluate {}", flags.replace("{}", files)));
        assert_eq!(run("part-*.csv"), run("whole.csv"), "{flags}");
    }
    let message = place.failure(2, "evaluate one part-1.csv -");
    assert!(message.contains("standard input alone"), "{message}");
    place.write("other.csv", "time,size,price\n1,2,3\n");
    let message = place.failure(1, "evaluate two part-1.csv other.csv");
    assert!(
        message.contains("other.csv") && message.contains("rooms"),
        "{message}"
    );
}

#[test]
fn filled_files_go_into_a_folder_or_one_after_the_other() {
    let place = place(500);
    place.write("part-3.csv", sorted(500..700).trim_end());
    place.write("part-4.csv", &sorted(700..800).replace('\n', "\r\n"));
    place.success("fit whole.csv --target price --alpha 0.01 --gamma 1 --no-calibration -o m");
    std::fs::create_dir(place.path("filled")).unwrap();
    let said = json(&place.success("impute m part-*.csv -o filled --json"));
    assert_eq!(said["n_rows"], 800);
    for name in ["part-1.csv", "part-2.csv", "part-3.csv", "part-4.csv"] {
        let filled = place.read(&format!("filled/{name}"));
        assert_eq!(filled, place.success(&format!("impute m {name}")));
    }
    let joined = place.success("impute m part-1.csv part-3.csv part-4.csv");
    let [a, b, c] = ["part-1.csv", "part-3.csv", "part-4.csv"]
        .map(|name| place.read(&format!("filled/{name}")));
    let body = |text: &str| text.split_once('\n').unwrap().1.to_owned();
    assert_eq!(joined, format!("{a}{}\n{}", body(&b), body(&c)));
    let message = place.failure(1, "impute m part-1.csv part-2.csv -o one.csv");
    assert!(
        message.contains("expected the header of the tables before"),
        "{message}"
    );
    assert!(message.contains("hint: give a folder"), "{message}");
    std::fs::create_dir(place.path("more")).unwrap();
    place.write("more/part-1.csv", &sorted(0..5));
    let message = place.failure(2, "impute m part-1.csv more/part-1.csv -o filled");
    assert!(message.contains("different names"), "{message}");
    let message = place.failure(2, "impute m part-1.csv -o .");
    assert!(message.contains("another file than the input"), "{message}");
}

#[test]
fn a_profile_of_several_files_is_that_of_their_rows_together() {
    let place = place(500);
    for flags in ["--target price", "--target rooms --json", ""] {
        let whole = place.success(&format!("profile whole.csv {flags}"));
        assert_eq!(place.success(&format!("profile part-*.csv {flags}")), whole);
    }
}

#[cfg(target_os = "linux")]
pub(super) mod linux {
    use super::*;
    use std::process::{Child, Command, Stdio};
    use std::time::{Duration, Instant};

    fn start(place: &Place, args: &str) -> Child {
        Command::new(assert_cmd::cargo::cargo_bin!("gapfit"))
            .current_dir(place.0.path())
            .args(args.split_whitespace())
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap()
    }

    /// The largest memory of a run, in kilobytes.
    pub(crate) fn peak(place: &Place, args: &str) -> u64 {
        let mut child = start(place, args);
        let (status, mut peak) = (format!("/proc/{}/status", child.id()), 0);
        loop {
            let text = std::fs::read_to_string(&status).unwrap_or_default();
            let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
            let kilobytes = line.and_then(|rest| rest.split_whitespace().next()?.parse().ok());
            peak = peak.max(kilobytes.unwrap_or(0));
            if let Some(ended) = child.try_wait().unwrap() {
                assert!(ended.success(), "{args}");
                return peak;
            }
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    #[test]
    fn memory_does_not_grow_with_the_number_of_rows() {
        // enough that all threads have had all they hold at once
        let place = Place::with("few.csv", &sorted(0..500_000));
        place.write("many.csv", &sorted(0..2_000_000));
        place.success("fit few.csv --target price --alpha 0.01 --gamma 1 --no-calibration -o m");
        for args in [
            "fit {} --target price --out-of-core --method mean -o o --threads 2",
            "predict m {} -o o --threads 2",
            "impute m {} -o o --threads 2",
            "profile {} --target price --threads 2",
        ] {
            // what threads happen to hold at once differs from run to run
            let [few, many] = ["few.csv", "many.csv"].map(|file| {
                let peaks = (0..3).map(|_| peak(&place, &args.replace("{}", file)));
                peaks.min().unwrap()
            });
            // 1 500 000 rows more, of 24 bytes at least, would take 36 MB more as a table
            assert!(many < few + 18_000, "{args}: {few} kB, {many} kB");
        }
    }

    #[test]
    fn an_interrupt_leaves_no_unfinished_file() {
        let place = place(500);
        place.success("fit whole.csv --target price --alpha 0.01 --gamma 1 --no-calibration -o m");
        std::fs::create_dir(place.path("filled")).unwrap();
        let made = Command::new("mkfifo").arg(place.path("pipe")).status();
        assert!(made.unwrap().success());
        for args in [
            "predict m part-1.csv pipe -o p.csv",
            "impute m part-1.csv pipe -o i.csv",
            "impute m part-1.csv pipe -o filled",
        ] {
            let before = place.files();
            let mut child = start(&place, args);
            let folder = place.path(if args.ends_with("filled") {
                "filled"
            } else {
                ""
            });
            let has_file = || {
                let mut entries = std::fs::read_dir(&folder).unwrap();
                entries.any(|e| {
                    e.unwrap()
                        .file_name()
                        .to_string_lossy()
                        .starts_with(".gapfit-")
                })
            };
            let begun = Instant::now();
            while !has_file() && begun.elapsed() < Duration::from_secs(20) {
                std::thread::sleep(Duration::from_millis(5));
            }
            assert!(has_file(), "{args}: something is being written");
            std::thread::sleep(Duration::from_millis(100));
            let id = child.id().to_string();
            let sent = Command::new("kill").args(["-INT", &id]).status();
            assert!(sent.unwrap().success());
            assert_eq!(child.wait().unwrap().code(), Some(130), "{args}");
            assert!(!has_file(), "{args}");
            assert_eq!(place.files(), before, "{args}");
        }
        assert_eq!(std::fs::read_dir(place.path("filled")).unwrap().count(), 0);
    }
}
