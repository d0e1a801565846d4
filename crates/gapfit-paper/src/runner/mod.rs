//! Runs experiments trial by trial; what is finished is in the journal and is not run again.

mod crew;
mod job;
mod journal;

use crate::experiment::Experiment;
use crate::outcome::{Outcome, summarise};
use crate::trial::{self, Draw, scaled};
use crate::{Error, Result, Source};
use gapfit::data::Dataset;
use job::Job;
use journal::{Entry, Journal};
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

/// What a run depends on, besides the experiments.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// Trials of each cell; at least 2, for a standard deviation. Unless given there are 5 as in the paper, in the
    /// linear-Gaussian benchmark as many as it says, and 2 in a quick run.
    pub trials: Option<u64>,
    /// Seed of the first trial; each further one adds 1.
    pub seed: u64,
    /// A few cells and a coarse grid: whether everything works, not how well.
    pub quick: bool,
    /// Where files are looked for that are not embedded.
    pub data_dir: Option<PathBuf>,
}

impl Settings {
    /// The number of trials asked for: a quick run has two.
    fn asked(&self) -> Option<u64> {
        match self.quick {
            true => Some(self.trials.unwrap_or(2)),
            false => self.trials,
        }
    }
}

/// Told of trials done and trials in all; may stop the run.
pub type Progress<'a> = dyn Fn(usize, usize, &str) -> ControlFlow<()> + Sync + 'a;

/// The scaled tables of a run, or why there is none.
#[derive(Debug)]
struct Tables(BTreeMap<Source, std::result::Result<Dataset, String>>);

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
    let tables = Tables::load(experiments, settings);
    let jobs = Job::list(experiments, settings, &tables);
    let journal = Journal::open(journal)?;
    let left: Vec<&Job<'_>> = jobs.iter().filter(|job| !journal.has(job)).collect();
    let said = |done: usize, what: &str| match progress(done, jobs.len(), what) {
        ControlFlow::Continue(()) => Ok(()),
        ControlFlow::Break(()) => Err(Error::Stopped),
    };
    said(jobs.len() - left.len(), "")?;
    crew::each(&left, |job| {
        let draw = Draw {
            seed: job.seed,
            quick: settings.quick,
        };
        said(journal.n_of(&jobs), &job.to_string())?;
        let table = tables.of(job.experiment, job.cell);
        let table = table.expect("only cells with their table have jobs");
        let finding = trial::run(job.experiment, job.cell, table, draw)?;
        journal.append(Entry::new(job, finding))?;
        said(journal.n_of(&jobs), &job.to_string())
    })?;
    let outcome = |experiment: &Experiment| {
        let findings = journal.findings(&jobs, &experiment.name);
        let cells = job::cells(experiment, settings);
        let reason = |cell: usize| Some((cell, tables.of(experiment, cell).err()?));
        summarise(
            experiment,
            &findings,
            &cells.filter_map(reason).collect::<Vec<_>>(),
        )
    };
    Ok(experiments.iter().map(outcome).collect())
}

impl Tables {
    /// Every table that is needed.
    fn load(experiments: &[Experiment], settings: &Settings) -> Self {
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
        Self(tables)
    }

    /// The table of a cell, where it has one; or why it cannot be run.
    fn of(
        &self,
        experiment: &Experiment,
        cell: usize,
    ) -> std::result::Result<Option<&Dataset>, String> {
        let Some(drawn) = experiment.drawn(cell) else {
            return Ok(None);
        };
        let table = self.0[&drawn.data].as_ref().map_err(Clone::clone)?;
        if table.n_rows() < drawn.train {
            let (expected, got) = (drawn.train, table.n_rows());
            return Err(format!(
                "the table: expected at least {expected} rows, got {got}"
            ));
        }
        Ok(Some(table))
    }
}
