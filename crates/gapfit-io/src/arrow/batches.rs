//! Record batches from each of the formats.

use std::fs::File;
use std::io::{self, BufReader, Cursor, Read};
use std::sync::mpsc::sync_channel;

use arrow_array::RecordBatch;
use arrow_schema::{ArrowError, SchemaRef};
use bytes::Bytes;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReaderBuilder,
};
use parquet::file::reader::ChunkReader;

use super::batch::{Asked, Batch};
use super::guard::{CONTRADICTION, caught, guarded};
use super::ipc;
use crate::error::{Error, Result};
use crate::format::Format;
use crate::input::{Input, Seekable};
use crate::reader::Wanted;

/// Rows that are decoded at once, at most.
const ROWS: usize = 16_384;
/// Cells that are decoded at once, at most, unless a row has more.
const CELLS: usize = 1 << 22;
/// Batches that wait to be looked at, at most.
const AHEAD: usize = 4;

type Decoded<T> = std::result::Result<T, ArrowError>;
type Iter = Box<dyn Iterator<Item = Decoded<Batch>> + Send>;

/// Batches of rows of a file, one after the other.
pub(super) struct Batches {
    format: Format,
    schema: SchemaRef,
    /// Rows in all, where the file claims to know.
    n_rows: Option<usize>,
    state: State,
}

enum State {
    /// Waits to be told what is wanted.
    Ready(Start),
    Running(Iter),
    /// After the last batch or an error.
    Over,
}

type Start = Box<dyn FnOnce(Asked) -> Decoded<Iter> + Send>;

impl Batches {
    /// Reads the schema, and no more.
    pub(super) fn open(input: &mut Input, format: Format) -> Result<Self> {
        let file = input.file().to_owned();
        let open = || match format {
            Format::ArrowStream => Ok(stream(input.stream()?)),
            _ => Ok(match (format, input.seekable(format)?) {
                (Format::Parquet, Seekable::File(path)) => parquet(move || File::open(&path)),
                (Format::Parquet, Seekable::Memory(bytes)) => {
                    let bytes = Bytes::from_owner(bytes);
                    parquet(move || Ok(bytes.clone()))
                }
                (_, Seekable::File(path)) => arrow_file(File::open(path)),
                (_, Seekable::Memory(bytes)) => arrow_file(Ok(Cursor::new(bytes))),
            }),
        };
        let (schema, n_rows, start) =
            guarded(&file, format, open)?.map_err(|e| damaged(&file, format, &e))?;
        Ok(Self {
            format,
            schema,
            n_rows,
            state: State::Ready(start),
        })
    }

    /// Those in memory.
    pub(super) fn memory(schema: SchemaRef, batches: Vec<RecordBatch>) -> Self {
        let n_rows = batches.iter().map(RecordBatch::num_rows).sum();
        Self {
            n_rows: Some(n_rows),
            ..Self::coming(schema, batches.into_iter().map(Ok))
        }
    }

    /// Those that somebody else makes.
    pub(super) fn coming(
        schema: SchemaRef,
        batches: impl Iterator<Item = Decoded<RecordBatch>> + Send + 'static,
    ) -> Self {
        Self {
            format: Format::ArrowStream,
            schema,
            n_rows: None,
            state: State::Ready(projected(batches.flat_map(sliced))),
        }
    }

    pub(super) fn n_rows(&self) -> Option<usize> {
        self.n_rows
    }

    pub(super) fn schema(&self) -> SchemaRef {
        SchemaRef::clone(&self.schema)
    }

    /// The next batch, of what is wanted in the first call; `None` after the last.
    pub(super) fn next(&mut self, wanted: Wanted<'_>) -> Result<Option<Batch>> {
        let (format, file) = (self.format, wanted.file);
        let state = std::mem::replace(&mut self.state, State::Over);
        let step = || {
            Ok(match state {
                State::Ready(start) => start(wanted.into()).map(advance),
                State::Running(batches) => Ok(advance(batches)),
                State::Over => return Ok(None),
            }
            .map(Some)
            .transpose())
        };
        match guarded(file, format, step)? {
            None | Some(Ok((_, None))) => Ok(None),
            Some(Ok((batches, Some(Ok(batch))))) => {
                self.state = State::Running(batches);
                Ok(Some(batch))
            }
            Some(Ok((_, Some(Err(error)))) | Err(error)) => Err(damaged(file, format, &error)),
        }
    }
}

