//! Splits delimited text into records and cells without copying them.
//!
//! Our own splitter because two things are needed that the usual one does not give: the true line
//! of every record (also after blank lines and CRLF), and the raw bytes of every cell, so that a
//! copy can leave them as they are. It splits as the `csv` crate does, which a test checks.
//!
//! A record ends at a line feed outside quotes; a carriage return before it belongs to the end.
//! Blank lines are skipped. A quote opens only at the start of a cell; inside, `""` is a quote.

use std::io::{self, Read};

use super::record::Record;
use super::scan::{QUOTE, Scan};
use crate::buffer::Buffer;

/// Reads records one after the other.
#[derive(Debug)]
pub(crate) struct Records<R> {
    /// The current record is ahead.
    buffer: Buffer<R>,
    delimiter: u8,
    /// Line on which the current record starts.
    line: u64,
    scan: Scan,
    /// Whether the current record is too long and its first line still to be stepped over.
    is_refused: bool,
}

/// Why there is no next record.
#[derive(Debug)]
pub(crate) enum Broken {
    Io(io::Error),
    /// The input ended inside quotes, in the record that starts on this line.
    UnclosedQuote(u64),
    /// The record that starts on this line has more bytes than it may. The next one starts on the
    /// next line: a quote that is never closed costs no more than its own.
    TooLong(u64),
}

impl<R: Read> Records<R> {
    /// The records of `input`, of any length.
    pub(crate) fn new(input: R) -> Self {
        Self::over(Buffer::new(input, usize::MAX))
    }

    /// The records of what is ahead in `buffer`.
    pub(crate) fn over(buffer: Buffer<R>) -> Self {
        Self {
            buffer,
            delimiter: b',',
            line: 1,
            scan: Scan::default(),
            is_refused: false,
        }
    }

    pub(crate) fn set_delimiter(&mut self, delimiter: u8) {
        self.delimiter = delimiter;
    }

    /// The bytes that a record may have.
    pub(crate) fn limit(&self) -> usize {
        self.buffer.limit()
    }

    /// The bytes up to the end of the first line that is not blank, without consuming them; no more
    /// than a record may have.
    pub(crate) fn peek_line(&mut self) -> io::Result<&[u8]> {
        let (mut at, mut quoted, mut blank) = (0, false, true);
        loop {
            let ahead = self.buffer.ahead();
            while at < ahead.len() {
                let byte = ahead[at];
                quoted ^= byte == QUOTE;
                blank &= byte.is_ascii_whitespace();
                if byte == b'\n' && !quoted && !blank {
                    return Ok(&self.buffer.ahead()[..at]);
                }
                at += 1;
            }
            if at > self.limit() || !self.buffer.fill()? {
                return Ok(self.buffer.ahead());
            }
        }
    }

    /// Drops `count` bytes that [`peek_line`](Self::peek_line) has shown, before the first record.
    pub(crate) fn skip(&mut self, count: usize) {
        self.buffer.consume(count);
    }

    /// Moves to the next record; `false` at the end of the input.
    pub(crate) fn advance(&mut self) -> Result<bool, Broken> {
        while self.advance_to_any()? {
            if !self.record().is_blank() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Moves to the next record or blank line; `false` at the end of the input.
    pub(super) fn advance_to_any(&mut self) -> Result<bool, Broken> {
        self.leave().map_err(Broken::Io)?;
        self.split()
    }

    /// Steps over the current record, or over the first line of one that is too long.
    fn leave(&mut self) -> io::Result<()> {
        if self.is_refused {
            self.line += u64::from(self.buffer.drop_line()?);
        } else {
            self.buffer.consume(self.scan.at);
            self.line += self.scan.newlines;
        }
        self.is_refused = false;
        self.scan.reset();
        Ok(())
    }

    /// Splits the record ahead; `false` when nothing is left.
    fn split(&mut self) -> Result<bool, Broken> {
        loop {
            let is_whole = self.scan.run(self.buffer.ahead(), self.delimiter);
            if self.scan.at > self.limit() {
                self.is_refused = true;
                return Err(Broken::TooLong(self.line));
            }
            if is_whole {
                return Ok(true);
            }
            if !self.buffer.fill().map_err(Broken::Io)? {
                break;
            }
        }
        if self.scan.at == 0 {
            return Ok(false);
        }
        if self.scan.is_quoted() {
            return Err(Broken::UnclosedQuote(self.line));
        }
        self.scan.end_record(self.buffer.ahead());
        Ok(true)
    }

    /// The record that [`advance`](Self::advance) found.
    pub(crate) fn record(&self) -> Record<'_> {
        Record {
            line: self.line,
            bytes: &self.buffer.ahead()[..self.scan.at],
            ends: &self.scan.ends,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::buffer::CHUNK;
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

    #[test]
    fn a_record_that_is_too_long_costs_its_first_line() {
        let text = b"a,b\n1,\"2\n3,4\n5,6\n7,8\n";
        for piece in [1, 3, 100] {
            let mut records = Records::over(Buffer::new(Pieces(text, piece), 10));
            let mut lines = Vec::new();
            loop {
                match records.advance() {
                    Ok(true) => lines.push(Ok(records.record().line)),
                    Ok(false) => break,
                    Err(Broken::TooLong(line)) => lines.push(Err(line)),
                    Err(broken) => panic!("{broken:?}"),
                }
            }
            assert_eq!(lines, [Ok(1), Err(2), Ok(3), Ok(4), Ok(5)]);
        }
    }
}
