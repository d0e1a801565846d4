//! `gapfit stats` and `fit --from-stats`: the model of the rows.

use super::{Place, json};
use std::fmt::Write as _;

/// Rows from `first` on, with holes, a category and a heavy tail.
fn table(rows: std::ops::Range<usize>) -> String {
    let mut text = "size,rooms,colour,price\n".to_owned();
    for i in rows {
        let size = ((i * 7919 % 10_007) as f64 / 10_007.0).tan();
        let rooms = i * 31 % 7;
        let colour = ["red", "blue", ""][i * i % 3];
        let price = 3.0 * size.min(5.0) + rooms as f64 + (i * 13 % 29) as f64;
        let [a, b] = [i % 5 == 1, i % 7 == 2].map(|is_hole| if is_hole { "" } else { "x" });
        let cell = |mark: &str, x: String| if mark.is_empty() { String::new() } else { x };
        let (size, rooms) = (cell(a, size.to_string()), cell(b, rooms.to_string()));
        writeln!(text, "{size},{rooms},{colour},{price}").unwrap();
    }
    text
}

fn predictions(place: &Place, model: &str) -> Vec<f64> {
    let text = place.success(&format!("predict {model} new.csv"));
    text.lines()
        .skip(1)
        .map(|line| line.parse().unwrap())
        .collect()
}

fn assert_alike(place: &Place, a: &str, b: &str) {
    place.write("new.csv", &table(7..300));
    let [a, b] = [a, b].map(|model| predictions(place, model));
    assert_eq!(a.len(), 293);
    for (a, b) in a.iter().zip(&b) {
        assert!((a - b).abs() <= 1e-8 * (1.0 + a.abs()), "{a} {b}");
    }
}

#[test]
fn parts_give_the_model_of_the_whole_table() {
    let place = Place::with("whole.csv", &table(0..90_000));
    place.write("a.csv", &table(0..50_000));
    place.write("b.csv", &table(50_000..90_000));
    place.success("stats a.csv --target price --ignore colour -o a.gapstats");
    place.success("stats b.csv --target price --ignore colour -o b.gapstats");
    let settings = "--alpha 0.01 --gamma 1 --tol 1e-12 --target price";
    place.success(&format!(
        "fit --from-stats a.gapstats b.gapstats {settings} -o parts.gapfit"
    ));
    place.success(&format!(
        "fit whole.csv --ignore colour --no-calibration {settings} -o whole.gapfit"
    ));
    assert_alike(&place, "parts.gapfit", "whole.gapfit");
}

#[test]
fn categories_of_files_that_are_read_together_are_known_in_all_of_them() {
    let place = Place::with("whole.csv", &table(0..90_000));
    place.write("a.csv", &table(0..50_000));
    place.write("b.csv", &table(50_000..90_000));
    place.success("stats a.csv b.csv --target price -o both.gapstats");
    let settings = "--method gaussian --alpha 0.01 --target price --clip 0";
    place.success(&format!(
        "fit --from-stats both.gapstats {settings} -o parts.gapfit"
    ));
    place.success(&format!(
        "fit whole.csv --no-calibration {settings} -o whole.gapfit"
    ));
    assert_alike(&place, "parts.gapfit", "whole.gapfit");
}

#[test]
fn statistics_are_tuned_and_said_what_they_cannot_do() {
    let place = Place::with("t.csv", &table(0..40_000));
    let said = place.run("stats t.csv --target price -o s").stderr;
    assert!(said.contains("40000 rows summed up"), "{said}");
    let said = place.success("fit --from-stats s --target price --method mask -o m --json");
    let said = json(&said);
    assert_eq!(said["n_rows"], 40_000);
    assert!(said["held_out"].is_null());
    let said = place.failure(1, "predict m t.csv --intervals 90");
    assert!(said.contains("interval"), "{said}");
    place.success("stats t.csv --target price --no-tuning --clip 0 -o plain");
    let said = place.failure(1, "fit --from-stats plain --target price -o n --clip 0");
    assert!(said.contains("blocks"), "{said}");
    let said = place.failure(
        1,
        "fit --from-stats plain --target price -o n --alpha 1 --gamma 1",
    );
    assert!(said.contains("clip"), "{said}");
}

#[test]
fn a_pipe_is_summed_too() {
    let place = Place::with("t.csv", &table(0..500));
    place.success("stats t.csv --target price -o file");
    let piped = place.run_with("stats - --target price -o pipe", &table(0..500));
    assert_eq!(piped.code, 0, "{}", piped.stderr);
    assert_eq!(
        std::fs::read(place.path("file")).unwrap(),
        std::fs::read(place.path("pipe")).unwrap()
    );
}

#[test]
fn wrong_statistics_are_told_by_name() {
    let place = Place::with("t.csv", &table(0..100));
    place.success("stats t.csv --target price -o s");
    place.success("stats t.csv --target price --ignore rooms -o narrow");
    for (code, args, expected) in [
        (
            1,
            "fit --from-stats s --target rooms -o m",
            "got those for \"price\"",
        ),
        (1, "fit --from-stats t.csv --target price -o m", "t.csv"),
        (1, "fit --from-stats s absent --target price -o m", "absent"),
        (
            1,
            "fit --from-stats s narrow --target price -o m",
            "'rooms' in one part only",
        ),
        (
            2,
            "fit t.csv --from-stats s --target price -o m",
            "cannot be used with",
        ),
        (
            2,
            "fit --from-stats s --target price -o s",
            "another file than the input",
        ),
        (
            2,
            "stats t.csv --target price --clip 0.7 -o m",
            "--clip: expected a quantile",
        ),
        (
            2,
            "stats t.csv - --target price -o m",
            "standard input alone",
        ),
        (1, "stats t.csv --target colour -o m", "colour"),
        (
            1,
            "stats t.csv --target prize -o m",
            "did you mean \"price\"",
        ),
    ] {
        let message = place.failure(code, args);
        assert!(message.contains(expected), "{args}: {message}");
    }
}
