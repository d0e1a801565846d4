use super::model::{fitted, predictions};
use super::{Place, holey};

/// The header and the cells of a table.
fn table(text: &str) -> (Vec<&str>, Vec<Vec<&str>>) {
    let mut lines = text.lines().map(|line| line.split(',').collect::<Vec<_>>());
    (lines.next().unwrap(), lines.collect())
}

fn numbers(cells: &[&str]) -> Vec<f64> {
    cells.iter().map(|cell| cell.parse().unwrap()).collect()
}

#[test]
fn intervals_add_two_columns_that_cover_as_asked() {
    let place = Place::with("train.csv", &holey(1000));
    place.write("new.csv", &holey(1500));
    place.success("fit train.csv --target y -o m --alpha 0.001 --gamma 1");
    let plain = predictions(&place.success("predict m new.csv"));
    let truth: Vec<f64> = place
        .read("new.csv")
        .lines()
        .skip(1)
        .map(|l| l.rsplit(',').next().unwrap().parse().unwrap())
        .collect();
    let mut widths = Vec::new();
    for percent in [50, 90, 99] {
        let text = place.success(&format!("predict m new.csv --intervals {percent}"));
        let (header, rows) = table(&text);
        assert_eq!(header, ["prediction", "lower", "upper"]);
        let rows: Vec<_> = rows.iter().map(|row| numbers(row)).collect();
        assert!(
            rows.iter()
                .zip(&plain)
                .all(|(row, p)| row[0].to_bits() == p.to_bits())
        );
        let is_hit = |(row, y): &(&Vec<f64>, &f64)| row[1] <= **y && **y <= row[2];
        let hits = rows.iter().zip(&truth).filter(is_hit).count() as f64 / 1500.0;
        assert!(
            (hits - f64::from(percent) / 100.0).abs() < 0.05,
            "{percent}: {hits}"
        );
        widths.push(rows[0][2] - rows[0][1]);
    }
    assert!(widths.is_sorted(), "{widths:?}");
}

#[test]
fn intervals_need_a_calibration_and_enough_rows() {
    let place = fitted();
    place.success("fit t.csv --target y -o bare --alpha 0.001 --gamma 1 --no-calibration");
    assert_eq!(
        place.failure(1, "predict bare t.csv --intervals 90"),
        "error: bare: --intervals: expected a calibrated model, got one without calibration\n\
         hint: fit again without --no-calibration\n"
    );
    assert_eq!(
        place.failure(1, "predict m t.csv --intervals 99.9"),
        "error: m: --intervals: expected at most 99.5, which is what 200 held-out rows are enough for, got 99.9\n\
         hint: ask for less, or fit to more rows\n"
    );
    for bad in ["49", "100", "0.9", "-1", "x", "nan"] {
        let message = place.failure(2, &format!("predict m t.csv --intervals {bad}"));
        assert!(
            message.contains("expected a number from 50 to 99.9"),
            "{message}"
        );
    }
    let plain = place.success("predict m t.csv");
    assert_eq!(
        place.success("predict bare t.csv"),
        plain,
        "calibration changes no prediction"
    );
}

#[test]
fn a_table_too_small_for_folds_gives_a_model_without_intervals() {
    let place = Place::with("t.csv", "a,y\n1,2\n2,3\n,4\n");
    let run = place.run("fit t.csv --target y -o m --alpha 0.1 --gamma 1");
    assert_eq!(run.code, 0, "{}", run.stderr);
    let expected = "warning: the model has no calibration, so no intervals: --folds: expected at least 2 and at most the number of rows, got 5 (rows: 3)";
    assert!(run.stderr.contains(expected), "{}", run.stderr);
    assert_eq!(place.success("predict m t.csv").lines().count(), 4);
}

#[test]
fn explanations_add_up_to_the_prediction() {
    let place = fitted();
    let wide = place.success("predict m t.csv --explain");
    let (header, rows) = table(&wide);
    assert_eq!(
        header,
        [
            "prediction",
            "base",
            "contribution_a",
            "contribution_b",
            "contribution_c"
        ]
    );
    for row in &rows {
        let row = numbers(row);
        let sum: f64 = row[1..].iter().sum();
        assert!((sum - row[0]).abs() < 1e-9, "{row:?}");
    }
    let both = place.success("predict m t.csv --explain=wide --intervals 80");
    assert!(both.starts_with("prediction,lower,upper,base,contribution_a,"));
    let long = place.success("predict m t.csv --explain=long");
    let (header, lines) = table(&long);
    assert_eq!(header, ["row", "part", "feature", "contribution"]);
    assert_eq!(lines.len(), 4 * rows.len());
    assert_eq!(lines[0][..3], ["1", "base", ""]);
    for (k, line) in lines.iter().enumerate() {
        assert_eq!(line[3], rows[k / 4][1 + k % 4], "line {k}");
    }
    // row 0 of the table has a hole in c
    assert_eq!(lines[3][..3], ["1", "missing", "c"]);
    assert_eq!(lines[1][..3], ["1", "observed", "a"]);
    let message = place.failure(2, "predict m t.csv --explain=long --intervals 80");
    assert!(
        message.contains("--intervals: expected --explain wide with it, got long"),
        "{message}"
    );
}

