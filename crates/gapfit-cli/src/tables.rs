//! The tables that a command reads, one after the other, as if they were one.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use anyhow::Result;
use gapfit_io::csv::Options;
use gapfit_io::{Format, Reader, Rewriter, Source};
use indicatif::ProgressBar;

use crate::args::Usage;
use crate::glob;
use crate::talk::Talk;

/// Files, or standard input, with one progress bar over all of them.
#[derive(Debug)]
pub(crate) struct Tables {
    paths: Vec<PathBuf>,
    options: Options,
    progress: Progress,
}

impl Tables {
    /// The tables that were given, with patterns expanded.
    pub(crate) fn new(given: &[PathBuf], options: Options, talk: &Talk) -> Result<Self> {
        let paths = glob::expand(given)?;
        let sources = || paths.iter().map(|path| Source::from(path.as_path()));
        if paths.len() > 1 && sources().any(|source| source == Source::Stdin) {
            let message = "FILE: expected files, or standard input alone, got both";
            return Err(Usage(message.to_owned()).into());
        }
        let total = sources().map(|source| source.size()).sum();
        Ok(Self {
            paths,
            options,
            progress: Progress::new(total, talk),
        })
    }

    /// The number of tables.
    pub(crate) fn len(&self) -> usize {
        self.paths.len()
    }

    /// Where they are.
    pub(crate) fn paths(&self) -> Vec<&Path> {
        self.paths.iter().map(PathBuf::as_path).collect()
    }

    pub(crate) fn is_stdin(&self) -> bool {
        self.source(0) == Source::Stdin
    }

    /// What messages call them.
    pub(crate) fn name(&self) -> String {
        let first = self.source(0).name();
        match self.len() - 1 {
            0 => first,
            more => format!("{first} and {more} more"),
        }
    }

    /// About how many bytes their cells take as numbers in memory; `None` where that cannot be told.
    pub(crate) fn extent(&self) -> Option<u64> {
        let each = (0..self.len()).map(|i| self.source(i).extent(&self.options));
        each.sum()
    }

    /// A reader of the `i`-th. The first may be opened again, for all to be read once more.
    pub(crate) fn open(&self, i: usize) -> gapfit_io::Result<Reader> {
        if i == 0 {
            self.progress.restart();
        }
        self.progress.open(&self.source(i), &self.options)
    }

    /// As [`open`](Self::open) on any thread, by who reads all tables as often as it takes: the bar goes on to what was begun.
    pub(crate) fn open_again(&self, i: usize) -> gapfit_io::Result<Reader> {
        if i == 0 {
            let sizes = (0..self.len()).map(|i| self.source(i).size());
            self.progress.begin_pass(sizes.sum());
        }
        self.progress.open(&self.source(i), &self.options)
    }

    /// Takes the bar away: nothing more is read.
    pub(crate) fn end_reading(&self) {
        self.progress.bar.finish_and_clear();
    }

    /// As [`open`](Self::open), and a writer of the same rows that follows the reader.
    pub(crate) fn open_twice(&self, i: usize) -> gapfit_io::Result<(Reader, Rewriter)> {
        let source = self.source(i);
        let watch = self.progress.watch();
        let (mut reader, rewriter) = Reader::open_twice(&source, &self.options, watch)?;
        self.progress.count_rows(&mut reader, &source);
        Ok((reader, rewriter))
    }

    fn source(&self, i: usize) -> Source {
        Source::from(self.paths[i].as_path())
    }
}

impl Drop for Tables {
    fn drop(&mut self) {
        self.end_reading();
    }
}

/// How far reading has come.
#[derive(Clone, Debug)]
pub(crate) struct Progress {
    bar: ProgressBar,
    rows: Arc<AtomicU64>,
    /// How often reading all tables was begun.
    passes: Arc<AtomicU64>,
}

/// Rows between two looks at the bar.
const STEP: u64 = 1 << 12;

impl Progress {
    /// Nothing is read yet of so many bytes, where that is known.
    pub(crate) fn new(total: Option<u64>, talk: &Talk) -> Self {
        let rows = Arc::new(AtomicU64::new(0));
        Self {
            bar: talk.reading(total, Arc::clone(&rows)),
            rows,
            passes: Arc::default(),
        }
    }

    /// A reader that moves the bar.
    pub(crate) fn open(&self, source: &Source, options: &Options) -> gapfit_io::Result<Reader> {
        let mut reader = Reader::open_watched(source, options, self.watch())?;
        self.count_rows(&mut reader, source);
        Ok(reader)
    }

    /// One more reading of so many bytes, beside others perhaps.
    fn begin_pass(&self, total: Option<u64>) {
        match self.passes.fetch_add(1, Ordering::Relaxed) {
            0 => self.restart(),
            before => {
                self.bar.set_message(format!("pass {}", before + 1));
                self.bar.inc_length(total.unwrap_or(0));
            }
        }
    }

    fn restart(&self) {
        self.bar.reset();
        self.rows.store(0, Ordering::Relaxed);
    }

    fn watch(&self) -> impl Fn(u64) + Send + Sync + 'static {
        let bar = self.bar.clone();
        move |count| bar.inc(count)
    }

    /// Counts the rows. Of formats that are not read from front to back they tell how far it is.
    fn count_rows(&self, reader: &mut Reader, source: &Source) {
        let Self { bar, rows, .. } = self.clone();
        let is_jumping = matches!(reader.format(), Format::Parquet | Format::ArrowFile);
        let (size, n_rows) = (source.size().unwrap_or(0), reader.n_rows().unwrap_or(0));
        let seen = AtomicU64::new(0);
        reader.watch_rows(move |count| {
            rows.fetch_add(count as u64, Ordering::Relaxed);
            if is_jumping && n_rows > 0 {
                let before = seen.fetch_add(count as u64, Ordering::Relaxed);
                let at = |rows: u64| size as f64 * ((rows / STEP * STEP) as f64 / n_rows as f64);
                let (from, to) = (at(before) as u64, at(before + count as u64) as u64);
                if to > from {
                    bar.inc(to - from);
                }
            }
        });
    }
}
