//! Several predictors on the same rows, each with unknowns of its own: one for a number or two
//! classes, one per class where there are more. Their penalties add up.

use super::blocks::{Blocks, Hessian, PenaltyAt};
use crate::linalg::dot;
use std::ops::Range;

/// The unknowns of all predictors, one predictor after the other: `free` of them without a penalty,
/// then those of `blocks`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Outputs<'a> {
    pub(crate) blocks: &'a Blocks,
    pub(crate) count: usize,
    pub(crate) free: usize,
}

/// The penalty at a point, predictor by predictor.
#[derive(Clone, Debug)]
pub(crate) struct Penalty(Vec<PenaltyAt>);

impl Penalty {
    pub(crate) fn value(&self) -> f64 {
        self.0.iter().map(PenaltyAt::value).sum()
    }

    pub(crate) fn upper(&self) -> f64 {
        self.0.iter().map(PenaltyAt::upper).sum()
    }
}

impl<'a> Outputs<'a> {
    /// One predictor, every unknown of it penalised.
    pub(crate) fn one(blocks: &'a Blocks) -> Self {
        Self {
            blocks,
            count: 1,
            free: 0,
        }
    }

    /// Unknowns of one predictor.
    pub(crate) fn stride(&self) -> usize {
        self.free + self.blocks.dim()
    }

    /// All unknowns.
    pub(crate) fn dim(&self) -> usize {
        self.count * self.stride()
    }

    /// Where the unknowns of a predictor are.
    pub(crate) fn range(&self, output: usize) -> Range<usize> {
        output * self.stride()..(output + 1) * self.stride()
    }

    /// The penalised unknowns of each predictor.
    pub(crate) fn penalised<'v>(&self, v: &'v [f64]) -> impl Iterator<Item = &'v [f64]> {
        let (count, free, stride) = (self.count, self.free, self.stride());
        (0..count).map(move |j| &v[j * stride + free..(j + 1) * stride])
    }

    /// The penalty at v, smoothed by `eps`.
    pub(crate) fn penalty(
        &self,
        v: &[f64],
        gamma: f64,
        eps: f64,
        warm: Option<&Penalty>,
    ) -> Penalty {
        let parts = self.penalised(v).enumerate().map(|(j, part)| {
            let warm = warm.map(|warm| &warm.0[j].omega);
            self.blocks.penalty(part, gamma, eps, warm)
        });
        Penalty(parts.collect())
    }

    /// The gradient of the penalty.
    pub(crate) fn gradient(&self, v: &[f64], at: &Penalty) -> Vec<f64> {
        let mut gradient = Vec::with_capacity(v.len());
        for (part, at) in self.penalised(v).zip(&at.0) {
            gradient.resize(gradient.len() + self.free, 0.0);
            gradient.extend(self.blocks.gradient(part, at));
        }
        gradient
    }

    /// The Hessian of the smoothed penalty, predictor by predictor.
    pub(crate) fn hessians(&self, v: &[f64], at: &Penalty) -> Vec<Hessian<'a>> {
        let parts = self.penalised(v).zip(&at.0);
        parts
            .map(|(part, at)| self.blocks.hessian(part, at))
            .collect()
    }

    /// Quadratics above the penalties, up to cross terms.
    pub(crate) fn majorants(&self, gamma: f64) -> Vec<Hessian<'a>> {
        (0..self.count)
            .map(|_| self.blocks.majorant(gamma))
            .collect()
    }

    /// The sum of squares of the weights without a shift.
    pub(crate) fn plain_squares(&self, v: &[f64]) -> f64 {
        self.penalised(v)
            .map(|part| self.blocks.plain_squares(part))
            .sum()
    }

    /// `Σ a_i b_i` over the penalised unknowns.
    pub(crate) fn product(&self, a: &[f64], b: &[f64]) -> f64 {
        let pairs = self.penalised(a).zip(self.penalised(b));
        pairs.map(|(a, b)| dot(a, b)).sum()
    }
}
