//! From a data set to a solvable problem, and from its solution to a model.
//!
//! ```text
//! rows ─clip, frame─▶ moments ─scale, base─▶ x̃ ─lift─▶ H, r, yᵀy ─solver─▶ v ─▶ model
//! ```

use crate::data::Dataset;
use crate::error::Result;
use crate::features::Layout;
use crate::gram::{Gram, Units};
use crate::joint::blocks::Blocks;
use crate::joint::dense::Dense;
use crate::joint::intercept::{self, Centre};
use crate::joint::solver::{self, Solution, Task};
use crate::learn::{Learner, Parameters};
use crate::linalg::Matrix;
use crate::model::{MaskLinear, Model};
use crate::moments::{Frame, Ranges, Source};
use crate::prepare::{Intercept, Prepared};

/// Everything about some training rows that does not depend on `alpha` and `gamma`.
#[derive(Debug)]
pub(crate) struct Problem<'a> {
    learner: &'a Learner,
    units: Units,
    normal: Dense,
    centre: Centre,
    blocks: Blocks,
    weight: f64,
}

/// A solution: the penalised unknowns, and all of them with the intercept, in solver units.
#[derive(Clone, Debug)]
pub(crate) struct Weights {
    pub(crate) penalised: Vec<f64>,
    pub(crate) full: Vec<f64>,
}

impl<'a> Problem<'a> {
    pub(crate) fn new(
        learner: &'a Learner,
        ranges: &Ranges,
        frame: Frame,
        source: &Source<'_>,
    ) -> Result<Self> {
        let (method, preparation) = (learner.method, &learner.preparation);
        let intercept = preparation.intercept;
        let prepared = Prepared::fit(preparation, method.base(), ranges, &frame, source)?;
        let layout = Layout::new(method.lift(), intercept, &prepared, source);
        let mut blocks = intercept::blocks(&layout, intercept);
        if !method.has_gamma() {
            blocks = Blocks::ridge(blocks.dim());
        }
        // A free intercept absorbs the middle of the target, which keeps its digits.
        let offset = match intercept {
            Intercept::Free => 0.0,
            _ => frame.target.shift / frame.target.scale,
        };
        let units = Units {
            shrink: prepared.shrink(),
            prepared,
            frame,
            layout,
            offset,
        };
        let gram = Gram::build(source, &units);
        let centre = Centre::new(gram.h.col(0), gram.r[0], intercept);
        Ok(Self {
            learner,
            normal: Dense::new(&gram, intercept, &centre),
            centre,
            blocks,
            weight: gram.weight,
            units,
        })
    }

    /// The normal equations of other rows, in the units of this problem.
    pub(crate) fn sum(&self, source: &Source<'_>) -> Gram {
        Gram::build(source, &self.units)
    }

    /// The frame in which moments are summed.
    pub(crate) fn frame(&self) -> &Frame {
        &self.units.frame
    }

    /// The columns that take part.
    pub(crate) fn live(&self) -> &[usize] {
        &self.units.prepared.live
    }

    /// Solves for one pair of parameters, from the penalised unknowns `start` where there are any.
    pub(crate) fn solve(
        &self,
        parameters: Parameters,
        tol: f64,
        start: Option<&[f64]>,
    ) -> Result<(Weights, Solution)> {
        let dim = self.blocks.dim();
        let plain = self.blocks.partners.is_empty() || parameters.gamma == 0.0;
        let ridge = Blocks::ridge(self.blocks.n_weights);
        let leading;
        let (blocks, normal) = if plain && dim > ridge.dim() {
            leading = self.normal.leading(ridge.dim());
            (&ridge, &leading)
        } else {
            (&self.blocks, &self.normal)
        };
        let task = Task {
            blocks,
            c: parameters.alpha * self.units.shrink * self.units.shrink * self.weight,
            gamma: parameters.gamma,
            tol,
            max_iter: self.learner.max_iter,
        };
        let start = start.filter(|v| v.len() == blocks.dim());
        let solution = solver::solve(&task, normal, start)?;
        let mut penalised = solution.v.clone();
        penalised.resize(dim, 0.0);
        let full = self.centre.restore(&penalised, self.learner.preparation.intercept);
        Ok((Weights { penalised, full }, solution))
    }

    /// Target units per solver unit of the objective times `alpha`.
    pub(crate) fn objective_unit(&self, alpha: f64) -> f64 {
        let unit = self.units.shrink * self.units.frame.target.scale;
        alpha * unit * unit
    }

    /// The unit of squared errors summed by [`Gram::squared_error`].
    pub(crate) fn error_unit(&self) -> f64 {
        self.units.frame.target.scale * self.units.frame.target.scale
    }

    /// The model of a solution.
    pub(crate) fn model(self, data: &Dataset, parameters: Parameters, full: &[f64]) -> Model {
        let target = self.units.frame.target;
        let layout = self.units.layout;
        // f = target.scale (Σ v_i shrink x̃_i) (+ target.shift)
        let unit = target.scale * self.units.shrink;
        let mut weights: Vec<_> = full[..layout.n_entries].iter().map(|v| unit * v).collect();
        match self.learner.preparation.intercept {
            Intercept::Free => weights[0] += target.shift,
            Intercept::None => weights[0] = 0.0,
            Intercept::Penalised => {}
        }
        let mut shifts = Matrix::zeros(layout.n_entries, layout.holes.len());
        for b in 0..layout.holes.len() {
            let from = &full[layout.start(b)..layout.start(b) + layout.shifted.len()];
            for (x, v) in shifts.col_mut(b)[layout.shifted.clone()].iter_mut().zip(from) {
                *x = unit * v;
            }
        }
        Model {
            names: data.names().to_vec(),
            method: self.learner.method,
            preparation: self.learner.preparation,
            parameters,
            linear: MaskLinear {
                weights,
                holes: layout.holes,
                shifts,
            },
            prepared: self.units.prepared,
        }
    }
}
