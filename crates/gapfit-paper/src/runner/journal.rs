//! The journal: a line of JSON after each finished trial, and nothing else.
//!
//! A run that was killed leaves at most a line without an end, which the next run cuts off; everything before
//! it counts. Lines of other settings stay and are ignored.

use super::job::Job;
use crate::trial::Finding;
use crate::{Error, Result};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// One finished trial.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Entry {
    key: String,
    finding: Finding,
}

impl Entry {
    pub(super) fn new(job: &Job<'_>, finding: Finding) -> Self {
        Self {
            key: job.key.clone(),
            finding,
        }
    }
}

/// The finished trials, on disk and in memory.
#[derive(Debug)]
pub(super) struct Journal {
    path: PathBuf,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    file: File,
    findings: HashMap<String, Finding>,
}

impl Journal {
    /// Opens a journal, or begins one.
    pub(super) fn open(path: &Path) -> Result<Self> {
        let io = |source| Error::Io {
            path: path.to_owned(),
            source,
        };
        let mut options = OpenOptions::new();
        let options = options.read(true).write(true).create(true).truncate(false);
        let mut file = options.open(path).map_err(io)?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(io)?;
        let whole = bytes
            .iter()
            .rposition(|&byte| byte == b'\n')
            .map_or(0, |at| at + 1);
        file.set_len(whole as u64).map_err(io)?;
        file.seek(SeekFrom::End(0)).map_err(io)?;
        let mut findings = HashMap::new();
        for line in bytes[..whole].split(|&byte| byte == b'\n') {
            // What is not ours is not looked at; it will be run again if it was.
            let entry = serde_json::from_slice::<Entry>(line).ok();
            if let Some(Entry { key, finding }) = entry.filter(|entry| entry.finding.is_sound()) {
                findings.entry(key).or_insert(finding);
            }
        }
        Ok(Self {
            path: path.to_owned(),
            state: Mutex::new(State { file, findings }),
        })
    }

    /// Whether a trial is finished.
    pub(super) fn has(&self, job: &Job<'_>) -> bool {
        self.state().findings.contains_key(&job.key)
    }

    /// How many of these trials are finished.
    pub(super) fn n_of(&self, jobs: &[Job<'_>]) -> usize {
        let state = self.state();
        let is_done = |job: &&Job<'_>| state.findings.contains_key(&job.key);
        jobs.iter().filter(is_done).count()
    }

    /// Notes a finished trial: its line is on disk when this returns.
    pub(super) fn append(&self, entry: Entry) -> Result<()> {
        let mut line = serde_json::to_vec(&entry).expect("findings are plain data");
        line.push(b'\n');
        let mut state = self.state();
        let written = state.file.write_all(&line);
        let written = written.and_then(|()| state.file.sync_data());
        written.map_err(|source| Error::Io {
            path: self.path.clone(),
            source,
        })?;
        state.findings.insert(entry.key, entry.finding);
        Ok(())
    }

    /// The finished trials of an experiment with their cells, in the order of the jobs.
    pub(super) fn findings(&self, jobs: &[Job<'_>], name: &str) -> Vec<(usize, Finding)> {
        let state = self.state();
        let of = jobs.iter().filter(|job| job.experiment.name == name);
        of.filter_map(|job| Some((job.cell, state.findings.get(&job.key)?.clone())))
            .collect()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // A thread that panicked did so between lines.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
