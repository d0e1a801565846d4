//! Runs experiments trial by trial; what is finished is in the journal and is not run again.

mod job;
mod journal;

use crate::experiment::Experiment;
use crate::outcome::{Outcome, summarise};
use crate::trial::{self, Draw, scaled};
use crate::{Error, Result, Source};
use gapfit::data::Dataset;
use job::Job;
use journal::{Entry, Journal};
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

/// What a run depends on, besides the experiments.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Trials of each cell; at least 2, for a standard deviation.
    pub trials: u64,
    /// Seed of the first trial; each further one adds 1.
    pub seed: u64,
    /// A few cells and a coarse grid: whether everything works, not how well.
    pub quick: bool,
    /// Where files are looked for that are not embedded.
    pub data_dir: Option<PathBuf>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            trials: 5,
            seed: 0,
            quick: false,
            data_dir: None,
        }
    }
}

/// Told of trials done and trials in all; may stop the run.
pub type Progress<'a> = dyn Fn(usize, usize, &str) -> ControlFlow<()> + Sync + 'a;

/// A scaled table, or why there is none.
type Loaded = std::result::Result<Dataset, String>;

/// Runs experiments, or what the journal in `journal` does not have of them, and summarises them.
///
/// The outcome is the same for any number of threads, and whether or not the run was interrupted.
///
/// # Errors
/// [`Error::Stopped`] when `progress` says so, [`Error::Io`] for a journal that cannot be written, and what
/// the library refuses. A data file that is absent or holds something else is no error but a row of the
/// outcome that says so.
pub fn run(
    experiments: &[Experiment],
    settings: &Settings,
    journal: &Path,
    progress: &Progress<'_>,
) -> Result<Vec<Outcome>> {
    let tables = load(experiments, settings);
    let jobs = Job::list(experiments, settings, &tables);
    let journal = Journal::open(journal)?;
    let left: Vec<&Job<'_>> = jobs.iter().filter(|job| !journal.has(job)).collect();
    let said = |done: usize, what: &str| match progress(done, jobs.len(), what) {
        ControlFlow::Continue(()) => Ok(()),
        ControlFlow::Break(()) => Err(Error::Stopped),
    };
    said(jobs.len() - left.len(), "")?;
    left.par_iter().with_max_len(1).try_for_each(|job| {
        let draw = Draw {
            seed: job.seed,
            quick: settings.quick,
        };
        said(journal.n_of(&jobs), &job.to_string())?;
        let table = job.source().map(|source| &tables[&source]);
        let table = table.and_then(|table| table.as_ref().ok());
        let finding = trial::run(job.experiment, job.cell, table, draw)?;
        journal.append(Entry::new(job, finding))?;
        said(journal.n_of(&jobs), &job.to_string())
    })?;
    Ok(experiments
        .iter()
        .map(|experiment| {
            let findings = journal.findings(&jobs, &experiment.name);
            summarise(
                experiment,
                &findings,
                &not_run(experiment, settings, &tables),
            )
        })
        .collect())
}

/// Every table that is needed, scaled.
fn load(experiments: &[Experiment], settings: &Settings) -> BTreeMap<Source, Loaded> {
    let mut tables = BTreeMap::new();
    for experiment in experiments {
        for cell in job::cells(experiment, settings) {
            let Some(drawn) = experiment.drawn(cell) else {
                continue;
            };
            tables.entry(drawn.data).or_insert_with(|| {
                let data = drawn.data.load(settings.data_dir.as_deref());
                data.and_then(|data| scaled(&data))
                    .map_err(|error| error.to_string())
            });
        }
    }
    tables
}

/// The cells without a table, and why.
fn not_run(
    experiment: &Experiment,
    settings: &Settings,
    tables: &BTreeMap<Source, Loaded>,
) -> Vec<(usize, String)> {
    let reason = |cell: usize| {
        let table = tables.get(&experiment.drawn(cell)?.data)?;
        Some((cell, table.as_ref().err()?.clone()))
    };
    job::cells(experiment, settings)
        .filter_map(reason)
        .collect()
}