fn advance(mut batches: Iter) -> (Iter, Option<Decoded<Batch>>) {
    let next = batches.next();
    (batches, next)
}

fn damaged(file: &str, format: Format, error: &ArrowError) -> Error {
    Error::Damaged {
        file: file.to_owned(),
        format,
        cause: error.to_string(),
    }
}

type Opened = Decoded<(SchemaRef, Option<usize>, Start)>;

/// A Parquet file; parts of its columns are decoded on threads of their own, each from an opening of its
/// own since those share no position.
fn parquet<R: ChunkReader + 'static>(open: impl Fn() -> io::Result<R> + Send + 'static) -> Opened {
    let metadata = ArrowReaderMetadata::load(&open()?, ArrowReaderOptions::default())?;
    let schema = SchemaRef::clone(metadata.schema());
    let n_rows = usize::try_from(metadata.metadata().file_metadata().num_rows()).ok();
    let start: Start = Box::new(move |asked| {
        let at_once = ROWS.min(1 + CELLS / asked.columns.len().max(1));
        let parts = asked.parts(rayon::current_num_threads());
        let decode = |part: Asked| {
            let builder =
                ParquetRecordBatchReaderBuilder::new_with_metadata(open()?, metadata.clone());
            let columns = part.columns.iter().copied();
            let mask = ProjectionMask::roots(builder.parquet_schema(), columns);
            let batches = builder.with_projection(mask).with_batch_size(at_once);
            Ok(ahead(batches.build()?, part))
        };
        let parts: Decoded<Vec<Iter>> = parts.into_iter().map(decode).collect();
        Ok(side_by_side(parts?))
    });
    Ok((schema, n_rows, start))
}

fn arrow_file(input: io::Result<impl SeekRead>) -> Opened {
    let (schema, batches) = ipc::File::new(BufReader::new(input?))?;
    Ok((schema, None, projected(batches)))
}

fn stream(input: Box<dyn Read + Send>) -> Opened {
    let (schema, batches) = ipc::Stream::new(BufReader::new(input))?;
    Ok((schema, None, projected(batches)))
}

/// Parts of a batch, of as many rows as are decoded at once.
fn sliced(batch: Decoded<RecordBatch>) -> Vec<Decoded<RecordBatch>> {
    let Ok(batch) = batch else {
        return vec![batch];
    };
    let starts = (0..batch.num_rows()).step_by(ROWS);
    let part = |start| Ok(batch.slice(start, ROWS.min(batch.num_rows() - start)));
    starts.map(part).collect()
}

fn projected(batches: impl Iterator<Item = Decoded<RecordBatch>> + Send + 'static) -> Start {
    Box::new(move |asked| {
        let columns = asked.columns.clone();
        let batches = batches.map(move |batch| batch?.project(&columns));
        Ok(ahead(batches, asked))
    })
}

/// The cells of these batches, decoded on a thread of its own while those before are looked at.
fn ahead(
    mut batches: impl Iterator<Item = Decoded<RecordBatch>> + Send + 'static,
    asked: Asked,
) -> Iter {
    let (sender, receiver) = sync_channel(AHEAD);
    let mut next = move || Some(batches.next()?.map(|batch| Batch::new(&batch, &asked)));
    std::thread::spawn(move || {
        while let Some(batch) = caught(&mut next).unwrap_or_else(|| Some(Err(contradiction()))) {
            let is_last = batch.is_err();
            // the other end is gone once nobody reads any further
            if sender.send(batch).is_err() || is_last {
                break;
            }
        }
    });
    Box::new(receiver.into_iter())
}

/// Batches that hold the columns of all parts.
fn side_by_side(mut parts: Vec<Iter>) -> Iter {
    Box::new(std::iter::from_fn(move || {
        let next: Vec<_> = parts.iter_mut().map(Iterator::next).collect();
        if next.iter().all(Option::is_none) {
            return None;
        }
        let whole = next
            .into_iter()
            .map(|part| part.unwrap_or_else(|| Err(contradiction())));
        let whole: Decoded<Vec<Batch>> = whole.collect();
        Some(whole.and_then(|parts| Batch::joined(parts).ok_or_else(contradiction)))
    }))
}

fn contradiction() -> ArrowError {
    ArrowError::ParseError(CONTRADICTION.to_owned())
}

/// Bytes that can be read from any place.
trait SeekRead: Read + io::Seek + Send + 'static {}
impl SeekRead for File {}
impl SeekRead for Cursor<std::sync::Arc<[u8]>> {}
