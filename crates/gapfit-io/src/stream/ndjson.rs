//! Rows of one JSON object a line.

use std::io::Read;

use super::object::Object;
use super::options::{Options, Roles};
use super::row::Row;
use crate::buffer::Buffer;
use crate::cell::hexadecimal;
use crate::csv::header::check_encoding;
use crate::error::{Error, Result};
use crate::json::{Lines, Next};
use crate::location::{Location, distinct};

/// Reads rows of one JSON object a line.
#[derive(Debug)]
pub(super) struct Rows<R> {
    lines: Lines<R>,
    object: Object,
    file: String,
}

impl<R: Read> Rows<R> {
    /// The rows ahead; nothing is read yet.
    pub(super) fn new(
        buffer: Buffer<R>,
        file: &str,
        roles: &Roles,
        options: &Options,
    ) -> Result<Self> {
        let at = |name: &str| Location::new(file, None).under(name);
        distinct(options.and_ignored(roles), at)?;
        Ok(Self {
            lines: Lines::new(buffer),
            object: Object::new(file, roles, options),
            file: file.to_owned(),
        })
    }

    pub(super) fn names(&self) -> &[String] {
        self.object.names()
    }

    pub(super) fn next_row(&mut self) -> Result<Option<Row<'_>>> {
        if !self.advance()? {
            return Ok(None);
        }
        match self.read_line() {
            Ok(()) => Ok(Some(self.object.row())),
            Err(error) => {
                if self.lines.number() == 1 {
                    check_encoding(self.lines.line(), &self.file)?;
                }
                Err(error)
            }
        }
    }

    fn advance(&mut self) -> Result<bool> {
        match self.lines.advance() {
            Ok(Next::Line) => Ok(true),
            Ok(Next::End) => Ok(false),
            Ok(Next::TooLong) => Err(Error::TooLong {
                at: self.location(),
                limit: self.lines.limit(),
            }),
            Err(cause) => Err(Error::Unreadable {
                file: self.file.clone(),
                cause,
            }),
        }
    }

    fn read_line(&mut self) -> Result<()> {
        let line = self.lines.line();
        match std::str::from_utf8(line) {
            Ok(text) => self.object.read(self.lines.number(), text.trim_ascii()),
            Err(bad) => Err(Error::NotText {
                at: self.location(),
                what: "a line",
                got: hexadecimal(&line[bad.valid_up_to()..]),
            }),
        }
    }

    fn location(&self) -> Location {
        Location::new(&self.file, Some(self.lines.number()))
    }
}
