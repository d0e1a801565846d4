//! Splits delimited text into records and cells without copying them.
//!
//! Our own splitter because two things are needed that the usual one does not give: the true line
//! of every record (also after blank lines and CRLF), and the raw bytes of every cell, so that a
//! copy can leave them as they are. It splits as the `csv` crate does, which a test checks.
//!
//! A record ends at a line feed outside quotes; a carriage return before it belongs to the end.
//! Blank lines are skipped. A quote opens only at the start of a cell; inside, `""` is a quote.

use std::borrow::Cow;
use std::io::{self, Read};

const CHUNK: usize = 1 << 18;
const QUOTE: u8 = b'"';

/// Reads records one after the other.
#[derive(Debug)]
pub(crate) struct Records<R> {
    input: R,
    delimiter: u8,
    buffer: Vec<u8>,
    /// The part of `buffer` that holds bytes of the input.
    filled: usize,
    /// Where the current record starts in `buffer`.
    start: usize,
    /// Bytes of the input that came before `buffer`.
    gone: u64,
    /// Line on which the current record starts.
    line: u64,
    ended: bool,
    scan: Scan,
}

/// How far the current record is split; positions count from its start.
#[derive(Debug, Default)]
struct Scan {
    at: usize,
    state: State,
    newlines: u64,
    /// End of each cell; the next one starts a byte later.
    ends: Vec<usize>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum State {
    #[default]
    CellStart,
    Plain,
    Quoted,
    /// After a quote inside quotes: the end of the quoted part, or half of a doubled quote.
    QuoteInQuoted,
}

/// Why there is no next record.
#[derive(Debug)]
pub(crate) enum Broken {
    Io(io::Error),
    /// The input ended inside quotes, in the record that starts on this line.
    UnclosedQuote(u64),
}

impl<R: Read> Records<R> {
    pub(crate) fn new(input: R) -> Self {
        Self {
            input,
            delimiter: b',',
            buffer: Vec::new(),
            filled: 0,
            start: 0,
            gone: 0,
            line: 1,
            ended: false,
            scan: Scan::default(),
        }
    }

    pub(crate) fn set_delimiter(&mut self, delimiter: u8) {
        self.delimiter = delimiter;
    }

    /// The bytes up to the end of the first line that is not blank, without consuming them.
    pub(crate) fn peek_line(&mut self) -> io::Result<&[u8]> {
        let (mut at, mut quoted, mut blank) = (0, false, true);
        loop {
            let ahead = &self.buffer[self.start..self.filled];
            while at < ahead.len() {
                let byte = ahead[at];
                quoted ^= byte == QUOTE;
                blank &= byte.is_ascii_whitespace();
                if byte == b'\n' && !quoted && !blank {
                    return Ok(&self.buffer[self.start..self.start + at]);
                }
                at += 1;
            }
            if !self.fill()? {
                return Ok(&self.buffer[self.start..self.filled]);
            }
        }
    }

    /// Drops `count` bytes that [`peek_line`](Self::peek_line) has shown, before the first record.
    pub(crate) fn skip(&mut self, count: usize) {
        self.start += count;
    }

    /// Moves to the next record; `false` at the end of the input.
    pub(crate) fn advance(&mut self) -> Result<bool, Broken> {
        loop {
            self.start += self.scan.at;
            self.line += self.scan.newlines;
            self.scan.reset();
            if !self.split()? {
                return Ok(false);
            }
            if self.scan.ends != [0] {
                return Ok(true);
            }
        }
    }

    /// Splits the record at `start`; `false` when nothing is left.
    fn split(&mut self) -> Result<bool, Broken> {
        loop {
            let bytes = &self.buffer[self.start..self.filled];
            if self.scan.run(bytes, self.delimiter) {
                return Ok(true);
            }
            if !self.fill().map_err(Broken::Io)? {
                break;
            }
        }
        if self.scan.at == 0 {
            return Ok(false);
        }
        if self.scan.state == State::Quoted {
            return Err(Broken::UnclosedQuote(self.line));
        }
        self.scan.end_record(&self.buffer[self.start..self.filled]);
        Ok(true)
    }

    /// Reads more bytes behind those that are there; `false` at the end of the input.
    fn fill(&mut self) -> io::Result<bool> {
        if self.ended {
            return Ok(false);
        }
        if self.filled == self.buffer.len() {
            self.buffer.copy_within(self.start..self.filled, 0);
            self.gone += self.start as u64;
            self.filled -= self.start;
            self.start = 0;
        }
        if self.filled == self.buffer.len() {
            self.buffer.resize(CHUNK.max(2 * self.filled), 0);
        }
        loop {
            match self.input.read(&mut self.buffer[self.filled..]) {
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

    /// The record that [`advance`](Self::advance) found.
    pub(crate) fn record(&self) -> Record<'_> {
        Record {
            line: self.line,
            offset: self.gone + self.start as u64,
            bytes: &self.buffer[self.start..self.start + self.scan.at],
            ends: &self.scan.ends,
        }
    }
}

impl Scan {
    fn reset(&mut self) {
        self.at = 0;
        self.state = State::CellStart;
        self.newlines = 0;
        self.ends.clear();
    }

    /// Goes on splitting `bytes`, which start where the record does; `true` at its end.
    fn run(&mut self, bytes: &[u8], delimiter: u8) -> bool {
        while let Some(&byte) = bytes.get(self.at) {
            self.state = match self.state {
                State::Quoted if byte == QUOTE => State::QuoteInQuoted,
                State::Quoted => {
                    self.newlines += u64::from(byte == b'\n');
                    State::Quoted
                }
                _ if byte == delimiter => {
                    self.ends.push(self.at);
                    State::CellStart
                }
                _ if byte == b'\n' => {
                    self.end_record(&bytes[..self.at]);
                    self.at += 1;
                    self.newlines += 1;
                    return true;
                }
                State::CellStart | State::QuoteInQuoted if byte == QUOTE => State::Quoted,
                _ => State::Plain,
            };
            self.at += 1;
        }
        false
    }

    fn end_record(&mut self, bytes: &[u8]) {
        let end = bytes.strip_suffix(b"\r").unwrap_or(bytes).len();
        self.ends.push(end);
    }
}

/// One record: its line and its cells as they stand in the file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Record<'a> {
    /// One-based line on which it starts.
    pub(crate) line: u64,
    /// Bytes of the input before it.
    offset: u64,
    bytes: &'a [u8],
    ends: &'a [usize],
}

impl<'a> Record<'a> {
    /// The number of cells.
    pub(crate) fn len(self) -> usize {
        self.ends.len()
    }

