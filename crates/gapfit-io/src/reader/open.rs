//! Opens a table: recognises its format and starts its reader.

use std::sync::Arc;

use super::{Reader, Reading, Rows, csv, ndjson};
use crate::cell::Missing;
use crate::csv::Options;
use crate::error::{Error, Result};
use crate::format::Format;
use crate::input::Input;
use crate::location::Column;
use crate::rewriter::Rewriter;
use crate::source::Source;

impl Reader {
    /// A reader of a file or of standard input, of whatever format, also compressed by gzip.
    ///
    /// # Errors
    /// [`Error::Unreadable`], [`Error::EmptyFile`], [`Error::DuplicateColumn`]; [`Error::NotUtf8`] or
    /// [`Error::UnclosedQuote`] in a header, [`Error::OtherFormat`], [`Error::Damaged`],
    /// [`Error::TooLarge`], [`Error::NotBuilt`], and those of a row in NDJSON.
    pub fn open(source: &Source, options: &Options) -> Result<Self> {
        Self::open_watched(source, options, |_| {})
    }

    /// As [`open`](Self::open), and `watch` is told how many more bytes were read whenever some were.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn open_watched(
        source: &Source,
        options: &Options,
        watch: impl Fn(u64) + Send + Sync + 'static,
    ) -> Result<Self> {
        let input = Input::of(source)?.watched(Arc::new(watch));
        Self::over(input, options)
    }

    /// A reader of bytes in memory, which messages call `file`.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn new(bytes: impl Into<Arc<[u8]>>, file: &str, options: &Options) -> Result<Self> {
        Self::over(Input::memory(bytes.into(), file), options)
    }

    /// A reader of a file or of standard input as [`open_watched`](Self::open_watched) gives it, and a writer
    /// of the same rows that follows it.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn open_twice(
        source: &Source,
        options: &Options,
        watch: impl Fn(u64) + Send + Sync + 'static,
    ) -> Result<(Self, Rewriter)> {
        Self::over_twice(Input::of(source)?.watched(Arc::new(watch)), options)
    }

    /// As [`open_twice`](Self::open_twice), of bytes in memory, which messages call `file`.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn twice(
        bytes: impl Into<Arc<[u8]>>,
        file: &str,
        options: &Options,
    ) -> Result<(Self, Rewriter)> {
        Self::over_twice(Input::memory(bytes.into(), file), options)
    }

    fn over_twice(mut input: Input, options: &Options) -> Result<(Self, Rewriter)> {
        let format = recognised(&mut input)?;
        let (first, mut second) = input.twice(format)?;
        let reader = Self::of_format(first, format, options)?;
        let rewriter = match format {
            Format::Csv => Rewriter::of_text(second.stream()?, options.delimiter),
            _ => Rewriter::of_cells(Self::of_format(second, format, options)?),
        };
        Ok((reader, rewriter))
    }

    fn over(mut input: Input, options: &Options) -> Result<Self> {
        let format = recognised(&mut input)?;
        Self::of_format(input, format, options)
    }

    fn of_format(mut input: Input, format: Format, options: &Options) -> Result<Self> {
        let file = input.file().to_owned();
        let opened = match format {
            Format::Csv => {
                let (rows, columns) = csv::Rows::new(input.stream()?, &file, options)?;
                Opened::new(Rows::Csv(Box::new(rows)), columns)
            }
            Format::Ndjson => {
                input.make_repeatable(format)?;
                let columns = ndjson::columns(input.unwatched()?, &file)?;
                let rows = ndjson::Rows::new(input.stream()?);
                Opened::new(Rows::Ndjson(Box::new(rows)), columns)
            }
            #[cfg(feature = "arrow")]
            _ => {
                let (rows, columns, hidden) = crate::arrow::open(&mut input, format)?;
                Opened {
                    rows: Rows::Arrow(Box::new(rows)),
                    columns,
                    hidden,
                }
            }
            #[cfg(not(feature = "arrow"))]
            _ => return Err(Error::NotBuilt { file, format }),
        };
        Ok(Self::begin(file, format, options.missing.clone(), opened))
    }

    /// A reader of record batches, which messages call `name`.
    #[cfg(feature = "arrow")]
    pub(crate) fn of_arrow(name: &str, opened: crate::arrow::Opened) -> Self {
        let (rows, columns, hidden) = opened;
        let opened = Opened {
            rows: Rows::Arrow(Box::new(rows)),
            columns,
            hidden,
        };
        let missing = Missing::default();
        Self::begin(name.to_owned(), Format::ArrowStream, missing, opened)
    }

    fn begin(file: String, format: Format, missing: Missing, opened: Opened) -> Self {
        Self {
            file,
            format,
            missing,
            readings: vec![Reading::Any; opened.columns.len()],
            columns: opened.columns,
            hidden: opened.hidden,
            rows: opened.rows,
            draft: super::Draft::default(),
            watch_rows: None,
        }
    }
}

/// The format; compression is undone from now on.
fn recognised(input: &mut Input) -> Result<Format> {
    let start = input.unpack_and_peek()?;
    let file = input.file();
    Format::recognise(&start, file).map_err(|expected| Error::OtherFormat {
        file: file.to_owned(),
        expected,
    })
}

struct Opened {
    rows: Rows,
    columns: Vec<Column>,
    hidden: Vec<Column>,
}

impl Opened {
    fn new(rows: Rows, columns: Vec<Column>) -> Self {
        Self {
            rows,
            columns,
            hidden: Vec::new(),
        }
    }
}
