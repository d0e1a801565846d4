//! Units of the columns, learnt as rows come (docs/math.md 13.8).
//!
//! A value x of a column with n values so far, mean m and standard deviation s becomes
//!
//! ```text
//! standard:  (x - m) / s        unit:  x / √(m² + s²)
//! ```
//!
//! where m and s are those with x itself included, so that neither can be far beyond √n. From the
//! sixteenth value on, what is more than eight standard deviations from the mean is cut there, before
//! that what is 64 times the root mean square from it: a wild value neither enters the row nor spoils the unit.
//! Rows count alike whatever their weights, which are about losses. A hole stays a hole, and stands for
//! zero: under `standard` that is the mean.

mod settled;

use crate::data::{MaskedRow, RowBuffer};
use crate::error::{Error, Result};
use crate::linalg::vectorised;
use settled::{Enter, Write};
use std::fmt;
use std::str::FromStr;

/// Values beyond this size are none that a column has: their squares might not be finite. Those nearer to
/// zero than its inverse are zero: nothing follows from how many times larger the next one is.
const LARGEST: f64 = 1e100;

/// Values this many standard deviations from the mean are cut there, once there are [`ENOUGH`].
const FARTHEST: f64 = 8.0;

/// Values that make a standard deviation.
const ENOUGH: f64 = 16.0;

/// Until then, values this many times the root mean square from the mean are cut there.
const LEAP: f64 = 64.0;

/// The units in which a learner sees values.
///
/// ```
/// use gapfit::online::Units;
/// assert_eq!("standard".parse::<Units>()?, Units::Standard);
/// # Ok::<(), gapfit::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Units {
    /// As they come.
    #[default]
    Raw,
    /// Divided by the running root mean square of their column: a hole stands for zero.
    Unit,
    /// Centred at the running mean, divided by the running standard deviation: a hole stands for the
    /// mean.
    Standard,
}

impl fmt::Display for Units {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Raw => "raw",
            Self::Unit => "unit",
            Self::Standard => "standard",
        })
    }
}

impl FromStr for Units {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        match name {
            "raw" => Ok(Self::Raw),
            "unit" => Ok(Self::Unit),
            "standard" => Ok(Self::Standard),
            _ => Err(Error::Setting {
                name: "units",
                expected: "raw, unit or standard",
                got: name.to_owned(),
            }),
        }
    }
}

/// Means and squared deviations of the columns so far.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Running {
    /// The number of values.
    pub(crate) count: Vec<f64>,
    pub(crate) mean: Vec<f64>,
    /// `Σ (x - mean)²`.
    pub(crate) squares: Vec<f64>,
    /// The standard deviation; a function of the others, kept because every value is held against it.
    spread: Vec<f64>,
    /// Columns that are not settled.
    unsettled: usize,
}

/// Centre and unit of one column.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Scale {
    pub(crate) mean: f64,
    /// Standard deviation.
    pub(crate) spread: f64,
}

impl Scale {
    /// Root mean square.
    fn size(self) -> f64 {
        libm::hypot(self.mean, self.spread)
    }

    /// A value in these units; 0 where all values so far were the same.
    fn value(self, x: f64, units: Units) -> f64 {
        let (x, unit) = match units {
            Units::Raw => return x,
            Units::Unit => (x, self.size()),
            Units::Standard => (x - self.mean, self.spread),
        };
        if unit > 0.0 { x / unit } else { 0.0 }
    }
}

impl Running {
    pub(crate) fn new(n_columns: usize) -> Self {
        let zeros = || vec![0.0; n_columns];
        Self::restored(zeros(), zeros(), zeros())
    }

    /// From what a saved state has, of equally many columns.
    pub(crate) fn restored(count: Vec<f64>, mean: Vec<f64>, squares: Vec<f64>) -> Self {
        let columns = squares.iter().zip(&count);
        let mut restored = Self {
            spread: columns.map(|(&squares, &n)| spread(squares, n)).collect(),
            count,
            mean,
            squares,
            unsettled: 0,
        };
        restored.count_unsettled();
        restored
    }

    /// Whether the column has enough values to tell which are wild.
    fn is_settled(&self, j: usize) -> bool {
        is_settled(self.count[j], self.spread[j])
    }

    fn count_unsettled(&mut self) {
        let columns = self.count.iter().zip(&self.spread);
        self.unsettled = columns
            .filter(|(n, spread)| !is_settled(**n, **spread))
            .count();
    }

    /// Mean and standard deviation of the values so far of column `j`.
    pub(crate) fn scale(&self, j: usize) -> Scale {
        Scale {
            mean: self.mean[j],
            spread: self.spread[j],
        }
    }

