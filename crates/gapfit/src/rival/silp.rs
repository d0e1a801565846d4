//! The paper's semi-infinite linear program: cutting planes in α and for `K ⪰ 0`.
//!
//! ```text
//! min t  over ‖M‖ <= γ, ‖N‖ <= γ²   s.t.  t >= 2αᵀy - αᵀ(K_MN + cI)α  for all α,   βᵀK_MN β >= 0  for all β
//! ```
//!
//! A master problem keeps finitely many of the constraints; each round adds the most violated ones
//! (docs/math.md 12.1; paper, section 4). Cost of a round: eigenvalues of K on the span of the lifted
//! rows, and a conic program with one unknown per cut.

use super::kernel::{KernelFit, Slices};
use super::master::{Master, Proposal};
use super::report::{Report, Silp};
use super::sample::Sample;
use super::{Rival, relative_gap};
use crate::joint::{Outcome, Status};
use crate::linalg::{Eigen, Matrix, dot, norm_squared, product};

/// Eigenvectors of K that become cuts in a round, at most.
const KERNEL_CUTS: usize = 3;
/// An eigenvalue above this share of the largest one, negated, is rounding.
const ROUNDING: f64 = 1e-13;

/// Solves to the relative gap `tol`, in at most `max_rounds` rounds; `None` when a number is not finite.
pub(crate) fn solve(sample: &Sample, tol: f64, max_rounds: usize) -> Option<Rival> {
    let mut search = Search::new(sample)?;
    let mut rounds = 0;
    let status = loop {
        if search.gap() <= tol {
            break Status::Converged;
        }
        if rounds == max_rounds {
            break Status::MaxIterations;
        }
        rounds += 1;
        if search.round().is_none() {
            break Status::Inaccurate;
        }
    };
    Some(search.finish(status, rounds))
}

/// Bounds from both sides and the cuts that prove the lower one.
struct Search {
    sample: Sample,
    master: Master,
    /// A point inside the feasible set, to repair others with.
    inside: Slices,
    /// A basis of the span of the lifted rows in which Q at that point is the identity.
    whitened: Matrix,
    best: (Slices, KernelFit),
    lower: f64,
    violation: f64,
    systems: usize,
}

impl Search {
    fn new(sample: &Sample) -> Option<Self> {
        let (sample, basis) = sample.on_its_span()?;
        let blocks = sample.blocks.clone();
        let n_shifts = (blocks.dim() - blocks.n_weights).max(1);
        let inside = Slices::diagonal(&blocks, 1.0 / (n_shifts as f64).sqrt());
        let whitened = whiten(&basis, &inside.form(&blocks, &basis))?;
        let ridge = Slices::diagonal(&blocks, 0.0);
        let fit = KernelFit::new(&sample, &ridge.form(&blocks, &sample.lifted))?;
        let mut search = Self {
            master: Master::new(blocks),
            inside,
            whitened,
            best: (ridge, fit.clone()),
            lower: 0.0,
            violation: 0.0,
            systems: 1,
            sample,
        };
        search.cut_value(&fit);
        Some(search)
    }

    fn gap(&self) -> f64 {
        relative_gap(self.best.1.value, self.lower)
    }

    /// Solves the master problem and adds the cuts its solution violates.
    fn round(&mut self) -> Option<()> {
        let Proposal { bound, slices } = self.master.solve()?;
        self.lower = self.lower.max(bound + self.sample.rest);
        let kernel = slices.form(&self.sample.blocks, &self.sample.lifted);
        let is_kernel = self.separate(&kernel)?;
        if !is_kernel && let Some(fit) = self.fit(&kernel) {
            self.cut_value(&fit);
        }
        let feasible = self.repaired(slices)?;
        let kernel = feasible.form(&self.sample.blocks, &self.sample.lifted);
        let fit = self.fit(&kernel)?;
        self.cut_value(&fit);
        if fit.value < self.best.1.value {
            self.best = (feasible, fit);
        }
        Some(())
    }

    /// Adds cuts for the most negative eigenvalues of K, if there are any; whether there are none.
    fn separate(&mut self, kernel: &Matrix) -> Option<bool> {
        let eigen = Eigen::of(kernel)?;
        let largest = eigen.values.last().copied().unwrap_or(0.0).max(0.0);
        let lowest = eigen.values.first().copied().unwrap_or(0.0);
        self.violation = if lowest < 0.0 { lowest / largest } else { 0.0 };
        let negative = eigen.values.iter().take(KERNEL_CUTS);
        let negative = negative.take_while(|&&x| x < -ROUNDING * largest).count();
        for j in 0..negative {
            let adjoint = self.sample.lifted.times(eigen.vectors.col(j));
            self.master.demand_kernel(&adjoint);
        }
        Some(negative == 0)
    }

    /// The first point on the way to the inside where K is positive semidefinite.
    fn repaired(&self, slices: Slices) -> Option<Slices> {
        let form = slices.form(&self.sample.blocks, &self.whitened);
        let lowest = Eigen::of(&form)?.values.first().copied().unwrap_or(0.0);
        if lowest >= 0.0 {
            return Some(slices);
        }
        // (1 - t) lowest + t = 0
        Some(slices.mixed(-lowest / (1.0 - lowest), &self.inside))
    }

    fn fit(&mut self, kernel: &Matrix) -> Option<KernelFit> {
        self.systems += 1;
        KernelFit::new(&self.sample, kernel)
    }

    fn cut_value(&mut self, fit: &KernelFit) {
        let (dual, y) = (&fit.dual, &self.sample.y);
        let linear = 2.0 * dot(dual, y) - norm_squared(dual);
        let adjoint = self.sample.lifted.times(dual);
        self.master.bound_value(linear, adjoint);
    }

    fn finish(self, status: Status, rounds: usize) -> Rival {
        let (slices, fit) = &self.best;
        let (value_cuts, kernel_cuts) = self.master.n_cuts();
        let lower_bound = self.lower.min(fit.value);
        Rival {
            v: self.sample.restore(&fit.predictor(&self.sample, slices)),
            outcome: Outcome {
                status,
                iterations: rounds,
                objective: self.sample.value(fit.value),
                lower_bound: self.sample.value(lower_bound),
                gap: self.gap(),
                factorisations: self.systems,
                evaluations: rounds,
            },
            report: Report::Silp(Silp {
                rounds,
                value_cuts,
                kernel_cuts,
                violation: self.violation,
                is_weaker: self.sample.is_dependent(),
            }),
        }
    }
}

/// `basis (form)^{-1/2}`.
fn whiten(basis: &Matrix, form: &Matrix) -> Option<Matrix> {
    let eigen = Eigen::of(form)?;
    let mut roots = eigen.vectors;
    for (j, value) in eigen.values.iter().enumerate() {
        let root = value.sqrt();
        roots.col_mut(j).iter_mut().for_each(|x| *x /= root);
    }
    Some(product(basis, &roots))
}
