//! The exact solver of imputed ridge regression: smoothed Newton to a certified gap.
//!
//! ```text
//! min_v  (1/c) (yᵀy - 2 rᵀv + vᵀHv) + Ω(v),        c = alpha Σ weights
//! given  H = ΦᵀΦ, r = Φᵀy, yᵀy, the layout of v, γ
//! ```
//!
//! Ω has a kink and unbounded curvature near it, so each Newton step is taken on Ω smoothed by ε,
//! whose minimiser is within 2ε of optimal; ε falls until the certificate is met (docs/math.md 4.8).
//! Goes beyond the paper, which solves the relaxation approximately by cutting planes.

use super::blocks::{Blocks, Hessian, PenaltyAt};
use super::certificate::{Certificate, Fit, Point};
use super::outcome::{Outcome, Status};
use crate::error::Result;
use crate::linalg::{add_scaled, dot};

/// The quadratic part of the objective: `H`, `r`, `yᵀy`, however they are stored.
pub(crate) trait Normal {
    /// `r = Φᵀy`.
    fn linear(&self) -> &[f64];
    /// `yᵀy`.
    fn constant(&self) -> f64;
    /// `H v`.
    fn times(&self, v: &[f64]) -> Vec<f64>;
    /// `r - H v`, with digits to spare where the two nearly cancel.
    fn residual(&self, v: &[f64]) -> Vec<f64>;
    /// The solution x of `(scale H + penalty) x = rhs`, near enough for a Newton step.
    fn solve(&self, scale: f64, penalty: &Hessian<'_>, rhs: &[f64]) -> Result<Vec<f64>>;
}

/// What to solve, to which gap.
#[derive(Clone, Debug)]
pub(crate) struct Task<'a> {
    pub(crate) blocks: &'a Blocks,
    /// `alpha` times the sum of the row weights.
    pub(crate) c: f64,
    pub(crate) gamma: f64,
    pub(crate) tol: f64,
    pub(crate) max_iter: usize,
}

/// The minimiser and its certificate; the objective in units of `1/c`.
#[derive(Clone, Debug)]
pub(crate) struct Solution {
    pub(crate) v: Vec<f64>,
    pub(crate) outcome: Outcome,
}

/// Minimises the objective, from `start` where there is one.
pub(crate) fn solve(task: &Task<'_>, normal: &dyn Normal, start: Option<&[f64]>) -> Solution {
    let mut state = State::new(task, normal, start);
    let status = loop {
        if state.best.gap() <= task.tol * state.best.objective {
            break Status::Converged;
        }
        if state.iterations == task.max_iter {
            break Status::MaxIterations;
        }
        if !state.step() {
            break Status::Inaccurate;
        }
        state.measure();
    };
    state.finish(status)
}

/// One point and what is known about it.
struct State<'a> {
    task: &'a Task<'a>,
    normal: &'a dyn Normal,
    v: Vec<f64>,
    /// `(a, b) = (r - Hv)/c`: the dual, and half the negative gradient of the quadratic part.
    dual: Vec<f64>,
    eps: f64,
    penalty: PenaltyAt,
    certificate: Certificate<'a>,
    best: Best,
    iterations: usize,
    factorisations: usize,
    evaluations: usize,
}

/// The best point and the best bound so far; they may come from different steps.
struct Best {
    v: Vec<f64>,
    objective: f64,
    lower_bound: f64,
}

impl Best {
    fn gap(&self) -> f64 {
        (self.objective - self.lower_bound).max(0.0)
    }
}

/// From this gap on rounding in a plain `Hv` does not matter.
const COARSE: f64 = 1e-6;

/// `(r - Hv)/c`, with digits to spare where the gap asks for them.
fn dual(normal: &dyn Normal, v: &[f64], task: &Task<'_>) -> Vec<f64> {
    if task.tol < COARSE {
        let mut dual = normal.residual(v);
        dual.iter_mut().for_each(|d| *d /= task.c);
        return dual;
    }
    let hv = normal.times(v);
    normal
        .linear()
        .iter()
        .zip(hv)
        .map(|(r, hv)| (r - hv) / task.c)
        .collect()
}

/// Below this share of the objective smoothing is rounding.
const LEAST_EPS: f64 = 1e-17;

