//! The rows that a loss is summed over.

use super::Link;
use super::rows::{Chunk, Grouped};
use crate::features::{Layout, Units};
use crate::joint::blocks::Blocks;
use crate::joint::outputs::Outputs;
use crate::linalg::{Matrix, dot};
use crate::moments::Rows;
use crate::prepare::Intercept;
use std::sync::{Arc, OnceLock};

/// Completed rows with their targets: all that a fit needs of the data, whatever alpha and gamma.
#[derive(Clone, Debug)]
pub(crate) struct Sample {
    pub(super) rows: Grouped,
    pub(super) weights: Arc<[f64]>,
    pub(super) targets: Arc<[f64]>,
    /// In the units of the targets.
    pub(super) link: Link,
    pub(super) kind: Kind,
    /// The diagonal blocks of `Σ s_i Φ_i Φ_iᵀ`, once they are asked for.
    diagonal: OnceLock<Vec<Matrix>>,
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

impl Sample {
    pub(crate) fn new(rows: &Rows<'_>, units: &Units, kind: Kind) -> Self {
        let rows = rows.sorted_by_mask();
        let target = |i: usize| {
            let held = units.target(&rows, i);
            match kind.link {
                Link::One(loss) if loss.is_classification() => 2.0 * held - 1.0,
                _ => held,
            }
        };
        Self {
            rows: Grouped::new(&rows, units),
            weights: (0..rows.len()).map(|i| rows.weight(i)).collect(),
            targets: (0..rows.len()).map(target).collect(),
            link: kind.link.in_units(units.frame.targets[0].scale),
            kind,
            diagonal: OnceLock::new(),
        }
    }

    /// What it takes of memory, roughly.
    pub(crate) fn bytes(&self) -> usize {
        self.rows.bytes()
    }

    /// What is fitted to it.
    pub(crate) fn kind(&self) -> Kind {
        self.kind
    }

    /// The same rows without what is added to them for holes.
    pub(crate) fn plain(&self) -> Self {
        self.of(self.rows.plain(), self.kind)
    }

    /// The same rows where missing features shift other entries.
    pub(crate) fn shifting(&self, layout: &Layout, is_dense: bool) -> Self {
        let kind = Kind {
            is_dense,
            ..self.kind
        };
        self.of(self.rows.shifting(layout.clone()), kind)
    }

    /// The same targets of rows that are lifted otherwise.
    fn of(&self, rows: Grouped, kind: Kind) -> Self {
        Self {
            rows,
            weights: Arc::clone(&self.weights),
            targets: Arc::clone(&self.targets),
            kind,
            diagonal: OnceLock::new(),
            ..*self
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

    /// Unknowns of `count` outputs in the layout of lifted rows: the constant is put back.
    pub(crate) fn full(&self, v: &[f64], count: usize) -> Vec<f64> {
        if self.kind.intercept != Intercept::None {
            return v.to_vec();
        }
        let len = v.len() / count;
        let output = |j: usize| std::iter::once(&0.0).chain(&v[j * len..(j + 1) * len]);
        (0..count).flat_map(output).copied().collect()
    }

    /// What [`Sample::full`] put back is taken out.
    pub(super) fn reduced(&self, full: Vec<f64>) -> Vec<f64> {
        if self.kind.intercept != Intercept::None {
            return full;
        }
        let outputs = full.chunks_exact(self.rows.layout.dim());
        outputs.flat_map(|full| &full[1..]).copied().collect()
    }

    /// `Σ s_i loss_i` for unknowns of every output in the layout of lifted rows, one output after
    /// the other.
    pub(crate) fn total(&self, full: &[f64]) -> f64 {
        let parts = self.rows.each(full, |chunk, predictions| {
            let mut values = vec![0.0; chunk.rows.len()];
            self.link
                .values(&predictions, self.targets(chunk), &mut values);
            dot(&values, self.weights(chunk))
        });
        parts.iter().sum()
    }

    /// The terms of [`Sample::total`], one for each row.
    pub(crate) fn terms(&self, full: &[f64]) -> Vec<f64> {
        let parts = self.rows.each(full, |chunk, predictions| {
            let mut values = vec![0.0; chunk.rows.len()];
            self.link
                .values(&predictions, self.targets(chunk), &mut values);
            let weighted = values.iter_mut().zip(self.weights(chunk));
            weighted.for_each(|(value, weight)| *value *= weight);
            values
        });
        parts.concat()
    }

    /// The weight of each row, in the order of [`Sample::terms`].
    pub(crate) fn row_weights(&self) -> &[f64] {
        &self.weights
    }

    /// The loss where nothing is predicted, summed as [`Sample::total`] does.
    pub(super) fn at_zero(&self) -> f64 {
        self.total(&vec![0.0; self.kind.n_outputs * self.rows.layout.dim()])
    }

    pub(super) fn targets(&self, chunk: &Chunk) -> &[f64] {
        &self.targets[chunk.rows.clone()]
    }

    pub(super) fn weights(&self, chunk: &Chunk) -> &[f64] {
        &self.weights[chunk.rows.clone()]
    }

    /// The diagonal blocks of `Σ s_i Φ_i Φ_iᵀ`.
    pub(super) fn diagonal(&self) -> &[Matrix] {
        self.diagonal
            .get_or_init(|| self.rows.diagonal_blocks(&self.weights))
    }
}
