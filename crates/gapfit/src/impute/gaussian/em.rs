//! Maximises the penalised likelihood: EM, accelerated, and held to never going down.
//!
//! ```text
//! EM step:     μ⁺ = μ + δ,  δ = Σ g         Σ⁺ = Σ + (Σ G Σ - δδᵀ) / (1 + κ)
//! taken step:  (dμ, V) = H (g, ½G),         Σ⁺ = Σ + V, or by its inverse where it shrinks ([`Path`])
//! ```
//!
//! with the gradient `(g, ½G)` of [`Likelihood`]. The EM step is the gradient divided by the curvature
//! that complete rows would have; H divides by the expected curvature of the rows as they are (Fisher
//! scoring), corrected by what the latest steps showed (limited-memory BFGS). Where that matrix would
//! be too large, the EM step takes its place (docs/math.md 6.6).
//!
//! A step is taken only if the likelihood rises; where no part of it does, the EM step is, and where
//! differences drown in rounding the slope decides. Ends when the rise predicted from gradient and
//! curvature is below the tolerance twice in a row. Cost: one evaluation per step, rarely more.

use super::likelihood::{At, Likelihood, Point};
use super::path::Path;
use crate::linalg::{add_scaled, dot, spd};
use std::collections::VecDeque;

/// When to stop.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    /// The predicted rise of the log-likelihood per weight of the rows.
    pub(super) tol: f64,
    pub(super) max_iter: usize,
}

/// Why it stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ended {
    /// The predicted rise is below the tolerance.
    Converged,
    /// Rounding hides any further rise.
    Rounding,
    /// The iterations ran out.
    Iterations,
}

/// Where it stopped.
#[derive(Clone, Debug)]
pub(super) struct Maximum {
    pub(super) at: At,
    pub(super) ended: Ended,
    /// The likelihood at the start and after each step.
    pub(super) values: Vec<f64>,
}

/// Steps remembered.
const MEMORY: usize = 10;
/// Steps for which an expected curvature serves: it changes slowly.
const REFRESH: usize = 4;
/// How often a step is shortened.
const SHORTENINGS: usize = 6;
/// Share of the rise promised by the slope that is asked for.
const SUFFICIENT: f64 = 1e-4;

/// Climbs from `start`, whose covariance must be positive definite.
pub(super) fn maximise(likelihood: &Likelihood<'_>, start: At, limits: Limits) -> Maximum {
    let mut at = start;
    let mut memory = Memory::default();
    let mut values = vec![at.value];
    let mut quiet = 0;
    let ended = loop {
        let step = memory.step(&at, likelihood.prior);
        quiet = if 0.5 * dot(&at.gradient, &step) <= limits.tol {
            quiet + 1
        } else {
            0
        };
        if quiet == 2 {
            break Ended::Converged;
        }
        if values.len() > limits.max_iter {
            break Ended::Iterations;
        }
        let informed = values.len().is_multiple_of(REFRESH);
        let next = climb(likelihood, &at, &step, informed).or_else(|| {
            memory.pairs.clear();
            follow_em(likelihood, &at, informed)
        });
        let Some(mut next) = next else {
            break Ended::Rounding;
        };
        memory.learn(&at, &next);
        if !informed {
            next.information = at.information.take();
        }
        values.push(next.value);
        at = next;
    };
    Maximum { at, ended, values }
}

/// The point at the end of the step, or of as much of it as leads up.
fn climb(likelihood: &Likelihood<'_>, from: &At, step: &[f64], informed: bool) -> Option<At> {
    let path = Path::new(&from.point, step);
    let mut length = 1.0;
    for _ in 0..=SHORTENINGS {
        let at = likelihood.at(path.at(length), informed);
        if at
            .as_ref()
            .is_some_and(|at| is_above(at, from, step, length))
        {
            return at;
        }
        length *= shorter(at.as_ref(), from, step, length);
    }
    None
}

/// By how much to shorten a step: to the top of the parabola through what is known, within bounds.
fn shorter(at: Option<&At>, from: &At, step: &[f64], length: f64) -> f64 {
    let promised = length * dot(&from.gradient, step);
    let rise = at.map_or(f64::NAN, |at| at.value - from.value);
    let top = 0.5 * promised / (promised - rise);
    if top.is_nan() {
        0.1
    } else {
        top.clamp(0.1, 0.5)
    }
}

/// The point at the end of the EM step, which leads up but for rounding.
fn follow_em(likelihood: &Likelihood<'_>, from: &At, informed: bool) -> Option<At> {
    let step = em_step(from, likelihood.prior);
    let mut point = from.point.clone();
    add_scaled(&mut point.all, 1.0, &step);
    let at = likelihood.at(point, informed);
    at.filter(|at| is_above(at, from, &step, 0.0))
}

