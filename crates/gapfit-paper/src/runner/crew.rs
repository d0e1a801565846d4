//! Works through a list on a few threads, in order.

use crate::Result;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Does `work` on every item, on as many threads as the pool has, until one fails.
///
/// Not a parallel iterator: a thread of the pool that waits for part of an item begins another one meanwhile,
/// so that many would be under way, and lost, when a run is killed. Here at most one per thread is.
pub(super) fn each<T: Sync>(items: &[T], work: impl Fn(&T) -> Result<()> + Sync) -> Result<()> {
    let next = AtomicUsize::new(0);
    let go = || -> Result<()> {
        while let Some(item) = items.get(next.fetch_add(1, Ordering::Relaxed)) {
            work(item).inspect_err(|_| next.store(items.len(), Ordering::Relaxed))?;
        }
        Ok(())
    };
    std::thread::scope(|scope| {
        let crew: Vec<_> = (0..rayon::current_num_threads())
            .map(|_| scope.spawn(go))
            .collect();
        crew.into_iter()
            .try_for_each(|one| one.join().unwrap_or_else(|panic| resume_unwind(panic)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Error;

    #[test]
    fn every_item_is_done_once_and_none_after_a_failure() {
        let done: Vec<AtomicUsize> = (0..100).map(AtomicUsize::new).collect();
        let count = |at: &AtomicUsize| {
            at.fetch_add(1000, Ordering::Relaxed);
            Ok(())
        };
        each(&done, count).unwrap();
        let values = done.iter().map(|at| at.load(Ordering::Relaxed));
        assert!(values.eq((0..100).map(|i| i + 1000)));

        let begun = AtomicUsize::new(0);
        let fail = |_: &AtomicUsize| {
            begun.fetch_add(1, Ordering::Relaxed);
            Err(Error::Stopped)
        };
        assert!(matches!(each(&done, fail), Err(Error::Stopped)));
        assert!(begun.load(Ordering::Relaxed) <= 2 * rayon::current_num_threads());
    }
}
