//! From a data set to a solvable problem, and from its solution to a model.
//!
//! ```text
//! rows ─clip, frame─▶ moments ─scale, base─▶ x̃ ─lift─▶ H, r, yᵀy ─solver─▶ v ─▶ model
//! ```

mod form;
mod support;

pub(crate) use form::{HeldOut, Prefer, SMALL, STEPS, products};

use crate::data::Dataset;
use crate::features::{Layout, LiftedRows, Shifted, Units};
use crate::gram::Gram;
use crate::impute::Report;
use crate::joint::Outcome;
use crate::joint::blocks::Blocks;
use crate::joint::curved::{self, Curved};
use crate::joint::dense::Dense;
use crate::joint::intercept::{self, Centre};
use crate::joint::matrix_free::MatrixFree;
use crate::joint::outputs::Outputs;
use crate::joint::quadratic::{self, Normal, Quadratic};
use crate::joint::solver::{self, Solution, Task};
use crate::learn::{Learner, Parameters};
use crate::linalg::{Matrix, dot};
use crate::loss::Loss;
use crate::model::{Certificate, MaskLinear, Model, Seen, Training};
use crate::moments::{Reading, Rows, Source, Unit};
use crate::prepare::{Intercept, Means, Prepared, Sample};
use crate::support::SupportKind;
use form::{Form, link};
use rayon::prelude::*;
use std::sync::Arc;

/// Newton steps at most where candidates are compared and each takes long: what comes out by then is
/// judged on held-out rows like any other predictor.
const COARSE_STEPS: usize = 15;

/// Everything about one target of some training rows that does not depend on `alpha` and `gamma`. Problems of
/// several targets of the same rows share what is large.
#[derive(Debug)]
pub(crate) struct Problem<'a> {
    pub(crate) learner: &'a Learner,
    pub(crate) units: Arc<Units>,
    /// The number of the target.
    target: usize,
    form: Form,
    pub(crate) centre: Centre,
    pub(crate) blocks: Blocks,
    n_rows: usize,
    weight: f64,
    means: Arc<Means>,
    report: Option<Arc<Report>>,
    support: SupportKind,
}

/// A solution: the unknowns as the solver has them, and in the layout of lifted rows with the
/// intercept, one predictor after the other; in solver units.
#[derive(Clone, Debug)]
pub(crate) struct Weights {
    pub(crate) penalised: Vec<f64>,
    pub(crate) full: Vec<f64>,
}

impl<'a> Problem<'a> {
    /// The problem of the first target.
    #[cfg(test)]
    pub(crate) fn new(learner: &'a Learner, reading: &Reading<'_>, prefer: Prefer) -> Self {
        Self::each(learner, reading, prefer).swap_remove(0)
    }

    /// The problems of all targets. Where sums are all that is left of the rows, the loss must be squared and the
    /// support full.
    pub(crate) fn each(learner: &'a Learner, reading: &Reading<'_>, prefer: Prefer) -> Vec<Self> {
        Self::each_with(learner, reading, prefer, &|| ())
    }

