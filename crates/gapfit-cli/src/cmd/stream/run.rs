//! A run under way: rows, lines, checkpoints, the summary.

use std::io::{Read, Write};

use anyhow::Result;
use gapfit_io::Source;
use gapfit_io::stream::{Format, Reader};
use indicatif::ProgressBar;
use serde::Serialize;

use super::checkpoint::{self, Progress};
use super::score::Line;
use super::session::{Kept, Session};
use super::{Args, OnError, Outputs, start};
use crate::growing::Growing;
use crate::hint::Hinted;
use crate::interrupt;
use crate::is_broken_pipe;
use crate::talk::Talk;

/// Bad rows that are reported one by one.
const REPORTED: u64 = 20;

/// The last line.
#[derive(Debug, Serialize)]
pub(super) struct Summary {
    #[serde(flatten)]
    pub(super) line: Line,
    summary: bool,
    pub(super) loss: String,
    unlabelled: u64,
    skipped: u64,
    clipped: u64,
    pub(super) features: usize,
    /// Rows that had been done with when the run was resumed.
    resumed_from: Option<u64>,
    pub(super) interrupted: bool,
}

/// A run under way.
pub(super) struct Run<'a> {
    pub(super) args: &'a Args,
    outputs: &'a Outputs,
    talk: &'a Talk,
    bar: ProgressBar,
    reader: Reader<Box<dyn Read + Send>>,
    pub(super) file: String,
    pub(super) session: Session,
    /// Rows, and faults of rows, that were read before the learner was there.
    first: Vec<Result<Kept>>,
    resumed_from: Option<u64>,
    has_header: bool,
}

impl<'a> Run<'a> {
    pub(super) fn start(args: &'a Args, outputs: &'a Outputs, talk: &'a Talk) -> Result<Self> {
        let resumable = args.checkpoint.as_ref();
        let resumable = resumable.filter(|path| args.resume && path.exists());
        let from = resumable.or(args.start_from.as_ref());
        let loaded = from.map(|path| checkpoint::load(path)).transpose()?;
        let (mut reader, bar) = start::open(args, talk)?;
        let mut first = Vec::new();
        let (learner, progress) = match loaded {
            Some((learner, progress)) => {
                start::check_same(args, &progress)?;
                match resumable {
                    Some(_) => (learner, progress),
                    None => (learner, Progress::new(&args.target, progress.targets)),
                }
            }
            None => {
                first = start::peek(&mut reader, args.learning.needs_sample())?;
                start::begin(args, reader.names(), &first, talk)?
            }
        };
        let resumed_from = resumable.map(|_| progress.consumed);
        let session = start::session(args, learner, progress, &first, outputs.report.is_some())?;
        let mut run = Self {
            args,
            outputs,
            talk,
            bar,
            reader,
            file: Source::from(args.file.as_path()).name(),
            session,
            first,
            resumed_from,
            has_header: false,
        };
        run.skip()?;
        Ok(run)
    }

