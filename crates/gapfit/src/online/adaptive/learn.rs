//! The adaptive learner: read the columns of a row, meet its slope.

use super::Adaptive;
use super::column::{Column, Reading, Round};
use super::pace::{FARTHEST, Pace};
use crate::data::{MaskedRow, Observed};
use crate::error::Result;
use crate::loss::Loss;
use crate::online::mask_map::MaskMap;
use crate::online::psi::MaskFeatures;
use crate::online::weights::Weights;
use crate::online::{LARGEST, Learn, Learnt, check_names, check_row, check_target, same_name};

/// A value is wild when it is this many times the largest one of its feature so far.
const LEAP: f64 = 10.0;

/// A wild value is cut at this many times the largest one so far.
const TWICE: f64 = 2.0;

/// A learner of mask-dependent weights from a stream of rows, without a learning rate.
///
/// Scale-free: multiply a column by a number and predictions stay as they are, up to rounding. A row
/// costs O(observed x missing), O(d) when it is complete.
#[derive(Clone, Debug, PartialEq)]
pub struct AdaptiveLearner {
    pub(super) settings: Adaptive,
    pub(super) names: Vec<String>,
    /// Column 0, then one per feature for the affine ψ.
    pub(super) columns: Vec<Column>,
    pub(super) pace: Pace,
    /// M: the largest value of each feature so far.
    pub(super) largest: Vec<f64>,
    /// Scratch: the row, cut.
    x: Vec<f64>,
}

impl AdaptiveLearner {
    /// A learner over features of these names, with all weights zero.
    ///
    /// # Errors
    /// As [`Adaptive::start`]; [`Error::Setting`](crate::Error::Setting) when two features have the same
    /// name.
    pub fn new(settings: Adaptive, names: Vec<String>) -> Result<Self> {
        let d = names.len();
        settings.validate(d)?;
        check_names(&names)?;
        // Refuses too many weights.
        MaskMap::new(settings.psi, d)?;
        let mut columns = vec![Column::new(None, d)];
        if settings.psi == MaskFeatures::Affine {
            let rows = |k| settings.support.neighbours(k).map(<[u32]>::to_vec);
            columns.extend((0..d).map(|k| Column::new(rows(k), d)));
        }
        Ok(Self {
            pace: Pace::new(settings.loss),
            largest: vec![0.0; d],
            x: Vec::new(),
            settings,
            names,
            columns,
        })
    }

    /// What it learns, and how.
    pub fn settings(&self) -> &Adaptive {
        &self.settings
    }

    /// The names of the features, in the order in which rows must come.
    pub fn feature_names(&self) -> &[String] {
        &self.names
    }

    /// The number of rows learnt from, those of weight 0 not counted.
    pub fn rows(&self) -> u64 {
        self.pace.rounds
    }

    /// The number of rows of which a value, the target or the slope was wild and had to be cut.
    pub fn clipped(&self) -> u64 {
        self.pace.clipped
    }

    /// Lets the loss have another ε, in other units of the target.
    pub(crate) fn set_loss(&mut self, loss: Loss) {
        self.settings.loss = loss;
    }

    /// The matrix A as it would be for the next row, if it is an ordinary one.
    pub fn weights(&self) -> Weights {
        let mut weights = Weights::zeros(self.names.len(), self.columns.len());
        let stake = self.stake(self.pace.room);
        for (j, column) in self.columns.iter().enumerate() {
            for at in 0..column.bet.len() {
                weights[(column.row(at), j)] = column.bet[at] * (column.gain[at] + stake);
            }
        }
        weights
    }

    /// Appends a feature that had been missing from all rows so far, with zero weights. On a support
    /// other than the full one it has no neighbours.
    ///
    /// # Errors
    /// [`Error::Setting`](crate::Error::Setting) when the name is taken, or there would be more than 2²⁷
    /// weights; then nothing has changed.
    pub fn add_column(&mut self, name: &str) -> Result<()> {
        if self.names.iter().any(|n| n == name) {
            return Err(same_name(name));
        }
        let d = self.names.len();
        MaskMap::new(self.settings.psi, d + 1)?;
        let full = self.columns.iter_mut().filter(|c| c.rows.is_none());
        full.for_each(Column::push_row);
        self.settings.support.add_feature();
        if self.settings.psi == MaskFeatures::Affine {
            let rows = self.settings.support.neighbours(d).map(<[u32]>::to_vec);
            self.columns.push(Column::new(rows, d + 1));
        }
        self.largest.push(0.0);
        self.names.push(name.to_owned());
        Ok(())
    }

    /// Calls `f` with the number of each active column.
    fn for_each_active(&self, observed: Observed<'_>, mut f: impl FnMut(usize)) {
        f(0);
        if self.columns.len() > 1 {
            observed.missing().for_each(|k| f(1 + k));
        }
    }

    /// `Σ (x_i / M_i)²` over the active entries.
    fn load(&self, x: &[f64], observed: Observed<'_>) -> f64 {
        let share = |i: usize| {
            let largest = self.largest[i].max(x[i].abs());
            if largest > 0.0 {
                (x[i] / largest).powi(2)
            } else {
                0.0
            }
        };
        let all: f64 = (0..x.len()).map(share).sum();
        let mut load = 0.0;
        self.for_each_active(observed, |j| {
            load += match &self.columns[j].rows {
                None => all,
                Some(rows) => rows.iter().map(|&i| share(i as usize)).sum(),
            };
        });
        load
    }

    /// What each entry owns at the start, where this many share.
    fn stake(&self, room: f64) -> f64 {
        if room <= 0.0 {
            return 0.0;
        }
        let Pace { steepest, unit, .. } = self.pace;
        self.settings.rule.stake(room, steepest, unit)
    }