/// Whether the likelihood has risen, by enough for a step of this length; where rounding hides that,
/// whether the slope has fallen.
fn is_above(at: &At, from: &At, step: &[f64], length: f64) -> bool {
    let (rise, slope) = (at.value - from.value, dot(&from.gradient, step));
    if rise.abs() <= from.noise() {
        return dot(&at.gradient, step).abs() <= 0.9 * slope;
    }
    rise >= SUFFICIENT * length * slope
}

/// The step of plain EM.
pub(super) fn em_step(at: &At, prior: f64) -> Vec<f64> {
    let mut step = of_complete_rows(at, &at.gradient, prior);
    let n = at.point.n;
    let (of_mean, of_covariance) = step.split_at_mut(n);
    for (column, &b) in of_covariance.chunks_exact_mut(n).zip(&*of_mean) {
        add_scaled(column, -b / (1.0 + prior), of_mean);
    }
    step
}

/// A gradient divided by the expected curvature, or by that of complete rows where there is none.
fn uncorrected(at: &At, gradient: &[f64], prior: f64) -> Vec<f64> {
    match &at.information {
        Some(information) => information.step(gradient),
        None => of_complete_rows(at, gradient, prior),
    }
}

/// A gradient divided by the curvature that complete rows would have: `(Σ g, Σ G Σ / (1 + κ))`.
fn of_complete_rows(at: &At, gradient: &[f64], prior: f64) -> Vec<f64> {
    let n = at.point.n;
    let covariance = at.point.covariance();
    let mut half = vec![0.0; n * n];
    let mut step = vec![0.0; gradient.len()];
    spd::multiply(&mut half, covariance, &gradient[n..], n);
    // Σ G is not symmetric: its transpose G Σ is what the second product needs.
    for j in 0..n {
        for i in j + 1..n {
            half.swap(i * n + j, j * n + i);
        }
    }
    let (of_mean, of_covariance) = step.split_at_mut(n);
    spd::multiply(of_covariance, covariance, &half, n);
    let scale = 2.0 / (1.0 + prior);
    for j in 0..n {
        of_mean[j] = dot(&covariance[j * n..(j + 1) * n], &gradient[..n]);
        for i in j..n {
            let mean = 0.5 * (of_covariance[j * n + i] + of_covariance[i * n + j]);
            of_covariance[j * n + i] = scale * mean;
            of_covariance[i * n + j] = scale * mean;
        }
    }
    step
}

/// The latest steps, and how the gradient changed along them.
#[derive(Debug, Default)]
struct Memory {
    pairs: VecDeque<Pair>,
}

#[derive(Debug)]
struct Pair {
    step: Vec<f64>,
    /// By how much the gradient fell.
    fall: Vec<f64>,
    product: f64,
}

impl Memory {
    fn learn(&mut self, from: &At, to: &At) {
        let difference = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a - b).collect();
        let step: Vec<f64> = difference(&to.point.all, &from.point.all);
        let fall: Vec<f64> = difference(&from.gradient, &to.gradient);
        let product = dot(&step, &fall);
        // A stretch along which the likelihood bends upwards teaches nothing about a maximum.
        if product > 1e-10 * dot(&step, &from.gradient).abs() {
            self.pairs.push_back(Pair {
                step,
                fall,
                product,
            });
            if self.pairs.len() > MEMORY {
                self.pairs.pop_front();
            }
        }
    }

    /// The corrected step, or the uncorrected one when that does not lead up.
    fn step(&mut self, at: &At, prior: f64) -> Vec<f64> {
        let mut gradient = at.gradient.clone();
        let mut shares = Vec::with_capacity(self.pairs.len());
        for pair in self.pairs.iter().rev() {
            let share = dot(&pair.step, &gradient) / pair.product;
            add_scaled(&mut gradient, -share, &pair.fall);
            shares.push(share);
        }
        let mut step = uncorrected(at, &gradient, prior);
        for (pair, share) in self.pairs.iter().zip(shares.iter().rev()) {
            let excess = share - dot(&pair.fall, &step) / pair.product;
            add_scaled(&mut step, excess, &pair.step);
        }
        let leads_up = dot(&at.gradient, &step) > 0.0;
        if !leads_up && !self.pairs.is_empty() {
            self.pairs.clear();
            return uncorrected(at, &at.gradient, prior);
        }
        step
    }
}

/// The likelihood at a covariance between the pairwise one and the identity, as close to the former
/// as will do; `None` when the weights are too small for any.
pub(super) fn start(likelihood: &Likelihood<'_>, pairwise: &[f64]) -> Option<At> {
    let n = likelihood.standard.len();
    let mixed = |share: f64| {
        let mut covariance: Vec<f64> = pairwise.iter().map(|c| (1.0 - share) * c).collect();
        (0..n).for_each(|j| covariance[j * (n + 1)] = 1.0);
        let sound = spd::factor(&mut covariance.clone(), n, 0.5 * share);
        sound.then(|| Point::new(&vec![0.0; n], &covariance))
    };
    [1e-3, 0.03, 0.3, 1.0]
        .into_iter()
        .find_map(|share| mixed(share).and_then(|point| likelihood.at(point, true)))
}
