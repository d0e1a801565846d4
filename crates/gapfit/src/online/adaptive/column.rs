//! One column of an adaptive learner: the entries of its rows, and the hot loops over them.

use super::rule::{AdaptiveRule, Largest};
use crate::linalg::{LANES, Loop, Simd, vectorised};

/// No entry wins more than this: a bet on it stays finite.
pub(super) const RICHEST: f64 = 1e100;

/// The entries of one column, one per row of A on its support.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Column {
    /// The rows, ascending; `None` is all of them.
    pub(super) rows: Option<Vec<u32>>,
    /// θ of each entry.
    pub(super) sum: Vec<f64>,
    /// V of each entry.
    pub(super) squares: Vec<f64>,
    /// What each entry has won.
    pub(super) gain: Vec<f64>,
    /// The weight per unit owned; a function of the others, kept because predictions read it.
    pub(super) bet: Vec<f64>,
}

/// What a row finds in a column.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Reading {
    /// `Σ x_i bet_i gain_i`.
    pub(super) gained: f64,
    /// `Σ x_i bet_i`.
    pub(super) staked: f64,
}

/// What a round does to every entry it meets.
#[derive(Clone, Copy, Debug)]
pub(super) struct Round<'a> {
    pub(super) rule: AdaptiveRule,
    /// The row, the largest values of its features so far, and 1 over them.
    pub(super) x: &'a [f64],
    pub(super) largest: &'a [f64],
    pub(super) inverse: &'a [f64],
    pub(super) slope: f64,
    pub(super) stake: f64,
    pub(super) steepest: f64,
}

impl Round<'_> {
    #[inline(always)]
    fn largest_of(&self, i: usize) -> Largest {
        Largest {
            value: self.largest[i],
            inverse: self.inverse[i],
        }
    }
}

impl Column {
    /// A column with these rows, or with the first `n_rows`.
    pub(super) fn new(rows: Option<Vec<u32>>, n_rows: usize) -> Self {
        let n = rows.as_ref().map_or(n_rows, Vec::len);
        Self {
            rows,
            sum: vec![0.0; n],
            squares: vec![0.0; n],
            gain: vec![0.0; n],
            bet: vec![0.0; n],
        }
    }

    /// One more row at the end, all zero.
    pub(super) fn push_row(&mut self) {
        for part in [
            &mut self.sum,
            &mut self.squares,
            &mut self.gain,
            &mut self.bet,
        ] {
            part.push(0.0);
        }
    }

    /// Leaves every entry this part of what it has won, or owes.
    pub(super) fn keep(&mut self, part: f64) {
        self.gain.iter_mut().for_each(|gain| *gain *= part);
    }

    /// The place of the entry of row `i`.
    fn place(&self, i: usize) -> Option<usize> {
        match &self.rows {
            None => Some(i),
            Some(rows) => rows.binary_search(&(i as u32)).ok(),
        }
    }

    /// The row of the entry at `place`.
    pub(super) fn row(&self, place: usize) -> usize {
        match &self.rows {
            None => place,
            Some(rows) => rows[place] as usize,
        }
    }

    /// What a row finds here.
    pub(super) fn read(&self, x: &[f64]) -> Reading {
        let Some(rows) = &self.rows else {
            let mut reading = Reading::default();
            vectorised(Read {
                column: self,
                x,
                reading: &mut reading,
            });
            return reading;
        };
        let mut reading = Reading::default();
        for (at, &i) in rows.iter().enumerate() {
            let staked = x[i as usize] * self.bet[at];
            reading.gained += staked * self.gain[at];
            reading.staked += staked;
        }
        reading
    }

    /// What a row with the value `x` of feature `i` finds there, betting by `bet`, given θ and V.
    pub(super) fn read_one(&self, i: usize, x: f64, bet: impl Fn(f64, f64) -> f64) -> Reading {
        let Some(at) = self.place(i) else {
            return Reading::default();
        };
        let staked = x * bet(self.sum[at], self.squares[at]);
        Reading {
            gained: staked * self.gain[at],
            staked,
        }
    }

    /// Lets the entries meet a row.
    pub(super) fn meet(&mut self, round: Round<'_>) {
        if self.rows.is_none() {
            vectorised(Meet {
                column: self,
                round,
            });
            return;
        }
        for at in 0..self.sum.len() {
            let i = self.row(at);
            let entry = Entry {
                sum: &mut self.sum[at],
                squares: &mut self.squares[at],
                gain: &mut self.gain[at],
                bet: &mut self.bet[at],
            };
            entry.meet(round.x[i], round.largest_of(i), round);
        }
    }

    /// Bets anew, on row `i` or on all of them; `bet` is the rule, given row, θ and V.
    pub(super) fn rebet(&mut self, i: Option<usize>, bet: impl Fn(usize, f64, f64) -> f64) {
        let places = match i.map(|i| self.place(i)) {
            None => 0..self.sum.len(),
            Some(None) => 0..0,
            Some(Some(at)) => at..at + 1,
        };
        for at in places {
            self.bet[at] = bet(self.row(at), self.sum[at], self.squares[at]);
        }
    }
}

struct Read<'a> {
    column: &'a Column,
    x: &'a [f64],
    reading: &'a mut Reading,
}

