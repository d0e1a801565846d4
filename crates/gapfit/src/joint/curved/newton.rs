//! Newton steps: one linear system per output, or one for all of them where they are coupled.

use super::{At, Curved, Sample};
use crate::error::Result;
use crate::gram::Gram;
use crate::joint::blocks::Hessian;
use crate::joint::conjugate;
use crate::joint::dense::Dense;
use crate::joint::intercept::{self, Centre};
use crate::joint::matrix_free::MatrixFree;
use crate::joint::quadratic::Normal;
use crate::linalg::{Cholesky, add_scaled, dot};
use crate::prepare::Intercept;

/// The curvature of one output, a free intercept eliminated by centring.
struct System {
    form: Form,
    centre: Centre,
    /// The curvature along the intercept.
    constant: f64,
    has_free: bool,
    scale: f64,
}

enum Form {
    Dense(Dense),
    MatrixFree(MatrixFree),
}

impl System {
    /// `scale Σ s_i bend_i Φ_i Φ_iᵀ`.
    fn new(sample: &Sample, bends: &[f64], scale: f64) -> Self {
        let roots: Vec<f64> = bends.iter().map(|bend| bend.sqrt()).collect();
        let rows = sample.rows.scaled(&roots);
        let intercept = sample.kind.intercept;
        let (form, centre, constant) = if sample.kind.is_dense {
            let gram = Gram::of_rows(&rows);
            let centre = Centre::new(gram.h.col(0), 0.0, intercept);
            let normal = Dense::new(&gram, intercept, &centre);
            (Form::Dense(normal), centre, gram.h[(0, 0)])
        } else {
            let blocks = intercept::blocks(&rows.layout, intercept);
            let constant = rows.squares_of_constant();
            let (normal, centre) = MatrixFree::new(rows, blocks, intercept);
            (Form::MatrixFree(normal), centre, constant)
        };
        Self {
            form,
            centre,
            constant,
            has_free: intercept == Intercept::Free,
            scale,
        }
    }

    /// Cholesky factors of the system, or of its diagonal blocks where it is not formed.
    fn factor(&self, penalty: &Hessian<'_>) -> Result<Vec<Cholesky>> {
        match &self.form {
            Form::Dense(normal) => Ok(vec![normal.factor(self.scale, penalty)?]),
            Form::MatrixFree(normal) => normal.preconditioner(self.scale, penalty),
        }
    }

    /// The solution by the factors: exact where the system is formed.
    fn apply(&self, factors: &[Cholesky], rhs: &[f64]) -> Vec<f64> {
        self.around_intercept(rhs, |rhs| match &self.form {
            Form::Dense(_) => {
                let mut solution = rhs.to_vec();
                factors[0].solve(&mut solution);
                Ok(solution)
            }
            Form::MatrixFree(normal) => Ok(normal.precondition(factors, rhs)),
        })
        .expect("factors are at hand")
    }

    fn solve(&self, penalty: &Hessian<'_>, rhs: &[f64]) -> Result<Vec<f64>> {
        self.around_intercept(rhs, |rhs| match &self.form {
            Form::Dense(normal) => normal.solve(self.scale, penalty, rhs),
            Form::MatrixFree(normal) => normal.solve(self.scale, penalty, rhs),
        })
    }

    /// Solves for the penalised unknowns by `solve`, then for the intercept.
    fn around_intercept(
        &self,
        rhs: &[f64],
        solve: impl Fn(&[f64]) -> Result<Vec<f64>>,
    ) -> Result<Vec<f64>> {
        if !self.has_free {
            return solve(rhs);
        }
        let (push, means) = (rhs[0], &self.centre.features);
        let mut reduced = rhs[1..].to_vec();
        add_scaled(&mut reduced, -push, means);
        let rest = solve(&reduced)?;
        let own = push / (self.scale * self.constant);
        let constant = if own.is_finite() {
            own - dot(means, &rest)
        } else {
            0.0 // no row bends: all of them are satisfied
        };
        Ok(std::iter::once(constant).chain(rest).collect())
    }
}

/// The step of each output alone.
pub(super) fn by_output(
    risk: &Curved<'_>,
    bends: &[Vec<f64>],
    penalty: &[Hessian<'_>],
    rhs: &[f64],
) -> Result<Vec<f64>> {
    let mut step = Vec::with_capacity(rhs.len());
    for (j, (bends, penalty)) in bends.iter().zip(penalty).enumerate() {
        let system = System::new(risk.sample, bends, 1.0 / risk.c);
        step.extend(system.solve(penalty, &rhs[risk.outputs.range(j)])?);
    }
    Ok(step)
}

/// Conjugate gradients stop at this share of the right side.
const FORCING: f64 = 1e-5;

/// The step of all outputs together: conjugate gradients, preconditioned by each output alone.
///
/// Moving all intercepts alike changes nothing, so the system is singular along that direction; the
/// right side is free of it and so are the products.
pub(super) fn jointly(
    risk: &Curved<'_>,
    at: &At,
    penalty: &[Hessian<'_>],
    rhs: &[f64],
) -> Result<Vec<f64>> {
    let systems: Vec<System> = at
        .bends
        .iter()
        .map(|bends| System::new(risk.sample, bends, 1.0 / risk.c))
        .collect();
    let factors: Result<Vec<_>> = systems
        .iter()
        .zip(penalty)
        .map(|(s, p)| s.factor(p))
        .collect();
    let factors = factors?;
    let precondition = |residual: &[f64]| -> Vec<f64> {
        let outputs = systems.iter().zip(&factors).enumerate();
        outputs
            .flat_map(|(j, (s, f))| s.apply(f, &residual[risk.outputs.range(j)]))
            .collect()
    };
    let count = risk.outputs.count;
    let shares: Vec<Vec<f64>> = (0..count).map(|j| at.shares(risk.sample, j)).collect();
    let times = |p: &[f64]| times(risk, &shares, penalty, p);
    Ok(conjugate::solve(rhs, FORCING, precondition, times))
}

/// The whole Hessian times p: `Σ s_i (diag q_i - q_i q_iᵀ) ⊗ Φ_i Φ_iᵀ / c` and the penalty.
fn times(risk: &Curved<'_>, shares: &[Vec<f64>], penalty: &[Hessian<'_>], p: &[f64]) -> Vec<f64> {
    let (sample, outputs) = (risk.sample, &risk.outputs);
    let along: Vec<Vec<f64>> = (0..outputs.count)
        .map(|j| sample.rows.times(&sample.full(&p[outputs.range(j)])))
        .collect();
    let mean = |i: usize| -> f64 {
        let pairs = along.iter().zip(shares);
        pairs.map(|(along, shares)| along[i] * shares[i]).sum()
    };
    let means: Vec<f64> = (0..sample.roots.len()).map(mean).collect();
    let mut out = Vec::with_capacity(p.len());
    for (j, (along, shares)) in along.iter().zip(shares).enumerate() {
        let pushed = along.iter().zip(shares).zip(&means);
        let pushed: Vec<f64> = pushed
            .map(|((a, q), mean)| q * (a - mean) / risk.c)
            .collect();
        let mut part = sample.reduced(sample.rows.adjoint_times(&pushed));
        let own = &p[outputs.range(j)][outputs.free..];
        add_scaled(&mut part[outputs.free..], 1.0, &penalty[j].times(own));
        out.extend(part);
    }
    out
}