    /// A value of column `j`, cut where it is wild.
    pub(crate) fn cut(&self, j: usize, x: f64) -> f64 {
        if x.abs() < 1.0 / LARGEST {
            return 0.0;
        }
        let scale = self.scale(j);
        let reach = if self.is_settled(j) {
            FARTHEST * scale.spread
        } else if scale.size() > 0.0 {
            LEAP * scale.size()
        } else if x.abs() <= LARGEST {
            return x;
        } else {
            // All were zero, or there were none: nothing says what it should have been.
            0.0
        };
        let x = x.clamp(scale.mean - reach, scale.mean + reach);
        x.clamp(-LARGEST, LARGEST)
    }

    /// Count, mean and squares of column `j` with one more value, which is cut already.
    fn with(&self, j: usize, x: f64) -> (f64, f64, f64) {
        let count = self.count[j] + 1.0;
        let off = x - self.mean[j];
        let mean = self.mean[j] + off / count;
        (count, mean, self.squares[j] + off * (x - mean))
    }

    /// Lets a value enter column `j`.
    pub(crate) fn push(&mut self, j: usize, x: f64) {
        self.enter(j, x);
        self.count_unsettled();
    }

    fn enter(&mut self, j: usize, x: f64) {
        let x = self.cut(j, x);
        (self.count[j], self.mean[j], self.squares[j]) = self.with(j, x);
        self.spread[j] = spread(self.squares[j], self.count[j]);
    }

    /// Lets the observed values of a row enter.
    pub(crate) fn add(&mut self, row: MaskedRow<'_>) {
        let rest = self.unsettled_in(row);
        vectorised(Enter { running: self, row });
        rest.iter().for_each(|&j| self.enter(j, row.values()[j]));
        self.count_unsettled();
    }

    /// Writes `row` in these units behind a constant 1.
    pub(crate) fn write(&self, row: MaskedRow<'_>, units: Units, to: &mut RowBuffer) {
        let values = to.copy_behind_one(row);
        let mut put = |j: usize| values[j] = self.seen(j, row.values()[j], units);
        if units != Units::Standard {
            row.observed().iter().for_each(put);
            return;
        }
        self.unsettled_in(row).into_iter().for_each(&mut put);
        vectorised(Write {
            running: self,
            row,
            to: values,
        });
    }

    /// A value of column `j` in these units.
    fn seen(&self, j: usize, x: f64, units: Units) -> f64 {
        let x = self.cut(j, x);
        let (count, mean, squares) = self.with(j, x);
        let spread = spread(squares, count);
        let seen = Scale { mean, spread }.value(x, units);
        debug_assert!(seen.is_finite());
        seen
    }

    /// The columns of the observed values of a row that are not settled.
    fn unsettled_in(&self, row: MaskedRow<'_>) -> Vec<usize> {
        if self.unsettled == 0 {
            return Vec::new();
        }
        let observed = row.observed().iter();
        observed.filter(|&j| !self.is_settled(j)).collect()
    }

    pub(crate) fn add_column(&mut self) {
        self.count.push(0.0);
        self.mean.push(0.0);
        self.squares.push(0.0);
        self.spread.push(0.0);
        self.unsettled += 1;
    }
}

fn is_settled(count: f64, spread: f64) -> bool {
    count >= ENOUGH && spread > 0.0
}

/// The standard deviation of `n` values with this sum of squared deviations.
fn spread(squares: f64, n: f64) -> f64 {
    (squares / n.max(1.0)).sqrt()
}