    /// The same; `based` is called when the base is fitted and the normal equations are still to come.
    pub(crate) fn each_with(
        learner: &'a Learner,
        reading: &Reading<'_>,
        prefer: Prefer,
        based: &dyn Fn(),
    ) -> Vec<Self> {
        let (source, mut frame) = (&reading.source, reading.frame.clone());
        if learner.loss.is_classification() {
            frame.targets = vec![Unit::IDENTITY];
        }
        let (method, preparation) = (learner.method, &learner.preparation);
        let intercept = preparation.intercept;
        let means = Means::of(source, reading.ranges.columns.len());
        let sample = Sample {
            reading,
            means: &means,
        };
        let (prepared, report) = Prepared::fit(preparation, method.base(), &sample);
        based();
        let full = Layout::new(method.lift(), intercept, &prepared, source);
        let (layout, support) = support::narrowed(learner, reading.rows, &prepared, full);
        let with_shifts = intercept::blocks(&layout, intercept);
        let blocks = if method.has_gamma() {
            with_shifts.clone()
        } else {
            Blocks::ridge(with_shifts.dim())
        };
        // A free intercept absorbs the middle of a target, which keeps its digits.
        let offset = |target: &Unit| match intercept {
            Intercept::Free => 0.0,
            _ => target.shift / target.scale,
        };
        let units = Units {
            shrink: prepared.shrink(&frame),
            prepared: Arc::new(prepared),
            offsets: frame.targets.iter().map(offset).collect(),
            frame,
            layout,
        };
        let totals = source.totals(reading.ranges.columns.len());
        let is_curved = prefer.rows() || learner.loss != Loss::Squared;
        let is_dense = prefer.dense(&units.layout, &totals, source, is_curved);
        let forms = if let Some(rows) = reading.rows.filter(|_| is_curved) {
            let (link, n_outputs) = link(learner, rows.data());
            let kind = curved::Kind {
                link,
                n_outputs,
                intercept,
                is_dense,
            };
            let sample = curved::Sample::new(rows, &units, kind);
            vec![(Form::Rows(sample), Centre::none())]
        } else if let Some(rows) = reading.rows.filter(|_| !is_dense) {
            let first = LiftedRows::new(rows, &units);
            let first = MatrixFree::new(first, with_shifts, intercept);
            let further = (1..units.offsets.len()).map(|t| {
                let rows = first.0.rows().toward(&rows.toward(t), &units);
                first.0.toward(rows)
            });
            let further: Vec<_> = further.collect();
            let normals = std::iter::once(first).chain(further);
            normals
                .map(|(normal, c)| (Form::MatrixFree(normal), c))
                .collect()
        } else {
            let gram = Gram::build(source, reading.rows, &units);
            let normals = Dense::each(gram, intercept).into_iter();
            normals
                .map(|(normal, c)| (Form::Dense(normal), c))
                .collect()
        };
        let (units, means, report) = (Arc::new(units), Arc::new(means), report.map(Arc::new));
        let problem = |(target, (form, centre))| Self {
            learner,
            units: Arc::clone(&units),
            target,
            form,
            centre,
            blocks: blocks.clone(),
            n_rows: totals.n_rows,
            weight: totals.weight,
            means: Arc::clone(&means),
            report: report.clone(),
            support,
        };
        forms.into_iter().enumerate().map(problem).collect()
    }

    /// Other rows in the units of these problems of all targets, to score predictors on.
    pub(crate) fn hold_out(
        each: &[Self],
        rows: Option<&Rows<'_>>,
        source: &Source<'_>,
    ) -> Vec<HeldOut> {
        let Self { units, form, .. } = &each[0];
        match (form, rows) {
            (Form::MatrixFree(_), Some(rows)) => {
                let first = LiftedRows::new(rows, units);
                let further = (1..each.len()).map(|t| first.toward(&rows.toward(t), units));
                let further: Vec<_> = further.collect();
                let lifted = std::iter::once(first).chain(further);
                lifted.map(HeldOut::Rows).collect()
            }
            (Form::Rows(sample), Some(rows)) => {
                let sample = curved::Sample::new(rows, units, sample.kind());
                vec![HeldOut::Curved(sample)]
            }
            _ => {
                let normals = Dense::whole(Gram::build(source, rows, units)).into_iter();
                normals.map(HeldOut::Summed).collect()
            }
        }
    }

    /// The unit of the target.
    fn unit(&self) -> Unit {
        self.units.frame.targets[self.target]
    }

    /// What it takes of memory, roughly.
    pub(crate) fn bytes(&self) -> usize {
        match &self.form {
            Form::Dense(normal) => size_of_val(normal.parts().0.as_slice()),
            Form::MatrixFree(normal) => normal.bytes(),
            Form::Rows(sample) => sample.bytes(),
        }
    }

    /// The columns that take part.
    pub(crate) fn live(&self) -> &[usize] {
        &self.units.prepared.live
    }

    /// Whether features take part and none of them is ever missing; of methods that look at holes only.
    pub(crate) fn has_no_holes(&self) -> bool {
        self.units.layout.holes.is_empty() && !self.live().is_empty()
    }

    /// The columns that cost digits because a free intercept centres them.
    pub(crate) fn far_columns(&self) -> Vec<usize> {
        let Units {
            prepared, frame, ..
        } = &*self.units;
        match self.learner.preparation.intercept {
            Intercept::Free => prepared.far_columns(&self.means, frame),
            _ => Vec::new(),
        }
    }

    /// Which weights may shift when a feature is missing.
    pub(crate) fn support(&self) -> SupportKind {
        self.support
    }

    /// How the fit of the base went, if it has one.
    pub(crate) fn base_report(&self) -> Option<&Report> {
        self.report.as_deref()
    }