    /// The raw bytes of cell `j`, quotes included.
    pub(crate) fn raw(self, j: usize) -> &'a [u8] {
        &self.bytes[self.cell_start(j)..self.ends[j]]
    }

    /// The content of cell `j`, without quotes.
    pub(crate) fn content(self, j: usize) -> Cow<'a, [u8]> {
        unquoted(self.raw(j))
    }

    /// Where cell `j` lies in the input.
    pub(crate) fn span(self, j: usize) -> std::ops::Range<u64> {
        self.offset + self.cell_start(j) as u64..self.offset + self.ends[j] as u64
    }

    fn cell_start(self, j: usize) -> usize {
        if j == 0 { 0 } else { self.ends[j - 1] + 1 }
    }
}

/// A cell without its quotes; nothing is copied unless a quote stands inside.
fn unquoted(raw: &[u8]) -> Cow<'_, [u8]> {
    let Some(inside) = raw.strip_prefix(b"\"") else {
        return Cow::Borrowed(raw);
    };
    if let Some(content) = inside.strip_suffix(b"\"")
        && !content.contains(&QUOTE)
    {
        return Cow::Borrowed(content);
    }
    let (mut content, mut rest) = (Vec::with_capacity(inside.len()), inside);
    while let Some(quote) = rest.iter().position(|&b| b == QUOTE) {
        content.extend_from_slice(&rest[..quote]);
        rest = &rest[quote + 1..];
        match rest.strip_prefix(b"\"") {
            Some(after) => {
                content.push(QUOTE);
                rest = after;
            }
            None => break,
        }
    }
    content.extend_from_slice(rest);
    Cow::Owned(content)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Hands out its bytes in pieces of the given size, as a slow pipe does.
    struct Pieces<'a>(&'a [u8], usize);

    impl Read for Pieces<'_> {
        fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
            let size = self.1.min(out.len());
            self.0.read(&mut out[..size])
        }
    }

    type Split = Vec<(u64, Vec<Vec<u8>>)>;

    fn split(text: &[u8], piece: usize) -> Result<Split, Broken> {
        let mut records = Records::new(Pieces(text, piece));
        let mut found = Vec::new();
        while records.advance()? {
            let record = records.record();
            for j in 0..record.len() {
                let span = record.span(j);
                assert_eq!(&text[span.start as usize..span.end as usize], record.raw(j));
            }
            let cells = (0..record.len()).map(|j| record.content(j).into_owned());
            found.push((record.line, cells.collect()));
        }
        Ok(found)
    }

    fn texts() -> impl Strategy<Value = String> {
        let pieces = prop::sample::select(vec![
            "a", "1", ",", ",", "\"", "\"\"", "\n", "\r\n", " ", "é",
        ]);
        prop::collection::vec(pieces, 0..60).prop_map(|v| v.concat())
    }

    proptest! {
        #[test]
        fn splits_as_the_csv_crate_does(text in texts(), piece in 1usize..9) {
            if let Ok(found) = split(text.as_bytes(), piece) {
                let mut reference = ::csv::ReaderBuilder::new()
                    .has_headers(false)
                    .flexible(true)
                    .from_reader(text.as_bytes());
                let expected: Vec<Vec<Vec<u8>>> = reference
                    .byte_records()
                    .map(|r| r.unwrap().iter().map(<[u8]>::to_vec).collect())
                    .collect();
                let cells: Vec<_> = found.into_iter().map(|(_, cells)| cells).collect();
                prop_assert_eq!(cells, expected);
            }
        }

        #[test]
        fn pieces_do_not_matter(text in texts(), piece in 1usize..9) {
            let whole = split(text.as_bytes(), usize::MAX);
            let pieces = split(text.as_bytes(), piece);
            prop_assert_eq!(whole.ok(), pieces.ok());
        }
    }

    #[test]
    fn lines_are_true_after_blank_lines_quoted_line_ends_and_crlf() {
        let text = b"a,b\r\n\r\n\n1,\"x\ny\"\r\n3,4";
        let lines: Vec<_> = split(text, 3).unwrap().iter().map(|r| r.0).collect();
        assert_eq!(lines, [1, 4, 6]);
    }

    #[test]
    fn a_record_larger_than_the_buffer_is_whole() {
        let text = format!("{},\"{}\"\n1,2\n", "x".repeat(CHUNK), "y\n".repeat(CHUNK));
        let found = split(text.as_bytes(), 1 << 16).unwrap();
        assert_eq!(found[0].1[1].len(), 2 * CHUNK);
        assert_eq!(found[1].0, 2 + CHUNK as u64);
    }

    #[test]
    fn an_unclosed_quote_names_the_line_where_its_record_starts() {
        let broken = split(b"a,b\n\n1,\"2\n3,4\n", 5).unwrap_err();
        assert!(matches!(broken, Broken::UnclosedQuote(3)), "{broken:?}");
    }
}
