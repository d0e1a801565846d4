//! From a data set to a solvable problem, and from its solution to a model.
//!
//! ```text
//! rows ─clip, frame─▶ moments ─scale, base─▶ x̃ ─lift─▶ H, r, yᵀy ─solver─▶ v ─▶ model
//! ```

use crate::data::Dataset;
use crate::features::{Layout, LiftedRows, Units};
use crate::gram::Gram;
use crate::impute::Report;
use crate::joint::Outcome;
use crate::joint::blocks::Blocks;
use crate::joint::dense::Dense;
use crate::joint::intercept::{self, Centre};
use crate::joint::matrix_free::MatrixFree;
use crate::joint::solver::{self, Normal, Solution, Task};
use crate::learn::{Learner, Parameters};
use crate::linalg::{Matrix, dot};
use crate::model::{Certificate, MaskLinear, Model, Seen, Training};
use crate::moments::{Reading, Rows, Source};
use crate::prepare::{Intercept, Means, Prepared, Sample};

/// Everything about some training rows that does not depend on `alpha` and `gamma`.
#[derive(Debug)]
pub(crate) struct Problem<'a> {
    pub(crate) learner: &'a Learner,
    pub(crate) units: Units,
    form: Form,
    pub(crate) centre: Centre,
    pub(crate) blocks: Blocks,
    n_rows: usize,
    weight: f64,
    means: Means,
    report: Option<Report>,
}

/// The quadratic part, in the form that is cheaper.
#[derive(Debug)]
enum Form {
    Dense(Dense),
    MatrixFree(MatrixFree),
}

/// Which form to take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Prefer {
    /// The one that costs less.
    Cheaper,
    #[cfg(test)]
    Dense,
    #[cfg(test)]
    MatrixFree,
}

/// Held-out rows in the units of a problem, ready to score predictors on.
#[derive(Debug)]
pub(crate) enum HeldOut {
    Summed(Gram),
    Rows(LiftedRows),
}

impl HeldOut {
    /// `Σ s_i (y_i - f_i)²` for the predictor v, in solver units.
    pub(crate) fn squared_error(&self, v: &[f64]) -> f64 {
        match self {
            Self::Summed(gram) => gram.squared_error(v),
            Self::Rows(rows) => rows.squared_error(v),
        }
    }
}

/// A solution: the penalised unknowns, and all of them with the intercept, in solver units.
#[derive(Clone, Debug)]
pub(crate) struct Weights {
    pub(crate) penalised: Vec<f64>,
    pub(crate) full: Vec<f64>,
}

impl Prefer {
    /// Whether `H` is to be formed: compares rough counts of multiply-adds.
    fn dense(self, layout: &Layout, n_rows: usize, source: &Source<'_>) -> bool {
        match self {
            Self::Cheaper => {}
            #[cfg(test)]
            Self::Dense => return true,
            #[cfg(test)]
            Self::MatrixFree => return false,
        }
        let dim = layout.dim();
        if dim <= SMALL {
            return true;
        }
        let (entries, blocks) = (layout.n_entries as f64, layout.holes.len() as f64);
        let mut forming = 0.0;
        source.for_each(|moments| {
            let missing = (layout.n_entries - moments.observed.len()) as f64;
            forming += 0.5 * (missing * entries).powi(2);
        });
        let factoring = STEPS * (dim as f64).powi(3) / 6.0;
        let products = STEPS * PRODUCTS * 2.0 * n_rows as f64 * entries * (1.0 + blocks);
        dim <= LARGE && forming + factoring <= products
    }
}

/// Up to this many unknowns `H` is always formed.
pub(crate) const SMALL: usize = 1500;
/// From this many on it never is: it would take 3 GB.
const LARGE: usize = 20_000;
/// Newton steps of a typical solve.
const STEPS: f64 = 10.0;
/// Products with `H` per Newton step of a typical solve by conjugate gradients.
const PRODUCTS: f64 = 60.0;

