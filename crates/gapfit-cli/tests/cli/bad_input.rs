//! Everything that can be wrong with what a command is given, in one table.

use super::{Place, holey};
use assert_cmd::Command;
use std::collections::BTreeMap;
use std::fs;
use std::fs::Permissions;

/// A file to begin with, what is run, the exit code, and what the error says.
struct Case(Vec<u8>, &'static str, i32, &'static str);

const FIT: &str = "fit t.csv --target y -o o";

fn text(text: &str) -> Vec<u8> {
    text.as_bytes().to_vec()
}

fn utf16(text: &str) -> Vec<u8> {
    let units = text.encode_utf16().flat_map(u16::to_le_bytes);
    [0xFF, 0xFE].into_iter().chain(units).collect()
}

/// A header of so many columns and two rows that are a cell too short.
fn wide(columns: usize) -> Vec<u8> {
    let header: Vec<String> = (0..columns).map(|j| format!("c{j}")).collect();
    let row = vec!["1"; columns - 1].join(",");
    text(&format!("{}\n{row}\n{row}\n", header.join(",")))
}

/// Rows of text in the first column, numbers in the others.
fn named(cell: impl Fn(usize) -> String) -> Vec<u8> {
    let rows = (0..60).map(|i| format!("{},{},{}\n", cell(i), i % 7, i % 5));
    text(&format!("n,x,y\n{}", rows.collect::<String>()))
}

