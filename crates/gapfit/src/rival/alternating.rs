//! The problem before the relaxation, in the predictor w and the imputation M, by turns.
//!
//! ```text
//! min  (1/c) ‖y - Φv‖² + ‖w‖²   over w and ‖M‖ <= γ,   v = (w, u_k = w_k m_k)
//! ```
//!
//! For given M it is ridge regression in w, for given w least squares in M over a ball: each turn is
//! solved exactly, so the value falls, to a point that neither turn improves. Which one depends on the
//! start; the relaxation bounds them all from below (docs/math.md 12.2). Works on the normal equations,
//! whatever the number of rows.

use super::report::{Alternating, Report};
use super::{Rival, ball, relative_gap};
use crate::error::Result;
use crate::joint::blocks::Blocks;
use crate::joint::solver::Solution;
use crate::joint::{Outcome, Status};
use crate::linalg::{Cholesky, Matrix, add_scaled, dot, norm_squared};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::StandardNormal;
use rayon::prelude::*;

/// The normal equations in units where `c = γ = ‖y‖ = 1`.
#[derive(Debug)]
pub(crate) struct Equations<'a> {
    h: Matrix,
    r: Vec<f64>,
    blocks: &'a Blocks,
    /// What one of these units is in those of the problem, per unknown.
    units: Vec<f64>,
    /// The value of v = 0 in those of the problem.
    value: f64,
}

/// Starts with a random M.
const RANDOM_STARTS: u64 = 6;
/// A sweep that lowers the value by less, relatively, gets nowhere.
const REST: f64 = 1e-11;

impl<'a> Equations<'a> {
    /// From `H`, `r` and `yᵀy`, for `c = alpha Σs` and `gamma > 0`.
    pub(crate) fn new(
        (h, r, yy): (&Matrix, &[f64], f64),
        blocks: &'a Blocks,
        (c, gamma): (f64, f64),
    ) -> Self {
        let norm = if yy > 0.0 { yy.sqrt() } else { 1.0 };
        let root = c.sqrt();
        let gain = |i: usize| if i < blocks.n_weights { 1.0 } else { gamma } / root;
        let mut scaled = h.clone();
        for j in 0..r.len() {
            for (i, x) in scaled.col_mut(j).iter_mut().enumerate() {
                *x *= gain(i) * gain(j);
            }
        }
        Self {
            h: scaled,
            r: (0..r.len()).map(|i| r[i] * gain(i) / norm).collect(),
            blocks,
            units: (0..r.len()).map(|i| gain(i) * norm).collect(),
            value: norm / root * (norm / root),
        }
    }

    /// The value at the predictor v of weights w.
    fn value(&self, v: &[f64]) -> f64 {
        let hv = self.h.times(v);
        let loss = 1.0 - dot(&self.r, v) - (dot(&self.r, v) - dot(v, &hv));
        loss.max(0.0) + norm_squared(&v[..self.blocks.n_weights])
    }

    /// `v = (w, w_k m_k)`.
    fn predictor(&self, w: &[f64], m: &Matrix) -> Vec<f64> {
        let mut v = w.to_vec();
        v.resize(self.r.len(), 0.0);
        for (b, &k) in self.blocks.partners.iter().enumerate() {
            add_scaled(&mut v[self.blocks.range(b)], w[k], m.col(b));
        }
        v
    }

    /// The best w for this M: ridge regression on the imputed rows.
    fn weights(&self, m: &Matrix) -> Result<Vec<f64>> {
        let n = self.blocks.n_weights;
        // The normal equations of v = B w, B = (I; m_k in column k): first the columns, then the rows.
        let mut columns = Matrix::zeros(self.r.len(), n);
        for k in 0..n {
            columns.col_mut(k).copy_from_slice(self.h.col(k));
        }
        let mut w = self.r[..n].to_vec();
        for (b, &k) in self.blocks.partners.iter().enumerate() {
            for (i, &x) in self.blocks.range(b).zip(m.col(b)) {
                add_scaled(columns.col_mut(k), x, self.h.col(i));
            }
            w[k] += dot(m.col(b), &self.r[self.blocks.range(b)]);
        }
        let factor = Cholesky::of(|| {
            let mut system = Matrix::zeros(n, n);
            for j in 0..n {
                let column = columns.col(j);
                system.col_mut(j).copy_from_slice(&column[..n]);
                for (b, &k) in self.blocks.partners.iter().enumerate() {
                    system[(k, j)] += dot(m.col(b), &column[self.blocks.range(b)]);
                }
                system[(j, j)] += 1.0;
            }
            system
        })?;
        factor.solve(&mut w);
        Ok(w)
    }

    /// The best M for these weights: least squares over the unit ball.
    fn imputation(&self, w: &[f64], tau: f64) -> Result<ball::InBall> {
        let (n, dim) = (self.blocks.n_weights, self.r.len());
        let per_shift =
            |b: usize| std::iter::repeat_n(w[self.blocks.partners[b]], self.blocks.longest());
        let gains: Vec<f64> = (0..self.blocks.partners.len())
            .flat_map(per_shift)
            .collect();
        let mut plain = w.to_vec();
        plain.resize(dim, 0.0);
        let fitted = self.h.times(&plain);
        let mut a = Matrix::zeros(dim - n, dim - n);
        for (j, gain) in gains.iter().enumerate() {
            let column = &self.h.col(n + j)[n..];
            for ((x, h), other) in a.col_mut(j).iter_mut().zip(column).zip(&gains) {
                *x = h * gain * other;
            }
        }
        let left = self.r[n..].iter().zip(&fitted[n..]).zip(&gains);
        let b: Vec<f64> = left.map(|((r, f), gain)| gain * (r - f)).collect();
        ball::minimise(&a, &b, tau)
    }

