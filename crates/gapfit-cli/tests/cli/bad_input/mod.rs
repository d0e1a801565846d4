//! Everything that can be wrong with what a command is given, in one table.

use super::{Place, holey};
use assert_cmd::Command;
use std::collections::BTreeMap;
use std::fs;
use std::fs::Permissions;

mod models;
mod tables;

/// A file to begin with, what is run, the exit code, and what the error says.
#[derive(Clone)]
struct Case(Vec<u8>, &'static str, i32, &'static str);

fn text(text: &str) -> Vec<u8> {
    text.as_bytes().to_vec()
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
    let tables = tables::tables();
    let models = [models::models(), models::streams()].concat();
    assert!(tables.len() + models.len() >= 60);
    for case in &tables {
        check(case, "t.csv", &[]);
    }
    let others = [
        ("new.csv", &holey(5)[..]),
        ("other.csv", "p,q\n1,2\n"),
        ("text.csv", "a,b,c\n1,two,3\n"),
        ("header.csv", "a,b,c,y\n"),
        ("few.csv", "x,y\n1,2\n2,3\n"),
        ("hole.csv", "a,b,c\n,2,3\n"),
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
