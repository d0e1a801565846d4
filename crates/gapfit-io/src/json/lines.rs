//! Lines of text, one after the other.

use std::io::{self, Read};

use memchr::memchr;

use crate::buffer::{BOM, Buffer};

/// Reads lines one after the other; blank ones are skipped.
#[derive(Debug)]
pub(crate) struct Lines<R> {
    /// The current line is ahead.
    buffer: Buffer<R>,
    /// Bytes of the current line, its end included.
    length: usize,
    /// One-based number of the line after the current one.
    next: u64,
    /// Whether the current line is too long and still to be stepped over.
    is_refused: bool,
}

/// What comes next.
#[derive(Debug, PartialEq)]
pub(crate) enum Next {
    Line,
    /// A line that has more bytes than it may.
    TooLong,
    End,
}

impl<R: Read> Lines<R> {
    pub(crate) fn new(buffer: Buffer<R>) -> Self {
        Self {
            buffer,
            length: 0,
            next: 1,
            is_refused: false,
        }
    }

    /// The bytes that a line may have.
    pub(crate) fn limit(&self) -> usize {
        self.buffer.limit()
    }

    /// One-based number of the current line.
    pub(crate) fn number(&self) -> u64 {
        self.next - 1
    }

    /// Moves to the next line that is not blank.
    pub(crate) fn advance(&mut self) -> io::Result<Next> {
        loop {
            self.leave()?;
            let (length, is_whole) = self.find_end()?;
            self.next += 1;
            if length > self.limit() {
                self.is_refused = true;
                return Ok(Next::TooLong);
            }
            self.length = length;
            if !self.line().trim_ascii().is_empty() {
                return Ok(Next::Line);
            }
            if !is_whole {
                return Ok(Next::End);
            }
        }
    }

    /// Steps over the current line.
    fn leave(&mut self) -> io::Result<()> {
        self.buffer.consume(std::mem::take(&mut self.length));
        if std::mem::take(&mut self.is_refused) {
            self.buffer.drop_line()?;
        }
        Ok(())
    }

    /// The length of the line ahead, and whether it has an end; no further than a line may reach.
    fn find_end(&mut self) -> io::Result<(usize, bool)> {
        let mut seen = 0;
        loop {
            let ahead = self.buffer.ahead();
            if let Some(end) = memchr(b'\n', &ahead[seen..]) {
                return Ok((seen + end + 1, true));
            }
            seen = ahead.len();
            if seen > self.limit() || !self.buffer.fill()? {
                return Ok((seen, false));
            }
        }
    }

    /// The current line.
    pub(crate) fn line(&self) -> &[u8] {
        let line = &self.buffer.ahead()[..self.length];
        match self.number() {
            1 => line.strip_prefix(BOM).unwrap_or(line),
            _ => line,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str, limit: usize) -> Vec<(u64, String)> {
        let mut lines = Lines::new(Buffer::new(text.as_bytes(), limit));
        let mut found = Vec::new();
        loop {
            let next = lines.advance().unwrap();
            let text = match next {
                Next::Line => String::from_utf8(lines.line().to_vec()).unwrap(),
                Next::TooLong => "too long".to_owned(),
                Next::End => return found,
            };
            found.push((lines.number(), text.trim().to_owned()));
        }
    }

    #[test]
    fn blank_lines_count_and_are_skipped() {
        for end in ["", "\n", "\r\n \t\n"] {
            let found = lines(&format!("\u{feff}\n\na\r\n \r\nb c{end}"), 100);
            assert_eq!(found, [(3, "a".to_owned()), (5, "b c".to_owned())]);
        }
        assert_eq!(lines("", 100), []);
        assert_eq!(lines("\u{feff}a", 100), [(1, "a".to_owned())]);
    }

    #[test]
    fn a_line_that_is_too_long_is_stepped_over() {
        let found = lines("abcd\nabcdefgh\nabcde", 6);
        let expected = [(1, "abcd"), (2, "too long"), (3, "abcde")];
        assert_eq!(found, expected.map(|(line, text)| (line, text.to_owned())));
        assert_eq!(lines("abcdefgh", 6).len(), 1);
    }
}
