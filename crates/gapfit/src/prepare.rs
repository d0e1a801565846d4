//! From raw rows to the completed rows `x̃` that a linear model sees: clip, scale, fill.
//!
//! Everything here is learnt on the training rows alone. For a given mask the map from the observed
//! values to `x̃` is affine, so it also maps moments (docs/math.md 5).

use crate::data::MaskedRow;
use crate::error::{Error, Result};
use crate::impute::{Filler, Imputer, Report};
use crate::method::Base;
use crate::moments::{Frame, Ranges, Reading, Source, power_of_two};
use std::fmt;
use std::str::FromStr;

/// How columns are scaled, on their observed training cells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scale {
    /// Not at all.
    None,
    /// To the range 0 to 1.
    MinMax,
    /// To mean 0 and standard deviation 1. The zero base keeps the origin: columns are divided by
    /// their standard deviation but not centred, otherwise zero would be the mean.
    #[default]
    Standard,
}

/// What becomes of the constant term.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Intercept {
    /// Fitted without penalty.
    #[default]
    Free,
    /// The weight of a constant feature, penalised like every other (the paper's choice).
    Penalised,
    /// Absent.
    None,
}

/// How raw rows become what the model sees.
///
/// | field | default | purpose | range |
/// |---|---|---|---|
/// | `scale` | `standard` | unit of the columns, which the penalty sees | |
/// | `clip` | 0.002 | observed cells are cut at this training quantile and its mirror image; 0 is off | [0, 0.5) |
/// | `intercept` | `free` | constant term; unless `none`, every missing feature can shift it | |
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Preparation {
    /// Unit of the columns.
    pub scale: Scale,
    /// Tail quantile at which observed cells are cut.
    pub clip: f64,
    /// Constant term.
    pub intercept: Intercept,
}

impl Default for Preparation {
    fn default() -> Self {
        Self {
            scale: Scale::default(),
            clip: 0.002,
            intercept: Intercept::default(),
        }
    }
}

impl Preparation {
    /// Checks the ranges of the settings.
    ///
    /// # Errors
    /// [`Error::Setting`] when `clip` is outside [0, 0.5).
    pub fn validate(&self) -> Result<()> {
        if (0.0..0.5).contains(&self.clip) {
            return Ok(());
        }
        Err(Error::Setting {
            name: "clip",
            expected: "a quantile from 0 (off) to below 0.5",
            got: self.clip.to_string(),
        })
    }
}

/// One column's fitted map: clip to `[lower, upper]`, then `(x - centre) / scale`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Column {
    /// Infinite where clipping is off.
    pub(crate) lower: f64,
    pub(crate) upper: f64,
    pub(crate) centre: f64,
    pub(crate) scale: f64,
}

impl Column {
    pub(crate) fn map(&self, x: f64) -> f64 {
        (x.clamp(self.lower, self.upper) - self.centre) / self.scale
    }

    /// The value in original units.
    pub(crate) fn unmap(&self, x: f64) -> f64 {
        self.centre + self.scale * x
    }
}

/// What a preparation is learnt from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sample<'a> {
    pub(crate) reading: &'a Reading<'a>,
    pub(crate) means: &'a Means,
}

/// The fitted preparation: row in, completed row out.
///
/// Columns without a single observed training cell are dead: they keep their place in the table and
/// take no part in the model. Entry 0 of a completed row is the constant 1.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Prepared {
    pub(crate) columns: Vec<Column>,
    /// The live columns, ascending; entry `l + 1` of `x̃` is column `live[l]`.
    pub(crate) live: Vec<usize>,
    /// The entry of each column, 0 for dead ones.
    pub(crate) entry_of: Vec<usize>,
    pub(crate) imputer: Imputer,
}

impl Prepared {
    /// Learns scaling and base imputer; also says how the fit of a base went that has one.
    pub(crate) fn fit(
        preparation: &Preparation,
        base: Base,
        sample: &Sample<'_>,
    ) -> (Self, Option<Report>) {
        let Reading { ranges, frame, .. } = sample.reading;
        let live: Vec<_> = (0..ranges.columns.len())
            .filter(|&j| ranges.columns[j].is_some())
            .collect();
        let columns: Vec<_> = (0..ranges.columns.len())
            .map(|j| column(preparation.scale, base, j, ranges, frame, sample.means))
            .collect();
        let mut prepared = Self::new(columns, live, Imputer::Zero);
        let has_constant = preparation.intercept != Intercept::None;
        let (imputer, report) = Imputer::fit(base, &prepared, has_constant, sample);
        prepared.imputer = imputer;
        (prepared, report)
    }

    /// The mean of each entry over the rows where it is observed; 0 for the constant.
    pub(crate) fn means(&self, means: &Means, frame: &Frame) -> Vec<f64> {
        let of_column = |&j: &usize| {
            let (slope, offset) = self.unframe(j, frame);
            offset + slope * means.mean[j]
        };
        std::iter::once(0.0)
            .chain(self.live.iter().map(of_column))
            .collect()
    }

    /// Columns whose scaled mean is so much larger than their spread that centring, which a free
    /// intercept amounts to, costs half of the digits.
    pub(crate) fn far_columns(&self, means: &Means, frame: &Frame) -> Vec<usize> {
        let is_far = |&j: &usize| {
            let (slope, offset) = self.unframe(j, frame);
            let spread = slope * means.variance[j].sqrt();
            spread > 0.0 && (offset + slope * means.mean[j]).abs() > 1e4 * spread
        };
        self.live.iter().copied().filter(is_far).collect()
    }