#[test]
fn names_with_commas_are_quoted_in_explanations() {
    let text = holey(60).replacen("a,b,c,y", "\"a, left\",b,c,y", 1);
    let place = Place::with("t.csv", &text);
    place.success("fit t.csv --target y -o m --alpha 0.001 --gamma 1");
    let wide = place.success("predict m t.csv --explain");
    assert!(
        wide.starts_with("prediction,base,\"contribution_a, left\",contribution_b,"),
        "{wide}"
    );
}

#[test]
fn the_policy_decides_about_holes_where_training_had_none() {
    let place = Place::with("t.csv", &holey(100));
    place.success("fit t.csv --target y -o m --base mean --alpha 0.01 --gamma 1");
    place.success("fit t.csv --target y -o plain --method mean --alpha 0.01");
    place.write("new.csv", "a,b,c\n,1,2\n3,,4\n,5,NA\n");
    let warned = place.run("predict m new.csv --on-new-missing warn");
    assert!(
        warned
            .stderr
            .contains("holes where training had none: 'a' (2)"),
        "{}",
        warned.stderr
    );
    let quiet = place.run("predict m new.csv --on-new-missing ok");
    assert_eq!((quiet.code, quiet.stderr.as_str()), (0, ""));
    assert_eq!(quiet.stdout, warned.stdout);
    for model in ["m", "plain"] {
        assert_eq!(
            place.failure(
                1,
                &format!("predict {model} new.csv --on-new-missing error -o o")
            ),
            "error: new.csv: expected no holes where training had none, got some in 'a' (2)\n\
             hint: --on-new-missing warn fills them; fit --simulate-holes trains for them\n"
        );
    }
    place.success("predict m t.csv --on-new-missing error");
}

#[test]
fn models_of_streams_have_neither_intervals_nor_explanations() {
    let place = Place::with("t.csv", &holey(50));
    place.success("stream t.csv --target y --model s");
    for flag in ["--intervals 90", "--explain", "--on-new-missing error"] {
        let message = place.failure(1, &format!("predict s t.csv {flag}"));
        let expected = "expected a model of gapfit fit, got one of gapfit stream";
        assert!(message.contains(expected), "{message}");
    }
    place.success("predict s t.csv --on-new-missing ok");
}

#[test]
fn ids_are_carried_along_as_they_are_written() {
    let place = fitted();
    place.write(
        "new.csv",
        "who,a,b,zip,c\n\"x, y\",1,2,007,3\n,1,,010,3\nz,2,,011,NA\n",
    );
    let alone = place.success("predict m new.csv");
    let alone: Vec<&str> = alone.lines().collect();
    let run = place.run("predict m new.csv --id who,zip");
    assert_eq!(run.stderr, "", "they are known");
    let lines: Vec<&str> = run.stdout.lines().collect();
    let begins = ["who,zip,", "\"x, y\",007,", ",010,", "z,011,"];
    for ((line, begin), prediction) in lines.iter().zip(begins).zip(alone) {
        assert_eq!(*line, format!("{begin}{prediction}"));
    }
    let long = place.success("predict m new.csv --id zip --explain=long");
    assert!(
        long.starts_with("zip,row,part,feature,contribution\n007,1,base,,"),
        "{long}"
    );
    for (flag, expected) in [
        ("--id whom", "expected the id column \"whom\""),
        (
            "--id a",
            "expected a column that is no feature of the model, got \"a\"",
        ),
    ] {
        let message = place.failure(1, &format!("predict m new.csv {flag}"));
        assert!(message.contains(expected), "{message}");
    }
    place.write("odd.csv", "prediction,a\n1,2\n");
    let message = place.failure(1, "predict m odd.csv --id prediction");
    assert!(
        message.contains("expected another name than those of the result"),
        "{message}"
    );
}
