//! What a comparator in hindsight came to, with its certificate.

use std::fmt;

/// Why a solve in hindsight ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// The certified gap is at most the one that was asked for.
    Converged,
    /// The epochs ran out; the bounds hold all the same.
    MaxIterations,
    /// The progress callback asked to stop; the bounds hold all the same.
    Stopped,
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Converged => "converged",
            Self::MaxIterations => "max_iterations",
            Self::Stopped => "stopped",
        })
    }
}

/// The smallest weighted sum of losses over a class, enclosed from both sides.
///
/// ```
/// use gapfit::data::MaskedMatrix;
/// use gapfit::online::{MirrorDescent, RegretMeter};
/// use std::ops::ControlFlow;
///
/// let mut meter = RegretMeter::new(&MirrorDescent::default(), 1.0, 1)?;
/// let table = MaskedMatrix::from_nan(1, 1, &[1.0])?;
/// meter.add(table.row(0), 3.0, 1.0, 9.0)?;
/// let best = meter.measure(1e-6, |_| ControlFlow::Continue(()))?.comparator;
/// assert!(best.lower_bound <= 4.0 && 4.0 <= best.objective); // (3 - 1)², at the weight 1
/// assert!(best.gap <= 1e-6);
/// # Ok::<(), gapfit::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hindsight {
    /// Why it ended.
    pub status: Status,
    /// The sum of the losses at a matrix within the ball, rounding included: the smallest is not larger.
    pub objective: f64,
    /// A bound no matrix within the ball can go below, rounding included.
    pub lower_bound: f64,
    /// `(objective - lower_bound) / max(|objective|, a thousandth of the losses at zero)`: a comparator
    /// without a loss leaves nothing else to be relative to.
    pub gap: f64,
    /// Passes of coordinate ascent over the rows.
    pub epochs: usize,
}

impl Hindsight {
    /// What is known before anything is done; `at_zero` is the loss of the matrix of zeros.
    pub(crate) fn start(at_zero: f64, lower_bound: f64) -> Self {
        let mut start = Self {
            status: Status::MaxIterations,
            objective: at_zero,
            lower_bound,
            gap: 0.0,
            epochs: 0,
        };
        start.close(at_zero);
        start
    }

    /// Takes in a pair of bounds; keeps the better of each.
    pub(crate) fn narrow(&mut self, objective: f64, lower_bound: f64, at_zero: f64) {
        // `max` and `min` prefer numbers: what overflowed on the way is not taken in.
        self.objective = self.objective.min(objective);
        self.lower_bound = self.lower_bound.max(lower_bound);
        self.close(at_zero);
    }

    fn close(&mut self, at_zero: f64) {
        let width = self.objective - self.lower_bound;
        let scale = self.objective.abs().max(1e-3 * at_zero.abs());
        self.gap = if width > 0.0 { width / scale } else { 0.0 };
    }
}
