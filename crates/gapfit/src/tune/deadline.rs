//! When a search has to come to an end.

use std::time::{Duration, Instant};

/// The end of a budget of time, if there is one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Deadline(Option<Instant>);

impl Deadline {
    /// The moment at which a budget that starts now is used up.
    pub(super) fn after(budget: Option<Duration>) -> Self {
        // A budget beyond the end of the clock is none.
        Self(budget.and_then(|budget| Instant::now().checked_add(budget)))
    }

    /// The end of the first of `n` equal parts of the time that is left.
    pub(super) fn share(&self, n: usize) -> Self {
        let now = Instant::now();
        let of_left = |end: Instant| now + end.saturating_duration_since(now) / n.max(1) as u32;
        Self(self.0.map(of_left))
    }

    pub(super) fn has_passed(&self) -> bool {
        self.0.is_some_and(|end| Instant::now() >= end)
    }
}
