//! The rows that a loss is summed over.

use super::Link;
use crate::features::{LiftedRows, Units};
use crate::joint::blocks::Blocks;
use crate::joint::outputs::Outputs;
use crate::moments::Rows;
use crate::prepare::Intercept;
use rayon::prelude::*;

/// Completed rows with their targets: all that a fit needs of the data, whatever alpha and gamma.
#[derive(Clone, Debug)]
pub(crate) struct Sample {
    /// Sorted by mask, times the roots of the weights.
    pub(super) rows: LiftedRows,
    pub(super) roots: Vec<f64>,
    pub(super) targets: Vec<f64>,
    /// In the units of the targets.
    pub(super) link: Link,
    pub(super) kind: Kind,
}

/// What is fitted to the rows of a sample.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Kind {
    pub(crate) link: Link,
    pub(crate) n_outputs: usize,
    pub(crate) intercept: Intercept,
    /// Whether Hessians are formed.
    pub(crate) is_dense: bool,
}

/// Rows that are worked on at once.
const CHUNK: usize = 1024;

impl Sample {
    pub(crate) fn new(rows: &Rows<'_>, units: &Units, kind: Kind) -> Self {
        let rows = rows.sorted_by_mask();
        let target = |i: usize| {
            let held = units.frame.target.hold(rows.target(i)) + units.offset;
            match kind.link {
                Link::One(loss) if loss.is_classification() => 2.0 * held - 1.0,
                _ => held,
            }
        };
        Self {
            rows: LiftedRows::new(&rows, units),
            roots: (0..rows.len()).map(|i| rows.weight(i).sqrt()).collect(),
            targets: (0..rows.len()).map(target).collect(),
            link: kind.link.in_units(units.frame.target.scale),
            kind,
        }
    }

    /// What is fitted to it.
    pub(crate) fn kind(&self) -> Kind {
        self.kind
    }

    /// The same rows without what is added to them for holes.
    pub(crate) fn plain(&self) -> Self {
        Self {
            rows: self.rows.plain(),
            ..self.clone()
        }
    }

    /// The layout of the unknowns that are penalised by `blocks`.
    pub(crate) fn outputs<'a>(&self, blocks: &'a Blocks) -> Outputs<'a> {
        Outputs {
            blocks,
            count: self.kind.n_outputs,
            free: usize::from(self.kind.intercept == Intercept::Free),
        }
    }

    /// Unknowns of one output in the layout of a lifted row: the constant is put back.
    pub(crate) fn full(&self, v: &[f64]) -> Vec<f64> {
        let absent = (self.kind.intercept == Intercept::None).then_some(0.0);
        absent.into_iter().chain(v.iter().copied()).collect()
    }

    /// What [`Sample::full`] put back is taken out.
    pub(super) fn reduced(&self, mut full: Vec<f64>) -> Vec<f64> {
        if self.kind.intercept == Intercept::None {
            full.remove(0);
        }
        full
    }

    /// `Φv` row by row, for the unknowns of one output.
    pub(super) fn predict(&self, full: &[f64]) -> Vec<f64> {
        let mut predictions = self.rows.times(full);
        for (f, root) in predictions.iter_mut().zip(&self.roots) {
            *f /= root;
        }
        predictions
    }

    /// `Σ s_i loss_i` for unknowns of every output in the layout of a lifted row, one output after
    /// the other.
    pub(crate) fn total(&self, full: &[f64]) -> f64 {
        let dim = self.rows.layout.dim();
        let predictions: Vec<_> = full.chunks_exact(dim).map(|v| self.predict(v)).collect();
        self.sum(|i, f| {
            gather(&predictions, i, f);
            self.link.value(f, self.targets[i])
        })
    }

    /// The weighted sum of a number per row; the same for any number of threads.
    pub(super) fn sum(&self, of: impl Fn(usize, &mut [f64]) -> f64 + Sync) -> f64 {
        let part = |start: usize| {
            let mut room = vec![0.0; self.kind.n_outputs];
            let rows = start..self.roots.len().min(start + CHUNK);
            rows.map(|i| self.roots[i] * self.roots[i] * of(i, &mut room))
                .sum::<f64>()
        };
        let starts: Vec<usize> = (0..self.roots.len()).step_by(CHUNK).collect();
        let parts: Vec<f64> = starts.into_par_iter().map(part).collect();
        parts.iter().sum()
    }
}

/// Losses and their derivatives of some rows, row after row.
pub(super) struct Part {
    pub(super) losses: Vec<f64>,
    pub(super) slopes: Vec<f64>,
    pub(super) bends: Vec<f64>,
}

impl Sample {
    /// Losses and derivatives at these predictions, in parts of the rows.
    pub(super) fn derivatives(&self, predictions: &[Vec<f64>]) -> Vec<Part> {
        let n = self.kind.n_outputs;
        let part = |start: usize| {
            let rows = start..self.targets.len().min(start + CHUNK);
            let mut part = Part {
                losses: Vec::with_capacity(rows.len()),
                slopes: vec![0.0; rows.len() * n],
                bends: vec![0.0; rows.len() * n],
            };
            let mut f = vec![0.0; n];
            let (slopes, bends) = (&mut part.slopes, &mut part.bends);
            let places = slopes.chunks_exact_mut(n).zip(bends.chunks_exact_mut(n));
            for (i, (slopes, bends)) in rows.zip(places) {
                gather(predictions, i, &mut f);
                let loss = self.link.derivatives(&f, self.targets[i], slopes, bends);
                part.losses.push(loss);
            }
            part
        };
        let starts: Vec<usize> = (0..self.targets.len()).step_by(CHUNK).collect();
        starts.into_par_iter().map(part).collect()
    }
}

/// The predictions of row `i`.
fn gather(predictions: &[Vec<f64>], i: usize, into: &mut [f64]) {
    for (f, of_output) in into.iter_mut().zip(predictions) {
        *f = of_output[i];
    }
}
