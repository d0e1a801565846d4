//! The peers: a Python process that times numpy, scikit-learn, Vowpal Wabbit and others on files we wrote.
//!
//! `peers.py` describes the files, the tasks and the protocol.

use anyhow::{Context, Result, bail};
use gapfit::data::Dataset;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Lines, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use tempfile::TempDir;

/// The peers' process; it ends when this is dropped.
#[derive(Debug)]
pub(crate) struct Peers {
    process: Child,
    /// `None` once the process has been asked to end.
    questions: Option<ChildStdin>,
    answers: Lines<BufReader<ChildStdout>>,
    /// Holds the files for as long as the process may read them.
    folder: TempDir,
}

/// What one run of a task led to.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
pub(crate) struct Timed {
    pub(crate) seconds: f64,
    /// Root mean squared error: of an imputation in the holes, of a regression on test rows.
    pub(crate) rmse: Option<f64>,
    /// Of predicting the test rows.
    pub(crate) predict_seconds: Option<f64>,
    /// Of a program.
    pub(crate) objective: Option<f64>,
    /// The most memory that a process had.
    pub(crate) peak_bytes: Option<f64>,
    /// Rows learnt from and the mean loss before that, of an online learner.
    pub(crate) rows: Option<f64>,
    pub(crate) loss: Option<f64>,
    /// Scores on test rows, of a classifier.
    pub(crate) log_loss: Option<f64>,
    pub(crate) auc: Option<f64>,
}

/// The answer to one question.
#[derive(Debug, Deserialize)]
struct Answer {
    #[serde(flatten)]
    timed: Option<Timed>,
    versions: Option<BTreeMap<String, String>>,
    error: Option<String>,
}

impl Peers {
    /// Starts the process on the data in a folder.
    pub(crate) fn start(python: &Path, folder: TempDir) -> Result<Self> {
        let mut process = Command::new(python)
            .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/peers.py"))
            .arg(folder.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .with_context(|| format!("{}: could not be started", python.display()))?;
        let answers = process.stdout.take().expect("stdout is piped");
        Ok(Self {
            questions: process.stdin.take(),
            answers: BufReader::new(answers).lines(),
            process,
            folder,
        })
    }

    /// The path of a file of theirs.
    pub(crate) fn path(&self, file: &str) -> PathBuf {
        self.folder.path().join(file)
    }

    /// Runs a task once.
    pub(crate) fn run(&mut self, task: &str) -> Result<Timed> {
        self.ask(task)?.timed.context("peers: expected seconds")
    }

    /// What is being measured, by name.
    pub(crate) fn versions(&mut self) -> Result<BTreeMap<String, String>> {
        let answer = self.ask("versions")?;
        answer.versions.context("peers: expected versions")
    }

    fn ask(&mut self, question: &str) -> Result<Answer> {
        let mut to = self.questions.as_ref().expect("open until dropped");
        writeln!(to, "{question}").context("peers: the process has ended")?;
        let line = self.answers.next();
        let line = line.context("peers: the process ended without an answer")??;
        let answer: Answer = serde_json::from_str(&line).with_context(|| line.clone())?;
        match answer.error {
            Some(error) => bail!("peers: {question}: {error}"),
            None => Ok(answer),
        }
    }
}

impl Drop for Peers {
    fn drop(&mut self) {
        // the process ends at the end of its input; there is nobody to tell if it does not
        self.questions.take();
        let _ = self.process.wait();
    }
}

/// Writes the features row by row as little-endian f64, NaN for a hole.
pub(crate) fn write_features(path: &Path, data: &Dataset) -> Result<()> {
    let cells = data.features().rows().flat_map(|row| {
        let cell = move |j| row.get(j).unwrap_or(f64::NAN);
        (0..row.values().len()).map(cell)
    });
    write_numbers(path, cells)
}

/// Writes numbers as little-endian f64.
pub(crate) fn write_numbers(path: &Path, numbers: impl Iterator<Item = f64>) -> Result<()> {
    let mut file = BufWriter::new(File::create(path)?);
    for number in numbers {
        file.write_all(&number.to_le_bytes())?;
    }
    Ok(file.flush()?)
}
