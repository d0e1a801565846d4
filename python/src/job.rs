//! Long work: on threads of its own, without the interpreter's lock, ended by Ctrl-C.
//!
//! The calling thread waits and looks after signals, since Python handles those on its main thread
//! only; the work is told to stop through its [`Watch`]. A panic becomes a `RuntimeError`.

use std::any::Any;
use std::cell::RefCell;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::Duration;

use gapfit::Result;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::error::raised;

/// How often signals are looked after.
const BEAT: Duration = Duration::from_millis(50);

/// How far a job has come, and whether it should stop.
#[derive(Debug, Default)]
pub(crate) struct Watch {
    is_stopped: AtomicBool,
    done: AtomicUsize,
    planned: AtomicUsize,
}

impl Watch {
    /// Notes how far the job has come, and says whether it should go on.
    pub(crate) fn report(&self, done: usize, planned: usize) -> ControlFlow<()> {
        self.done.fetch_max(done, Ordering::Relaxed);
        self.planned.store(planned, Ordering::Relaxed);
        match self.is_stopped.load(Ordering::Relaxed) {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    }

    fn progress(&self) -> (usize, usize) {
        let of = |count: &AtomicUsize| count.load(Ordering::Relaxed);
        (of(&self.done), of(&self.planned))
    }
}

type Ended<T> = std::thread::Result<Result<T>>;

/// What comes of a job on `n_jobs` threads; `show`, if any, is called with what is done and planned.
pub(crate) fn run<T: Send + 'static>(
    py: Python<'_>,
    n_jobs: usize,
    show: Option<&Py<PyAny>>,
    job: impl FnOnce(&Watch) -> Result<T> + Send + 'static,
) -> PyResult<T> {
    let pool = pool(n_jobs)?;
    let watch = Arc::new(Watch::default());
    let (sender, mut receiver) = sync_channel(1);
    let watched = Arc::clone(&watch);
    pool.spawn(move || {
        let ended = catch_unwind(AssertUnwindSafe(|| job(&watched)));
        // nobody waits any more after Ctrl-C
        let _ = sender.send(ended);
    });
    match wait(py, &mut receiver, &watch, show) {
        Ok(end) => ended(end),
        Err(signal) => {
            watch.is_stopped.store(true, Ordering::Relaxed);
            // what cannot be stopped ends alone, and the next job does not wait for it
            POOL.take();
            Err(signal)
        }
    }
}

/// As [`run`], for a job that borrows: after a signal it is waited for, so it must look at its watch often.
pub(crate) fn scoped<T: Send>(
    py: Python<'_>,
    n_jobs: usize,
    show: Option<&Py<PyAny>>,
    job: impl FnOnce(&Watch) -> Result<T> + Send,
) -> PyResult<T> {
    let watch = Watch::default();
    let (sender, mut receiver) = sync_channel(1);
    pool(n_jobs)?.in_place_scope(|scope| {
        let watched = &watch;
        scope.spawn(move |_| {
            let ended = catch_unwind(AssertUnwindSafe(|| job(watched)));
            // nobody waits any more after Ctrl-C
            let _ = sender.send(ended);
        });
        let end = wait(py, &mut receiver, &watch, show);
        watch.is_stopped.store(end.is_err(), Ordering::Relaxed);
        ended(end?)
    })
}

/// Waits for the end of the job, or for a signal whose handler raises.
fn wait<T: Send>(
    py: Python<'_>,
    receiver: &mut Receiver<Ended<T>>,
    watch: &Watch,
    show: Option<&Py<PyAny>>,
) -> PyResult<Ended<T>> {
    let mut shown = (0, 0);
    loop {
        let receiver = &mut *receiver;
        match py.detach(move || receiver.recv_timeout(BEAT)) {
            Ok(ended) => return Ok(ended),
            Err(RecvTimeoutError::Timeout) => py.check_signals()?,
            Err(RecvTimeoutError::Disconnected) => {
                return Err(PyRuntimeError::new_err("a thread ended without a result"));
            }
        }
        let progress = watch.progress();
        if let Some(show) = show
            && progress != shown
        {
            show.call1(py, progress)?;
            shown = progress;
        }
    }
}

/// What comes of a job that is too short for threads of its own, without the interpreter's lock.
pub(crate) fn here<T: Send>(py: Python<'_>, job: impl FnOnce() -> Result<T> + Send) -> PyResult<T> {
    ended(py.detach(|| catch_unwind(AssertUnwindSafe(job))))
}

/// What comes of a job that is too short even to let go of the lock.
pub(crate) fn guarded<T>(job: impl FnOnce() -> PyResult<T>) -> PyResult<T> {
    let ended = catch_unwind(AssertUnwindSafe(job));
    ended.unwrap_or_else(|panic| Err(broken(&*panic)))
}

fn ended<T>(ended: Ended<T>) -> PyResult<T> {
    match ended {
        Ok(result) => result.map_err(|error| raised(&error)),
        Err(panic) => Err(broken(&*panic)),
    }
}

fn broken(panic: &(dyn Any + Send)) -> PyErr {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
    let text = text.unwrap_or("no message");
    PyRuntimeError::new_err(format!(
        "gapfit broke down, which is a bug worth reporting: {text}"
    ))
}

/// Threads, and the process and number they are of: a fork has none of its parent's.
struct Pool {
    process: u32,
    n_threads: usize,
    threads: Arc<ThreadPool>,
}

thread_local! {
    /// Each thread of Python has a pool of its own, so that they do not wait for one another.
    static POOL: RefCell<Option<Pool>> = const { RefCell::new(None) };
}

fn pool(n_threads: usize) -> PyResult<Arc<ThreadPool>> {
    let process = std::process::id();
    POOL.with_borrow_mut(|pool| {
        if let Some(pool) = pool
            && (pool.process, pool.n_threads) == (process, n_threads)
        {
            return Ok(Arc::clone(&pool.threads));
        }
        let built = ThreadPoolBuilder::new().num_threads(n_threads).build();
        let threads = Arc::new(built.map_err(|e| PyRuntimeError::new_err(e.to_string()))?);
        let before = pool.replace(Pool {
            process,
            n_threads,
            threads: Arc::clone(&threads),
        });
        // threads of a parent process are not there to be told to end
        if let Some(before) = before.filter(|before| before.process != process) {
            std::mem::forget(before);
        }
        Ok(threads)
    })
}
