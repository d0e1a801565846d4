//! The best matrix in hindsight: a proximal point method whose inner solver is dual coordinate ascent.
//!
//! ```text
//! F* = min over ‖A‖ <= R of  Σ_t p_t ℓ(<A ψ(z_t), x_t>, y_t)
//!   >= -Σ_t p_t ℓ*(δ_t) - R ‖Σ_t p_t δ_t x_t ψ(z_t)ᵀ‖_*        for every δ          (docs/math.md 13.6)
//! ```
//!
//! Given rows, a loss, ψ, a regulariser and R. Around a centre C, `F(A) + λ/2 ‖A - C‖²` is minimised
//! over the ball by ascent in one δ at a time, with
//!
//! ```text
//! Θ = C - P⁻¹ Σ_t p_t δ_t x_t ψ(z_t)ᵀ / λ,      A = Θ min(1, R/‖Θ‖)
//! ```
//!
//! so that an update is a measurement and a step of the learner's matrix; then C moves to A. Returns
//! bounds on F* from both sides. Follows Shalev-Shwartz and Zhang (stochastic dual coordinate ascent) and
//! Rockafellar (proximal points); neither is in the paper. A pass over the rows costs what learning them
//! does, O(observed x missing) each.

use super::face;
use super::hindsight::{Hindsight, Status};
use super::rows::{Row, Rows};
use crate::error::Result;
use crate::loss::Loss;
use crate::online::lazy::Lazy;
use crate::online::mask_map::MaskMap;
use crate::online::mirror::{Feasible, Mirror};
use crate::online::psi::MaskFeatures;
use crate::online::weights::Weights;
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use std::ops::ControlFlow;

/// Passes over the rows between two looks at the certificate.
const INNER: usize = 2;

/// Climbs along faces after them, once the gap is below this and faces have settled; one before.
const CLIMBS: usize = 3;
const SETTLED: f64 = 1e-2;

/// The state of a solve, kept for the next one.
#[derive(Clone, Debug)]
pub(crate) struct Comparator {
    pub(super) loss: Loss,
    pub(super) radius: f64,
    /// C.
    pub(super) centre: Lazy,
    /// Θ.
    pub(super) point: Lazy,
    /// δ, one per row.
    pub(super) dual: Vec<f64>,
    /// λ.
    pub(super) lambda: f64,
    /// Its largest value.
    pub(super) largest: f64,
    /// The share of the gap that is left in the rows: `Σ_t p_t (ℓ(ŷ_t) + ℓ*(δ_t) - δ_t ŷ_t)`.
    pub(super) share: f64,
    /// The best A so far.
    best: Lazy,
}

/// What the callback of a solve gets, and whether it goes on.
pub(crate) type Progress<'a> = dyn FnMut(&Hindsight) -> ControlFlow<()> + 'a;

impl Comparator {
    /// A comparator over this many features; the radius is valid.
    ///
    /// # Errors
    /// As [`MaskMap::new`] and [`Mirror::validate`].
    pub(crate) fn new(
        psi: MaskFeatures,
        mirror: &Mirror,
        loss: Loss,
        radius: f64,
        n_features: usize,
    ) -> Result<Self> {
        loss.validate()?;
        mirror.validate(psi, n_features)?;
        let centre = Lazy::new(MaskMap::new(psi, n_features)?, mirror, Feasible::Everything);
        Ok(Self {
            loss,
            radius,
            point: centre.clone(),
            best: centre.clone(),
            centre,
            dual: Vec::new(),
            lambda: 1.0,
            largest: 1.0,
            share: 1.0,
        })
    }

    /// One more feature, missing from all rows so far.
    ///
    /// # Errors
    /// As [`MaskMap::add_feature`]; then nothing changes.
    pub(crate) fn add_feature(&mut self) -> Result<()> {
        self.centre.add_feature()
    }

    /// The best matrix that the last solve found, within the ball.
    pub(crate) fn weights(&self) -> Weights {
        self.best.weights()
    }

    /// ψ, with the masks that solves have met.
    pub(crate) fn psi(&self) -> &MaskMap {
        &self.best.map
    }

    /// The largest gradient of a weighted loss on the ball, in the dual norm of the regulariser.
    pub(crate) fn largest_gradient(&mut self, rows: &Rows) -> f64 {
        let mut largest = 0.0f64;
        for row in rows.iter() {
            let size = self.point.measure(row.x, row.observed).dual_squared.sqrt();
            let slope = self.loss.lipschitz(self.radius * size, row.target.abs());
            largest = largest.max(row.weight * slope * size);
        }
        largest
    }

    /// Encloses the smallest sum of losses over the ball, from where the last solve ended.
    pub(crate) fn solve(
        &mut self,
        rows: &Rows,
        tol: f64,
        max_epochs: usize,
        progress: &mut Progress<'_>,
    ) -> Hindsight {
        let at_zero = self.prepare(rows);
        let floor = if self.loss.is_nonnegative() {
            0.0
        } else {
            f64::MIN
        };
        let mut best = Hindsight::start(at_zero, floor);
        let mut order: Vec<usize> = (0..rows.len()).collect();
        let rng = &mut ChaCha8Rng::seed_from_u64(rows.len() as u64);
        loop {
            let (objective, lower_bound) = self.certificate(rows);
            if objective < best.objective {
                self.best = self.inside();
            }
            best.narrow(objective, lower_bound, at_zero);
            let stops = progress(&best).is_break();
            if best.gap <= tol {
                best.status = Status::Converged;
            } else if stops {
                best.status = Status::Stopped;
            }
            if best.status != Status::MaxIterations || best.epochs >= max_epochs {
                return best;
            }
            self.move_centre();
            for _ in 0..INNER {
                order.shuffle(rng);
                self.sweep(rows, &order);
            }
            best.epochs += INNER;
            let climbs = if best.gap > SETTLED { 1 } else { CLIMBS };
            (0..climbs).for_each(|_| face::climb(self, rows));
        }
    }

    /// Makes room for new rows and chooses λ; returns the losses of the matrix of zeros.
    fn prepare(&mut self, rows: &Rows) -> f64 {
        rows.iter().for_each(|row| self.centre.note(row.observed));
        let slope = |row: Row<'_>| self.loss.derivative(0.0, row.target);
        let new = rows.iter().skip(self.dual.len()).map(slope);
        self.dual.extend(new.collect::<Vec<_>>());
        self.point = self.centre.zeroed();
        self.best = self.point.clone();
        let n = rows.len().max(1) as f64;
        let (mut at_zero, mut squares, mut weights) = (0.0, 0.0, 0.0);
        for row in rows.iter() {
            let size = self.point.measure(row.x, row.observed).dual_squared;
            at_zero += row.weight * self.loss.value(0.0, row.target);
            squares += row.weight * size;
            weights += row.weight;
        }
        let largest = match self.loss {
            // Any λ below the size of the gradient brings A onto the ball, where the minimum is.
            Loss::Linear => 0.5 * self.pull(rows).square().sqrt() / self.radius,
            // A residual of ordinary size should move δ across its range in a few steps.
            Loss::Absolute | Loss::EpsInsensitive(_) => squares / n * weights / at_zero,
            _ => squares / n,
        };
        let fallen = self.lambda / self.largest;
        self.largest = largest.clamp(1e-200, 1e200);
        self.lambda = fallen * self.largest;
        at_zero
    }
}
