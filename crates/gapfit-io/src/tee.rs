//! The same bytes twice: what one reader takes, another takes later.

use std::collections::VecDeque;
use std::io::{self, Read};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// Reads an input and leaves what it read to an [`Echo`].
pub(crate) struct Tee<R> {
    input: R,
    shared: Arc<Shared>,
}

/// Reads what a [`Tee`] has read, and waits for it where it has not read so far.
pub(crate) struct Echo {
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    /// Bytes that only the tee has read.
    bytes: VecDeque<u8>,
    /// Whether the tee will read no more.
    is_over: bool,
}

/// Two readers of the bytes of `input`, of which the second follows the first. What lies between them is
/// kept in memory.
pub(crate) fn tee<R: Read>(input: R) -> (Tee<R>, Echo) {
    let shared = Arc::new(Shared::default());
    let echo = Echo {
        shared: Arc::clone(&shared),
    };
    (Tee { input, shared }, echo)
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        // a queue of bytes is whole after any panic
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<R: Read> Read for Tee<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.input.read(buffer)?;
        let mut state = self.shared.lock();
        state.bytes.extend(&buffer[..count]);
        state.is_over |= count == 0 && !buffer.is_empty();
        self.shared.changed.notify_all();
        Ok(count)
    }
}

impl<R> Drop for Tee<R> {
    fn drop(&mut self) {
        self.shared.lock().is_over = true;
        self.shared.changed.notify_all();
    }
}

impl Read for Echo {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let is_waiting = |state: &mut State| state.bytes.is_empty() && !state.is_over;
        let state = self.shared.lock();
        let state = self.shared.changed.wait_while(state, is_waiting);
        let mut state = state.unwrap_or_else(PoisonError::into_inner);
        state.bytes.read(buffer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_echo_gives_what_was_read_and_ends_with_the_tee() {
        let (mut first, mut second) = tee(&b"abcdef"[..]);
        let mut buffer = [0; 4];
        first.read_exact(&mut buffer).unwrap();
        assert_eq!(second.read(&mut [0; 3]).unwrap(), 3);
        assert_eq!(second.read(&mut [0; 3]).unwrap(), 1);
        let mut rest = Vec::new();
        let late = std::thread::spawn(move || second.read_to_end(&mut rest).map(|_| rest));
        assert_eq!(first.read(&mut [0; 1]).unwrap(), 1);
        drop(first);
        assert_eq!(late.join().unwrap().unwrap(), b"e");
    }
}
