//! Ending on Ctrl-C, or when asked to terminate, at a place of our choosing.

use std::collections::BTreeSet;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::sync::{Mutex, OnceLock};
use std::time::Duration;

use anyhow::{Result, ensure};

static STOP: AtomicBool = AtomicBool::new(false);
/// Whether the command ends at a place of its choosing.
static LISTENS: AtomicBool = AtomicBool::new(false);
/// Files that are no good before they are whole.
static UNFINISHED: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());
static HANDLER: OnceLock<bool> = OnceLock::new();

/// Notes Ctrl-C and termination instead of dying of them; a second Ctrl-C is as deadly as ever.
pub(crate) fn listen() -> Result<()> {
    LISTENS.store(true, Ordering::SeqCst);
    ensure!(is_handled(), "Ctrl-C cannot be listened to");
    Ok(())
}

/// Whether signals come to us; asks for it in the first call.
fn is_handled() -> bool {
    *HANDLER.get_or_init(|| ctrlc::set_handler(answer).is_ok())
}

/// Notes the signal if the command listens, otherwise cleans up and ends.
fn answer() {
    if LISTENS.load(Ordering::SeqCst) && !STOP.swap(true, Ordering::SeqCst) {
        return;
    }
    let files = UNFINISHED.lock();
    for file in files.iter().flat_map(|files| files.iter()) {
        // nothing more can be done about one that stays
        let _ = std::fs::remove_file(file);
    }
    // none begins to be written before the end: the list is still ours
    std::process::exit(130);
}

/// A file that is removed when the command ends early, until this is dropped.
#[derive(Debug)]
pub(crate) struct Unfinished(PathBuf);

impl Unfinished {
    pub(crate) fn new(file: &Path) -> Self {
        // where signals cannot be had, the file stays behind as it would for any program
        if is_handled()
            && let Ok(mut files) = UNFINISHED.lock()
        {
            files.insert(file.to_owned());
        }
        Self(file.to_owned())
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        if let Ok(mut files) = UNFINISHED.lock() {
            files.remove(&self.0);
        }
    }
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
