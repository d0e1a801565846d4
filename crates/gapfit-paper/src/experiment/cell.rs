//! The cells of experiments: a table and its holes, a stream, a population.

use super::{Experiment, Work};
use crate::neumiss::Hiding;
use crate::{Error, Result, Source};
use gapfit::corrupt::Mechanism;
use serde::Deserialize;
use std::collections::BTreeMap;

/// As many trials as the paper has.
const PAPER_TRIALS: u64 = 5;

/// The paper's figures by method: mean and standard deviation.
pub(crate) type Published = BTreeMap<String, [f64; 2]>;

/// A table, how its holes come about, and how many of its rows are used.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Drawn {
    /// What the paper calls it.
    pub name: String,
    /// The table.
    pub data: Source,
    /// The digit that is told from all others.
    pub digit: Option<u8>,
    /// How cells go missing.
    pub holes: Holes,
    /// How many of them, for the two processes that have the parameter.
    pub beta: Option<f64>,
    /// Rows of a trial [default: all].
    pub rows: Option<usize>,
    /// Training rows among them.
    #[serde(default = "thousand")]
    pub train: usize,
    /// Whether a quick run has it too.
    #[serde(default)]
    pub quick: bool,
    /// The paper's figures.
    #[serde(default)]
    pub paper: Published,
    /// Why ours differ, where they do.
    #[serde(default)]
    pub remark: String,
    /// Whether cells are places on the axis of a chart.
    #[serde(skip)]
    pub(crate) is_on_an_axis: bool,
}

fn thousand() -> usize {
    1000
}

/// How cells go missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Holes {
    /// Each column with a chance of its own.
    Independent,
    /// Each column on one side of a threshold.
    Dependent,
    /// One of the central pixel columns.
    Columns,
    /// The table has them.
    Natural,
}

impl Drawn {
    /// The process, unless holes are natural.
    pub(crate) fn mechanism(&self) -> Option<Mechanism> {
        let beta = self.beta.unwrap_or(0.0);
        match self.holes {
            Holes::Independent => Some(Mechanism::Independent { beta }),
            Holes::Dependent => Some(Mechanism::Dependent { beta }),
            Holes::Columns => Some(Mechanism::central_pixel_columns()),
            Holes::Natural => None,
        }
    }

    /// The stream of random numbers of this table and kind of holes.
    pub(crate) fn stream(&self) -> u64 {
        let name = format!("{:?} {:?}", self.data, self.holes);
        u64::from(crc32fast::hash(name.as_bytes()))
    }

    /// What its draws depend on.
    fn identity(&self) -> String {
        let Self {
            data,
            digit,
            holes,
            beta,
            rows,
            train,
            ..
        } = self;
        format!("{data:?} {digit:?} {holes:?} {beta:?} {rows:?} {train}")
    }

    pub(super) fn validate(&self) -> Result<()> {
        let wrong = |expected: &str, got: String| {
            Err(Error::Experiment {
                name: self.name.clone(),
                expected: expected.to_owned(),
                got,
            })
        };
        let takes_beta = matches!(self.holes, Holes::Independent | Holes::Dependent);
        match self.beta {
            Some(beta) if takes_beta && (0.0..1.0).contains(&beta) => Ok(()),
            None if !takes_beta => Ok(()),
            beta => wrong(
                "a beta from 0 to 1 for independent and dependent holes alone",
                format!("{beta:?} for {:?}", self.holes),
            ),
        }
    }
}

/// A stream of the adversary of Proposition 1.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Regret {
    /// Masks, each a task of its own.
    pub tasks: u64,
    /// Length of the stream.
    pub rounds: u64,
    /// Whether a quick run has it too.
    #[serde(default)]
    pub quick: bool,
}

/// A small made-up table.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Small {
    /// Its rows.
    pub rows: usize,
    /// Its features.
    pub columns: usize,
    /// Weight of the penalty.
    pub alpha: f64,
    /// How much the imputation may do.
    pub gamma: f64,
    /// Whether a quick run has it too.
    #[serde(default)]
    pub quick: bool,
}

