//! The bytes of a table: from a file, from memory or from a pipe; perhaps compressed.

use std::fs::File;
use std::io::{self, Cursor, Read};
use std::path::PathBuf;
use std::sync::Arc;

use flate2::read::MultiGzDecoder;

use crate::error::{Error, Result};
use crate::format::{Format, GZIP, PEEKED};
use crate::source::Source;
use crate::tee::tee;

/// Bytes of a pipe that are kept in memory for a format that is not read from front to back.
const PIPE_LIMIT: u64 = 1 << 31;

/// Bytes that can be looked at before they are read.
pub(crate) struct Input {
    file: String,
    origin: Origin,
    is_packed: bool,
    watch: Arc<Watch>,
}

type Watch = dyn Fn(u64) + Send + Sync;

enum Origin {
    /// A file on a disk.
    File(PathBuf),
    Memory(Arc<[u8]>),
    /// What can be read once; absent after that.
    Pipe(Option<Box<dyn Read + Send>>),
}

/// Bytes that can be read from any place.
#[cfg(feature = "arrow")]
pub(crate) enum Seekable {
    /// Has been opened before.
    File(PathBuf),
    Memory(Arc<[u8]>),
}

impl Input {
    pub(crate) fn of(source: &Source) -> Result<Self> {
        let origin = match (source, source.size()) {
            (Source::File(path), Some(_)) => Origin::File(path.clone()),
            _ => Origin::Pipe(Some(source.open()?)),
        };
        Ok(Self::new(origin, source.name()))
    }

    pub(crate) fn memory(bytes: Arc<[u8]>, file: &str) -> Self {
        Self::new(Origin::Memory(bytes), file.to_owned())
    }

    fn new(origin: Origin, file: String) -> Self {
        Self {
            file,
            origin,
            is_packed: false,
            watch: Arc::new(|_| {}),
        }
    }

    /// The same, where `watch` is told of bytes that are read.
    pub(crate) fn watched(self, watch: Arc<Watch>) -> Self {
        Self { watch, ..self }
    }

    /// The name in messages.
    pub(crate) fn file(&self) -> &str {
        &self.file
    }

    /// Whether it is compressed, once it was looked at.
    pub(crate) fn is_packed(&self) -> bool {
        self.is_packed
    }

    /// The first bytes, without consuming them; compression is noticed and undone from now on.
    pub(crate) fn unpack_and_peek(&mut self) -> Result<Vec<u8>> {
        let start = self.peek()?;
        if !start.starts_with(GZIP) {
            return Ok(start);
        }
        match &mut self.origin {
            Origin::Pipe(pipe) => {
                let packed = pipe.take().expect("a pipe is read after it was looked at");
                *pipe = Some(Box::new(MultiGzDecoder::new(packed)));
            }
            _ => self.is_packed = true,
        }
        self.peek()
    }

    fn peek(&mut self) -> Result<Vec<u8>> {
        let mut start = Vec::new();
        let mut rest = self.unwatched()?.take(PEEKED as u64);
        let read = rest.read_to_end(&mut start);
        read.map_err(|cause| self.unreadable(cause))?;
        if let Origin::Pipe(pipe) = &mut self.origin {
            *pipe = Some(Box::new(
                Cursor::new(start.clone()).chain(rest.into_inner()),
            ));
        }
        Ok(start)
    }

    /// All bytes from the first on. Of a pipe, once.
    pub(crate) fn stream(&mut self) -> Result<Box<dyn Read + Send>> {
        let watch = Arc::clone(&self.watch);
        self.stream_watched(watch)
    }

    /// As [`stream`](Self::stream), without telling.
    pub(crate) fn unwatched(&mut self) -> Result<Box<dyn Read + Send>> {
        self.stream_watched(Arc::new(|_| {}))
    }

