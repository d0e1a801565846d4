//! Splits one record into cells.

use memchr::memchr3;

pub(super) const QUOTE: u8 = b'"';

/// How far the current record is split; positions count from its start.
#[derive(Debug, Default)]
pub(super) struct Scan {
    /// Bytes of the record so far.
    pub(super) at: usize,
    state: State,
    /// Line ends so far.
    pub(super) newlines: u64,
    /// End of each cell; the next one starts a byte later.
    pub(super) ends: Vec<usize>,
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

impl Scan {
    /// Whether a quote is open.
    pub(super) fn is_quoted(&self) -> bool {
        self.state == State::Quoted
    }

    pub(super) fn reset(&mut self) {
        self.at = 0;
        self.state = State::CellStart;
        self.newlines = 0;
        self.ends.clear();
    }

    /// Goes on splitting `bytes`, which start where the record does; `true` at its end.
    pub(super) fn run(&mut self, bytes: &[u8], delimiter: u8) -> bool {
        loop {
            if matches!(self.state, State::CellStart | State::Plain) {
                let ahead = &bytes[self.at..];
                let stop = memchr3(delimiter, b'\n', QUOTE, ahead);
                self.skip(stop.unwrap_or(ahead.len()));
            }
            match bytes.get(self.at) {
                None => return false,
                Some(&byte) if self.step(byte, bytes, delimiter) => return true,
                Some(_) => {}
            }
        }
    }

    /// Goes on by bytes that are like any other.
    fn skip(&mut self, count: usize) {
        if count > 0 {
            self.at += count;
            self.state = State::Plain;
        }
    }

    /// Goes on by one byte; `true` at the end of the record.
    fn step(&mut self, byte: u8, bytes: &[u8], delimiter: u8) -> bool {
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
        false
    }

    /// Ends the last cell at the end of `bytes`.
    pub(super) fn end_record(&mut self, bytes: &[u8]) {
        let end = bytes.strip_suffix(b"\r").unwrap_or(bytes).len();
        self.ends.push(end);
    }
}