/// A population of the linear-Gaussian benchmark.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Synthetic {
    /// How cells are hidden.
    pub hiding: Hiding,
    /// Number of features.
    pub features: usize,
    /// Training rows, and test rows.
    pub rows: usize,
    /// Draws of population, rows and holes, unless a number of trials is asked for.
    pub draws: u64,
    /// Whether a quick run has it too.
    #[serde(default)]
    pub quick: bool,
}

impl Work {
    pub(super) fn drawn_mut(&mut self) -> Option<&mut Vec<Drawn>> {
        match self {
            Self::Fractions { cells }
            | Self::Batch { cells, .. }
            | Self::Online { cells, .. }
            | Self::Bounds { cells, .. } => Some(cells),
            _ => None,
        }
    }
}

impl Experiment {
    /// The table and holes of a cell, where it has any.
    pub(crate) fn drawn(&self, cell: usize) -> Option<&Drawn> {
        match &self.work {
            Work::Fractions { cells }
            | Work::Batch { cells, .. }
            | Work::Online { cells, .. }
            | Work::Bounds { cells, .. } => cells.get(cell),
            _ => None,
        }
    }

    /// The name of a cell.
    pub(crate) fn cell_name(&self, cell: usize) -> String {
        match &self.work {
            Work::Regret { .. } => "256 masks".to_owned(),
            Work::Masks { .. } => "coin flips".to_owned(),
            Work::Relaxation { cells } | Work::Program { cells } => {
                let of = &cells[cell];
                format!(
                    "{} x {}, alpha {}, gamma {}",
                    of.rows, of.columns, of.alpha, of.gamma
                )
            }
            Work::Neumiss { cells, .. } => {
                let of = &cells[cell];
                format!("{}, d = {}", of.hiding.name(), of.features)
            }
            _ => self.drawn(cell).map_or(String::new(), |of| of.name.clone()),
        }
    }

    /// All that the figures of a cell depend on: not what the paper says, nor what we say about it.
    pub(crate) fn identity(&self, cell: usize) -> String {
        match &self.work {
            Work::Fractions { cells } => format!("fractions {}", cells[cell].identity()),
            Work::Batch { cells, search } => format!("batch {} {search:?}", cells[cell].identity()),
            Work::Online { cells, points } => {
                format!("online {} {points:?}", cells[cell].identity())
            }
            Work::Bounds { cells, parameters } => {
                format!("bounds {} {parameters:?}", cells[cell].identity())
            }
            Work::Regret { cells } => format!("regret {:?}", cells[cell]),
            Work::Masks { cells } => format!("masks {:?}", cells[cell]),
            Work::Relaxation { cells } => format!("relaxation {:?}", cells[cell]),
            Work::Program { cells } => format!("program {:?}", cells[cell]),
            Work::Neumiss { cells, search } => format!("neumiss {:?} {search:?}", cells[cell]),
        }
    }

    /// Whether a quick run has this cell too.
    pub(crate) fn is_quick(&self, cell: usize) -> bool {
        match &self.work {
            Work::Regret { cells } | Work::Masks { cells } => cells[cell].quick,
            Work::Relaxation { cells } | Work::Program { cells } => cells[cell].quick,
            Work::Neumiss { cells, .. } => cells[cell].quick,
            _ => self.drawn(cell).is_some_and(|of| of.quick),
        }
    }

    /// How many trials a cell gets when so many are asked for, if any number is.
    pub(crate) fn n_trials(&self, cell: usize, asked: Option<u64>) -> u64 {
        match &self.work {
            // Nothing is drawn from the user's seed: one solve each.
            Work::Relaxation { .. } | Work::Program { .. } => 1,
            Work::Neumiss { cells, .. } => asked.unwrap_or(cells[cell].draws),
            _ => asked.unwrap_or(PAPER_TRIALS),
        }
    }
}
