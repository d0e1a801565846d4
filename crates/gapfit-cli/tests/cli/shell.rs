//! Lines as they are typed into a shell, and what is compared of their output.

use super::Place;
use std::process::Command;

/// What a line prints, both streams as a terminal shows them, with `gapfit` on the path.
#[track_caller]
pub(super) fn typed(place: &Place, line: &str) -> String {
    let program = assert_cmd::cargo::cargo_bin!("gapfit");
    let path = std::env::var("PATH").unwrap();
    let output = Command::new("sh")
        .current_dir(place.path(""))
        .env(
            "PATH",
            format!("{}:{path}", program.parent().unwrap().display()),
        )
        .args(["-c", &format!("exec 2>&1; {line}")])
        .output()
        .unwrap();
    String::from_utf8(output.stdout).unwrap()
}

/// The text without what differs from run to run and from machine to machine: seconds, gaps that are
/// next to nothing, and digits beyond the sixth.
pub(super) fn steady(text: &str) -> String {
    let mut seconds = None;
    let mut lines = Vec::new();
    for line in text.lines() {
        let mut cells: Vec<&str> = line.trim().split("  ").filter(|c| !c.is_empty()).collect();
        let place = cells.iter().position(|cell| cell.trim() == "seconds");
        seconds = place.or(seconds.filter(|_| cells.len() > 1));
        if let (Some(at), None) = (seconds, place)
            && at < cells.len()
        {
            cells[at] = "-";
        }
        let words: Vec<String> = cells.iter().flat_map(|c| c.split(' ')).map(word).collect();
        let is_time = |i: usize| words.get(i + 1).is_some_and(|next| next == "s");
        let kept = (0..words.len()).filter(|&i| !is_time(i) && !words[i].is_empty());
        lines.push(
            kept.map(|i| words[i].as_str())
                .collect::<Vec<_>>()
                .join(" "),
        );
    }
    lines.join("\n")
}

fn word(word: &str) -> String {
    word.split(',').map(number).collect::<Vec<_>>().join(",")
}

/// A cell, with a number cut to what is the same everywhere.
fn number(cell: &str) -> String {
    let digits = cell.chars().filter(char::is_ascii_digit).count();
    match cell.parse::<f64>() {
        Ok(number) if number.abs() > 0.0 && number.abs() < 1e-6 => "0".to_owned(),
        Ok(number) if digits > 8 => format!("{number:.4e}"),
        _ => cell.to_owned(),
    }
}

#[test]
fn what_is_steady_has_no_seconds_and_no_last_digits() {
    let table = |seconds: &str| format!("  method  seconds  RMSE\n* irr  {seconds}  1 ± 2\n");
    assert_eq!(steady(&table("0.03")), steady(&table("12.5")));
    assert_ne!(
        steady(&table("0.03")),
        steady(&table("0.03").replace("1 ±", "3 ±"))
    );
    assert_eq!(steady("gap 1.2e-9 in 0.3 s"), steady("gap 3e-8 in 12 s"));
    assert_eq!(steady("1.0000000001,2"), steady("1.0000000002,2"));
    assert_ne!(steady("1.001,2"), steady("1.002,2"));
}
