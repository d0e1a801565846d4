//! Bytes of an input, read ahead as far as is needed and no further.

use std::io::{self, Read};

use memchr::memchr;

/// Bytes that some programs put before UTF-8 text.
pub(crate) const BOM: &[u8] = b"\xEF\xBB\xBF";

/// What is asked of the system at least.
pub(crate) const CHUNK: usize = 1 << 18;

/// Bytes that were read and not yet consumed, and the input that more come from.
///
/// A read is asked for only where the bytes that are there do not suffice, and whatever it brings is
/// used: a line can be taken as soon as its end has arrived.
#[derive(Debug)]
pub(crate) struct Buffer<R> {
    input: R,
    bytes: Vec<u8>,
    /// The part of `bytes` that holds bytes of the input.
    filled: usize,
    /// Where those that are not consumed start.
    start: usize,
    ended: bool,
    limit: usize,
}

impl<R: Read> Buffer<R> {
    /// Nothing read yet; a row may have `limit` bytes.
    pub(crate) fn new(input: R, limit: usize) -> Self {
        Self {
            input,
            bytes: Vec::new(),
            filled: 0,
            start: 0,
            ended: false,
            limit,
        }
    }

    /// The bytes that a row may have. Who asks for no more than that is given a buffer of at most
    /// twice as many.
    pub(crate) fn limit(&self) -> usize {
        self.limit
    }

    /// The bytes that are there.
    pub(crate) fn ahead(&self) -> &[u8] {
        &self.bytes[self.start..self.filled]
    }

    /// Steps over `count` bytes, which must be there.
    pub(crate) fn consume(&mut self, count: usize) {
        self.start += count;
    }

    /// Reads more bytes behind those that are there; `false` at the end of the input.
    pub(crate) fn fill(&mut self) -> io::Result<bool> {
        if self.ended {
            return Ok(false);
        }
        if self.filled == self.bytes.len() {
            self.bytes.copy_within(self.start..self.filled, 0);
            self.filled -= self.start;
            self.start = 0;
        }
        if self.filled == self.bytes.len() {
            self.bytes.resize(CHUNK.max(2 * self.filled), 0);
        }
        loop {
            match self.input.read(&mut self.bytes[self.filled..]) {
                Ok(count) => {
                    self.filled += count;
                    self.ended = count == 0;
                    return Ok(!self.ended);
                }
                Err(cause) if cause.kind() == io::ErrorKind::Interrupted => {}
                Err(cause) => return Err(cause),
            }
        }
    }

    /// Steps over the rest of a line of any length; whether it has an end.
    pub(crate) fn drop_line(&mut self) -> io::Result<bool> {
        loop {
            let ahead = self.ahead();
            if let Some(end) = memchr(b'\n', ahead) {
                self.consume(end + 1);
                return Ok(true);
            }
            self.consume(ahead.len());
            if !self.fill()? {
                return Ok(false);
            }
        }
    }

    /// The first byte that is neither blank nor part of a byte order mark, without consuming it;
    /// `None` where there is none within the limit.
    pub(crate) fn first_byte(&mut self) -> io::Result<Option<u8>> {
        loop {
            let ahead = self.ahead();
            let may_be_mark = ahead.len() < BOM.len() && BOM.starts_with(ahead);
            let text = ahead.strip_prefix(BOM).unwrap_or(ahead);
            let first = text
                .iter()
                .find(|byte| !byte.is_ascii_whitespace())
                .copied();
            let is_known = first.is_some() && !may_be_mark;
            if is_known || ahead.len() > self.limit || !self.fill()? {
                return Ok(first);
            }
        }
    }
}
