//! Commands in processes of their own: their time and the most memory they had.

use super::Bench;
use crate::peer::Timed;
use anyhow::{Context, Result, ensure};
use std::ffi::OsStr;
use std::process::{Command, Stdio};

/// Runs a command through `peak.py`, a process small enough not to be counted for what it starts.
pub(super) fn run(bench: &Bench, command: &[&OsStr]) -> Result<Timed> {
    let output = Command::new(&bench.python)
        .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/peak.py"))
        .args(command)
        .stderr(Stdio::inherit())
        .output()
        .with_context(|| format!("{}: could not be started", bench.python.display()))?;
    ensure!(output.status.success(), "{command:?}: {}", output.status);
    Ok(serde_json::from_slice(&output.stdout)?)
}

/// One command after the other: the time of both, the memory of the hungrier.
pub(super) fn both(first: Timed, second: Timed) -> Timed {
    let peaks = [first.peak_bytes, second.peak_bytes];
    Timed {
        seconds: first.seconds + second.seconds,
        peak_bytes: peaks.into_iter().flatten().reduce(f64::max),
        ..Timed::default()
    }
}
