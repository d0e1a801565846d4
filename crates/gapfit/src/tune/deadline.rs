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

    pub(super) fn has_passed(&self) -> bool {
        self.0.is_some_and(|end| Instant::now() >= end)
    }
}
