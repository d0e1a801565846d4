//! How many rows a second the online learner takes, alone and beside Vowpal Wabbit.

mod pace;
pub(crate) mod rival;

use crate::report::{Machine, Report};
use anyhow::Result;
use pace::{Case, ROWS};
use rival::Standings;
use serde::Serialize;
use std::path::PathBuf;
use std::time::Duration;

/// Times predicting and learning row by row, on one thread, and against Vowpal Wabbit.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Milliseconds per case.
    #[arg(long, default_value_t = 300, value_parser = clap::value_parser!(u64).range(1..))]
    milliseconds: u64,
    /// Rounds against Vowpal Wabbit that count, at least 5.
    #[arg(long, default_value_t = 7, value_parser = clap::value_parser!(u32).range(5..))]
    repeats: u32,
    /// Leaves out Vowpal Wabbit, which needs Python.
    #[arg(long)]
    no_peers: bool,
    /// Python with the peers installed.
    #[arg(long, default_value = concat!(env!("CARGO_MANIFEST_DIR"), "/.venv/bin/python"), hide_default_value = true)]
    python: PathBuf,
}

/// Rows per second of every case.
#[derive(Debug, Serialize)]
pub(crate) struct Paces {
    machine: Machine,
    cases: Vec<Case>,
    /// Absent without peers.
    rival: Option<Standings>,
}

/// Times every case.
pub(crate) fn run(args: &Args) -> Result<Paces> {
    // First, so that a missing Python is noticed at once.
    let rival = match args.no_peers {
        true => None,
        false => Some(rival::measure(&args.python, args.repeats)?),
    };
    Ok(Paces {
        machine: Machine::here(),
        cases: pace::measure(Duration::from_millis(args.milliseconds))?,
        rival,
    })
}

impl Report for Paces {
    fn markdown(&self) -> String {
        let rival = self.rival.as_ref().map(Standings::markdown);
        let rival = rival.unwrap_or("Vowpal Wabbit: not run (--no-peers).".to_owned());
        format!(
            "{}; one thread. Thousands of rows a second, predict and learn, logistic loss, constant step, \
             best pass over {ROWS} rows in memory; constant is plain gradient descent on zero-filled rows, \
             the last column how many times longer the mask-dependent weights take.\n\n{}\n{}\n\n{rival}",
            self.machine,
            pace::table(&self.cases),
            pace::verdict(&self.cases)
        )
    }
}
