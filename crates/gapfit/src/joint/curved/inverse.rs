//! The inverse of the Hessian of one output: exact where it is formed, that of its diagonal blocks where not.

use super::Curved;
use super::newton::Curvature;
use super::rows::Chunk;
use crate::error::Result;
use crate::joint::blocks::Hessian;
use crate::joint::dense::Dense;
use crate::joint::intercept::{self, Centre};
use crate::linalg::{Cholesky, Matrix, add_scaled, dot};
use crate::prepare::Intercept;
use std::ops::Range;

/// How a right side becomes a solution.
pub(super) enum Inverse {
    Whole(Whole),
    /// Each with the unknowns it is for.
    Blocks(Vec<(Range<usize>, Cholesky)>),
}

/// The factor of the Hessian, a free intercept eliminated by centring.
pub(super) struct Whole {
    factor: Cholesky,
    centre: Centre,
    /// The curvature along the intercept.
    constant: f64,
    has_free: bool,
}

impl Inverse {
    /// Of `(1/c) Σ curvature_i Φ_i Φ_iᵀ` and the penalty.
    pub(super) fn new(
        risk: &Curved<'_>,
        curvature: &Curvature<'_>,
        output: usize,
        penalty: &Hessian<'_>,
    ) -> Result<Self> {
        if risk.sample.kind.is_dense {
            Whole::new(risk, curvature, output, penalty).map(Self::Whole)
        } else {
            blocks(risk, curvature, output, penalty).map(Self::Blocks)
        }
    }

    pub(super) fn is_exact(&self) -> bool {
        matches!(self, Self::Whole(_))
    }

    pub(super) fn apply(&self, rhs: &[f64]) -> Vec<f64> {
        match self {
            Self::Whole(whole) => whole.apply(rhs),
            Self::Blocks(blocks) => {
                let mut out = rhs.to_vec();
                for (range, factor) in blocks {
                    factor.solve(&mut out[range.clone()]);
                }
                out
            }
        }
    }
}

impl Whole {
    fn new(
        risk: &Curved<'_>,
        curvature: &Curvature<'_>,
        output: usize,
        penalty: &Hessian<'_>,
    ) -> Result<Self> {
        let intercept = risk.sample.kind.intercept;
        let gram = risk.sample.rows.gram(|chunk| curvature(chunk, output));
        let constant = gram.h[(0, 0)] / risk.c;
        let (normal, centre) = Dense::each(gram, intercept).swap_remove(0);
        Ok(Self {
            factor: normal.factor(1.0 / risk.c, penalty)?,
            constant,
            has_free: intercept == Intercept::Free,
            centre,
        })
    }

    /// Solves for the penalised unknowns, then for the intercept.
    fn apply(&self, rhs: &[f64]) -> Vec<f64> {
        let mut rest = rhs[usize::from(self.has_free)..].to_vec();
        if !self.has_free {
            self.factor.solve(&mut rest);
            return rest;
        }
        let means = &self.centre.features;
        add_scaled(&mut rest, -rhs[0], means);
        self.factor.solve(&mut rest);
        let own = rhs[0] / self.constant;
        let constant = if own.is_finite() {
            own - dot(means, &rest)
        } else {
            0.0 // no row bends: all of them are satisfied
        };
        std::iter::once(constant).chain(rest).collect()
    }
}

/// The diagonal blocks, as if all rows on which a block acts bent alike: the Gram matrices are then those of
/// the sample, whatever the step (docs/math.md 15.3).
fn blocks(
    risk: &Curved<'_>,
    curvature: &Curvature<'_>,
    output: usize,
    penalty: &Hessian<'_>,
) -> Result<Vec<(Range<usize>, Cholesky)>> {
    let (sample, outputs) = (risk.sample, &risk.outputs);
    let of_chunk = |chunk: &Chunk| curvature(chunk, output);
    let bent: Vec<f64> = sample.rows.chunks().iter().flat_map(of_chunk).collect();
    let bent = sample.rows.sums_by_block(&bent);
    let weights = sample.rows.sums_by_block(&sample.weights);
    // Where shifts are penalised like weights they still have places of their own.
    let places = intercept::blocks(&sample.rows.layout, sample.kind.intercept);
    let dropped = usize::from(sample.kind.intercept == Intercept::None);
    let factor = |(b, whole): (usize, &Matrix)| {
        let scale = if weights[b] > 0.0 {
            bent[b] / weights[b] / risk.c
        } else {
            0.0
        };
        let (shift, free) = match b.checked_sub(1) {
            Some(shift) => (Some(shift), 0),
            None => (None, outputs.free),
        };
        let own = shift.map_or(0..places.n_weights, |shift| places.range(shift));
        let skipped = if shift.is_none() { dropped } else { 0 };
        let factor = Cholesky::of(|| {
            let mut system = whole.scaled_trailing(skipped, scale);
            penalty.add_block_to(shift, own.clone(), free, &mut system);
            if free > 0 && system[(0, 0)] <= 0.0 {
                system[(0, 0)] = 1.0; // no row bends
            }
            system
        })?;
        let start = outputs.free + own.start - free;
        Ok((start..outputs.free + own.end, factor))
    };
    sample.diagonal().iter().enumerate().map(factor).collect()
}
