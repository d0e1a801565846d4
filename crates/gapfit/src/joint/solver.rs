//! The exact solver of imputed regression and classification: smoothed Newton to a certified gap.
//!
//! ```text
//! min_v  risk(v) + Ω(v),        risk = (1/c) Σ s_i loss(y_i, Φ_i v),   c = alpha Σ s_i
//! given  the risk (squared loss: by H = ΦᵀΦ, r = Φᵀy, yᵀy alone), the layout of v, γ
//! ```
//!
//! Ω has a kink and unbounded curvature near it, so each Newton step is taken on Ω smoothed by ε,
//! whose minimiser is within 2ε of optimal; ε falls until the certificate is met (docs/math.md 4.8).
//! Goes beyond the paper, which solves the relaxation approximately by cutting planes.

use super::certificate::Certificate;
use super::outcome::{Outcome, Status};
use super::outputs::{Outputs, Penalty};
use super::risk::Risk;
use crate::linalg::{add_scaled, dot};

/// What to solve, to which gap.
#[derive(Clone, Debug)]
pub(crate) struct Task<'a> {
    pub(crate) outputs: Outputs<'a>,
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
pub(crate) fn solve<R: Risk>(task: &Task<'_>, risk: &R, start: Option<&[f64]>) -> Solution {
    let mut state = State::new(task, risk, start);
    let status = loop {
        if state.best.gap() <= task.tol * state.best.objective {
            break Status::Converged;
        }
        if state.best.objective <= risk.negligible() {
            break Status::Inaccurate;
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
struct State<'a, R: Risk> {
    task: &'a Task<'a>,
    risk: &'a R,
    v: Vec<f64>,
    at: R::At,
    eps: f64,
    penalty: Penalty,
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

/// The smoothing at the end as a share of the gap to reach: the minimiser is then within twice as much of it.
const LAST_STAGE: f64 = 0.2;
/// The gap down to which smoothing falls ever faster.
const FAST: f64 = 1e-8;
/// Below this share of the objective smoothing is rounding.
const LEAST_EPS: f64 = 1e-17;

impl<'a, R: Risk> State<'a, R> {
    fn new(task: &'a Task<'a>, risk: &'a R, start: Option<&[f64]>) -> Self {
        let (outputs, gamma) = (&task.outputs, task.gamma);
        let mut v = match start {
            Some(v) => v.to_vec(),
            None => risk.start(&outputs.majorants(gamma)),
        };
        let place = |v: &[f64]| {
            let at = risk.at(v);
            // First as sharp as the last stage needs: a good start may need nothing more.
            let least = LAST_STAGE * task.tol * (risk.value(&at) + outputs.plain_squares(v));
            let penalty = outputs.penalty(v, gamma, least, None);
            (at, least, penalty)
        };
        let (mut at, mut least, mut penalty) = place(&v);
        if !(risk.value(&at) + penalty.upper()).is_finite() {
            // Columns a hundred decades apart ruin the first system; from zero the search copes.
            v.fill(0.0);
            (at, least, penalty) = place(&v);
        }
        let mut state = Self {
            task,
            risk,
            penalty,
            certificate: Certificate::new(*outputs, gamma),
            best: Best {
                v: v.clone(),
                objective: f64::INFINITY,
                lower_bound: 0.0,
            },
            at,
            v,
            eps: least,
            iterations: 0,
            factorisations: usize::from(start.is_none()),
            evaluations: 1,
        };
        state.measure();
        let (objective, gap) = (state.best.objective, state.best.gap());
        if gap > task.tol * objective {
            // Smooth in proportion to what is left to gain, never less than the last stage needs.
            let least = LAST_STAGE * task.tol * objective;
            state.eps = (0.1 * gap).min(1e-2 * objective).max(least);
            state.smooth();
        }
        state
    }

    /// Objective and certified gap at v; remembers the best of each.
    fn measure(&mut self) {
        let penalty = self.penalty.upper();
        let objective = self.risk.value(&self.at) + penalty;
        let certificate = &mut self.certificate;
        let gap = self.risk.gap(&self.at, &self.v, penalty, certificate);
        if objective < self.best.objective {
            self.best.objective = objective;
            self.best.v.copy_from_slice(&self.v);
        }
        self.best.lower_bound = self.best.lower_bound.max(objective - gap);
    }

    fn penalty_at(&self, v: &[f64]) -> Penalty {
        let (outputs, warm) = (&self.task.outputs, Some(&self.penalty));
        outputs.penalty(v, self.task.gamma, self.eps, warm)
    }

    /// The penalty at v with the ε of now.
    fn smooth(&mut self) {
        self.evaluations += 1;
        self.penalty = self.penalty_at(&self.v);
    }

    /// One Newton step on the smoothed objective, then less smoothing if it came close to its
    /// minimum. False when rounding allows no more progress.
    fn step(&mut self) -> bool {
        self.iterations += 1;
        let outputs = &self.task.outputs;
        let gradient = outputs.gradient(&self.v, &self.penalty);
        let pull = self.risk.pull(&self.at).iter();
        let downhill: Vec<_> = pull.zip(&gradient).map(|(d, g)| 2.0 * d - g).collect();
        let hessians = outputs.hessians(&self.v, &self.penalty);
        self.factorisations += outputs.count;
        let Ok(direction) = self.risk.direction(&self.at, &hessians, &downhill) else {
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
            self.eps = self.sharper(moved).max(floor);
            self.smooth();
        }
        true
    }

    /// The next ε: the nearer the end, the better Newton's steps, and the larger this one may be. Beyond what [`FAST`]
    /// needs rounding spoils the steps, and stages follow each other slowly.
    fn sharper(&self, moved: bool) -> f64 {
        let Best { objective, .. } = self.best;
        let last = LAST_STAGE * self.task.tol.max(FAST) * objective;
        if !moved || self.eps <= last {
            return 0.1 * self.eps;
        }
        let share = (self.eps / objective).sqrt().min(0.1);
        (share * self.eps).max(last)
    }

    /// Moves along `direction` by the first of 1, 1/2, 1/4, ... that lowers the smoothed objective.
    fn search(&mut self, direction: &[f64], slope: f64) -> bool {
        let before = self.penalty.value();
        let rounding = 1e-15 * self.best.objective;
        let line = self.risk.line(&self.at, direction);
        let mut tried = 0;
        let steps = std::iter::successors(Some(1.0), |t| Some(0.5 * t));
        let found = steps.take_while(|t| *t > 1e-10).find_map(|t| {
            let mut v = self.v.clone();
            add_scaled(&mut v, t, direction);
            let penalty = self.penalty_at(&v);
            tried += 1;
            let change = line(t) + (penalty.value() - before);
            (change <= 1e-4 * t * slope + rounding).then_some((v, penalty))
        });
        drop(line);
        self.evaluations += tried;
        let Some((v, penalty)) = found else {
            return false;
        };
        self.at = self.risk.at(&v);
        self.v = v;
        self.penalty = penalty;
        true
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
