//! Models that are none, or not for this; and streams.

use super::super::{Place, holey};
use super::{Case, text};
use std::fs;

/// A model of the columns a, b and c, changed by `edit`.
fn model(edit: impl Fn(Vec<u8>) -> Vec<u8>) -> Vec<u8> {
    let place = Place::with("t.csv", &holey(60));
    place.success("fit t.csv --target y --alpha 0.1 --gamma 1 -o m");
    edit(fs::read(place.path("m")).unwrap())
}

/// A model of this many classes of the columns a, b and c.
fn classifier(classes: usize) -> Vec<u8> {
    let rows = (0..60).map(|i| format!("{},{},{},k{}\n", i % 7, i % 5, i % 3, i % classes));
    let place = Place::with("t.csv", &format!("a,b,c,y\n{}", rows.collect::<String>()));
    place.success("fit t.csv --target y --method mean --alpha 0.1 --no-calibration -o m");
    fs::read(place.path("m")).unwrap()
}

fn replaced(bytes: &[u8], from: &str, to: &str) -> Vec<u8> {
    let at = bytes
        .windows(from.len())
        .position(|part| part == from.as_bytes())
        .unwrap();
    [&bytes[..at], to.as_bytes(), &bytes[at + from.len()..]].concat()
}

pub(super) fn models() -> Vec<Case> {
    const PREDICT: &str = "predict m new.csv -o o";
    vec![
        Case(
            classifier(2),
            "predict m new.csv --intervals 90",
            1,
            "m: --intervals: expected a model of numbers, got one of classes",
        ),
        Case(
            classifier(2),
            "evaluate m new.csv",
            1,
            "new.csv, line 2, column 4 (\"y\"): expected one of the classes \"k0\", \"k1\", got \"0\"",
        ),
        Case(
            classifier(2),
            "bounds m new.csv",
            1,
            "m: expected a model of the squared loss, which the bounds are about, got logistic",
        ),
        Case(
            model(|m| m[..m.len() / 2].to_vec()),
            PREDICT,
            1,
            "m: model file: container",
        ),
        Case(
            model(|m| m[..20].to_vec()),
            PREDICT,
            1,
            "m: model file: container",
        ),
        Case(
            model(|_| Vec::new()),
            PREDICT,
            1,
            "m: model file: container",
        ),
        Case(text(&holey(20)), PREDICT, 1, "m: model file: container"),
        Case(
            model(|mut m| {
                let last = m.len() - 3;
                m[last] ^= 1;
                m
            }),
            PREDICT,
            1,
            "the file is damaged",
        ),
        Case(
            model(|m| replaced(&m, "\\\"format\\\":1", "\\\"format\\\":7")),
            PREDICT,
            1,
            "format version: expected 1, got 7",
        ),
        Case(
            model(|m| replaced(&m, "numeric", "numerik")),
            PREDICT,
            1,
            "m: model file: ",
        ),
        Case(
            model(|m| m),
            "predict m other.csv -o o",
            1,
            "expected columns of the model (\"a\", \"b\", \"c\"), got none of them",
        ),
        Case(
            model(|m| m),
            "predict m text.csv -o o",
            1,
            "line 2, column 2 (\"b\"): expected a number",
        ),
        Case(
            model(|m| m),
            "evaluate m new.csv --target z",
            1,
            "expected the target column \"z\"",
        ),
        Case(
            model(|m| m),
            "predict m header.csv -o o",
            1,
            "expected rows after the header, got none",
        ),
        Case(
            model(|m| m),
            "evaluate m new.csv --target a",
            1,
            "--target: expected a column that is no feature of the model, got a",
        ),
        Case(
            model(|m| m),
            "bounds m new.csv --weight a",
            1,
            "--weight: expected a column that is no feature of the model, got a",
        ),
        Case(
            model(|m| m),
            "predict m new.csv --intervals 99.9 -o o",
            1,
            "m: --intervals: expected at most ",
        ),
        Case(
            model(|m| m),
            "predict m hole.csv --on-new-missing error -o o",
            1,
            "expected no holes where training had none, got some in 'a' (1)",
        ),
        Case(
            model(|m| m),
            "predict - - -o o",
            2,
            "got standard input for both",
        ),
    ]
}

/// A learner of the same columns.
fn learner() -> Vec<u8> {
    let place = Place::with("t.csv", &holey(60));
    place.success("stream t.csv --target y --model m");
    fs::read(place.path("m")).unwrap()
}

pub(super) fn streams() -> Vec<Case> {
    let batch = "m: expected a model of gapfit fit, got one of gapfit stream";
    vec![
        Case(learner(), "evaluate m new.csv", 1, batch),
        Case(learner(), "bounds m new.csv", 1, batch),
        Case(learner(), "impute m new.csv -o o", 1, batch),
        Case(
            learner(),
            "predict m new.csv --intervals 90 -o o",
            1,
            "m: --intervals: expected a model of gapfit fit, got one of gapfit stream",
        ),
        Case(
            learner(),
            "predict m new.csv --on-new-missing error -o o",
            1,
            "--on-new-missing error: expected a model of gapfit fit",
        ),
        Case(
            learner(),
            "stream new.csv --target a --start-from m",
            2,
            "--target: expected \"y\" as before, got \"a\"",
        ),
        Case(
            learner(),
            "stream new.csv --target y --predictions .",
            1,
            "cannot be written: expected a file, got a folder",
        ),
        Case(
            learner(),
            "stream new.csv --target y --checkpoint m --resume",
            1,
            "expected the 60 rows before the checkpoint, got 5",
        ),
        Case(
            learner(),
            "stream new.csv --target y --step eta=1 --support edges=none",
            1,
            "none: No such file",
        ),
        Case(
            learner(),
            "stream new.csv --target y --step eta=1 --support edges=header.csv",
            2,
            "--support: edges: expected two features per line",
        ),
        Case(
            learner(),
            "compare few.csv --target y --folds 2 --methods mean",
            1,
            "fold 1 of 2: expected at least 2 training rows, got 1",
        ),
    ]
}