    /// Solves for one pair of parameters, from the unknowns `start` of another solve where there are
    /// any.
    pub(crate) fn solve(
        &self,
        parameters: Parameters,
        tol: f64,
        start: Option<&[f64]>,
    ) -> (Weights, Solution) {
        let dim = self.blocks.dim();
        let ridge = Blocks::ridge(self.blocks.n_weights);
        let is_plain = parameters.gamma == 0.0 && dim > ridge.dim();
        let blocks = if is_plain { &ridge } else { &self.blocks };
        let is_coarse = tol >= quadratic::COARSE && matches!(self.form, Form::MatrixFree(_));
        let task = |outputs| Task {
            outputs,
            gamma: parameters.gamma,
            tol,
            max_iter: match is_coarse {
                true => self.learner.max_iter.min(COARSE_STEPS),
                false => self.learner.max_iter,
            },
        };
        let leading;
        let normal: &dyn Normal = match &self.form {
            Form::Rows(sample) if is_plain => {
                return self.solve_rows(
                    &task(sample.outputs(blocks)),
                    &sample.plain(),
                    start,
                    parameters,
                );
            }
            Form::Rows(sample) => {
                return self.solve_rows(&task(sample.outputs(blocks)), sample, start, parameters);
            }
            Form::Dense(normal) if is_plain => {
                leading = normal.leading(ridge.dim());
                &leading
            }
            Form::MatrixFree(normal) if is_plain => {
                leading = normal.leading();
                &leading
            }
            Form::Dense(normal) => normal,
            Form::MatrixFree(normal) => normal,
        };
        let risk = Quadratic::new(normal, self.c(parameters), tol);
        let start = start.filter(|v| v.len() == blocks.dim());
        let solution = solver::solve(&task(Outputs::one(blocks)), &risk, start);
        let mut penalised = solution.v.clone();
        penalised.resize(dim, 0.0);
        (self.weights(penalised), solution)
    }

    /// Solves the problems of all targets, each for its own parameters. Where there is nothing but a ridge, of
    /// the same weight for all, one factorisation serves them.
    pub(crate) fn solve_each(
        each: &[Self],
        parameters: &[Parameters],
        tol: f64,
    ) -> Vec<(Weights, Solution)> {
        let starts = Self::ridges(each, parameters).unwrap_or_default();
        let targets = each.par_iter().zip(parameters).enumerate();
        let solve = |(t, (problem, parameters)): (usize, (&Self, &Parameters))| {
            problem.solve(*parameters, tol, starts.get(t).map(Vec::as_slice))
        };
        targets.map(solve).collect()
    }

    /// The ridge of each of several targets, if they can share a factorisation.
    fn ridges(each: &[Self], parameters: &[Parameters]) -> Option<Vec<Vec<f64>>> {
        let (first, c) = (&each[0], each[0].c(parameters[0]));
        let n = first.blocks.n_weights;
        let is_ridge = |p: &Parameters| p.gamma == 0.0 || first.blocks.dim() == n;
        let is_same = |p: &Parameters| first.c(*p).to_bits() == c.to_bits();
        let Form::Dense(normal) = &first.form else {
            return None;
        };
        if each.len() < 2 || !parameters.iter().all(|p| is_ridge(p) && is_same(p)) {
            return None;
        }
        let (ridge, scale) = (Blocks::ridge(n), 2.0 / c);
        let penalty = Outputs::one(&ridge).majorants(0.0);
        let factor = normal.leading(n).factor(scale, &penalty[0]).ok()?;
        let solve = |problem: &Self| {
            let (_, r, _) = problem.normal_equations().expect("all are of one form");
            let mut ridge: Vec<f64> = r[..n].iter().map(|r| r * scale).collect();
            factor.solve(&mut ridge);
            ridge
        };
        Some(each.iter().map(solve).collect())
    }

    fn solve_rows(
        &self,
        task: &Task<'_>,
        sample: &curved::Sample,
        start: Option<&[f64]>,
        parameters: Parameters,
    ) -> (Weights, Solution) {
        let outputs = task.outputs;
        let risk = Curved::new(sample, outputs.blocks, self.c(parameters));
        let start = start.filter(|v| v.len() == outputs.dim());
        let solution = solver::solve(task, &risk, start);
        let of_output = |j| {
            let mut full = sample.full(&solution.v[outputs.range(j)], 1);
            full.resize(self.units.layout.dim(), 0.0);
            full
        };
        let weights = Weights {
            full: (0..outputs.count).flat_map(of_output).collect(),
            penalised: solution.v.clone(),
        };
        (weights, solution)
    }

    /// Penalised unknowns with the intercept put back.
    pub(crate) fn weights(&self, penalised: Vec<f64>) -> Weights {
        let intercept = self.learner.preparation.intercept;
        let full = self.centre.restore(&penalised, intercept);
        Weights { penalised, full }
    }