impl<'a> Loop for Read<'a> {
    #[inline(always)]
    fn run<S: Simd>(self, _: S) {
        let n = self.x.len();
        let split = |values: &'a [f64]| values[..n].as_chunks::<LANES>();
        let (x, x_tail) = split(self.x);
        let (bet, bet_tail) = split(&self.column.bet);
        let (gain, gain_tail) = split(&self.column.gain);
        // Lanes in a fixed order: every machine computes the same bits.
        let (mut gained, mut staked) = ([0.0; LANES], [0.0; LANES]);
        for ((x, bet), gain) in x.iter().zip(bet).zip(gain) {
            for lane in 0..LANES {
                let stake = x[lane] * bet[lane];
                gained[lane] += stake * gain[lane];
                staked[lane] += stake;
            }
        }
        let mut last = Reading {
            gained: gained.iter().sum(),
            staked: staked.iter().sum(),
        };
        for ((x, bet), gain) in x_tail.iter().zip(bet_tail).zip(gain_tail) {
            let stake = x * bet;
            last.gained += stake * gain;
            last.staked += stake;
        }
        *self.reading = last;
    }
}

struct Meet<'a, 'b> {
    column: &'a mut Column,
    round: Round<'b>,
}

impl Loop for Meet<'_, '_> {
    /// The rule is known when each of the loops is compiled.
    #[inline(always)]
    fn run<S: Simd>(self, _: S) {
        let n = self.round.x.len();
        let each = |rule| Round { rule, ..self.round };
        match self.round.rule {
            AdaptiveRule::AdaGrad => meet(self.column, n, each(AdaptiveRule::AdaGrad)),
            AdaptiveRule::Coin => meet(self.column, n, each(AdaptiveRule::Coin)),
        }
    }
}

#[inline(always)]
fn meet(column: &mut Column, n: usize, round: Round<'_>) {
    let (sum, squares) = (&mut column.sum[..n], &mut column.squares[..n]);
    let (gain, bet) = (&mut column.gain[..n], &mut column.bet[..n]);
    let round = Round {
        x: &round.x[..n],
        largest: &round.largest[..n],
        inverse: &round.inverse[..n],
        ..round
    };
    for i in 0..n {
        let entry = Entry {
            sum: &mut sum[i],
            squares: &mut squares[i],
            gain: &mut gain[i],
            bet: &mut bet[i],
        };
        entry.meet(round.x[i], round.largest_of(i), round);
    }
}

/// One entry of a column.
struct Entry<'a> {
    sum: &'a mut f64,
    squares: &'a mut f64,
    gain: &'a mut f64,
    bet: &'a mut f64,
}

impl Entry<'_> {
    #[inline(always)]
    fn meet(self, x: f64, largest: Largest, round: Round<'_>) {
        let met = round.slope * x;
        if round.rule.keeps_gains() {
            *self.gain = (*self.gain - met * (*self.bet * (*self.gain + round.stake))).min(RICHEST);
        }
        *self.sum += met;
        *self.squares += met * met;
        *self.bet = round
            .rule
            .bet(*self.sum, *self.squares, largest, round.steepest);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn round<'a>(x: &'a [f64], largest: &'a [f64], slope: f64) -> Round<'a> {
        Round {
            rule: AdaptiveRule::Coin,
            x,
            largest,
            inverse: largest,
            slope,
            stake: 2.0,
            steepest: 1.0,
        }
    }

    #[test]
    fn a_column_on_a_support_is_the_full_one_without_the_other_rows() {
        let x: Vec<f64> = (0..21).map(|i| f64::from(i).sin()).collect();
        let largest = vec![1.0; 21];
        let rows: Vec<u32> = vec![0, 3, 4, 20];
        for rule in [AdaptiveRule::Coin, AdaptiveRule::AdaGrad] {
            let mut full = Column::new(None, 21);
            let mut listed = Column::new(Some(rows.clone()), 21);
            for slope in [-0.5, 0.25, -1.0] {
                let round = Round {
                    rule,
                    ..round(&x, &largest, slope)
                };
                full.meet(round);
                listed.meet(round);
            }
            let mut staked = 0.0;
            for (at, &i) in rows.iter().enumerate() {
                let i = i as usize;
                assert_eq!(listed.bet[at].to_bits(), full.bet[i].to_bits());
                assert_eq!(listed.gain[at].to_bits(), full.gain[i].to_bits());
                staked += x[i] * full.bet[i];
            }
            assert!((listed.read(&x).staked - staked).abs() < 1e-15);
            let one = full.read_one(3, x[3], |sum, squares| {
                let largest = Largest {
                    value: 1.0,
                    inverse: 1.0,
                };
                rule.bet(sum, squares, largest, 1.0)
            });
            assert!((one.staked - x[3] * full.bet[3]).abs() < 1e-18);
        }
    }

    #[test]
    fn a_bet_never_loses_more_than_half_of_what_is_owned() {
        let mut column = Column::new(None, 1);
        for i in 0..10_000 {
            // The worst slopes: they follow the weight.
            let owned = column.gain[0] + 2.0;
            let slope = if column.bet[0] * owned > 0.0 || i == 0 {
                1.0
            } else {
                -1.0
            };
            column.meet(round(&[1.0], &[1.0], slope));
            assert!(column.gain[0] + 2.0 >= 0.5 * owned - 1e-300, "{i}");
        }
        assert!(column.gain[0] < 0.0, "the adversary did its work");
    }
}
