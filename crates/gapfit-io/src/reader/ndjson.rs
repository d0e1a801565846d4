//! Rows of one JSON object a line, once it is known which keys there are.

use std::collections::HashMap;
use std::io::Read;

use super::Wanted;
use super::row::{Draft, Place};
use crate::buffer::Buffer;
use crate::cell::hexadecimal;
use crate::csv::header::check_encoding;
use crate::error::{Error, Result};
use crate::json::{BadValue, Lines, Next, Step, for_each_member, not_object, written};
use crate::location::{Column, Location};

/// Bytes that a line may have.
const LINE_LIMIT: usize = 1 << 30;

/// Reads rows of one JSON object a line.
pub(super) struct Rows {
    lines: Lines<Box<dyn Read + Send>>,
    /// The place of each wanted key, and the line that last had it; made with the first row.
    places: Option<HashMap<String, Wish>>,
}

struct Wish {
    column: usize,
    line: u64,
}

impl Rows {
    /// The rows ahead; nothing is read yet.
    pub(super) fn new(input: Box<dyn Read + Send>) -> Self {
        Self {
            lines: Lines::new(Buffer::new(input, LINE_LIMIT)),
            places: None,
        }
    }

    pub(super) fn next(&mut self, wanted: Wanted<'_>, draft: &mut Draft) -> Result<bool> {
        if !advance(&mut self.lines, wanted.file)? {
            return Ok(false);
        }
        let number = self.lines.number();
        let places = self.places.get_or_insert_with(|| places(wanted.columns));
        draft.place = Place::Line(number);
        draft.all_holes(wanted.columns.len());
        let at = || Location::new(wanted.file, Some(number));
        // a line is gone through again where JSON does not know its numbers
        let mut round = 2 * number;
        for_each_member(text(&self.lines, wanted.file)?, at, &mut |step| {
            let (key, value) = match step {
                Step::Restart => {
                    round += 1;
                    draft.all_holes(wanted.columns.len());
                    return Ok(());
                }
                Step::Member(key, value) => (key, value),
            };
            let Some(wish) = places.get_mut(key) else {
                return Ok(());
            };
            if std::mem::replace(&mut wish.line, round) == round {
                return Err(Error::DuplicateKey {
                    at: at().under(key),
                });
            }
            let cell = written(value).map_err(|bad| match bad {
                BadValue::Nested(got) => Error::Nested {
                    at: at().under(key),
                    got,
                },
                BadValue::Broken(cause) => not_object(at(), value, &cause),
            })?;
            let set = draft.set(wanted, wish.column, cell.as_bytes());
            set.map_err(|fault| fault.error(at().under(key), cell.as_bytes()))
        })?;
        Ok(true)
    }
}

/// The keys of all lines, in the order of their first appearance.
pub(super) fn columns(input: Box<dyn Read + Send>, file: &str) -> Result<Vec<Column>> {
    let mut lines = Lines::new(Buffer::new(input, LINE_LIMIT));
    let mut columns: Vec<Column> = Vec::new();
    let mut known: HashMap<String, usize> = HashMap::new();
    while advance(&mut lines, file)? {
        let at = || Location::new(file, Some(lines.number()));
        // most lines have the keys of the others in the same order
        let mut next = 0;
        for_each_member(text(&lines, file)?, at, &mut |step| {
            let Step::Member(key, _) = step else {
                next = 0;
                return Ok(());
            };
            if columns.get(next).is_some_and(|column| column.name == key) {
                next += 1;
                return Ok(());
            }
            next = *known.entry(key.to_owned()).or_insert_with(|| {
                let (index, name) = (columns.len(), key.to_owned());
                columns.push(Column { index, name });
                index
            }) + 1;
            Ok(())
        })?;
    }
    Ok(columns)
}

fn places(columns: &[Column]) -> HashMap<String, Wish> {
    let wish = |(column, c): (usize, &Column)| (c.name.clone(), Wish { column, line: 0 });
    columns.iter().enumerate().map(wish).collect()
}

fn advance(lines: &mut Lines<Box<dyn Read + Send>>, file: &str) -> Result<bool> {
    match lines.advance() {
        Ok(Next::Line) => Ok(true),
        Ok(Next::End) => Ok(false),
        Ok(Next::TooLong) => Err(Error::TooLong {
            at: Location::new(file, Some(lines.number())),
            limit: lines.limit(),
        }),
        Err(cause) => Err(Error::Unreadable {
            file: file.to_owned(),
            cause,
        }),
    }
}

/// The text of the current line.
fn text<'a>(lines: &'a Lines<Box<dyn Read + Send>>, file: &str) -> Result<&'a str> {
    let line = lines.line();
    if lines.number() == 1 {
        check_encoding(line, file)?;
    }
    match std::str::from_utf8(line) {
        Ok(text) => Ok(text.trim_ascii()),
        Err(bad) => Err(Error::NotText {
            at: Location::new(file, Some(lines.number())),
            what: "a line",
            got: hexadecimal(&line[bad.valid_up_to()..]),
        }),
    }
}
