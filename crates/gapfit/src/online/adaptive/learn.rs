//! The adaptive learner: read the columns of a row, meet its slope.

use super::Adaptive;
use super::column::{Column, Reading, Round};
use super::pace::{FARTHEST, Pace};
use super::rule::Largest;
use crate::data::{MaskedRow, Observed};
use crate::error::Result;
use crate::linalg::LANES;
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
    /// 1/M, 0 where there was none.
    inverse: Vec<f64>,
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
            inverse: vec![0.0; d],
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
        self.inverse.push(0.0);
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
    fn load(&self, survey: &Survey, observed: Observed<'_>) -> f64 {
        let mut load = 0.0;
        self.for_each_active(observed, |j| {
            load += match &self.columns[j].rows {
                None => survey.load,
                Some(rows) => rows.iter().map(|&i| survey.loads[i as usize]).sum(),
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

    /// The prediction for a row that is cut already, and the load it adds.
    fn value(&self, x: &[f64], observed: Observed<'_>) -> (f64, f64) {
        let survey = Survey::of(x, &self.largest, &self.inverse);
        let load = self.load(&survey, observed);
        let mut total = Reading::default();
        let mut add = |reading: Reading| {
            total.gained += reading.gained;
            total.staked += reading.staked;
        };
        if survey.records.is_empty() {
            self.for_each_active(observed, |j| add(self.columns[j].read(x)));
        } else {
            let (rule, steepest) = (self.settings.rule, self.pace.steepest);
            let mut known = x.to_vec();
            survey.records.iter().for_each(|&i| known[i] = 0.0);
            self.for_each_active(observed, |j| {
                let column = &self.columns[j];
                add(column.read(&known));
                for &i in &survey.records {
                    let largest = Largest::of(x[i].abs());
                    add(column.read_one(i, x[i], |sum, squares| {
                        rule.bet(sum, squares, largest, steepest)
                    }));
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
        let is_record = |(x, largest): (&f64, &f64)| usize::from(x.abs() > *largest);
        if x.iter().zip(&self.largest).map(is_record).sum::<usize>() == 0 {
            return false;
        }
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

    /// Sets the largest values, for a saved state, and bets by them.
    pub(super) fn set_largest(&mut self, largest: Vec<f64>) {
        self.inverse = largest.iter().map(|&x| Largest::of(x).inverse).collect();
        self.largest = largest;
        self.rebet(None);
    }

    /// Lets the largest values include those of a row.
    fn widen(&mut self, x: &[f64]) {
        for (i, x) in x.iter().enumerate() {
            if x.abs() > self.largest[i] {
                let largest = Largest::of(x.abs());
                (self.largest[i], self.inverse[i]) = (largest.value, largest.inverse);
                self.rebet(Some(i));
            }
        }
    }

    /// Bets anew, on feature `i` or on all.
    fn rebet(&mut self, i: Option<usize>) {
        let (rule, steepest) = (self.settings.rule, self.pace.steepest);
        let (largest, inverse) = (&self.largest, &self.inverse);
        for column in &mut self.columns {
            column.rebet(i, |row, sum, squares| {
                let of = Largest {
                    value: largest[row],
                    inverse: inverse[row],
                };
                rule.bet(sum, squares, of, steepest)
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
            inverse: &self.inverse,
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

/// What a row is like, beside the largest values so far.
struct Survey {
    /// `(x_i / M_i)²` of each feature, its own value included in M.
    loads: Vec<f64>,
    /// Their sum.
    load: f64,
    /// Features whose value is the largest so far.
    records: Vec<usize>,
}

impl Survey {
    fn of(x: &[f64], largest: &[f64], inverse: &[f64]) -> Self {
        let share = |(x, inverse): (&f64, &f64)| x * inverse * (x * inverse);
        let mut loads: Vec<f64> = x.iter().zip(inverse).map(share).collect();
        // Counted, not searched: that needs no look at each.
        let is_record = |(x, largest): (&f64, &f64)| usize::from(x.abs() > *largest);
        let n_records: usize = x.iter().zip(largest).map(is_record).sum();
        let mut records = Vec::new();
        if n_records > 0 {
            records.extend((0..x.len()).filter(|&i| x[i].abs() > largest[i]));
            records.iter().for_each(|&i| loads[i] = 1.0);
        }
        Self {
            load: in_lanes(&loads),
            loads,
            records,
        }
    }
}

/// The sum of the numbers, several at a time.
fn in_lanes(numbers: &[f64]) -> f64 {
    let (chunks, tail) = numbers.as_chunks::<LANES>();
    let mut lanes = [0.0; LANES];
    for chunk in chunks {
        (0..LANES).for_each(|lane| lanes[lane] += chunk[lane]);
    }
    lanes.iter().chain(tail).sum()
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
        let (value, derivative) = loss.value_and_derivative(prediction, target);
        if weight > 0.0 {
            let slope = weight * derivative;
            self.meet(&x, row.observed(), slope, load);
            is_cut |= self.note(slope, target);
            self.pace.clipped += u64::from(is_cut);
        }
        self.x = x;
        Ok(Learnt {
            prediction,
            loss: value,
            clipped: is_cut,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::MaskedMatrix;
    use crate::online::AdaptiveRule;

    /// docs/math.md 13.9: no entry can lose more than its stake.
    #[test]
    fn an_adversary_wins_no_more_than_the_stakes_of_coin() {
        let cell = |i: usize| ((i * 7919 % 1009) as f64 / 504.5 - 1.0, !i.is_multiple_of(3));
        let cells = (0..4000).map(cell);
        let cells: Vec<f64> = cells
            .map(|(x, is_there)| if is_there { x } else { f64::NAN })
            .collect();
        let table = MaskedMatrix::from_nan(1000, 4, &cells).unwrap();
        for loss in [Loss::Hinge, Loss::Logistic] {
            let rule = AdaptiveRule::Coin;
            let settings = Adaptive {
                rule,
                loss,
                ..Adaptive::default()
            };
            let mut learner = settings.start(4).unwrap();
            let (mut regret, mut stake) = (0.0, 0.0f64);
            for row in table.rows() {
                // The class that hurts more.
                let class = if learner.predict(row).unwrap() > 0.0 {
                    -1.0
                } else {
                    1.0
                };
                regret += learner.learn(row, class, 1.0).unwrap().loss - loss.value(0.0, class);
                stake = stake.max(learner.stake(learner.pace.room));
            }
            let n_entries: usize = learner.columns.iter().map(|c| c.sum.len()).sum();
            let stakes = n_entries as f64 * stake;
            assert!(
                regret > 0.0 && regret <= stakes,
                "{loss}: {regret} {stakes}"
            );
        }
    }
}