/// Writes `row` as it is behind a constant 1.
pub(crate) fn write_raw(row: MaskedRow<'_>, to: &mut RowBuffer) {
    to.copy_behind_one(row);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::MaskedMatrix;

    fn column(values: &[f64]) -> Running {
        let mut running = Running::new(1);
        values.iter().for_each(|&x| running.push(0, x));
        running
    }

    fn written(running: &Running, cell: f64, units: Units) -> Option<f64> {
        let table = MaskedMatrix::from_nan(1, 1, &[cell]).unwrap();
        let mut row = RowBuffer::default();
        running.write(table.row(0), units, &mut row);
        assert_eq!(row.as_row().get(0), Some(1.0));
        row.as_row().get(1)
    }

    /// Rows of every kind of value, in columns of which some are settled long before others.
    #[test]
    fn rows_by_loops_are_rows_value_by_value_to_the_bit() {
        let width = 70;
        let cell = |i: usize, j: usize| {
            let x = ((i * 7919 + j * 104_729) % 1009) as f64 / 100.0 - 5.0;
            match (i * 31 + j * 17) % 97 {
                0 if j != 9 => 1e308,
                1 if j != 9 => -1e-200,
                2 if j != 9 => 0.0,
                k if k < 30 + j / 2 || j == 9 && !i.is_multiple_of(40) => f64::NAN,
                _ if j % 7 == 6 && i < 150 => f64::NAN,
                _ => x * f64::powi(10.0, (j % 9) as i32 - 4),
            }
        };
        let cells: Vec<f64> = (0..300 * width)
            .map(|k| cell(k / width, k % width))
            .collect();
        let table = MaskedMatrix::from_nan(300, width, &cells).unwrap();
        let (mut running, mut one_by_one) = (Running::new(width), Running::new(width));
        let mut written = RowBuffer::default();
        for row in table.rows() {
            running.write(row, Units::Standard, &mut written);
            for j in 0..width {
                let expected = row.get(j).map(|x| one_by_one.seen(j, x, Units::Standard));
                let got = written.as_row().get(1 + j);
                assert_eq!(got.map(f64::to_bits), expected.map(f64::to_bits));
                assert!(got.is_some() || written.as_row().values()[1 + j] == 0.0);
            }
            running.add(row);
            for j in row.observed().iter() {
                one_by_one.push(j, row.values()[j]);
            }
            assert_eq!(running, one_by_one);
        }
        assert_eq!(running.unsettled, 1, "column 9");
    }

    #[test]
    fn units_are_those_of_the_values_so_far_and_the_one_at_hand() {
        let running = column(&[1.0, 5.0]);
        // With 6: mean 4, variance (9 + 1 + 4) / 3.
        let spread = (14.0f64 / 3.0).sqrt();
        let standard = written(&running, 6.0, Units::Standard).unwrap();
        assert!((standard - 2.0 / spread).abs() < 1e-15);
        let unit = written(&running, 6.0, Units::Unit).unwrap();
        assert!((unit - 6.0 / (62.0f64 / 3.0).sqrt()).abs() < 1e-15);
        assert_eq!(written(&running, 6.0, Units::Raw), Some(6.0));
        assert_eq!(written(&running, f64::NAN, Units::Standard), None);
    }

    #[test]
    fn the_first_value_and_a_constant_column_say_nothing() {
        assert_eq!(written(&column(&[]), 7.0, Units::Standard), Some(0.0));
        assert_eq!(
            written(&column(&[7.0; 40]), 7.0, Units::Standard),
            Some(0.0)
        );
        assert_eq!(written(&column(&[0.0; 3]), 0.0, Units::Unit), Some(0.0));
    }

    #[test]
    fn a_wild_value_is_cut_and_forgotten() {
        let values: Vec<f64> = (0..100).map(|i| f64::from(i % 7)).collect();
        let mut running = column(&values);
        let before = running.scale(0);
        running.push(0, 1e308);
        let after = running.scale(0);
        assert!(after.spread < 1.5 * before.spread, "{after:?}");
        let wild = written(&running, -1e308, Units::Standard).unwrap();
        assert!(wild < -4.0 && wild > -8.5, "{wild}");
    }

    #[test]
    fn a_wild_value_among_the_first_is_outgrown() {
        for wild in [1e308, -1e50, 1e9] {
            for at in 1..16 {
                let mut values: Vec<f64> = (0..3000).map(|i| f64::from(1 + i % 7)).collect();
                values[at] = wild;
                let spread = column(&values).scale(0).spread;
                assert!(spread > 1.9 && spread < 10.0, "{wild:e} at {at}: {spread}");
            }
        }
        for first in [1e308, 1e-308] {
            let spread = column(&[first, 1.0, 2.0, 3.0]).scale(0).spread;
            assert!(spread > 0.5 && spread < 2.0, "{first:e}: {spread}");
        }
    }

    #[test]
    fn a_lasting_change_of_unit_is_followed() {
        let mut running = column(&[1.0, 2.0, 3.0].repeat(10));
        for i in 0..2000 {
            running.push(0, 1e6 * f64::from(1 + i % 3));
        }
        let spread = running.scale(0).spread;
        assert!(spread > 3e5 && spread < 3e6, "{spread}");
    }

    #[test]
    fn huge_values_stay_finite() {
        let running = column(&[1e308, -1e308, 1e308]);
        for units in [Units::Unit, Units::Standard] {
            assert!(written(&running, -1e308, units).unwrap().is_finite());
        }
    }

    #[test]
    fn names_round_trip() {
        for units in [Units::Raw, Units::Unit, Units::Standard] {
            assert_eq!(units.to_string().parse::<Units>().unwrap(), units);
        }
        assert!("minmax".parse::<Units>().is_err());
    }
}
