//! One trial of an experiment: rows and holes drawn from a seed, methods run on them, figures found.

mod batch;
mod draw;
mod fraction;
mod neumiss;
mod online;
mod scale;
mod stream;
mod theory;

pub(crate) use scale::scaled;

use crate::Result;
use crate::experiment::{Experiment, Work};
use gapfit::data::Dataset;
use serde::{Deserialize, Serialize};

/// How the parameters behind a figure were chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Tuning {
    /// The best on the test rows, or on the very stream that is judged: the paper's way, optimistic.
    Paper,
    /// Without a look at what is judged.
    Honest,
    /// There was nothing to choose.
    None,
}

/// What one trial found.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Finding {
    pub(crate) values: Vec<Value>,
    pub(crate) grids: Vec<Grid>,
}

/// One figure.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Value {
    /// Place on the horizontal axis, where there is one.
    pub(crate) x: Option<f64>,
    pub(crate) method: String,
    pub(crate) tuning: Tuning,
    pub(crate) value: f64,
}

/// The figures of a method at every point of the paper's grid; the best is chosen over all trials, by the
/// last of the places on the axis.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Grid {
    pub(crate) method: String,
    pub(crate) settings: Vec<String>,
    pub(crate) xs: Vec<Option<f64>>,
    /// By setting, then by place.
    pub(crate) values: Vec<Vec<f64>>,
}

/// What decides the random choices of a trial.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Draw {
    pub(crate) seed: u64,
    pub(crate) quick: bool,
}

impl Finding {
    /// Whether another trial found figures for the same methods in the same order.
    pub(crate) fn is_like(&self, other: &Self) -> bool {
        let value = |of: &Value| (of.x.map(f64::to_bits), of.method.clone(), of.tuning);
        let grid = |of: &Grid| (of.method.clone(), of.settings.clone(), of.xs.len());
        self.values
            .iter()
            .map(value)
            .eq(other.values.iter().map(value))
            && self.grids.iter().map(grid).eq(other.grids.iter().map(grid))
    }

    /// Whether every grid has a figure at each of its points.
    pub(crate) fn is_sound(&self) -> bool {
        let is_full = |of: &Grid| {
            !of.settings.is_empty()
                && of.values.len() == of.settings.len()
                && of.values.iter().all(|values| values.len() == of.xs.len())
        };
        self.grids.iter().all(is_full)
    }

    pub(crate) fn push(&mut self, x: Option<f64>, method: &str, tuning: Tuning, value: f64) {
        self.values.push(Value {
            x,
            method: method.to_owned(),
            tuning,
            value,
        });
    }
}

/// Runs one trial of a cell; `table` is its scaled table, where it has one.
pub(crate) fn run(
    experiment: &Experiment,
    cell: usize,
    table: Option<&Dataset>,
    draw: Draw,
) -> Result<Finding> {
    let data = || table.expect("cells with a table are given it");
    match &experiment.work {
        Work::Fractions { cells } => fraction::run(&cells[cell], data(), draw),
        Work::Batch { cells, search } => batch::run(&cells[cell], search, data(), draw),
        Work::Online { cells, points } => online::run(&cells[cell], points, data(), draw),
        Work::Regret { cells } => theory::regret::by_rounds(&cells[cell], draw),
        Work::Masks { cells } => theory::regret::by_masks(&cells[cell], draw),
        Work::Bounds { cells, parameters } => {
            theory::bounds::run(&cells[cell], *parameters, data(), draw)
        }
        Work::Relaxation { cells } => theory::relaxation::run(&cells[cell], draw),
        Work::Program { cells } => theory::program::run(&cells[cell], draw),
        Work::Neumiss { cells, search } => neumiss::run(&cells[cell], &search.honest(), draw),
    }
}