    /// `H`, `r` and `yᵀy` of the penalised unknowns, where they were formed.
    pub(crate) fn normal_equations(&self) -> Option<(&Matrix, &[f64], f64)> {
        match &self.form {
            Form::Dense(normal) => Some(normal.parts()),
            Form::MatrixFree(_) | Form::Rows(_) => None,
        }
    }

    /// `alpha` times the weight of the rows in solver units, kept away from the ends of the range of
    /// numbers.
    pub(crate) fn c(&self, parameters: Parameters) -> f64 {
        let c = parameters.alpha * self.units.shrink * self.units.shrink * self.weight;
        c.clamp(1e-200, 1e200)
    }

    /// An objective of the solver in units of the target squared.
    pub(crate) fn objective(&self, parameters: Parameters, value: f64) -> f64 {
        let target = self.unit().scale;
        value * (self.c(parameters) / self.weight) * target * target
    }

    /// The unit of errors summed by [`HeldOut::error`].
    pub(crate) fn error_unit(&self) -> f64 {
        self.unit().scale * self.unit().scale
    }

    /// Rows and error of the training, for the unknowns `full`.
    fn training(&self, full: &[f64]) -> Training {
        let of_loss = |total: f64| Training {
            rows: self.n_rows,
            rmse: self.unit().scale * (total / self.weight).sqrt(),
        };
        let normal: &dyn Normal = match &self.form {
            Form::Dense(normal) => normal,
            Form::MatrixFree(normal) => normal,
            Form::Rows(sample) => return of_loss(sample.total(full)),
        };
        let penalised = &full[full.len() - normal.linear().len()..];
        // ‖y - Φv‖² = yᵀy - vᵀr - vᵀ(r - Hv): the last factor is small and has its digits.
        let residual = normal.residual(penalised);
        let explained = dot(normal.linear(), penalised) + dot(&residual, penalised);
        of_loss((normal.constant() - explained).max(0.0))
    }

    /// What the training rows showed of each column: how often it was missing, and its mean.
    fn seen(&self) -> Vec<Seen> {
        let of_column = |j: usize| Seen {
            missing: (1.0 - self.means.weight[j] / self.weight).clamp(0.0, 1.0),
            mean: self.units.frame.columns[j].release(self.means.mean[j]),
        };
        (0..self.means.mean.len()).map(of_column).collect()
    }

    /// The model of the target alone, by a solution that ended as `outcome` says.
    pub(crate) fn model(
        &self,
        data: &Dataset,
        parameters: Parameters,
        full: &[f64],
        outcome: &Outcome,
    ) -> Model {
        let (training, seen) = (self.training(full), self.seen());
        let target = self.unit();
        let layout = &self.units.layout;
        // f = target.scale (Σ v_i shrink x̃_i) (+ target.shift)
        let unit = target.scale * self.units.shrink;
        let scaled = |from: &[f64]| from.iter().map(|v| unit * v).collect::<Vec<_>>();
        let predictor = |full: &[f64]| {
            let mut weights = scaled(&full[..layout.n_entries]);
            match self.learner.preparation.intercept {
                Intercept::Free => weights[0] += target.shift,
                Intercept::None => weights[0] = 0.0,
                Intercept::Penalised => {}
            }
            let (shifted, shifts) = match &layout.shifted {
                // Over all entries, as model files have it.
                Shifted::Alike(_) => {
                    let unknowns = layout.as_matrix(full);
                    let shifts = scaled(&unknowns.as_slice()[layout.n_entries..]);
                    (Shifted::Alike(0..layout.n_entries), shifts)
                }
                listed => (listed.clone(), scaled(&full[layout.n_entries..])),
            };
            MaskLinear {
                weights,
                holes: layout.holes.clone(),
                shifted,
                shifts,
            }
        };
        let mut predictors = full.chunks_exact(layout.dim()).map(predictor);
        let name = data.target_names().nth(self.target);
        Model {
            linear: predictors.next().expect("one predictor at least"),
            others: predictors.collect(),
            loss: self.learner.loss,
            multiclass: self.learner.multiclass,
            classes: data.classes().to_vec(),
            names: data.names().to_vec(),
            target_name: name.expect("the target of the problem").to_owned(),
            further: Vec::new(),
            schema: data.schema().cloned(),
            method: self.learner.method,
            support: self.support,
            preparation: self.learner.preparation,
            parameters,
            training,
            certificate: Certificate::of(outcome),
            seen,
            calibration: None,
            judgement: None,
            prepared: Arc::clone(&self.units.prepared),
        }
    }
}

#[cfg(test)]
mod tests;
