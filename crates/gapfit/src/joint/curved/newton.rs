//! Newton steps: one linear system per output, or one for all of them where they are coupled.

use super::inverse::Inverse;
use super::rows::{Chunk, total};
use super::{At, Curved};
use crate::error::Result;
use crate::joint::blocks::Hessian;
use crate::joint::conjugate::{self, Effort};
use crate::linalg::add_scaled;

/// Conjugate gradients stop at this share of the right side. An objective that is off by the square of
/// it is made good by the next step.
const EFFORT: Effort = Effort {
    forcing: 1e-3,
    max_products: 1000,
};

/// `s_i bend_i` of the rows of a chunk, for one output.
pub(super) type Curvature<'a> = dyn Fn(&Chunk, usize) -> Vec<f64> + Sync + 'a;

/// The step of each output alone.
pub(super) fn by_output(
    risk: &Curved<'_>,
    at: &At,
    penalty: &[Hessian<'_>],
    rhs: &[f64],
) -> Result<Vec<f64>> {
    alone(
        risk,
        &|chunk, j| curvature(risk, at, chunk, j),
        penalty,
        rhs,
    )
}

/// The step where every row bends as much as it can.
pub(super) fn from_above(
    risk: &Curved<'_>,
    penalty: &[Hessian<'_>],
    rhs: &[f64],
) -> Result<Vec<f64>> {
    let bend = risk.sample.link.largest_bend();
    let of_chunk = |chunk: &Chunk, _: usize| {
        let weights = risk.sample.weights(chunk).iter();
        weights.map(|w| w * bend).collect()
    };
    alone(risk, &of_chunk, penalty, rhs)
}

fn curvature(risk: &Curved<'_>, at: &At, chunk: &Chunk, output: usize) -> Vec<f64> {
    let bends = at.parts[chunk.number].bends(output);
    let pairs = bends.iter().zip(risk.sample.weights(chunk));
    pairs.map(|(bend, weight)| bend * weight).collect()
}

fn alone(
    risk: &Curved<'_>,
    curvature: &Curvature<'_>,
    penalty: &[Hessian<'_>],
    rhs: &[f64],
) -> Result<Vec<f64>> {
    let mut step = Vec::with_capacity(rhs.len());
    for (j, penalty) in penalty.iter().enumerate() {
        let rhs = &rhs[risk.outputs.range(j)];
        let inverse = Inverse::new(risk, curvature, j, penalty)?;
        if inverse.is_exact() {
            step.extend(inverse.apply(rhs));
            continue;
        }
        let push = |chunk: &Chunk, along: &mut [f64]| {
            let pairs = along.iter_mut().zip(curvature(chunk, j));
            pairs.for_each(|(x, bend)| *x *= bend);
        };
        let penalty = std::slice::from_ref(penalty);
        let times = |p: &[f64]| times(risk, &push, penalty, p);
        step.extend(conjugate::solve(rhs, EFFORT, |r| inverse.apply(r), times));
    }
    Ok(step)
}

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
    let of_chunk = |chunk: &Chunk, j: usize| curvature(risk, at, chunk, j);
    let outputs = penalty.iter().enumerate();
    let inverses: Vec<Inverse> = outputs
        .map(|(j, penalty)| Inverse::new(risk, &of_chunk, j, penalty))
        .collect::<Result<_>>()?;
    let precondition = |residual: &[f64]| -> Vec<f64> {
        let outputs = inverses.iter().enumerate();
        outputs
            .flat_map(|(j, inverse)| inverse.apply(&residual[risk.outputs.range(j)]))
            .collect()
    };
    // (diag q_i - q_i q_iᵀ) of each row
    let push = |chunk: &Chunk, along: &mut [f64]| {
        let weights = risk.sample.weights(chunk);
        let shares = at.parts[chunk.number].shares(risk.sample, chunk);
        for (i, weight) in weights.iter().enumerate() {
            let places = (i..along.len()).step_by(weights.len());
            let mean: f64 = places.clone().map(|at| along[at] * shares[at]).sum();
            places.for_each(|at| along[at] = weight * shares[at] * (along[at] - mean));
        }
    };
    let times = |p: &[f64]| times(risk, &push, penalty, p);
    Ok(conjugate::solve(rhs, EFFORT, precondition, times))
}

/// The Hessian times p: `Σ Φ_iᵀ push(Φ_i p) / c` and the penalty, over as many outputs as there are penalties.
fn times(
    risk: &Curved<'_>,
    push: &(dyn Fn(&Chunk, &mut [f64]) + Sync),
    penalty: &[Hessian<'_>],
    p: &[f64],
) -> Vec<f64> {
    let (sample, outputs) = (risk.sample, &risk.outputs);
    let full = sample.full(p, penalty.len());
    let parts = sample.rows.each(&full, |chunk, mut along| {
        push(chunk, &mut along);
        sample.rows.adjoint(chunk, &along)
    });
    let mut out = sample.reduced(total(parts));
    out.iter_mut().for_each(|x| *x /= risk.c);
    for (j, penalty) in penalty.iter().enumerate() {
        let range = outputs.range(j);
        let own = range.start + outputs.free..range.end;
        add_scaled(&mut out[own.clone()], 1.0, &penalty.times(&p[own]));
    }
    out
}
