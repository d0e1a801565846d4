//! Work that takes a while: on what comes one after the other, on several threads, with results in order.

use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::sync::mpsc::{Receiver, TryRecvError, channel};

/// Called with what is done and what is planned so far, such as solves of a search; may stop the work.
pub type Progress<'a> = dyn Fn(usize, usize) -> ControlFlow<()> + Sync + 'a;

/// Items that are worked on while the next is waited for, at most.
const AHEAD: usize = 4;

/// Hands to `take`, in order, what `work` makes of each item; that goes on on other threads while the next item
/// is found.
///
/// # Errors
/// The first of the items or of `take`, after which no further item is asked for.
pub(crate) fn in_order<T: Send, R: Send, E>(
    items: impl Iterator<Item = Result<T, E>>,
    work: impl Fn(T) -> R + Sync,
    mut take: impl FnMut(R) -> Result<(), E>,
) -> Result<(), E> {
    let work = &work;
    rayon::in_place_scope(|scope| {
        let mut pending: VecDeque<Receiver<R>> = VecDeque::new();
        for item in items {
            let item = item?;
            if pending.len() == AHEAD
                && let Some(oldest) = pending.pop_front()
            {
                take(received(&oldest))?;
            }
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
