//! Contestants that take turns, so that a slow moment of the machine hits all of them.

use crate::peer::{Peers, Timed};
use crate::sample::median;
use anyhow::{Context, Result};

/// How often everything is done.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rounds {
    count: u32,
    /// Whether there is a round before them that does not count.
    warm_up: bool,
}

/// One of them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Round {
    number: u32,
    /// Whether its times count.
    pub(super) counts: bool,
}

impl Round {
    /// The order in which so many contestants work, in every other round from last to first.
    pub(super) fn order(self, n: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..n).collect();
        if self.number % 2 == 1 {
            order.reverse();
        }
        order
    }
}

type Work<'a> = Box<dyn FnMut(&mut Peers) -> Result<Timed> + 'a>;

/// What is timed.
pub(super) struct Entry<'a> {
    pub(super) name: String,
    work: Work<'a>,
}

/// How long it took.
#[derive(Clone, Debug)]
pub(super) struct Taken {
    pub(super) name: String,
    /// One per round.
    rounds: Vec<Timed>,
}

impl Rounds {
    pub(super) fn new(count: u32, is_quick: bool) -> Self {
        Self {
            count: if is_quick { 1 } else { count },
            warm_up: !is_quick,
        }
    }

    pub(super) fn count(self) -> u32 {
        self.count
    }

    pub(super) fn each(self) -> impl Iterator<Item = Round> {
        let first = u32::from(!self.warm_up);
        (first..=self.count).map(|number| Round {
            number,
            counts: number > 0,
        })
    }

    /// Lets all do their work.
    pub(super) fn take(self, peers: &mut Peers, mut entries: Vec<Entry<'_>>) -> Result<Vec<Taken>> {
        let nothing = |entry: &Entry<'_>| Taken::new(&entry.name, Vec::new());
        let mut all: Vec<Taken> = entries.iter().map(nothing).collect();
        for round in self.each() {
            for k in round.order(entries.len()) {
                let entry = &mut entries[k];
                let timed = (entry.work)(peers).with_context(|| entry.name.clone())?;
                if round.counts {
                    all[k].rounds.push(timed);
                }
            }
        }
        Ok(all)
    }
}

impl<'a> Entry<'a> {
    /// Work of ours.
    pub(super) fn ours(name: &str, mut work: impl FnMut() -> Result<Timed> + 'a) -> Self {
        Self {
            name: name.to_owned(),
            work: Box::new(move |_| work()),
        }
    }

    /// A contestant of `contest.py`.
    pub(super) fn peer(name: &str, method: &str, table: &str) -> Self {
        let task = format!("contest {method} {table}");
        Self {
            name: name.to_owned(),
            work: Box::new(move |peers| peers.run(&task)),
        }
    }
}

impl Taken {
    pub(super) fn new(name: &str, rounds: Vec<Timed>) -> Self {
        Self {
            name: name.to_owned(),
            rounds,
        }
    }

    /// The median of what `of` finds in each round.
    fn median_of(&self, of: impl Fn(&Timed) -> f64) -> f64 {
        let mut ascending: Vec<f64> = self.rounds.iter().map(of).collect();
        ascending.sort_by(f64::total_cmp);
        median(&ascending)
    }

    /// Median seconds.
    pub(super) fn seconds(&self) -> f64 {
        self.median_of(|timed| timed.seconds)
    }

    /// The seconds of the fastest round: what the machine can do.
    pub(super) fn fastest(&self) -> f64 {
        let seconds = self.rounds.iter().map(|timed| timed.seconds);
        seconds.fold(f64::INFINITY, f64::min)
    }

    /// Median seconds of predicting.
    pub(super) fn predict_seconds(&self) -> Option<f64> {
        self.last().predict_seconds?;
        Some(self.median_of(|timed| timed.predict_seconds.unwrap_or(f64::NAN)))
    }

    /// The most memory that the system gave, in megabytes: the median of the rounds.
    pub(super) fn megabytes(&self) -> f64 {
        self.median_of(|timed| timed.peak_bytes.unwrap_or(f64::NAN)) / 1e6
    }

    /// What came out in the last round, which is what came out in all.
    pub(super) fn last(&self) -> Timed {
        self.rounds.last().copied().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_change_direction_and_the_first_does_not_count() {
        let rounds: Vec<Round> = Rounds::new(5, false).each().collect();
        let counting = rounds.iter().filter(|round| round.counts).count();
        assert_eq!((rounds.len(), counting), (6, 5));
        assert_eq!(rounds[2].order(3), [0, 1, 2]);
        assert_eq!(rounds[3].order(3), [2, 1, 0]);
        assert!(Rounds::new(5, true).each().all(|round| round.counts));
    }
}
