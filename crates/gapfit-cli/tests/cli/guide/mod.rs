//! docs/guide.md against what its commands print.
//!
//! Each block marked `console` is a session: lines after `$ ` are typed into a shell, one after the other
//! in a folder that has the tables of docs/guide, and what is below each is what it prints. With
//! `UPDATE_GUIDE=1` the page and the tables are written anew instead of compared.

mod tables;

use super::Place;
use super::shell::{steady, typed};
use std::fs;
use std::path::PathBuf;

fn docs(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("../../docs")
        .join(name)
}

/// The page as it would be if its commands were run now.
fn played(page: &str, place: &Place) -> String {
    let mut now = String::new();
    let mut is_session = false;
    for line in page.lines() {
        match line {
            "```console" => is_session = true,
            "```" => is_session = false,
            _ => {}
        }
        let command = line.strip_prefix("$ ").filter(|_| is_session);
        // what is printed is made anew
        if is_session && command.is_none() && line != "```console" {
            continue;
        }
        now += line;
        now.push('\n');
        if let Some(command) = command {
            now += &typed(place, command);
        }
    }
    now
}

/// Writes `text` where it is asked for, or checks that it is there but for what is never the same.
fn settle(name: &str, text: &str) {
    let file = docs(name);
    if std::env::var_os("UPDATE_GUIDE").is_some() {
        fs::write(file, text).unwrap();
        return;
    }
    let there = fs::read_to_string(file).unwrap();
    let lines = |text: &str| steady(text).lines().map(str::to_owned).collect::<Vec<_>>();
    for (line, expected) in lines(&there).iter().zip(&lines(text)) {
        let how = "UPDATE_GUIDE=1 cargo test -p gapfit-cli --test cli guide";
        assert_eq!(
            line, expected,
            "docs/{name} is not current; {how} rewrites it"
        );
    }
    assert_eq!(there.lines().count(), text.lines().count(), "docs/{name}");
}

#[test]
fn the_guide_shows_what_its_commands_print() {
    let place = Place::new();
    for (name, text) in tables::all() {
        place.write(name, &text);
        settle(&format!("guide/{name}"), &text);
    }
    let page = fs::read_to_string(docs("guide.md")).unwrap();
    assert!(page.matches("```console").count() >= 10);
    let now = played(&page, &place);
    assert!(
        !now.contains("panicked") && !now.contains("not found"),
        "{now}"
    );
    settle("guide.md", &now);
}