    fn bet(&self, sum: f64, squares: f64, largest: f64) -> f64 {
        self.settings
            .rule
            .bet(sum, squares, largest, self.pace.steepest)
    }

    /// The prediction for a row that is cut already, and the load it adds.
    fn value(&self, x: &[f64], observed: Observed<'_>) -> (f64, f64) {
        let load = self.load(x, observed);
        let records: Vec<usize> = (0..x.len())
            .filter(|&i| x[i].abs() > self.largest[i])
            .collect();
        let mut total = Reading::default();
        let mut add = |reading: Reading| {
            total.gained += reading.gained;
            total.staked += reading.staked;
        };
        if records.is_empty() {
            self.for_each_active(observed, |j| add(self.columns[j].read(x)));
        } else {
            let mut known = x.to_vec();
            records.iter().for_each(|&i| known[i] = 0.0);
            self.for_each_active(observed, |j| {
                let column = &self.columns[j];
                add(column.read(&known));
                for &i in &records {
                    let bet = |sum, squares| self.bet(sum, squares, x[i].abs());
                    add(column.read_one(i, x[i], bet));
                }
            });
        }
        let room = self.pace.room_with(load);
        let value = self.pace.kept(room) * total.gained + self.stake(room) * total.staked;
        // Where no target was, there is nothing to gain; nor would slopes be bounded (docs/math.md 13.9).
        let most = match self.settings.loss.has_unit() {
            true => self.pace.unit,
            false => LARGEST,
        };
        (value.clamp(-most, most), load)
    }

    /// Writes the row with wild values cut; says whether there were any.
    fn cut(&self, values: &[f64], x: &mut Vec<f64>) -> bool {
        x.clear();
        x.extend_from_slice(values);
        let mut is_cut = false;
        for (x, &largest) in x.iter_mut().zip(&self.largest) {
            if x.abs() <= largest {
                continue;
            }
            let usual = if largest > 0.0 {
                LEAP * largest
            } else {
                FARTHEST
            };
            if x.abs() > usual.min(FARTHEST) {
                // Of a column without values nothing says what a wild one should have been.
                let reach = (TWICE * largest).min(FARTHEST);
                *x = x.clamp(-reach, reach);
                is_cut = true;
            }
            if x.abs() < 1.0 / FARTHEST {
                *x = 0.0;
            }
        }
        is_cut
    }

    /// Lets the largest values include those of a row.
    fn widen(&mut self, x: &[f64]) {
        for (i, x) in x.iter().enumerate() {
            if x.abs() > self.largest[i] {
                self.largest[i] = x.abs();
                self.rebet(Some(i));
            }
        }
    }

    /// Bets anew, on feature `i` or on all.
    pub(super) fn rebet(&mut self, i: Option<usize>) {
        let (rule, steepest) = (self.settings.rule, self.pace.steepest);
        let largest = &self.largest;
        for column in &mut self.columns {
            column.rebet(i, |row, sum, squares| {
                rule.bet(sum, squares, largest[row], steepest)
            });
        }
    }

    /// Lets every active entry meet the slope.
    fn meet(&mut self, x: &[f64], observed: Observed<'_>, slope: f64, load: f64) {
        self.widen(x);
        let room = self.pace.room_with(load);
        let kept = self.pace.kept(room);
        if kept < 1.0 {
            self.columns.iter_mut().for_each(|c| c.keep(kept));
        }
        self.pace.count(load);
        let slope = self.pace.tamed(slope);
        let stake = self.stake(room);
        let round = Round {
            rule: self.settings.rule,
            x,
            largest: &self.largest,
            slope,
            stake,
            steepest: self.pace.steepest,
        };
        self.columns[0].meet(round);
        if self.columns.len() > 1 {
            for k in observed.missing() {
                self.columns[1 + k].meet(round);
            }
        }
    }

    /// Notes a steeper slope and a larger target; says whether one of them was wild.
    fn note(&mut self, slope: f64, target: f64) -> bool {
        let before = self.pace.steepest;
        let target = match self.settings.loss.has_unit() {
            true => target.abs(),
            false => self.pace.unit,
        };
        let is_wild = self.pace.note(slope.abs(), target);
        if self.pace.steepest > before {
            self.rebet(None);
        }
        is_wild
    }
}

impl Learn for AdaptiveLearner {
    fn n_features(&self) -> usize {
        self.names.len()
    }

    fn loss(&self) -> Loss {
        self.settings.loss
    }

    fn predict(&self, row: MaskedRow<'_>) -> Result<f64> {
        check_row(row, self.names.len())?;
        let mut x = Vec::new();
        self.cut(row.values(), &mut x);
        Ok(self.value(&x, row.observed()).0)
    }

    fn learn(&mut self, row: MaskedRow<'_>, target: f64, weight: f64) -> Result<Learnt> {
        check_row(row, self.names.len())?;
        check_target(self.settings.loss, target, weight, self.pace.rounds)?;
        let mut x = std::mem::take(&mut self.x);
        let mut is_cut = self.cut(row.values(), &mut x);
        let (prediction, load) = self.value(&x, row.observed());
        let loss = self.settings.loss;
        if weight > 0.0 {
            let slope = weight * loss.derivative(prediction, target);
            self.meet(&x, row.observed(), slope, load);
            is_cut |= self.note(slope, target);
            self.pace.clipped += u64::from(is_cut);
        }
        self.x = x;
        Ok(Learnt {
            prediction,
            loss: loss.value(prediction, target),
            clipped: is_cut,
        })
    }
}
