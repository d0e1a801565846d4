//! The command line from outside: what each command writes, and the text of each error.

mod corrupt;
mod output;
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
