//! Ending on Ctrl-C, or when asked to terminate, at a place of our choosing.

use std::io::{self, Read};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::Duration;

use anyhow::{Context, Result};

static STOP: AtomicBool = AtomicBool::new(false);

/// Notes Ctrl-C and termination instead of dying of them; a second Ctrl-C is as deadly as ever.
pub(crate) fn listen() -> Result<()> {
    ctrlc::set_handler(|| {
        if STOP.swap(true, Ordering::SeqCst) {
            std::process::exit(130);
        }
    })
    .context("Ctrl-C cannot be listened to")
}

/// Whether it is time to end.
pub(crate) fn is_asked() -> bool {
    STOP.load(Ordering::Relaxed)
}

/// A stream that seems to end when it is time to: waiting for bytes does not keep us.
pub(crate) struct Interruptible {
    chunks: Receiver<io::Result<Vec<u8>>>,
    chunk: Vec<u8>,
    at: usize,
}

impl Interruptible {
    /// Reads `from` on a thread of its own.
    pub(crate) fn new(mut from: impl Read + Send + 'static) -> Self {
        let (sender, chunks) = sync_channel(4);
        std::thread::spawn(move || {
            loop {
                let mut chunk = vec![0; 1 << 16];
                let read = match from.read(&mut chunk) {
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                    Ok(count) => {
                        chunk.truncate(count);
                        Ok(chunk)
                    }
                    Err(error) => Err(error),
                };
                let is_last = !matches!(&read, Ok(chunk) if !chunk.is_empty());
                // Nobody listens any more when the command ends early.
                if sender.send(read).is_err() || is_last {
                    return;
                }
            }
        });
        Self {
            chunks,
            chunk: Vec::new(),
            at: 0,
        }
    }

    /// Waits for more bytes; without any at the end, or when it is time to end.
    fn refill(&mut self) -> io::Result<()> {
        self.at = 0;
        self.chunk.clear();
        while !is_asked() {
            match self.chunks.recv_timeout(Duration::from_millis(50)) {
                Ok(chunk) => {
                    self.chunk = chunk?;
                    return Ok(());
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Ok(()),
            }
        }
        Ok(())
    }
}

impl Read for Interruptible {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        if self.at == self.chunk.len() {
            self.refill()?;
        }
        let count = to.len().min(self.chunk.len() - self.at);
        to[..count].copy_from_slice(&self.chunk[self.at..self.at + count]);
        self.at += count;
        Ok(count)
    }
}
