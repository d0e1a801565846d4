//! Largest norms and second moments of lifted rows.

use super::ball::{Ball, Shape};
use super::facts::Second;
use crate::features::{LiftedRows, RowChunk, Shifted};
use rayon::prelude::*;

/// What the rows are like, as far as the bounds care.
#[derive(Clone, Debug)]
pub(super) struct Moments {
    /// R.
    pub(super) row_norm: f64,
    /// N.
    pub(super) reach: f64,
    /// m.
    pub(super) missing: f64,
    weights: f64,
    shifts: f64,
    /// `(E a_k², E‖b_k‖²)` for each entry with a shift.
    by_hole: Vec<(f64, f64)>,
}

/// Squared norms of one completed row.
struct Row {
    /// Over the entries whose weights are penalised.
    weights: f64,
    /// Over the entries that some missing feature could shift.
    shiftable: f64,
    /// For each missing entry with a shift: of what the base filled in, and over what is shifted.
    missing: Vec<(f64, f64)>,
}

impl Row {
    /// An upper bound of Ω° of the lifted row, mostly equal to it (docs/math.md 11.1 (35)).
    fn reach(&self, gamma: f64) -> f64 {
        let products = self.missing.iter().map(|(filled, shifts)| filled * shifts);
        let squares = self.missing.iter().map(|(_, shifts)| shifts * shifts);
        let linear = 2.0 * products.sum::<f64>().sqrt();
        let quadratic = squares.sum::<f64>().sqrt();
        self.weights + gamma * (linear + gamma * quadratic)
    }
}

impl Moments {
    /// The moments of rows with these weights.
    pub(super) fn of(rows: &LiftedRows, weights: &[f64], ball: &Ball) -> Self {
        let total: f64 = weights.iter().sum();
        let mut rest = weights;
        let mut tasks = Vec::with_capacity(rows.chunks.len());
        for chunk in rows.chunks.iter() {
            let (of_chunk, others) = rest.split_at(chunk.len());
            tasks.push((chunk, of_chunk));
            rest = others;
        }
        let part = |&(chunk, weights): &(&RowChunk, &[f64])| {
            let mut part = Self::nothing(ball);
            part.add_chunk(chunk, weights, total, ball);
            part
        };
        let parts: Vec<Self> = tasks.par_iter().map(part).collect();
        let mut sum = Self::nothing(ball);
        parts.iter().for_each(|part| sum.add(part));
        sum
    }

    /// The second moments as the bounds want them.
    pub(super) fn second(&self) -> Second {
        let (mut paired, mut spread) = (0.0f64, 0.0f64);
        for (a, b) in &self.by_hole {
            paired += a * b;
            spread += b * b;
        }
        Second {
            weights: self.weights,
            shifts: self.shifts,
            paired: paired.sqrt(),
            spread: spread.sqrt(),
        }
    }

    fn nothing(ball: &Ball) -> Self {
        let n_holes = match ball.shape {
            Shape::Paired => ball.layout.holes.len(),
            Shape::Weights | Shape::Ridge => 0,
        };
        Self {
            row_norm: 0.0,
            reach: 0.0,
            missing: 0.0,
            weights: 0.0,
            shifts: 0.0,
            by_hole: vec![(0.0, 0.0); n_holes],
        }
    }

    fn add(&mut self, other: &Self) {
        self.row_norm = self.row_norm.max(other.row_norm);
        self.reach = self.reach.max(other.reach);
        self.missing += other.missing;
        self.weights += other.weights;
        self.shifts += other.shifts;
        for (sum, part) in self.by_hole.iter_mut().zip(&other.by_hole) {
            *sum = (sum.0 + part.0, sum.1 + part.1);
        }
    }

    fn add_chunk(&mut self, chunk: &RowChunk, weights: &[f64], total: f64, ball: &Ball) {
        let layout = &ball.layout;
        let mut missing = vec![Vec::new(); weights.len()];
        for &(row, block) in &chunk.holes {
            missing[row as usize].push(block as usize);
        }
        for (r, (p, missing)) in weights.iter().zip(&missing).enumerate() {
            // rows come times the root of their weight
            let square = |e: usize| chunk.x[(e, r)].powi(2) / p;
            let (shiftable, alike) = match &layout.shifted {
                Shifted::Alike(range) => {
                    let all: f64 = range.clone().map(square).sum();
                    (all, Some(all))
                }
                Shifted::Listed(_) => ((0..layout.n_entries).map(square).sum(), None),
            };
            let of_hole = |&b: &usize| {
                let own = || layout.shifted.entries(b).map(square).sum();
                (square(layout.holes[b]), alike.unwrap_or_else(own))
            };
            let row = Row {
                weights: (ball.first()..layout.n_entries).map(square).sum(),
                shiftable,
                missing: missing.iter().map(of_hole).collect(),
            };
            let share = p / total;
            self.missing += share * row.missing.len() as f64;
            self.add_row(&row, share, ball);
            if ball.shape == Shape::Paired {
                for (sum, &entry) in self.by_hole.iter_mut().zip(&layout.holes) {
                    sum.0 += share * share * square(entry);
                }
                for (&b, (_, shifts)) in missing.iter().zip(&row.missing) {
                    self.by_hole[b].1 += share * share * shifts;
                }
            }
        }
    }

    fn add_row(&mut self, row: &Row, share: f64, ball: &Ball) {
        let in_shifts: f64 = row.missing.iter().map(|(_, shifts)| shifts).sum();
        let (norm, reach, weights, shifts) = match ball.shape {
            Shape::Weights => (row.weights, row.weights, row.weights, 0.0),
            Shape::Ridge => {
                let lifted = row.weights + in_shifts;
                (lifted, lifted, lifted, 0.0)
            }
            Shape::Paired => {
                let norm = row.weights.max(row.shiftable);
                (norm, row.reach(ball.gamma), row.weights, in_shifts)
            }
        };
        self.row_norm = self.row_norm.max(norm.sqrt());
        self.reach = self.reach.max(reach.sqrt());
        self.weights += share * share * weights;
        self.shifts += share * share * shifts;
    }
}