    /// Reads over the rows that were learnt before.
    fn skip(&mut self) -> Result<()> {
        let before = self.resumed_from.unwrap_or(0);
        for done in 0..before {
            match self.reader.next_row() {
                Ok(Some(row)) if self.session.meter.is_some() => self.session.remember(&row)?,
                Ok(Some(_)) => {}
                Ok(None) => {
                    return Err(Hinted::error(
                        format!(
                            "{}: expected the {before} rows before the checkpoint, got {done}",
                            self.file
                        ),
                        "give the whole stream, or begin with new rows by --start-from",
                    ));
                }
                Err(error) if error.is_row_fault() => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }

    /// All rows there are, until the end or until it is time to end.
    pub(super) fn go(&mut self) -> Result<()> {
        for kept in std::mem::take(&mut self.first) {
            let taken = kept.and_then(|kept| {
                let row = kept.row();
                let taken = self.session.take(&row);
                taken.map_err(|error| self.fault(row.line, error))
            });
            self.settle(taken)?;
        }
        loop {
            let taken = match self.reader.next_row() {
                // What was cut off by the interruption is no row.
                _ if interrupt::is_asked() => return Ok(()),
                Ok(None) => return Ok(()),
                Ok(Some(row)) => {
                    let taken = self.session.take(&row);
                    let line = row.line;
                    taken.map_err(|error| self.fault(line, error))
                }
                Err(error) if error.is_row_fault() => Err(error.into()),
                Err(error) => return Err(error.into()),
            };
            self.settle(taken)?;
        }
    }

    /// Refuses a stream that has no rows.
    pub(super) fn check_any(&self) -> Result<()> {
        if self.session.progress.consumed > 0 || interrupt::is_asked() {
            return Ok(());
        }
        let file = self.file.clone();
        match self.reader.format() {
            Format::Csv => Err(gapfit_io::Error::HeaderOnly { file }.into()),
            Format::Ndjson => Err(gapfit_io::Error::NoRows { file }.into()),
        }
    }

    /// What is wrong with a row that the learner refused, and where.
    fn fault(&self, line: u64, error: anyhow::Error) -> anyhow::Error {
        error.context(format!("{}, line {line}", self.file))
    }

    /// After a row: prints a line, saves the state, where it is time to. A bad row ends the run, or is
    /// reported and skipped.
    fn settle(&mut self, taken: Result<()>) -> Result<()> {
        if let Err(error) = taken {
            if self.args.reading.on_error == OnError::Stop || is_broken_pipe(&error) {
                return Err(error);
            }
            self.refuse(&error);
        }
        let progress = &mut self.session.progress;
        progress.consumed += 1;
        if progress.score.rows >= progress.next_line {
            progress.next_line = 2 * progress.score.rows;
            let line = self.session.line()?;
            self.print(&line, Line::text)?;
        }
        if self
            .session
            .progress
            .consumed
            .is_multiple_of(self.args.every)
        {
            self.keep()?;
        }
        Ok(())
    }

    fn refuse(&mut self, error: &anyhow::Error) {
        self.session.progress.skipped += 1;
        let count = self.session.progress.skipped;
        if count <= REPORTED {
            self.bar
                .suspend(|| self.talk.warn(format_args!("{error:#}: skipped")));
        }
        if count == REPORTED {
            self.talk
                .warn("further malformed rows are counted, not reported");
        }
    }

    /// Saves what is to outlive the run.
    pub(super) fn keep(&mut self) -> Result<()> {
        if let Some(predictions) = &mut self.session.predictions {
            predictions.sync()?;
            self.session.progress.predictions = predictions.bytes();
        }
        match &self.outputs.checkpoint {
            Some(to) if !self.session.is_test => {
                self.session.progress.save(&self.session.learner, to)
            }
            _ => Ok(()),
        }
    }

    /// Prints the last line; returns it.
    pub(super) fn summary(&mut self) -> Result<Summary> {
        let line = self.session.line()?;
        let session = &self.session;
        let summary = Summary {
            line,
            summary: true,
            loss: session.loss().to_string(),
            unlabelled: session.progress.score.unlabelled,
            skipped: session.progress.skipped,
            clipped: session.learner.clipped(),
            features: session.learner.feature_names().len(),
            resumed_from: self.resumed_from,
            interrupted: interrupt::is_asked(),
        };
        let remarks = session.remarks();
        self.print(&summary, |summary| summary.line.text())?;
        self.bar.finish_and_clear();
        for remark in remarks {
            self.talk.note(remark);
        }
        if summary.interrupted {
            self.talk.note("interrupted");
        }
        Ok(summary)
    }

    /// Prints a line, as JSON or as text below its header; to stderr where stdout has the predictions.
    fn print<T: Serialize>(&mut self, line: &T, text: impl Fn(&T) -> String) -> Result<()> {
        let mut lines = String::new();
        if self.args.json {
            lines = serde_json::to_string(line)? + "\n";
        } else {
            if !self.has_header {
                self.has_header = true;
                let header = Line::header(self.session.loss(), self.session.meter.is_some());
                lines += &(header + "\n");
            }
            lines += &(text(line) + "\n");
        }
        let predictions = self.session.predictions.as_ref();
        if predictions.is_some_and(Growing::is_stdout) {
            self.bar.suspend(|| self.talk.note(lines.trim_end()));
            return Ok(());
        }
        let print = || {
            let mut out = std::io::stdout().lock();
            out.write_all(lines.as_bytes()).and_then(|()| out.flush())
        };
        Ok(self.bar.suspend(print)?)
    }
}