impl<'a> Problem<'a> {
    pub(crate) fn new(
        learner: &'a Learner,
        rows: &Rows<'_>,
        reading: &Reading<'_>,
        prefer: Prefer,
    ) -> Self {
        let (source, frame) = (&reading.source, reading.frame.clone());
        let (method, preparation) = (learner.method, &learner.preparation);
        let intercept = preparation.intercept;
        let means = Means::of(source, reading.ranges.columns.len());
        let sample = Sample {
            rows,
            reading,
            means: &means,
        };
        let (prepared, report) = Prepared::fit(preparation, method.base(), &sample);
        let layout = Layout::new(method.lift(), intercept, &prepared, source);
        let with_shifts = intercept::blocks(&layout, intercept);
        let blocks = if method.has_gamma() {
            with_shifts.clone()
        } else {
            Blocks::ridge(with_shifts.dim())
        };
        // A free intercept absorbs the middle of the target, which keeps its digits.
        let offset = match intercept {
            Intercept::Free => 0.0,
            _ => frame.target.shift / frame.target.scale,
        };
        let units = Units {
            shrink: prepared.shrink(&frame),
            prepared,
            frame,
            layout,
            offset,
        };
        let mut weight = 0.0;
        source.for_each(|moments| weight += moments.weight());
        let (form, centre) = if prefer.dense(&units.layout, rows.len(), source) {
            let gram = Gram::build(source, &units);
            let centre = Centre::new(gram.h.col(0), gram.r[0], intercept);
            (Form::Dense(Dense::new(&gram, intercept, &centre)), centre)
        } else {
            let lifted = LiftedRows::new(rows, &units);
            let (normal, centre) = MatrixFree::new(lifted, with_shifts, intercept);
            (Form::MatrixFree(normal), centre)
        };
        Self {
            learner,
            form,
            centre,
            blocks,
            n_rows: rows.len(),
            weight,
            means,
            report,
            units,
        }
    }

    /// Other rows in the units of this problem, to score predictors on.
    pub(crate) fn hold_out(&self, rows: &Rows<'_>, source: &Source<'_>) -> HeldOut {
        match self.form {
            Form::Dense(_) => HeldOut::Summed(Gram::build(source, &self.units)),
            Form::MatrixFree(_) => HeldOut::Rows(LiftedRows::new(rows, &self.units)),
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
        } = &self.units;
        match self.learner.preparation.intercept {
            Intercept::Free => prepared.far_columns(&self.means, frame),
            _ => Vec::new(),
        }
    }

    /// How the fit of the base went, if it has one.
    pub(crate) fn base_report(&self) -> Option<&Report> {
        self.report.as_ref()
    }

    /// Solves for one pair of parameters, from the penalised unknowns `start` where there are any.
    pub(crate) fn solve(
        &self,
        parameters: Parameters,
        tol: f64,
        start: Option<&[f64]>,
    ) -> (Weights, Solution) {
        let dim = self.blocks.dim();
        let ridge = Blocks::ridge(self.blocks.n_weights);
        let leading;
        let (blocks, normal): (&Blocks, &dyn Normal) = match &self.form {
            form if parameters.gamma == 0.0 && dim > ridge.dim() => {
                leading = match form {
                    Form::Dense(normal) => normal.leading(ridge.dim()),
                    Form::MatrixFree(normal) => normal.leading(),
                };
                (&ridge, &leading)
            }
            Form::Dense(normal) => (&self.blocks, normal),
            Form::MatrixFree(normal) => (&self.blocks, normal),
        };
        let task = Task {
            blocks,
            c: self.c(parameters),
            gamma: parameters.gamma,
            tol,
            max_iter: self.learner.max_iter,
        };
        let start = start.filter(|v| v.len() == blocks.dim());
        let solution = solver::solve(&task, normal, start);
        let mut penalised = solution.v.clone();
        penalised.resize(dim, 0.0);
        (self.weights(penalised), solution)
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
            Form::MatrixFree(_) => None,
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
        let target = self.units.frame.target.scale;
        value * (self.c(parameters) / self.weight) * target * target
    }

    /// The unit of squared errors summed by [`Gram::squared_error`].
    pub(crate) fn error_unit(&self) -> f64 {
        self.units.frame.target.scale * self.units.frame.target.scale
    }

    /// Rows and error of the training, for the unknowns `full`.
    fn training(&self, full: &[f64]) -> Training {
        let normal: &dyn Normal = match &self.form {
            Form::Dense(normal) => normal,
            Form::MatrixFree(normal) => normal,
        };
        let penalised = &full[full.len() - normal.linear().len()..];
        // ‖y - Φv‖² = yᵀy - vᵀr - vᵀ(r - Hv): the last factor is small and has its digits.
        let residual = normal.residual(penalised);
        let explained = dot(normal.linear(), penalised) + dot(&residual, penalised);
        let squared = (normal.constant() - explained).max(0.0);
        Training {
            rows: self.n_rows,
            rmse: self.units.frame.target.scale * (squared / self.weight).sqrt(),
        }
    }

    /// What the training rows showed of each column: how often it was missing, and its mean.
    fn seen(&self) -> Vec<Seen> {
        let of_column = |j: usize| Seen {
            missing: (1.0 - self.means.weight[j] / self.weight).clamp(0.0, 1.0),
            mean: self.units.frame.columns[j].release(self.means.mean[j]),
        };
        (0..self.means.mean.len()).map(of_column).collect()
    }