fn tables() -> Vec<Case> {
    let bytes = |bytes: &[u8]| bytes.to_vec();
    vec![
        Case(
            text(&holey(20)),
            "fit t.csv --target z -o o",
            1,
            "expected the target column \"z\"",
        ),
        Case(
            text(&holey(20)),
            "fit t.csv --target Y -o o",
            1,
            "did you mean \"y\"?",
        ),
        Case(
            bytes(b""),
            FIT,
            1,
            "expected a header line, got an empty file",
        ),
        Case(bytes(b"\n\n \n"), FIT, 1, "t.csv"),
        Case(
            bytes(b"x,y\n"),
            FIT,
            1,
            "expected rows after the header, got none",
        ),
        Case(bytes(b"x,y\n1,2\n"), FIT, 1, "--folds: expected at least 2"),
        Case(
            (0..=255).cycle().take(4000).collect(),
            FIT,
            1,
            "got binary data",
        ),
        Case(
            bytes(b"PAR1\x15\x04\x15"),
            FIT,
            1,
            "expected a whole Parquet file, got a damaged or truncated one",
        ),
        Case(
            bytes(b"ARROW1\0\0\xFF\xFF\xFF\xFF\x10\0\0\0"),
            FIT,
            1,
            "expected a whole Arrow file",
        ),
        Case(
            bytes(b"\xFF\xFF\xFF\xFF\x10\0\0\0abc"),
            FIT,
            1,
            "expected a whole Arrow stream file",
        ),
        Case(
            bytes(b"\x1F\x8B\x08\0\0\0\0\0\0\x03abc"),
            FIT,
            1,
            "cannot be read",
        ),
        Case(bytes(b"\x1F\x8B"), FIT, 1, "cannot be read"),
        Case(
            bytes(b"PK\x03\x04rest"),
            FIT,
            1,
            "got a zip file or spreadsheet",
        ),
        Case(bytes(b"SQLite format 3\0rest"), FIT, 1, "got a SQLite file"),
        Case(
            text("x,y\n1,2\ntwo,3\n4,5\n"),
            FIT,
            1,
            "line 3, column 1 (\"x\"): expected a number, as in the rows before, got \"two\"",
        ),
        Case(
            text("x,y\none,2\n2,3\n4,5\n"),
            FIT,
            1,
            "expected a text, as in the rows before, got \"2\"",
        ),
        Case(
            text("x,y\n1,2\n2,three\n"),
            FIT,
            1,
            "column 2 (\"y\"): expected a number or a mark for missing, got \"three\"",
        ),
        Case(
            text("x,x,y\n1,2,3\n"),
            FIT,
            1,
            "expected distinct column names, got \"x\" in columns 1 and 2",
        ),
        Case(
            wide(100_000),
            "fit t.csv --target c0 -o o",
            1,
            "line 2: expected 100000 cells as in the header, got 99999",
        ),
        Case(utf16("x,y\n1,2\n"), FIT, 1, "got UTF-16"),
        Case(
            bytes(b"x\xE9,y\n1,2\n"),
            FIT,
            1,
            "expected a column name in UTF-8",
        ),
        Case(
            bytes(b"x,z,y\n1,caf\xE9,3\n"),
            FIT,
            1,
            "expected text in UTF-8, got the bytes 63 61 66 E9",
        ),
        Case(
            text("x,y\r\n1,2\r\n3\r\n"),
            FIT,
            1,
            "line 3: expected 2 cells as in the header, got 1",
        ),
        Case(
            text("\u{feff}x,y\n1,2\n1,2,3\n"),
            FIT,
            1,
            "line 3: expected 2 cells as in the header, got 3",
        ),
        Case(text("x,y\n\"1\n\n\",2\nz,4\n"), FIT, 1, "line 5, column 1"),
        Case(
            text("x,y\n\"1,2\n3,4\n"),
            FIT,
            1,
            "line 2: expected a closing quote",
        ),
        Case(
            text("x,y\n1,\n2,NA\n"),
            FIT,
            1,
            "expected a target in some row, got none in all 2",
        ),
        Case(
            text("y\n1\n2\n"),
            FIT,
            1,
            "expected a column besides target",
        ),
        Case(
            text("x,y\n1,inf\n2,3\n"),
            FIT,
            1,
            "expected a finite number, got \"inf\"",
        ),
        Case(
            text("x,y\n1e999,1\n2,3\n"),
            FIT,
            1,
            "expected a finite number, got \"1e999\"",
        ),
        Case(
            named(|i| format!("person {i}")),
            FIT,
            1,
            "expected categories that repeat, got 60 different texts in 60 cells",
        ),
        Case(
            named(|i| format!("2024-01-{i}")),
            "fit t.csv --target y --dates n -o o",
            1,
            "expected a date such as 2024-03-01",
        ),
        Case(
            named(|i| format!("{i}")),
            "fit t.csv --target y --numeric q -o o",
            1,
            "expected the numeric column \"q\"",
        ),
        Case(
            named(|i| format!("{i}")),
            "fit t.csv --target y --categorical y -o o",
            1,
            "expected different columns for target and categorical",
        ),
        Case(
            named(|i| format!("{i}")),
            "fit t.csv --target y --id q -o o",
            1,
            "expected the id column \"q\"",
        ),
        Case(
            text("w,x,y\n-1,2,3\n1,2,4\n"),
            "fit t.csv --target y --weight w -o o",
            1,
            "expected a weight that is not negative, got -1",
        ),
        Case(
            text("w,x,y\n0,2,3\n0,2,4\n"),
            "fit t.csv --target y --weight w -o o",
            1,
            "expected a positive weight in some row",
        ),
        Case(
            text("w,x,y\n,2,3\n1,2,4\n"),
            "fit t.csv --target y --weight w -o o",
            1,
            "expected a weight in every row",
        ),
        Case(
            text("t,x,y\nsoon,2,3\n1,2,4\n"),
            "fit t.csv --target y --time t -o o",
            1,
            "expected a number, or a date",
        ),
        Case(
            text("{\"x\":1,\"y\":2}\n{\"x\":[1],\"y\":2}\n"),
            "fit - --target y -o o",
            1,
            "standard input, line 2, key \"x\": expected a number, a text, true, false or null, got an array",
        ),
        Case(
            text("{\"x\":1,\"y\":2}\n{\"x\":1,\n"),
            "fit - --target y -o o",
            1,
            "standard input, line 2: expected a JSON object",
        ),
        Case(
            text("{\"x\":1,\"x\":2,\"y\":2}\n"),
            "fit - --target y -o o",
            1,
            "expected each key once in a row",
        ),
        Case(
            text("x,y\n1,2\n"),
            "fit none.csv --target y -o o",
            1,
            "none.csv: cannot be read",
        ),
        Case(
            text("x,y\n1,2\n"),
            "fit . --target y -o o",
            1,
            "cannot be read",
        ),
        Case(
            text(&holey(20)),
            "fit t.csv --target y -o no/o",
            1,
            "no/o: cannot be written: expected a folder no, got none",
        ),
        Case(
            text(&holey(20)),
            "fit t.csv --target y -o .",
            1,
            "cannot be written",
        ),
        Case(
            text(&holey(20)),
            "fit t.csv --target y --folds 99 -o o",
            1,
            "--folds: expected at least 2 and at most the number of rows",
        ),
        Case(
            text(&holey(20)),
            "fit t.csv --target y --alpha -1 -o o",
            2,
            "--alpha: expected",
        ),
        Case(text(&holey(20)), "fit t.csv -o o", 2, "--target <COL>"),
        Case(
            text(&holey(20)),
            "fit t.csv --target y --max-levels 0 -o o",
            2,
            "expected a whole number from 1 to 10000",
        ),
    ]
}

/// A model of the columns a, b and c, changed by `edit`.
fn model(edit: impl Fn(Vec<u8>) -> Vec<u8>) -> Vec<u8> {
    let place = Place::with("t.csv", &holey(60));
    place.success("fit t.csv --target y --alpha 0.1 --gamma 1 -o m");
    edit(fs::read(place.path("m")).unwrap())
}

fn replaced(bytes: &[u8], from: &str, to: &str) -> Vec<u8> {
    let at = bytes
        .windows(from.len())
        .position(|part| part == from.as_bytes())
        .unwrap();
    [&bytes[..at], to.as_bytes(), &bytes[at + from.len()..]].concat()
}

fn models() -> Vec<Case> {
    const PREDICT: &str = "predict m new.csv -o o";
    vec![
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
            "predict - - -o o",
            2,
            "got standard input for both",
        ),
    ]
}

