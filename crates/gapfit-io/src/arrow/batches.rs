//! Record batches from each of the formats.

use std::fs::File;
use std::io::{BufReader, Cursor, Read};
use std::sync::mpsc::sync_channel;

use arrow_array::RecordBatch;
use arrow_schema::{ArrowError, SchemaRef};
use bytes::Bytes;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::file::reader::ChunkReader;

use super::guard::{CONTRADICTION, caught, guarded};
use super::ipc;
use crate::error::{Error, Result};
use crate::format::Format;
use crate::input::{Input, Seekable};

/// Rows that are decoded at once.
const ROWS: usize = 16_384;
/// Batches that wait to be looked at, at most.
const AHEAD: usize = 4;

type Iter = Box<dyn Iterator<Item = std::result::Result<RecordBatch, ArrowError>> + Send>;

/// Record batches of a file, one after the other.
pub(super) struct Batches {
    format: Format,
    schema: SchemaRef,
    /// Rows in all, where the file claims to know.
    n_rows: Option<usize>,
    state: State,
}

enum State {
    /// Waits for the numbers of the columns that are wanted.
    Ready(Start),
    Running(Iter),
    /// After the last batch or an error.
    Over,
}

type Start = Box<dyn FnOnce(&[usize]) -> std::result::Result<Iter, ArrowError> + Send>;

impl Batches {
    /// Reads the schema, and no more.
    pub(super) fn open(input: &mut Input, format: Format) -> Result<Self> {
        let file = input.file().to_owned();
        let open = || match format {
            Format::ArrowStream => Ok(stream(input.stream()?)),
            _ => Ok(match (format, input.seekable(format)?) {
                (Format::Parquet, Seekable::File(file)) => parquet(file),
                (Format::Parquet, Seekable::Memory(bytes)) => parquet(Bytes::from_owner(bytes)),
                (_, Seekable::File(file)) => arrow_file(file),
                (_, Seekable::Memory(bytes)) => arrow_file(Cursor::new(bytes)),
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

    pub(super) fn n_rows(&self) -> Option<usize> {
        self.n_rows
    }

    pub(super) fn schema(&self) -> SchemaRef {
        SchemaRef::clone(&self.schema)
    }

    /// The next batch, of the columns with these numbers, ascending; `None` after the last. Columns other
    /// than those of the first call are not given.
    pub(super) fn next(&mut self, columns: &[usize], file: &str) -> Result<Option<RecordBatch>> {
        let format = self.format;
        let state = std::mem::replace(&mut self.state, State::Over);
        let step = || {
            Ok(match state {
                State::Ready(start) => start(columns).map(advance),
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

fn advance(mut batches: Iter) -> (Iter, Option<std::result::Result<RecordBatch, ArrowError>>) {
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

type Opened = std::result::Result<(SchemaRef, Option<usize>, Start), ArrowError>;

fn parquet(input: impl ChunkReader + 'static) -> Opened {
    let builder = ParquetRecordBatchReaderBuilder::try_new(input)?;
    let schema = SchemaRef::clone(builder.schema());
    let n_rows = usize::try_from(builder.metadata().file_metadata().num_rows()).ok();
    let start: Start = Box::new(move |columns| {
        let mask = ProjectionMask::roots(builder.parquet_schema(), columns.iter().copied());
        let batches = builder
            .with_projection(mask)
            .with_batch_size(ROWS)
            .build()?;
        Ok(ahead(batches))
    });
    Ok((schema, n_rows, start))
}

fn arrow_file(input: impl SeekRead) -> Opened {
    let (schema, batches) = ipc::File::new(BufReader::new(input))?;
    Ok((schema, None, projected(batches)))
}

fn stream(input: Box<dyn Read + Send>) -> Opened {
    let (schema, batches) = ipc::Stream::new(BufReader::new(input))?;
    Ok((schema, None, projected(batches)))
}

/// The same batches, decoded on a thread of its own while those before are looked at.
fn ahead(
    mut batches: impl Iterator<Item = std::result::Result<RecordBatch, ArrowError>> + Send + 'static,
) -> Iter {
    let (sender, receiver) = sync_channel(AHEAD);
    std::thread::spawn(move || {
        let broken = || ArrowError::ParseError(CONTRADICTION.to_owned());
        while let Some(batch) = caught(|| batches.next()).unwrap_or_else(|| Some(Err(broken()))) {
            let is_last = batch.is_err();
            // the other end is gone once nobody reads any further
            if sender.send(batch).is_err() || is_last {
                break;
            }
        }
    });
    Box::new(receiver.into_iter())
}

fn projected(
    batches: impl Iterator<Item = std::result::Result<RecordBatch, ArrowError>> + Send + 'static,
) -> Start {
    Box::new(move |columns| {
        let columns = columns.to_vec();
        Ok(ahead(batches.map(move |batch| batch?.project(&columns))))
    })
}

/// Bytes that can be read from any place.
trait SeekRead: Read + std::io::Seek + Send + 'static {}
impl SeekRead for File {}
impl SeekRead for Cursor<std::sync::Arc<[u8]>> {}