    /// The model of a solution that ended as `outcome` says.
    pub(crate) fn model(
        self,
        data: &Dataset,
        parameters: Parameters,
        full: &[f64],
        outcome: &Outcome,
    ) -> Model {
        let (training, seen) = (self.training(full), self.seen());
        let target = self.units.frame.target;
        let layout = self.units.layout;
        // f = target.scale (Σ v_i shrink x̃_i) (+ target.shift)
        let unit = target.scale * self.units.shrink;
        let unknowns = layout.as_matrix(full);
        let scaled = |from: &[f64]| from.iter().map(|v| unit * v).collect::<Vec<_>>();
        let mut weights = scaled(unknowns.col(0));
        match self.learner.preparation.intercept {
            Intercept::Free => weights[0] += target.shift,
            Intercept::None => weights[0] = 0.0,
            Intercept::Penalised => {}
        }
        let shifts = scaled(&unknowns.as_slice()[layout.n_entries..]);
        let shifts = Matrix::from_columns(layout.n_entries, layout.holes.len(), shifts);
        Model {
            names: data.names().to_vec(),
            target_name: data.target_name().to_owned(),
            schema: data.schema().cloned(),
            method: self.learner.method,
            preparation: self.learner.preparation,
            parameters,
            training,
            certificate: Certificate::of(outcome),
            seen,
            calibration: None,
            linear: MaskLinear {
                weights,
                holes: layout.holes,
                shifts,
            },
            prepared: self.units.prepared,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corrupt::Mechanism;
    use crate::data::MaskedMatrix;
    use crate::method::{Base, Method};
    use crate::prepare::Preparation;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    fn data(n_rows: usize, n_cols: usize) -> Dataset {
        let rng = &mut ChaCha8Rng::seed_from_u64(5);
        let cells: Vec<f64> = (0..n_rows * n_cols)
            .map(|_| rng.random_range(-1.0..2.0))
            .collect();
        let table = MaskedMatrix::from_nan(n_rows, n_cols, &cells).unwrap();
        let target = table
            .rows()
            .map(|row| {
                3.0 + row
                    .values()
                    .iter()
                    .enumerate()
                    .map(|(j, x)| x / (j + 1) as f64)
                    .sum::<f64>()
            })
            .collect();
        let table = Mechanism::Dependent { beta: 0.7 }
            .apply(&table, rng)
            .unwrap();
        let weights = (0..n_rows).map(|i| (i % 3) as f64).collect();
        Dataset::new(table, target)
            .unwrap()
            .with_weights(weights)
            .unwrap()
    }

    fn fit(
        learner: &Learner,
        data: &Dataset,
        parameters: Parameters,
        prefer: Prefer,
    ) -> (Vec<f64>, Solution) {
        let rows = Rows::new(data, None);
        let reading = Reading::new(&rows, learner.preparation.clip).unwrap();
        let problem = Problem::new(learner, &rows, &reading, prefer);
        let (weights, solution) = problem.solve(parameters, learner.tol, None);
        (weights.full, solution)
    }

    #[test]
    fn dense_and_matrix_free_agree() {
        let data = data(150, 6);
        for method in [
            Method::Irr(Base::Zero),
            Method::Irr(Base::Independent),
            Method::Irr(Base::Gaussian),
            Method::Lifted,
        ] {
            for intercept in [Intercept::Free, Intercept::Penalised, Intercept::None] {
                for (alpha, gamma) in [(1e-3, 0.5), (0.1, 4.0), (1e-2, 0.0)] {
                    let learner = Learner {
                        preparation: Preparation {
                            intercept,
                            ..Preparation::default()
                        },
                        tol: 1e-11,
                        ..Learner::new(method)
                    };
                    let parameters = Parameters { alpha, gamma };
                    let (dense, one) = fit(&learner, &data, parameters, Prefer::Dense);
                    let (free, two) = fit(&learner, &data, parameters, Prefer::MatrixFree);
                    let label = format!("{method} {intercept} {alpha} {gamma}");
                    assert!(
                        one.outcome.gap <= 1e-11 && two.outcome.gap <= 1e-11,
                        "{label}"
                    );
                    let off = one.outcome.objective / two.outcome.objective - 1.0;
                    assert!(off.abs() < 1e-10, "{label}: {off:e}");
                    for (a, b) in dense.iter().zip(&free) {
                        assert!((a - b).abs() < 1e-4, "{label}: {a} {b}");
                    }
                }
            }
        }
    }
}
