//! The meter: stores the rows of a stream, encloses the regret on them.

use super::comparator::{Comparator, Progress};
use super::hindsight::{Hindsight, Status};
use super::rows::Rows;
use crate::data::MaskedRow;
use crate::error::{Error, Result};
use crate::loss::Loss;
use crate::online::fill::{Fill, Means};
use crate::online::mask_map::MaskMap;
use crate::online::mirror::Mirror;
use crate::online::psi::MaskFeatures;
use crate::online::settings::MirrorDescent;
use crate::online::step::positive;
use crate::online::weights::Weights;
use crate::online::{check_row, check_target};
use std::ops::ControlFlow;

/// Cells that are stored unless another number is given: 128 MiB of values.
const CAPACITY: usize = 1 << 24;

/// Passes over the rows per solve unless another number is given.
const MAX_EPOCHS: usize = 1000;

/// Rows with larger values, targets or weights are not measured: sums of their squares would overflow.
const LARGEST: f64 = 1e50;

/// A number that is enclosed from both sides.
///
/// ```
/// use gapfit::online::regret::Interval;
/// let regret = Interval { lower: 1.5, upper: 1.75 };
/// assert!(regret.upper - regret.lower < 0.5);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// It is not smaller.
    pub lower: f64,
    /// It is not larger.
    pub upper: f64,
}

/// The regret of a learner on the rows so far; all sums are weighted.
///
/// ```
/// use gapfit::data::MaskedMatrix;
/// use gapfit::online::regret::Status;
/// use gapfit::online::{MirrorDescent, RegretMeter};
/// use std::ops::ControlFlow;
///
/// // Whoever always predicts 0 where 1 was right loses all of it against weights of up to 1.
/// let mut meter = RegretMeter::new(&MirrorDescent::default(), 1.0, 1)?;
/// let table = MaskedMatrix::from_nan(1, 1, &[1.0])?;
/// for _ in 0..10 {
///     meter.add(table.row(0), 1.0, 1.0, 1.0)?;
/// }
/// let regret = meter.measure(1e-6, |_| ControlFlow::Continue(()))?;
/// assert_eq!((regret.status, regret.rows), (Status::Converged, 10));
/// assert!(regret.regret.lower <= 10.0 && (regret.regret.lower - 10.0).abs() < 1e-3);
/// assert_eq!(regret.gradient, 4.0); // 2(|ŷ| + |y|), with |ŷ| <= 1
/// # Ok::<(), gapfit::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Regret {
    /// Rows that were measured.
    pub rows: usize,
    /// What the learner suffered on them.
    pub suffered: f64,
    /// What the best matrix in hindsight would have.
    pub comparator: Hindsight,
    /// What the best weight vector, blind to the mask, would have.
    pub fixed: Hindsight,
    /// `R^z`, against the matrix (paper, equation 2).
    pub regret: Interval,
    /// R, against the weight vector (paper, equation 1).
    pub standard: Interval,
    /// G: the largest gradient of a weighted loss within the ball, in the dual norm of the regulariser.
    pub gradient: f64,
    /// `3 R G √T`, which mirror descent with the steps of Theorem 1 on this class does not exceed.
    pub bound: f64,
    /// The larger gap of the two solves.
    pub gap: f64,
    /// How the solves ended: converged if both have.
    pub status: Status,
}

/// Measures the regret of a learner, any learner, against a class of mask-dependent weights.
///
/// Rows are kept in memory, up to a number of cells; what comes later is counted and not measured.
///
/// ```
/// use gapfit::data::MaskedMatrix;
/// use gapfit::online::{Feasible, Learn, MirrorDescent, RegretMeter, Step};
/// use std::ops::ControlFlow;
///
/// let radius = 2.0;
/// let settings = MirrorDescent {
///     set: Feasible::Ball(radius),
///     step: Step::Anytime { radius, gradient: None },
///     ..MirrorDescent::default()
/// };
/// let mut learner = settings.start(2)?;
/// let mut meter = RegretMeter::new(&settings, radius, 2)?;
/// let table = MaskedMatrix::from_nan(2, 2, &[1.0, f64::NAN, 0.5, 1.0])?;
/// for t in 0..100 {
///     let (row, y) = (table.row(t % 2), [1.0, -1.0][t % 2]);
///     let learnt = learner.learn(row, y, 1.0)?;
///     meter.add(row, y, 1.0, learnt.loss)?;
/// }
/// let regret = meter.measure(1e-3, |_| ControlFlow::Continue(()))?;
/// assert!(regret.regret.lower <= regret.regret.upper);
/// assert!(regret.regret.upper <= regret.bound);
/// # Ok::<(), gapfit::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct RegretMeter {
    loss: Loss,
    radius: f64,
    own: Comparator,
    fixed: Comparator,
    means: Option<Means>,
    rows: Rows,
    suffered: f64,
    capacity: usize,
    max_epochs: usize,
    skipped: u64,
}