    /// How large entry `e` can get in training, roughly.
    pub(crate) fn reach(&self, e: usize, frame: &Frame) -> f64 {
        if e == 0 {
            return 1.0;
        }
        let (slope, offset) = self.unframe(self.live[e - 1], frame);
        slope.abs().max(offset.abs())
    }

    /// A power of two that brings the entries near 1 where unscaled columns are so large or small
    /// that their squares would leave the range of numbers; 1 otherwise.
    pub(crate) fn shrink(&self, frame: &Frame) -> f64 {
        let entries = 1..self.n_entries();
        let largest = entries.map(|e| self.reach(e, frame)).fold(0.0, f64::max);
        if largest == 0.0 || (1e-60..1e60).contains(&largest) {
            1.0
        } else {
            // The constant takes part: its square has to stay in the range, too.
            let farthest = 2f64.powi(488);
            (1.0 / power_of_two(largest)).clamp(1.0 / farthest, farthest)
        }
    }

    /// Joins the parts; `live` ascends.
    pub(crate) fn new(columns: Vec<Column>, live: Vec<usize>, imputer: Imputer) -> Self {
        let mut entry_of = vec![0; columns.len()];
        for (l, &j) in live.iter().enumerate() {
            entry_of[j] = l + 1;
        }
        Self {
            columns,
            live,
            entry_of,
            imputer,
        }
    }

    /// `(slope, offset)` of the map from a framed value of column j to its scaled entry.
    pub(crate) fn unframe(&self, j: usize, frame: &Frame) -> (f64, f64) {
        let (unit, column) = (frame.columns[j], self.columns[j]);
        let offset = (unit.shift - column.centre) / column.scale;
        (unit.scale / column.scale, offset)
    }

    /// Entries of a completed row, the constant included.
    pub(crate) fn n_entries(&self) -> usize {
        self.live.len() + 1
    }

    /// What [`Prepared::complete`] keeps from row to row.
    pub(crate) fn filler(&self) -> Filler<'_> {
        Filler::new(&self.imputer, &self.live)
    }

    /// Writes the completed row `x̃`; `filler` is one of [`Prepared::filler`].
    pub(crate) fn complete(&self, row: MaskedRow<'_>, filler: &mut Filler<'_>, out: &mut [f64]) {
        out[0] = 1.0;
        for (entry, &j) in out[1..].iter_mut().zip(&self.live) {
            *entry = row.get(j).map_or(0.0, |x| self.columns[j].map(x));
        }
        filler.fill(row.observed(), out);
    }
}

/// Weighted mean and variance of the observed cells of each column, in the frame.
#[derive(Debug)]
pub(crate) struct Means {
    /// The weight of the rows in which the column is observed.
    pub(crate) weight: Vec<f64>,
    pub(crate) mean: Vec<f64>,
    pub(crate) variance: Vec<f64>,
}

impl Means {
    pub(crate) fn of(source: &Source<'_>, n_columns: usize) -> Self {
        let totals = source.totals(n_columns).columns;
        let share = |x: f64, weight: f64| if weight > 0.0 { x / weight } else { 0.0 };
        let mean: Vec<_> = totals.iter().map(|t| share(t.sum, t.weight)).collect();
        let variance = totals.iter().zip(&mean).map(|(t, m)| {
            let variance = share(t.squares, t.weight) - m * m;
            // Framed values reach 1: less than this is rounding, i.e. a constant column.
            if variance > 1e-15 { variance } else { 0.0 }
        });
        Self {
            weight: totals.iter().map(|t| t.weight).collect(),
            variance: variance.collect(),
            mean,
        }
    }
}

fn column(
    scale: Scale,
    base: Base,
    j: usize,
    ranges: &Ranges,
    frame: &Frame,
    means: &Means,
) -> Column {
    let unit = frame.columns[j];
    let positive = |x: f64| if x > 0.0 { x } else { 1.0 };
    let (low, high) = ranges.columns[j].unwrap_or((0.0, 0.0));
    let (centre, scale) = match scale {
        Scale::None => (0.0, 1.0),
        Scale::MinMax => (low, positive(high - low)),
        Scale::Standard => {
            let deviation = means.variance[j].sqrt() * unit.scale;
            let mean = unit.shift + unit.scale * means.mean[j];
            match base {
                // A constant column, not centred, is brought to 1.
                Base::Zero if deviation == 0.0 => (0.0, positive(mean.abs())),
                Base::Zero => (0.0, deviation),
                _ => (mean, positive(deviation)),
            }
        }
    };
    Column {
        lower: unit.lower,
        upper: unit.upper,
        centre,
        scale,
    }
}

macro_rules! names {
    ($type:ident, $setting:literal, $expected:literal, $($variant:ident = $name:literal),+) => {
        impl fmt::Display for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(match self { $(Self::$variant => $name),+ })
            }
        }

        impl FromStr for $type {
            type Err = Error;

            fn from_str(name: &str) -> Result<Self> {
                match name {
                    $($name => Ok(Self::$variant),)+
                    _ => Err(Error::Setting {
                        name: $setting,
                        expected: $expected,
                        got: name.to_owned(),
                    }),
                }
            }
        }
    };
}

names!(
    Scale,
    "scale",
    "standard, minmax or none",
    None = "none",
    MinMax = "minmax",
    Standard = "standard"
);
names!(
    Intercept,
    "intercept",
    "free, penalised or none",
    Free = "free",
    Penalised = "penalised",
    None = "none"
);
