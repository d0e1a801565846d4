//! The class that a bound is about: unknowns with a small penalty.

use crate::features::{Layout, Shifted};
use crate::joint::blocks::Blocks;
use crate::joint::{intercept, polar};
use crate::linalg::norm_squared;
use crate::method::Lift;
use crate::model::Model;

/// The balls `{Ω(v) <= Λ²}` of a method; its Ω may be a plain sum of squares.
#[derive(Clone, Debug)]
pub(super) struct Ball {
    pub(super) shape: Shape,
    /// 0 unless the shape is paired.
    pub(super) gamma: f64,
    pub(super) layout: Layout,
    blocks: Blocks,
}

/// What the penalty is a norm of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// The weights alone: imputation, then ridge regression, and imputed ridge regression at γ = 0.
    Weights,
    /// All unknowns alike: ridge regression on lifted features.
    Ridge,
    /// Weights and shifts, by Ω.
    Paired,
}

impl Ball {
    /// The class of the method of a model.
    pub(super) fn of(model: &Model) -> Self {
        let (method, intercept) = (model.method, model.preparation.intercept);
        let n_entries = model.prepared.n_entries();
        let holes = model.linear.holes.clone();
        let mut layout = Layout::with_holes(method.lift(), intercept, n_entries, holes);
        if let Shifted::Listed(_) = model.linear.shifted {
            layout.shifted = model.linear.shifted.clone();
        }
        let shape = match method.lift() {
            Lift::Plain => Shape::Weights,
            Lift::Full if !method.has_gamma() => Shape::Ridge,
            Lift::Full if model.parameters.gamma > 0.0 => Shape::Paired,
            Lift::Full => Shape::Weights,
            Lift::Indicators => Shape::Ridge,
        };
        let blocks = intercept::blocks(&layout, intercept);
        Self {
            gamma: match shape {
                Shape::Paired => model.parameters.gamma,
                Shape::Weights | Shape::Ridge => 0.0,
            },
            shape,
            layout,
            blocks,
        }
    }

    /// The first entry of a row whose weight is penalised: 1 where that of the constant is not.
    pub(super) fn first(&self) -> usize {
        self.layout.n_entries - self.blocks.n_weights
    }

    /// d: the length of the rows that the class is linear in.
    pub(super) fn n_entries(&self) -> usize {
        match self.shape {
            Shape::Weights => self.blocks.n_weights,
            Shape::Ridge => self.blocks.dim(),
            Shape::Paired => self.blocks.n_weights.max(self.blocks.longest()),
        }
    }

    /// Ω of the unknowns of a model, never too small.
    pub(super) fn penalty(&self, model: &Model) -> f64 {
        let mut v = model.linear.weights[self.first()..].to_vec();
        for b in 0..self.layout.holes.len() {
            let shift = model.linear.full_shift(b);
            v.extend(self.layout.shifted.entries(b).map(|e| shift[e]));
        }
        match self.shape {
            Shape::Weights => norm_squared(&v[..self.blocks.n_weights]),
            Shape::Ridge => norm_squared(&v),
            Shape::Paired => self.blocks.penalty(&v, self.gamma, 0.0, None).upper(),
        }
    }

    /// Ω° of a vector over all unknowns, the intercept among them.
    pub(super) fn polar(&self, full: &[f64]) -> f64 {
        let g = &full[self.first()..];
        match self.shape {
            Shape::Weights => norm_squared(&g[..self.blocks.n_weights]),
            Shape::Ridge => norm_squared(g),
            Shape::Paired => {
                let (a, b) = self.blocks.sizes(g);
                self.blocks.plain_squares(g) + polar::evaluate(&a, &b, self.gamma, None).0
            }
        }
    }
}