    /// Takes turns from M until a sweep gets nowhere.
    fn descend(&self, start: Matrix, max_sweeps: usize) -> Result<Descent> {
        let mut m = start;
        let mut w = self.weights(&m)?;
        let mut at = Descent {
            v: self.predictor(&w, &m),
            value: 0.0,
            sweeps: 0,
            factorisations: 1,
            is_at_rest: false,
        };
        at.value = self.value(&at.v);
        let mut tau = 0.0;
        while !at.is_at_rest && at.sweeps < max_sweeps {
            let best = self.imputation(&w, tau)?;
            tau = best.tau;
            m = Matrix::from_columns(m.n_rows(), m.n_cols(), best.m);
            w = self.weights(&m)?;
            let v = self.predictor(&w, &m);
            let value = self.value(&v);
            at.sweeps += 1;
            at.factorisations += best.factorisations + 1;
            at.is_at_rest = at.value - value <= REST * at.value;
            if value < at.value {
                (at.v, at.value) = (v, value);
            }
        }
        Ok(at)
    }

    /// M = 0, the M of the relaxation's optimum `v`, and random ones of norm 1.
    fn starts(&self, v: &[f64]) -> Vec<Matrix> {
        let (len, n_blocks) = (self.blocks.longest(), self.blocks.partners.len());
        let mut starts = vec![Matrix::zeros(len, n_blocks), self.rounded(v)];
        for seed in 0..RANDOM_STARTS {
            let rng = &mut ChaCha8Rng::seed_from_u64(seed);
            let cells: Vec<f64> = (0..len * n_blocks)
                .map(|_| rng.sample(StandardNormal))
                .collect();
            let norm = norm_squared(&cells).sqrt();
            let mut m = Matrix::from_columns(len, n_blocks, cells);
            m.scale(if norm > 0.0 { 1.0 / norm } else { 0.0 });
            starts.push(m);
        }
        starts
    }

    /// `m_k = sign(w_k) μ_k û_k` with the minimisers μ of Ω at v (docs/math.md 9).
    fn rounded(&self, v: &[f64]) -> Matrix {
        let (_, norms) = self.blocks.sizes(v);
        let at = self.blocks.penalty(v, 1.0, 0.0, None);
        let mut m = Matrix::zeros(self.blocks.longest(), self.blocks.partners.len());
        for (b, &k) in self.blocks.partners.iter().enumerate() {
            if norms[b] > 0.0 {
                let size = at.omega.minimiser(b).0.copysign(v[k]) / norms[b];
                add_scaled(m.col_mut(b), size, &v[self.blocks.range(b)]);
            }
        }
        // The bound holds but for rounding.
        m.scale(1.0 / norm_squared(m.as_slice()).sqrt().max(1.0));
        m
    }
}

/// Where a descent is.
#[derive(Debug)]
struct Descent {
    v: Vec<f64>,
    value: f64,
    sweeps: usize,
    factorisations: usize,
    is_at_rest: bool,
}

/// The best of several descents, at most `max_sweeps` each; `relaxed` is the relaxation's solution.
///
/// # Errors
/// [`Error::NotPositiveDefinite`](crate::Error) when rounding defeats a ridge regression.
pub(crate) fn solve(
    equations: &Equations<'_>,
    relaxed: &Solution,
    tol: f64,
    max_sweeps: usize,
) -> Result<Rival> {
    let pairs = relaxed.v.iter().zip(&equations.units);
    let v: Vec<f64> = pairs.map(|(v, unit)| v / unit).collect();
    let descents = equations
        .starts(&v)
        .into_par_iter()
        .map(|start| equations.descend(start, max_sweeps))
        .collect::<Result<Vec<_>>>()?;
    Ok(best(equations, &descents, relaxed.outcome.lower_bound, tol))
}

/// The descent that got lowest, against the bound on all of them.
fn best(equations: &Equations<'_>, descents: &[Descent], bound: f64, tol: f64) -> Rival {
    let by_value = |a: &&Descent, b: &&Descent| a.value.total_cmp(&b.value);
    let best = descents.iter().min_by(by_value).expect("there are starts");
    let worst = descents.iter().max_by(by_value).expect("there are starts");
    let objective = equations.value * best.value;
    let lower_bound = bound.min(objective);
    let gap = relative_gap(objective, lower_bound);
    let sum = |count: fn(&Descent) -> usize| descents.iter().map(count).sum();
    let pairs = best.v.iter().zip(&equations.units);
    Rival {
        v: pairs.map(|(v, unit)| v * unit).collect(),
        outcome: Outcome {
            status: match best.is_at_rest {
                _ if gap <= tol => Status::Converged,
                true => Status::Stationary,
                false => Status::MaxIterations,
            },
            iterations: best.sweeps,
            objective,
            lower_bound,
            gap,
            factorisations: sum(|descent| descent.factorisations),
            evaluations: sum(|descent| descent.sweeps + 1),
        },
        report: Report::Alternating(Alternating {
            starts: descents.len(),
            sweeps: sum(|descent| descent.sweeps),
            relaxation_gap: gap,
            worst_start: if best.value > 0.0 {
                worst.value / best.value
            } else {
                1.0
            },
        }),
    }
}
