//! Work that takes a while: on what comes one after the other, on several threads, with results in order.

use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::sync::mpsc::{Receiver, TryRecvError, channel};

/// Called with what is done and what is planned so far, such as solves of a search; may stop the work.
pub type Progress<'a> = dyn Fn(usize, usize) -> ControlFlow<()> + Sync + 'a;

/// Items that are there at once, at most: one for each thread, since each takes memory, but one that is worked on while the next
/// is found, and no more than these.
const AHEAD: usize = 4;

/// Hands to `take`, in order, what `work` makes of each item; that goes on on other threads while the next item
/// is found.
///
/// # Errors
/// The first of the items or of `take`, after which no further item is asked for.
pub(crate) fn in_order<T: Send, R: Send, E>(
    mut items: impl Iterator<Item = Result<T, E>>,
    work: impl Fn(T) -> R + Sync,
    mut take: impl FnMut(R) -> Result<(), E>,
) -> Result<(), E> {
    let work = &work;
    let at_once = rayon::current_num_threads().clamp(2, AHEAD);
    rayon::in_place_scope(|scope| {
        let mut pending: VecDeque<Receiver<R>> = VecDeque::new();
        loop {
            // before the next is found: it takes memory, too
            if pending.len() == at_once
                && let Some(oldest) = pending.pop_front()
            {
                take(received(&oldest))?;
            }
            let Some(item) = items.next().transpose()? else {
                break;
            };
            let (sender, receiver) = channel();
            pending.push_back(receiver);
            scope.spawn(move |_| {
                // the other end is gone after an error
                let _ = sender.send(work(item));
            });
        }
        pending.iter().try_for_each(|next| take(received(next)))
    })
}

/// What comes of a piece of work; on a thread that such work is done on, it does some while it waits.
fn received<R>(receiver: &Receiver<R>) -> R {
    let done = loop {
        match receiver.try_recv() {
            Err(TryRecvError::Empty) if rayon::yield_now().is_some() => {}
            Err(TryRecvError::Empty) => break receiver.recv().ok(),
            done => break done.ok(),
        }
    };
    done.expect("a result is sent unless its thread panicked, which the scope passes on")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Duration;

    /// Counts how many of its kind are there.
    struct Item<'a>(usize, &'a AtomicUsize);

    impl Drop for Item<'_> {
        fn drop(&mut self) {
            self.1.fetch_sub(1, Ordering::SeqCst);
        }
    }

    #[test]
    fn results_are_in_order_and_items_there_at_once_are_few() {
        let (there, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let items = (0..40).map(|i| {
            most.fetch_max(1 + there.fetch_add(1, Ordering::SeqCst), Ordering::SeqCst);
            Ok::<_, ()>(Item(i, &there))
        });
        let work = |item: Item<'_>| {
            std::thread::sleep(Duration::from_millis(1 + item.0 as u64 % 3));
            2 * item.0
        };
        let mut found = Vec::new();
        in_order(items, work, |double| {
            found.push(double);
            Ok(())
        })
        .expect("no item is an error");
        assert_eq!(found, (0..80).step_by(2).collect::<Vec<_>>());
        let allowed = rayon::current_num_threads().clamp(2, AHEAD);
        assert!(most.into_inner() <= allowed);
    }
}
