//! What the rounds of an adaptive learner have in common, and what is too wild to count.

use crate::loss::Loss;

/// Slopes beyond this size are cut.
pub(super) const STEEPEST: f64 = 1e100;

/// Values beyond this size, or nearer to zero than its inverse, are none that a column has.
pub(super) const FARTHEST: f64 = 1e40;

/// The largest slope may grow this many times in a round.
const STEEPER: f64 = 4.0;

/// The largest target may grow this many times in a round.
const LARGER: f64 = 2.0;

/// What the rounds so far have in common.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Pace {
    pub(super) rounds: u64,
    pub(super) clipped: u64,
    /// h: no slope was larger, but for wild ones.
    pub(super) steepest: f64,
    /// The size of predictions: of the largest target, or 1.
    pub(super) unit: f64,
    /// The mean over rounds of `Σ (x_i / M_i)²` over the active entries.
    pub(super) load: f64,
    /// A power of two between the mean load and four times that: by how many the purse is shared.
    pub(super) room: f64,
    /// Whether the last round was a wild one: a second in a row is believed.
    pub(super) was_wild: bool,
}

impl Pace {
    pub(super) fn new(loss: Loss) -> Self {
        let is_bounded = loss.is_classification();
        let has_unit = !is_bounded && loss != Loss::Linear;
        Self {
            rounds: 0,
            clipped: 0,
            steepest: if is_bounded { 1.0 } else { 0.0 },
            unit: if has_unit { 0.0 } else { 1.0 },
            load: 0.0,
            room: 0.0,
            was_wild: false,
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

    /// Notes the size of a target; says whether it was a wild one.
    pub(super) fn note_target(&mut self, size: f64) -> bool {
        let (unit, is_wild) = grown(self.unit, size, LARGER);
        self.unit = unit;
        is_wild
    }

    /// Whether a slope is so much larger than all before that nothing should be learnt from it.
    pub(super) fn is_wild(self, slope: f64) -> bool {
        self.steepest > 0.0 && 2.0 * slope.abs() > STEEPER * self.steepest
    }

    /// Whether a round with this slope is to be passed over: the first wild one.
    pub(super) fn passes_over(&mut self, slope: f64) -> bool {
        let is_wild = self.is_wild(slope);
        let was_wild = std::mem::replace(&mut self.was_wild, is_wild);
        is_wild && !was_wild
    }

    /// Notes the size of a slope, which is larger than all before; says whether it was a wild one.
    pub(super) fn note_slope(&mut self, size: f64) -> bool {
        // Twice, so that it happens seldom.
        let (steepest, is_wild) = grown(self.steepest, 2.0 * size, STEEPER);
        self.steepest = steepest.min(STEEPEST);
        is_wild
    }
}

/// The largest of its kind with one more, doubled where that one leaps further, and whether it does.
fn grown(largest: f64, size: f64, leap: f64) -> (f64, bool) {
    let reach = match largest > 0.0 {
        true => leap * largest,
        false => FARTHEST,
    };
    match size <= reach {
        // Next to nothing says nothing about a unit.
        true if size < 1.0 / FARTHEST => (largest, false),
        true => (largest.max(size), false),
        // Without any before it, nothing says what it should have been.
        false if largest == 0.0 => (0.0, true),
        false => (2.0 * largest, true),
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

    #[test]
    fn one_wild_number_leaves_the_largest_near_where_it_was() {
        assert_eq!(grown(3.0, 5.0, 4.0), (5.0, false));
        assert_eq!(grown(3.0, 1e150, 4.0), (6.0, true));
        assert_eq!(grown(0.0, 1e-300, 4.0), (0.0, false));
        assert_eq!(grown(0.0, 7.0, 4.0), (7.0, false));
        assert_eq!(grown(0.0, 1e150, 4.0), (0.0, true));
    }

    #[test]
    fn a_lasting_change_of_unit_is_followed() {
        let mut pace = Pace::new(Loss::Squared);
        pace.note_target(1e-3);
        let wild = (0..40).filter(|_| pace.note_target(1e6)).count();
        assert!(wild < 31, "{wild}");
        assert!((pace.unit - 1e6).abs() < 1e-6);
    }
}
