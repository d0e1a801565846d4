//! Where a stream was left: beside the learner's state, in one file that appears whole or not at all.

use std::path::Path;

use anyhow::{Context, Result};
use gapfit::loss::Loss;
use gapfit::online::StreamLearner;
use gapfit_io::Source;
use serde::{Deserialize, Serialize};

use super::label::Targets;
use super::score::{Line, Score};
use crate::hint::Hinted;
use crate::output::Output;

/// Everything about a run that the learner does not know.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Progress {
    /// Name of the target column.
    pub(crate) target: String,
    /// What targets are.
    pub(crate) targets: Targets,
    /// Rows of the input that are done with, bad ones included.
    pub(super) consumed: u64,
    /// Bad rows among them.
    pub(super) skipped: u64,
    /// Rows at which the next line is printed.
    pub(super) next_line: u64,
    pub(super) score: Score,
    /// Bytes of predictions written.
    pub(super) predictions: u64,
}

impl Progress {
    pub(super) fn new(target: &str, targets: Targets) -> Self {
        Self {
            target: target.to_owned(),
            targets,
            consumed: 0,
            skipped: 0,
            next_line: 1,
            score: Score::default(),
            predictions: 0,
        }
    }

    /// The scores so far.
    pub(crate) fn line(&self, loss: Loss) -> Line {
        self.score.peek(loss, None)
    }

    /// Writes learner and progress.
    pub(super) fn save(&self, learner: &StreamLearner, to: &Output) -> Result<()> {
        let note = serde_json::to_string(self).context("the progress cannot be written")?;
        let bytes = learner.to_bytes_with(&note);
        to.write(|out| Ok(out.write_all(&bytes)?))
    }
}

/// The learner and the progress in a file.
pub(crate) fn load(path: &Path) -> Result<(StreamLearner, Progress)> {
    let source = Source::from(path);
    parse(&source.read_all()?).with_context(|| source.name())
}

/// The learner and the progress that these bytes are.
pub(crate) fn parse(bytes: &[u8]) -> Result<(StreamLearner, Progress)> {
    let (learner, note) = StreamLearner::from_bytes_with(bytes)?;
    match serde_json::from_str(&note) {
        Ok(progress) => Ok((learner, progress)),
        Err(error) => Err(Hinted::error(
            format!("note: expected the progress of gapfit stream, got other words: {error}"),
            "the file is of another program or version: begin anew with another one",
        )),
    }
}
