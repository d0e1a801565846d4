//! Arrow files and streams, where sizes in them are not believed before memory is asked for.

use std::io::{Read, Seek, SeekFrom};
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_buffer::Buffer;
use arrow_ipc::convert::fb_to_schema;
use arrow_ipc::reader::{FileDecoder, StreamDecoder, read_footer_length};
use arrow_ipc::{Block, root_as_footer, root_as_message};
use arrow_schema::{ArrowError, SchemaRef};

use super::message::{CONTINUATION, check};

type Result<T> = std::result::Result<T, ArrowError>;

fn broken(what: impl Into<String>) -> ArrowError {
    ArrowError::IpcError(what.into())
}

/// The batches of a file.
pub(super) struct File<R> {
    input: R,
    decoder: FileDecoder,
    blocks: std::vec::IntoIter<Block>,
}

impl<R: Read + Seek> File<R> {
    /// Reads the footer and the dictionaries.
    pub(super) fn new(mut input: R) -> Result<(SchemaRef, Self)> {
        let length = input.seek(SeekFrom::End(0))?;
        let cut = || broken("the footer points behind the end");
        let before = length.checked_sub(10).ok_or_else(cut)?;
        let end = read(&mut input, before, 10)?;
        let footer_length = read_footer_length(end.try_into().expect("ten bytes"))? as u64;
        let start = before.checked_sub(footer_length).ok_or_else(cut)?;
        let footer = read(&mut input, start, footer_length)?;
        let footer = root_as_footer(&footer).map_err(|cause| broken(cause.to_string()))?;
        let schema = footer
            .schema()
            .ok_or_else(|| broken("there is no schema"))?;
        if !schema.endianness().equals_to_target_endianness() {
            return Err(broken("the bytes are in another order than here"));
        }
        let schema = Arc::new(fb_to_schema(schema));
        let mut decoder = FileDecoder::new(Arc::clone(&schema), footer.version());
        for block in footer.dictionaries().into_iter().flatten() {
            decoder.read_dictionary(block, &block_bytes(&mut input, block)?)?;
        }
        let blocks: Vec<Block> = footer
            .recordBatches()
            .into_iter()
            .flatten()
            .copied()
            .collect();
        let file = Self {
            input,
            decoder,
            blocks: blocks.into_iter(),
        };
        Ok((schema, file))
    }
}

impl<R: Read + Seek> Iterator for File<R> {
    type Item = Result<RecordBatch>;

    fn next(&mut self) -> Option<Self::Item> {
        let block = self.blocks.next()?;
        let bytes = block_bytes(&mut self.input, &block);
        let batch = bytes.and_then(|bytes| self.decoder.read_record_batch(&block, &bytes));
        batch.transpose()
    }
}

/// So many bytes from a place on; memory grows with those that are there.
fn read(input: &mut (impl Read + Seek), start: u64, count: u64) -> Result<Vec<u8>> {
    input.seek(SeekFrom::Start(start))?;
    exactly(input, count)
}

fn exactly(input: &mut impl Read, count: u64) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    input.by_ref().take(count).read_to_end(&mut bytes)?;
    if bytes.len() as u64 == count {
        return Ok(bytes);
    }
    Err(broken("it ends inside a message"))
}

fn block_bytes(input: &mut (impl Read + Seek), block: &Block) -> Result<Buffer> {
    let size = |size: i64| u64::try_from(size).map_err(|_| broken("a size is negative"));
    let head = size(block.metaDataLength().into())?;
    let count = head.saturating_add(size(block.bodyLength())?);
    let bytes = read(input, size(block.offset())?, count)?;
    check(&bytes, head as usize)?;
    Ok(bytes.into())
}

/// The batches of a stream.
pub(super) struct Stream<R> {
    input: R,
    decoder: StreamDecoder,
}

impl<R: Read> Stream<R> {
    /// Reads the schema.
    pub(super) fn new(input: R) -> Result<(SchemaRef, Self)> {
        let mut stream = Self {
            input,
            decoder: StreamDecoder::new(),
        };
        // a decoder looks at a message once bytes of the next have come
        let message = stream
            .message()?
            .ok_or_else(|| broken("there is no schema"))?;
        stream.decoder.decode(&mut message.into())?;
        stream
            .decoder
            .decode(&mut Buffer::from(CONTINUATION.to_vec()))?;
        let schema = stream.decoder.schema();
        Ok((schema.ok_or_else(|| broken("there is no schema"))?, stream))
    }

    /// The bytes of the next message, behind those that tell its beginning; `None` at the end.
    fn message(&mut self) -> Result<Option<Vec<u8>>> {
        let mut bytes = Vec::new();
        self.input.by_ref().take(8).read_to_end(&mut bytes)?;
        if bytes.is_empty() || bytes.starts_with(&[0; 4]) {
            return Ok(None);
        }
        let length = bytes.get(4..8).and_then(|length| length.try_into().ok());
        let length = u32::from_le_bytes(length.ok_or_else(|| broken("it ends inside a message"))?);
        if !bytes.starts_with(&CONTINUATION) {
            return Err(broken("a message does not begin as one"));
        }
        if length == 0 {
            return Ok(None);
        }
        bytes.append(&mut exactly(&mut self.input, length.into())?);
        let head = bytes.len();
        let body = root_as_message(&bytes[8..])
            .map_err(|cause| broken(cause.to_string()))?
            .bodyLength();
        let body = u64::try_from(body).map_err(|_| broken("a size is negative"))?;
        bytes.append(&mut exactly(&mut self.input, body)?);
        check(&bytes, head)?;
        Ok(Some(bytes))
    }

    fn advance(&mut self) -> Result<Option<RecordBatch>> {
        while let Some(message) = self.message()? {
            // its beginning has been given to the decoder
            let mut rest = Buffer::from(message).slice(CONTINUATION.len());
            let batch = self.decoder.decode(&mut rest)?;
            self.decoder
                .decode(&mut Buffer::from(CONTINUATION.to_vec()))?;
            if batch.is_some() {
                return Ok(batch);
            }
        }
        Ok(None)
    }
}

impl<R: Read> Iterator for Stream<R> {
    type Item = Result<RecordBatch>;

    fn next(&mut self) -> Option<Self::Item> {
        self.advance().transpose()
    }
}
