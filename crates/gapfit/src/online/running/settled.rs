//! Rows of settled columns, several columns at a time; to the bit as one by one.

use super::{FARTHEST, LARGEST, Running, is_settled, spread};
use crate::data::{MaskedRow, WORD};
use crate::linalg::{Loop, Simd};

/// One settled column and a value of it, as [`Running::cut`] and [`Running::with`] have them, without
/// branches: for loops over columns.
struct Settled {
    count: f64,
    mean: f64,
    squares: f64,
    /// The value, cut.
    x: f64,
}

impl Settled {
    #[inline(always)]
    fn with(x: f64, [count, mean, squares, spread]: [f64; 4]) -> Self {
        let reach = FARTHEST * spread;
        let cut = clamped(x, mean - reach, mean + reach);
        let cut = clamped(cut, -LARGEST, LARGEST);
        let x = if x.abs() < 1.0 / LARGEST { 0.0 } else { cut };
        let (count, off) = (count + 1.0, x - mean);
        let mean = mean + off / count;
        Self {
            count,
            mean,
            squares: squares + off * (x - mean),
            x,
        }
    }
}

/// As [`f64::clamp`], which looks after wrong bounds.
#[inline(always)]
fn clamped(x: f64, low: f64, high: f64) -> f64 {
    let x = if x < low { low } else { x };
    if x > high { high } else { x }
}

/// Writes the values of settled columns, centred and in standard deviations.
pub(super) struct Write<'a> {
    pub(super) running: &'a Running,
    pub(super) row: MaskedRow<'a>,
    pub(super) to: &'a mut [f64],
}

impl Loop for Write<'_> {
    #[inline(always)]
    fn run<S: Simd>(self, _: S) {
        let Running {
            count,
            mean,
            squares,
            spread: old,
            ..
        } = self.running;
        let words = self.row.observed().words().iter();
        for (k, (&word, to)) in words.zip(self.to.chunks_mut(WORD)).enumerate() {
            let cells = k * WORD..k * WORD + to.len();
            let x = &self.row.values()[cells.clone()];
            let (count, mean) = (&count[cells.clone()], &mean[cells.clone()]);
            let (squares, old) = (&squares[cells.clone()], &old[cells]);
            for j in 0..to.len() {
                let new = Settled::with(x[j], [count[j], mean[j], squares[j], old[j]]);
                let spread = spread(new.squares, new.count);
                let seen = (new.x - new.mean) / spread;
                let seen = if spread > 0.0 { seen } else { 0.0 };
                // Choosing is faster than branching: holes come at random.
                let is_chosen = word >> j & 1 == 1 && is_settled(count[j], old[j]);
                to[j] = if is_chosen { seen } else { to[j] };
            }
        }
    }
}

/// Lets the values of settled columns enter.
pub(super) struct Enter<'a> {
    pub(super) running: &'a mut Running,
    pub(super) row: MaskedRow<'a>,
}

impl Loop for Enter<'_> {
    #[inline(always)]
    fn run<S: Simd>(self, _: S) {
        let running = self.running;
        let words = self.row.observed().words().iter();
        for (k, (&word, x)) in words.zip(self.row.values().chunks(WORD)).enumerate() {
            let cells = k * WORD..k * WORD + x.len();
            let count = &mut running.count[cells.clone()];
            let mean = &mut running.mean[cells.clone()];
            let squares = &mut running.squares[cells.clone()];
            let old = &mut running.spread[cells];
            for j in 0..x.len() {
                let new = Settled::with(x[j], [count[j], mean[j], squares[j], old[j]]);
                let is_chosen = word >> j & 1 == 1 && is_settled(count[j], old[j]);
                let spread = spread(new.squares, new.count);
                count[j] = if is_chosen { new.count } else { count[j] };
                mean[j] = if is_chosen { new.mean } else { mean[j] };
                squares[j] = if is_chosen { new.squares } else { squares[j] };
                old[j] = if is_chosen { spread } else { old[j] };
            }
        }
    }
}