    fn stream_watched(&mut self, watch: Arc<Watch>) -> Result<Box<dyn Read + Send>> {
        let bytes: Box<dyn Read + Send> = match &mut self.origin {
            Origin::File(path) => match File::open(path) {
                Ok(file) => Box::new(file),
                Err(cause) => return Err(self.unreadable(cause)),
            },
            Origin::Memory(bytes) => Box::new(Cursor::new(Arc::clone(bytes))),
            Origin::Pipe(pipe) => pipe.take().expect("a pipe is read once"),
        };
        let bytes = Watched {
            input: bytes,
            watch,
        };
        if self.is_packed {
            return Ok(Box::new(MultiGzDecoder::new(bytes)));
        }
        Ok(Box::new(bytes))
    }

    /// Makes sure that [`stream`](Self::stream) can be called again: what comes from a pipe is read
    /// into memory.
    ///
    /// # Errors
    /// [`Error::TooLarge`] beyond two gigabytes.
    pub(crate) fn make_repeatable(&mut self, format: Format) -> Result<()> {
        if let Origin::Pipe(_) = self.origin {
            self.origin = Origin::Memory(self.whole(format)?);
        }
        Ok(())
    }

    /// The same bytes twice, where the second are read after the first. Formats that are read from front to
    /// back need no memory for that beyond what lies between the two.
    ///
    /// # Errors
    /// [`Error::TooLarge`] for more than two gigabytes from a pipe, of another format.
    pub(crate) fn twice(mut self, format: Format) -> Result<(Self, Self)> {
        let pipe = |input: Box<dyn Read + Send>, file: &str| {
            Self::new(Origin::Pipe(Some(input)), file.to_owned())
        };
        if let Format::Csv | Format::ArrowStream = format {
            let (first, second) = tee(self.stream()?);
            let file = &self.file;
            return Ok((pipe(Box::new(first), file), pipe(Box::new(second), file)));
        }
        self.make_repeatable(format)?;
        let again = match &self.origin {
            Origin::File(path) => Origin::File(path.clone()),
            Origin::Memory(bytes) => Origin::Memory(Arc::clone(bytes)),
            Origin::Pipe(_) => unreachable!("a pipe has been read into memory"),
        };
        let second = Self {
            is_packed: self.is_packed,
            ..Self::new(again, self.file.clone())
        };
        Ok((self, second))
    }

    /// The bytes, to be read from any place; those of a pipe and of compressed files from memory.
    ///
    /// # Errors
    /// [`Error::TooLarge`] beyond two gigabytes.
    #[cfg(feature = "arrow")]
    pub(crate) fn seekable(&mut self, format: Format) -> Result<Seekable> {
        match &self.origin {
            Origin::File(path) if !self.is_packed => Ok(Seekable::File(path.clone())),
            Origin::Memory(bytes) if !self.is_packed => Ok(Seekable::Memory(Arc::clone(bytes))),
            _ => Ok(Seekable::Memory(self.whole(format)?)),
        }
    }

    fn whole(&mut self, format: Format) -> Result<Arc<[u8]>> {
        let mut bytes = Vec::new();
        let read = self
            .unwatched()?
            .take(PIPE_LIMIT + 1)
            .read_to_end(&mut bytes);
        match read {
            Err(cause) => Err(self.unreadable(cause)),
            Ok(_) if bytes.len() as u64 > PIPE_LIMIT => Err(Error::TooLarge {
                file: self.file.clone(),
                format,
                limit: PIPE_LIMIT,
            }),
            Ok(_) => Ok(bytes.into()),
        }
    }

    fn unreadable(&self, cause: io::Error) -> Error {
        Error::Unreadable {
            file: self.file.clone(),
            cause,
        }
    }
}

/// Tells how many bytes were read.
struct Watched<R> {
    input: R,
    watch: Arc<Watch>,
}

impl<R: Read> Read for Watched<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.input.read(buffer)?;
        (self.watch)(count as u64);
        Ok(count)
    }
}