fn contents(place: &Place) -> BTreeMap<String, Vec<u8>> {
    let names = place.files().into_iter();
    names
        .map(|name| (name.clone(), fs::read(place.path(&name)).unwrap()))
        .collect()
}

#[track_caller]
fn check(Case(bytes, args, code, expected): &Case, file: &str, others: &[(&str, &str)]) {
    let place = Place::new();
    fs::write(place.path(file), bytes).unwrap();
    others
        .iter()
        .for_each(|(name, text)| place.write(name, text));
    let before = contents(&place);
    let stdin = String::from_utf8(bytes.clone()).unwrap_or_default();
    let run = place.run_with(args, &stdin);
    let about = format!("{args}: {expected}\n{}", run.stderr);
    assert_eq!(run.code, *code, "{about}");
    assert_eq!(run.stdout, "", "{about}");
    assert_eq!(contents(&place), before, "{about}");
    let errors = run
        .stderr
        .lines()
        .filter(|line| line.starts_with("error: "));
    assert_eq!(errors.count(), 1, "{about}");
    assert!(run.stderr.contains(expected), "{about}");
    assert!(!run.stderr.contains("panicked"), "{about}");
    let has_hint = run.stderr.lines().any(|line| line.starts_with("hint: "));
    assert!(has_hint || run.stderr.contains("try '--help'"), "{about}");
}

#[test]
fn every_bad_input_gives_one_message_a_hint_and_its_code_and_leaves_no_trace() {
    let (tables, models) = (tables(), models());
    assert!(tables.len() + models.len() >= 60);
    for case in &tables {
        check(case, "t.csv", &[]);
    }
    let others = [
        ("new.csv", &holey(5)[..]),
        ("other.csv", "p,q\n1,2\n"),
        ("text.csv", "a,b,c\n1,two,3\n"),
        ("header.csv", "a,b,c,y\n"),
    ];
    for case in &models {
        check(case, "m", &others);
    }
}

#[test]
fn odd_tables_that_are_sound_are_read() {
    let sound = [
        ("CRLF", "x,y\r\n1,2\r\n2,4\r\n3,6\r\n"),
        ("a byte order mark", "\u{feff}x,y\n1,2\n2,4\n3,6\n"),
        ("no last line end", "x,y\n1,2\n2,4\n3,6"),
        ("quoted line ends", "\"x\n1\",y\n1,2\n2,4\n\"3\",6\n"),
        ("blank lines", "x,y\n\n1,2\n\n2,4\n3,6\n\n"),
        ("a constant target", "x,y\n1,5\n2,5\n3,5\n"),
        ("a constant column", "x,z,y\n1,7,2\n2,7,4\n3,7,6\n"),
        ("an empty column", "x,z,y\n1,,2\n2,,4\n3,NA,6\n"),
        ("one category", "x,z,y\n1,here,2\n2,here,4\n3,here,6\n"),
        ("a target of truths", "x,y\n1,true\n2,false\n3,true\n"),
    ];
    for (what, text) in sound {
        let place = Place::with("t.csv", text);
        let run = place.run("fit t.csv --target y --alpha 0.1 --gamma 1 -o m");
        assert_eq!(run.code, 0, "{what}: {}", run.stderr);
        let predictions = place.success("predict m t.csv");
        assert_eq!(predictions.lines().count(), 4, "{what}: {predictions}");
    }
}

#[test]
#[cfg(unix)]
fn a_folder_that_may_not_be_written_to_is_named() {
    use std::os::unix::fs::PermissionsExt;
    let place = Place::with("t.csv", &holey(20));
    fs::create_dir(place.path("locked")).unwrap();
    fs::set_permissions(place.path("locked"), Permissions::from_mode(0o555)).unwrap();
    // whoever may write everywhere is not stopped by permissions
    let may_write = fs::write(place.path("locked/probe"), "").is_ok();
    if !may_write {
        let message = place.failure(1, "fit t.csv --target y --alpha 0.1 --gamma 1 -o locked/m");
        assert!(message.contains("locked/m"), "{message}");
    }
    fs::set_permissions(place.path("locked"), Permissions::from_mode(0o755)).unwrap();
}

#[test]
#[cfg(unix)]
fn a_disk_that_runs_full_leaves_the_old_file_and_no_other() {
    let place = Place::with("t.csv", &holey(60));
    place.write("m", "old");
    // a file that may not grow any further, without the signal that would end the process
    let script = format!(
        "trap '' XFSZ; ulimit -f 1; exec '{}' fit t.csv --target y --alpha 0.1 --gamma 1 -o m",
        assert_cmd::cargo::cargo_bin!("gapfit").display()
    );
    let mut shell = Command::new("sh");
    let output = shell.current_dir(place.0.path()).args(["-c", &script]);
    let output = output.output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{stderr}");
    assert!(stderr.contains("error: m: File too large"), "{stderr}");
    assert!(stderr.contains("hint: make room there"), "{stderr}");
    assert_eq!(place.read("m"), "old");
    assert_eq!(place.files(), ["m", "t.csv"]);
}
