//! How far predictions are off, by the number of missing features.

use super::Model;
use crate::data::{MaskedMatrix, MaskedRow};
use crate::error::{Error, Result};
use crate::eval::Scores;
use crate::linalg::Matrix;

/// Half-widths of intervals, from the errors on rows that a model had not seen
/// (docs/math.md 14.1).
///
/// Made by [`conformal::calibrate`](crate::conformal::calibrate), kept in the model's file.
#[derive(Clone, Debug, PartialEq)]
pub struct Calibration {
    pub(crate) folds: usize,
    pub(crate) scores: Scores,
    pub(crate) groups: Vec<CalibrationGroup>,
    /// Shares of rows to be covered, ascending.
    pub(crate) levels: Vec<f64>,
    /// Column g: the half-widths of group g, one per level, not descending.
    pub(crate) half_widths: Matrix,
}

/// Rows with about equally many missing features, calibrated together.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CalibrationGroup {
    /// The least number of missing features; the group ends where the next one begins, the last
    /// one nowhere.
    pub missing: usize,
    /// Held-out rows in it: their effective number, where they have weights.
    pub rows: f64,
}

/// A prediction with the range in which the target is expected.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// The prediction.
    pub prediction: f64,
    /// The lower end.
    pub lower: f64,
    /// The upper end.
    pub upper: f64,
}

/// Levels this close are the same: 99.9 % may be 0.999 or 99.9 / 100.
const SAME: f64 = 1e-9;

impl Calibration {
    /// The number of folds behind it.
    pub fn folds(&self) -> usize {
        self.folds
    }

    /// Scores on the held-out rows.
    pub fn scores(&self) -> Scores {
        self.scores
    }

    /// The groups, ascending in the number of missing features.
    pub fn groups(&self) -> &[CalibrationGroup] {
        &self.groups
    }

    /// The levels that are served, ascending; others are rounded up to the next of them.
    pub fn levels(&self) -> &[f64] {
        &self.levels
    }

    /// Half the width of the interval at `level`, a share such as 0.9, for a row with this many
    /// missing features.
    ///
    /// # Errors
    /// [`Error::Setting`] for a level below 0.5, or above the largest for which the held-out rows
    /// were enough.
    pub fn half_width(&self, missing: usize, level: f64) -> Result<f64> {
        Ok(self.half_width_at(missing, self.place(level)?))
    }

    /// The place of the level that serves `level`.
    fn place(&self, level: f64) -> Result<usize> {
        let place = self.levels.partition_point(|&l| l < level - SAME);
        if level >= 0.5 - SAME && place < self.levels.len() {
            return Ok(place);
        }
        let largest = self.levels.last().expect("one level at least");
        let rows: f64 = self.groups.iter().map(|group| group.rows).sum();
        Err(Error::Setting {
            name: "level",
            expected: "a share from 0.5 to what the held-out rows are enough for",
            got: format!("{level} (at most {largest} from {} rows)", rows.round()),
        })
    }

    fn half_width_at(&self, missing: usize, place: usize) -> f64 {
        let after = self.groups.partition_point(|g| g.missing <= missing);
        self.half_widths.col(after.saturating_sub(1))[place]
    }
}

impl Model {
    /// The same model with this calibration.
    pub fn with_calibration(mut self, calibration: Calibration) -> Self {
        self.calibration = Some(calibration);
        self
    }

    /// Its calibration, if it has one.
    pub fn calibration(&self) -> Option<&Calibration> {
        self.calibration.as_ref()
    }

    /// Predictions with intervals that are meant to hold the target in a share `level` of rows,
    /// among those with equally many missing features, too.
    ///
    /// ```
    /// use gapfit::data::{Dataset, MaskedMatrix};
    /// use gapfit::tune::Search;
    /// use gapfit::{Learner, Parameters, conformal};
    ///
    /// let cells: Vec<f64> = (0..30).map(f64::from).collect();
    /// let target = cells.iter().map(|x| x + f64::from(*x as u8 % 3)).collect();
    /// let data = Dataset::new(MaskedMatrix::from_nan(30, 1, &cells)?, target)?;
    /// let (learner, parameters) = (Learner::default(), Parameters { alpha: 0.1, gamma: 1.0 });
    /// let calibration = conformal::calibrate(&learner, parameters, &data, &Search::default())?;
    /// let model = learner.fit(&data, parameters)?.model.with_calibration(calibration);
    /// let intervals = model.predict_intervals(data.features(), 0.9)?;
    /// assert!(intervals.iter().all(|i| i.lower < i.prediction && i.prediction < i.upper));
    /// # Ok::<(), gapfit::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Setting`] without a calibration and as [`Calibration::half_width`], [`Error::Shape`]
    /// as [`Model::predict`].
    pub fn predict_intervals(&self, table: &MaskedMatrix, level: f64) -> Result<Vec<Interval>> {
        let Some(calibration) = &self.calibration else {
            return Err(Error::Setting {
                name: "intervals",
                expected: "a model with a calibration",
                got: "one without".to_owned(),
            });
        };
        let place = calibration.place(level)?;
        // of a column that is several features, the first stands for all
        let leads = |j: &usize| self.group(*j).start == *j;
        let live: Vec<usize> = self.prepared.live.iter().copied().filter(leads).collect();
        let around = |(prediction, row): (f64, MaskedRow<'_>)| {
            let missing = live.iter().filter(|&&j| !row.observed().contains(j));
            let half = calibration.half_width_at(missing.count(), place);
            Interval {
                prediction,
                lower: (prediction - half).max(f64::MIN),
                upper: (prediction + half).min(f64::MAX),
            }
        };
        let predictions = self.predict(table)?.into_iter();
        Ok(predictions.zip(table.rows()).map(around).collect())
    }
}
