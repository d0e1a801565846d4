//! When a row is given.

use std::cell::Cell;
use std::io::{self, Read};
use std::rc::Rc;
use std::str::SplitInclusive;

use gapfit_io::stream::{Options, Reader};

use super::target;

/// Hands out one line per call, and nothing that was not asked for when a row was due.
struct Pipe<'a> {
    lines: SplitInclusive<'a, char>,
    allowed: Rc<Cell<usize>>,
}

impl Read for Pipe<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let left = self
            .allowed
            .get()
            .checked_sub(1)
            .expect("the line was there");
        self.allowed.set(left);
        let line = self.lines.next().expect("more was asked for than there is");
        out[..line.len()].copy_from_slice(line.as_bytes());
        Ok(line.len())
    }
}

#[test]
fn a_row_is_given_as_soon_as_its_line_has_arrived() {
    for (text, header) in [
        ("a,y\n1,1\n2,2\nx,2\n\n3,3\n", 1),
        ("{\"a\":1}\n{\"a\":2}\n{\"a\":\"x\"}\n\n{\"b\":3}\n", 0),
    ] {
        let allowed = Rc::new(Cell::new(1));
        let pipe = Pipe {
            lines: text.split_inclusive('\n'),
            allowed: allowed.clone(),
        };
        let mut reader = Reader::new(pipe, "a pipe", &target(), &Options::default()).unwrap();
        // the first line was read when the format was recognised
        for lines in [header, 1, 1, 2] {
            allowed.set(lines);
            assert!(!matches!(reader.next_row(), Ok(None)));
            assert_eq!(allowed.get(), 0);
        }
    }
}
