//! The command line from outside: what each command writes, and the text of each error.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod bad_input;
mod bounds;
mod classes;
mod colour;
mod columns;
mod compare;
mod completions;
mod config;
mod corrupt;
#[cfg(unix)]
mod demo;
mod fit;
mod folding;
#[cfg(unix)]
mod guide;
mod impute;
mod inspect;
mod json_page;
mod man;
mod meant;
mod model;
mod out_of_core;
mod output;
mod own_masks;
mod predict;
mod profile;
mod report;
mod reproduce;
#[cfg(unix)]
mod shell;
mod stats;
mod stream;
mod targets;
mod usage;

use assert_cmd::Command;
use std::fs;
use std::path::PathBuf;
use tempfile::TempDir;

/// A folder of its own for one test, where commands run.
struct Place(TempDir);

/// How a run ended.
struct Run {
    code: i32,
    stdout: String,
    stderr: String,
}

impl Place {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn with(name: &str, text: &str) -> Self {
        let place = Self::new();
        place.write(name, text);
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).unwrap();
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    /// The names of the files there, sorted.
    fn files(&self) -> Vec<String> {
        let name = |entry: std::io::Result<fs::DirEntry>| entry.unwrap().file_name();
        let entries = fs::read_dir(self.0.path()).unwrap();
        let mut names: Vec<_> = entries.map(|e| name(e).into_string().unwrap()).collect();
        names.sort();
        names
    }

    fn run(&self, args: &str) -> Run {
        self.run_with(args, "")
    }

    /// Runs `gapfit` with arguments separated by blanks and the given standard input.
    fn run_with(&self, args: &str, stdin: &str) -> Run {
        let output = Command::new(assert_cmd::cargo::cargo_bin!("gapfit"))
            .current_dir(self.0.path())
            .args(args.split_whitespace())
            .write_stdin(stdin)
            .output()
            .unwrap();
        Run {
            code: output.status.code().unwrap(),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }

    /// The message of a run that fails with `code`, writes no data and leaves no file behind.
    fn failure(&self, code: i32, args: &str) -> String {
        let before = self.files();
        let run = self.run(args);
        assert_eq!(run.code, code, "{args}\n{}", run.stderr);
        assert_eq!(run.stdout, "", "{args}");
        assert_eq!(self.files(), before, "{args}");
        run.stderr
    }

    /// The standard output of a run that succeeds.
    fn success(&self, args: &str) -> String {
        let run = self.run(args);
        assert_eq!(run.code, 0, "{args}\n{}", run.stderr);
        run.stdout
    }
}

/// A table `a,b,c,y` of a linear law, where `b` and `c` have holes: more of them where `b` is large.
fn holey(rows: usize) -> String {
    let mut text = "a,b,c,y\n".to_owned();
    for i in 0..rows {
        let [a, b, c] = [7, 11, 13].map(|step| f64::from((i * step % 101) as u32) / 10.0);
        let y = 2.0 * a - b + 0.5 * c + f64::from((i % 5) as u32) / 10.0;
        let b_or_hole = if b > 6.0 && i % 3 != 0 {
            String::new()
        } else {
            b.to_string()
        };
        let c_or_hole = if i % 4 == 0 {
            "NA".to_owned()
        } else {
            c.to_string()
        };
        text += &format!("{a},{b_or_hole},{c_or_hole},{y}\n");
    }
    text
}

fn json(text: &str) -> serde_json::Value {
    serde_json::from_str(text).unwrap()
}

/// The names of the entries of an object, sorted.
fn keys(value: &serde_json::Value) -> Vec<&str> {
    let mut keys: Vec<_> = value
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect();
    keys.sort_unstable();
    keys
}
