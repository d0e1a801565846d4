//! One trial of one cell, and the key that says whether a journal has it.

use super::{Settings, Tables};
use crate::experiment::Experiment;
use gapfit::data::Dataset;
use std::fmt;

/// One trial of one cell.
#[derive(Debug)]
pub(super) struct Job<'a> {
    pub(super) experiment: &'a Experiment,
    pub(super) cell: usize,
    pub(super) trial: u64,
    pub(super) seed: u64,
    /// The same for two jobs only if they lead to the same figures.
    pub(super) key: String,
}

/// The cells of an experiment that a run has.
pub(super) fn cells<'a>(
    experiment: &'a Experiment,
    settings: &'a Settings,
) -> impl Iterator<Item = usize> + 'a {
    (0..experiment.n_cells()).filter(|&cell| !settings.quick || experiment.is_quick(cell))
}

impl<'a> Job<'a> {
    /// Every trial that can be run, trial by trial, so that early results are of all cells.
    pub(super) fn list(
        experiments: &'a [Experiment],
        settings: &'a Settings,
        tables: &Tables,
    ) -> Vec<Self> {
        let mut jobs = Vec::new();
        let build = build();
        for experiment in experiments {
            for cell in cells(experiment, settings) {
                let Ok(table) = tables.of(experiment, cell) else {
                    continue;
                };
                let marks = (build, table.map_or(0, mark));
                let trials = experiment.n_trials(cell, settings.asked());
                for trial in 0..trials {
                    jobs.push(Self::new(experiment, cell, trial, marks, settings));
                }
            }
        }
        jobs.sort_by_key(|job| job.trial);
        jobs
    }

    fn new(
        experiment: &'a Experiment,
        cell: usize,
        trial: u64,
        (build, mark): (u32, u32),
        settings: &Settings,
    ) -> Self {
        let seed = settings.seed.wrapping_add(trial);
        let what = format!(
            "{} {build} {} {seed} {} {mark}",
            env!("CARGO_PKG_VERSION"),
            experiment.identity(cell),
            settings.quick
        );
        let (low, high) = (
            crc32fast::hash(what.as_bytes()),
            crc32fast::hash(format!("{what} again").as_bytes()),
        );
        Self {
            experiment,
            cell,
            trial,
            seed,
            key: format!("{}-{cell}-{seed}-{low:08x}{high:08x}", experiment.name),
        }
    }
}

impl fmt::Display for Job<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let cell = self.experiment.cell_name(self.cell);
        write!(
            f,
            "{}, {cell}, trial {}",
            self.experiment.name,
            self.trial + 1
        )
    }
}

/// A checksum of the program that runs: another build may come to other figures.
fn build() -> u32 {
    let program = std::env::current_exe().and_then(std::fs::read);
    program.map_or(0, |bytes| crc32fast::hash(&bytes))
}

/// A checksum of a table: a file that has changed is run anew.
fn mark(table: &Dataset) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    for (row, y) in table.features().rows().zip(table.target()) {
        for j in 0..table.n_features() {
            let bits = row.get(j).map_or(u64::MAX, f64::to_bits);
            hasher.update(&bits.to_le_bytes());
        }
        hasher.update(&y.to_bits().to_le_bytes());
    }
    hasher.finalize()
}
