//! What the rounds of an adaptive learner have in common, and what is too wild to count.

use crate::loss::Loss;

/// Slopes beyond this size are cut.
pub(super) const STEEPEST: f64 = 1e100;

/// Values beyond this size, or nearer to zero than its inverse, are none that a column has.
pub(super) const FARTHEST: f64 = 1e40;

/// A slope is wild when twice its size is this many times the largest so far.
const STEEPER: f64 = 4.0;

/// A target is wild when it is this many times the largest so far.
const LARGER: f64 = 2.0;

/// Rounds after which what is usual is known.
const ENOUGH: u64 = 16;

/// Wild rounds in a row that make a new usual.
const LASTING: u64 = 3;

/// What the rounds so far have in common.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Pace {
    pub(super) rounds: u64,
    pub(super) clipped: u64,
    /// h: no slope was larger, but for wild ones.
    pub(super) steepest: f64,
    /// The size of predictions: of the largest target, or 1.
    pub(super) unit: f64,
    /// Wild rounds in a row.
    pub(super) wild: u64,
    /// The mean over rounds of `Σ (x_i / M_i)²` over the active entries.
    pub(super) load: f64,
    /// A power of two between the mean load and four times that: by how many the purse is shared.
    pub(super) room: f64,
}

impl Pace {
    pub(super) fn new(loss: Loss) -> Self {
        let is_bounded = loss.is_classification();
        Self {
            rounds: 0,
            clipped: 0,
            steepest: if is_bounded { 1.0 } else { 0.0 },
            unit: if loss.has_unit() { 0.0 } else { 1.0 },
            wild: 0,
            load: 0.0,
            room: 0.0,
        }
    }

    /// The mean load with a row's included.
    fn mean_with(self, load: f64) -> f64 {
        self.load + (load - self.load) / (self.rounds + 1) as f64
    }

    /// The room with a row's load included: it changes seldom, once it is about right.
    pub(super) fn room_with(self, load: f64) -> f64 {
        let mean = self.mean_with(load);
        if mean <= self.room && mean >= self.room / 4.0 || mean <= 0.0 {
            return self.room;
        }
        let mut room = f64::EPSILON;
        while room < mean {
            room *= 2.0;
        }
        room
    }

    /// What of a gain is kept when the room becomes this: stakes shrink with it, and what an entry owes
    /// must not be more than its stake. When stakes grow, gains stay.
    pub(super) fn kept(self, room: f64) -> f64 {
        if self.room > 0.0 {
            (self.room / room).min(1.0)
        } else {
            1.0
        }
    }

    /// Counts a round with this load.
    pub(super) fn count(&mut self, load: f64) {
        self.room = self.room_with(load);
        self.load = self.mean_with(load);
        self.rounds += 1;
    }

    /// The slope that entries meet: at most h, and nothing at all where it is wild.
    pub(super) fn tamed(self, slope: f64) -> f64 {
        match 2.0 * slope.abs() > STEEPER * self.steepest {
            true => 0.0,
            false => slope.clamp(-self.steepest, self.steepest),
        }
    }

    /// Notes the sizes of a slope, and of a target where it has a unit; says whether one was wild.
    pub(super) fn note(&mut self, slope: f64, target: f64) -> bool {
        // Twice, so that it happens seldom.
        let steepest = Record::with(self.steepest, 2.0 * slope, STEEPER);
        let steepest = match slope > self.steepest {
            true => steepest,
            false => Record::same(self.steepest),
        };
        let unit = Record::with(self.unit, target, LARGER);
        let is_wild = steepest.is_wild || unit.is_wild;
        self.wild = if is_wild { self.wild + 1 } else { 0 };
        if !is_wild || self.rounds < ENOUGH || self.wild >= LASTING {
            self.steepest = steepest.size.min(STEEPEST);
            self.unit = unit.size;
        }
        is_wild
    }
}

/// The largest number of its kind, with one more.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Record {
    size: f64,
    /// Whether the last one was so far beyond that it was cut.
    is_wild: bool,
}

impl Record {
    fn same(size: f64) -> Self {
        Self {
            size,
            is_wild: false,
        }
    }

    fn with(largest: f64, size: f64, leap: f64) -> Self {
        if largest > 0.0 {
            let reach = leap * largest;
            return Self {
                size: size.clamp(largest, reach),
                is_wild: size > reach,
            };
        }
        // Nothing says yet what it should have been.
        let is_some = (1.0 / FARTHEST..=FARTHEST).contains(&size);
        Self {
            size: if is_some { size } else { 0.0 },
            is_wild: size > FARTHEST,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn room_is_a_power_of_two_near_the_mean_load_and_settles() {
        let mut pace = Pace::new(Loss::Hinge);
        let mut changes = 0;
        for i in 0..10_000 {
            let load = [0.0, 3.0, 900.0, 0.5, 60.0][i % 5];
            let room = pace.room_with(load);
            changes += u32::from((room - pace.room).abs() > 0.0);
            pace.count(load);
            assert!((pace.room - room).abs() < 1e-300);
            assert!(pace.room >= pace.load && pace.room <= 4.0 * pace.load);
            assert!(room <= 0.0 || room.log2().fract().abs() < 1e-300);
        }
        assert!(changes < 6, "{changes}");
    }

    fn settled() -> Pace {
        let mut pace = Pace::new(Loss::Squared);
        pace.note(1.0, 1.0);
        pace.rounds = 100;
        pace
    }

    #[test]
    fn one_wild_round_changes_nothing() {
        let mut pace = settled();
        assert!(!pace.note(3.0, 1.5), "larger, not wild");
        let before = pace;
        assert!(pace.note(1e150, 1e150));
        assert_eq!(Pace { wild: 0, ..pace }, before);
        assert!(pace.tamed(1e150).abs() < 1e-300);
        pace.note(0.1, 0.1);
        assert_eq!(pace, before);
    }

    #[test]
    fn what_comes_first_must_be_a_size() {
        for (size, wild) in [(1e150, true), (1e-308, false)] {
            let mut pace = Pace::new(Loss::Squared);
            assert_eq!(pace.note(size, size), wild);
            pace.note(1.0, 1.0);
            assert!((pace.unit - 1.0).abs() < 1e-300 && (pace.steepest - 2.0).abs() < 1e-300);
        }
    }

    #[test]
    fn a_lasting_change_of_unit_is_followed() {
        let mut pace = settled();
        let wild = (0..100).filter(|_| pace.note(1e6, 1e6)).count();
        assert!(wild < 25, "{wild}");
        assert!((pace.unit - 1e6).abs() < 1e-6);
    }
}