impl RegretMeter {
    /// A meter against matrices of at most this size, in the norm of the regulariser, for ψ, loss,
    /// regulariser and fill of these settings.
    ///
    /// # Errors
    /// As [`MirrorDescent::start`]; [`Error::Setting`] when the radius is not positive or beyond 1e100.
    pub fn new(settings: &MirrorDescent, radius: f64, n_features: usize) -> Result<Self> {
        settings.validate(n_features)?;
        positive("radius", radius)?;
        let comparator =
            |psi, mirror: &Mirror| Comparator::new(psi, mirror, settings.loss, radius, n_features);
        Ok(Self {
            loss: settings.loss,
            radius,
            own: comparator(settings.psi, &settings.mirror)?,
            fixed: comparator(MaskFeatures::Constant, &Mirror::Frob)?,
            means: (settings.fill == Fill::Mean).then(|| Means::new(n_features)),
            rows: Rows::new(n_features),
            suffered: 0.0,
            capacity: CAPACITY,
            max_epochs: MAX_EPOCHS,
            skipped: 0,
        })
    }

    /// The meter with room for this many cells, rows times features, instead of 2²⁴.
    pub fn with_capacity(mut self, cells: usize) -> Self {
        self.capacity = cells;
        self
    }

    /// The meter with this many passes over the rows per solve, instead of 1000.
    pub fn with_max_epochs(mut self, max_epochs: usize) -> Self {
        self.max_epochs = max_epochs;
        self
    }

    /// Stores a row and the loss, not weighted, that the learner suffered on it; returns whether it will
    /// be measured. It will not when the meter is full, when its weight is 0, or when a number is beyond
    /// 1e50.
    ///
    /// # Errors
    /// As [`Learn::learn`](super::super::Learn::learn); [`Error::NotFinite`] when the loss is not finite.
    pub fn add(&mut self, row: MaskedRow<'_>, target: f64, weight: f64, loss: f64) -> Result<bool> {
        let round = self.rows.len();
        check_row(row, self.rows.n_features())?;
        check_target(self.loss, target, weight, round as u64)?;
        if !loss.is_finite() {
            return Err(Error::NotFinite {
                what: "loss suffered".to_owned(),
                row: round,
                got: loss,
            });
        }
        if weight == 0.0 {
            return Ok(false);
        }
        let mut filled = row.values().to_vec();
        if let Some(means) = &mut self.means {
            means.fill(row, &mut filled);
            means.add(row, weight);
        }
        let numbers = filled.iter().chain([&target, &weight, &loss]);
        let is_huge = numbers.fold(0.0f64, |m, x| m.max(x.abs())) > LARGEST;
        if is_huge || self.is_full() {
            self.skipped += 1;
            return Ok(false);
        }
        self.rows.push(row, &filled, target, weight);
        self.suffered += weight * loss;
        Ok(true)
    }

    /// Appends a feature that was missing from all rows so far, as
    /// [`OnlineLearner::add_column`](super::super::OnlineLearner::add_column) does. A comparator may use
    /// that it was missing, which a learner could not know: the bound is a promise only where the norms of
    /// earlier gradients stay (docs/math.md 13.6).
    ///
    /// # Errors
    /// [`Error::Setting`] when there would be more than 2²⁷ weights; then nothing has changed.
    pub fn add_column(&mut self) -> Result<()> {
        self.own.add_feature()?;
        self.fixed.add_feature()?;
        self.rows.add_feature();
        if let Some(means) = &mut self.means {
            means.add_feature();
        }
        Ok(())
    }

    /// The number of rows that are measured.
    pub fn rows(&self) -> usize {
        self.rows.len()
    }

    /// The number of rows that are not, for want of room or for their size.
    pub fn skipped(&self) -> u64 {
        self.skipped
    }

    /// Whether there is no room for another row.
    pub fn is_full(&self) -> bool {
        self.rows.n_cells() + self.rows.n_features() > self.capacity
    }

    /// The best matrix the last measurement found, and ψ with its masks.
    pub fn weights(&self) -> (Weights, &MaskMap) {
        (self.own.weights(), self.own.psi())
    }

    /// The regret so far, with comparators to a relative gap of at most `tol` unless the epochs run out;
    /// starts where the last measurement ended. `progress` gets the bounds of the solve under way and may
    /// stop it.
    ///
    /// # Errors
    /// [`Error::Setting`] when `tol` is not positive.
    pub fn measure(
        &mut self,
        tol: f64,
        mut progress: impl FnMut(&Hindsight) -> ControlFlow<()>,
    ) -> Result<Regret> {
        positive("tol", tol)?;
        let progress: &mut Progress<'_> = &mut progress;
        let (rows, epochs) = (&self.rows, self.max_epochs);
        let comparator = self.own.solve(rows, tol, epochs, progress);
        let fixed = self.fixed.solve(rows, tol, epochs, progress);
        let regret = |best: Hindsight| Interval {
            lower: self.suffered - best.objective,
            upper: self.suffered - best.lower_bound,
        };
        let gradient = self.own.largest_gradient(rows);
        let status = match comparator.status {
            Status::Converged => fixed.status,
            other => other,
        };
        Ok(Regret {
            rows: rows.len(),
            suffered: self.suffered,
            regret: regret(comparator),
            standard: regret(fixed),
            gradient,
            bound: (3.0 * self.radius * gradient * (rows.len() as f64).sqrt()).min(f64::MAX),
            gap: comparator.gap.max(fixed.gap),
            status,
            comparator,
            fixed,
        })
    }
}