impl<'a> State<'a> {
    fn new(task: &'a Task<'a>, normal: &'a dyn Normal, start: Option<&[f64]>) -> Self {
        let mut factorisations = 0;
        let v = match start {
            Some(v) => v.to_vec(),
            None => {
                factorisations = 1;
                let rhs: Vec<_> = normal.linear().iter().map(|r| 2.0 * r / task.c).collect();
                let solution = normal.solve(2.0 / task.c, &task.blocks.majorant(task.gamma), &rhs);
                solution.unwrap_or_else(|_| vec![0.0; rhs.len()])
            }
        };
        let dual = dual(normal, &v, task);
        let fit = Fit::at(normal, &v, &dual, task.c);
        // First as sharp as the last stage needs: a good start may need nothing more.
        let least = 0.2 * task.tol * (fit.loss + task.blocks.plain_squares(&v));
        let mut state = Self {
            task,
            normal,
            penalty: task.blocks.penalty(&v, task.gamma, least, None),
            certificate: Certificate::new(task.blocks, task.gamma),
            best: Best {
                v: v.clone(),
                objective: f64::INFINITY,
                lower_bound: 0.0,
            },
            dual,
            v,
            eps: least,
            iterations: 0,
            factorisations,
            evaluations: 1,
        };
        state.measure();
        let (objective, gap) = (state.best.objective, state.best.gap());
        if gap > task.tol * objective {
            // Smooth in proportion to what is left to gain, never less than the last stage needs.
            let least = 0.2 * task.tol * objective;
            state.eps = (0.1 * gap).min(1e-2 * objective).max(least);
            state.penalty = state.penalty_at(&state.v.clone());
        }
        state
    }

    /// Objective and certified gap at v; remembers the best of each.
    fn measure(&mut self) {
        let fit = Fit::at(self.normal, &self.v, &self.dual, self.task.c);
        let penalty = self.penalty.upper();
        let objective = fit.loss + penalty;
        let gap = self.certificate.gap(&Point {
            v: &self.v,
            dual: &self.dual,
            fit,
            penalty,
        });
        if objective < self.best.objective {
            self.best.objective = objective;
            self.best.v.copy_from_slice(&self.v);
        }
        self.best.lower_bound = self.best.lower_bound.max(objective - gap);
    }

    fn penalty_at(&mut self, v: &[f64]) -> PenaltyAt {
        self.evaluations += 1;
        let warm = Some(&self.penalty.omega);
        self.task.blocks.penalty(v, self.task.gamma, self.eps, warm)
    }

    /// One Newton step on the smoothed objective, then less smoothing if it came close to its
    /// minimum. False when rounding allows no more progress.
    fn step(&mut self) -> bool {
        self.iterations += 1;
        let blocks = self.task.blocks;
        let gradient = blocks.gradient(&self.v, &self.penalty);
        let downhill: Vec<_> = self
            .dual
            .iter()
            .zip(&gradient)
            .map(|(d, g)| 2.0 * d - g)
            .collect();
        let hessian = blocks.hessian(&self.v, &self.penalty);
        self.factorisations += 1;
        let Ok(direction) = self.normal.solve(2.0 / self.task.c, &hessian, &downhill) else {
            return false; // positive definite by construction: lost to rounding
        };
        let slope = -dot(&downhill, &direction);
        let moved = self.search(&direction, slope);
        let floor = LEAST_EPS * self.best.objective;
        let close = 0.5 * slope.abs() <= self.eps;
        if close || !moved {
            if self.eps <= floor {
                return moved && slope.abs() > 1e-16 * self.best.objective;
            }
            self.eps = (0.1 * self.eps).max(floor);
            self.penalty = self.penalty_at(&self.v.clone());
        }
        true
    }

    /// Moves along `direction` by the first of 1, 1/2, 1/4, ... that lowers the smoothed objective.
    fn search(&mut self, direction: &[f64], slope: f64) -> bool {
        let hd = self.normal.times(direction);
        let c = self.task.c;
        let linear = -2.0 * dot(&self.dual, direction);
        let quadratic = dot(direction, &hd) / c;
        let before = self.penalty.value();
        let rounding = 1e-15 * self.best.objective;
        let mut t = 1.0;
        while t > 1e-10 {
            let mut v = self.v.clone();
            add_scaled(&mut v, t, direction);
            let penalty = self.penalty_at(&v);
            let change = t * (linear + t * quadratic) + (penalty.value() - before);
            if change <= 1e-4 * t * slope + rounding {
                self.dual = dual(self.normal, &v, self.task);
                self.v = v;
                self.penalty = penalty;
                return true;
            }
            t *= 0.5;
        }
        false
    }

    fn finish(self, status: Status) -> Solution {
        let Best {
            v,
            objective,
            lower_bound,
        } = self.best;
        let gap = if objective > lower_bound {
            (objective - lower_bound) / objective
        } else {
            0.0
        };
        Solution {
            v,
            outcome: Outcome {
                status,
                iterations: self.iterations,
                objective,
                lower_bound: lower_bound.min(objective),
                gap,
                factorisations: self.factorisations,
                evaluations: self.evaluations,
            },
        }
    }
}
