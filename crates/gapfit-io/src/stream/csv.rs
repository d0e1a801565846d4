//! Rows of delimited text.

use std::io::Read;

use super::options::{Options, Roles, Rules};
use super::row::{Draft, Row};
use crate::buffer::Buffer;
use crate::cell::hexadecimal;
use crate::csv::{self, Reader};
use crate::error::{Error, Result};
use crate::location::Column;

/// Reads rows of delimited text.
#[derive(Debug)]
pub(super) struct Rows<R> {
    /// Its columns are the features.
    reader: Reader<R>,
    names: Vec<String>,
    target: Column,
    weight: Option<Column>,
    id: Option<Column>,
    rules: Rules,
    draft: Draft,
}

impl<R: Read> Rows<R> {
    /// The rows after the header, which is read at once.
    pub(super) fn new(
        buffer: Buffer<R>,
        file: &str,
        roles: &Roles,
        options: &Options,
    ) -> Result<Self> {
        let written = csv::Options {
            delimiter: options.delimiter,
            missing: options.missing.clone(),
        };
        let mut reader = Reader::over(buffer, file, &written)?;
        reader.check_roles(options.and_ignored(roles))?;
        reader.ignore(&options.ignore)?;
        let mut take = |name: &Option<String>, role| match name {
            Some(name) => reader.take(name, role).map(Some),
            None => Ok(None),
        };
        let (weight, id) = (take(&roles.weight, "weight")?, take(&roles.id, "id")?);
        let target = reader.take(&roles.target, "target")?;
        let names: Vec<_> = reader.columns().iter().map(|c| c.name.clone()).collect();
        if names.is_empty() {
            let file = file.to_owned();
            return Err(Error::NoFeatures { file });
        }
        Ok(Self {
            reader,
            names,
            target,
            weight,
            id,
            rules: Rules::of(options),
            draft: Draft::default(),
        })
    }

    pub(super) fn names(&self) -> &[String] {
        &self.names
    }

    pub(super) fn next_row(&mut self) -> Result<Option<Row<'_>>> {
        if !self.reader.next_record()? {
            return Ok(None);
        }
        self.read_features()?;
        self.read_roles()?;
        Ok(Some(self.draft.row(&self.names)))
    }

    fn read_features(&mut self) -> Result<()> {
        let record = self.reader.record();
        self.draft.clear(record.line, self.names.len());
        for (j, column) in self.reader.columns().iter().enumerate() {
            match self.rules.number(&record.content(column.index)) {
                Ok(cell) => self.draft.set(j, cell),
                Err(why) => return Err(self.reader.bad_cell(why, j)),
            }
        }
        Ok(())
    }

    fn read_roles(&mut self) -> Result<()> {
        let record = self.reader.record();
        let at = |column: &Column| self.reader.location_in(record.line, column);
        let text = |column: &Column, what, out: &mut String| -> Result<()> {
            let cell = record.content(column.index);
            let text = std::str::from_utf8(&cell).map_err(|_| Error::NotText {
                at: at(column),
                what,
                got: hexadecimal(&cell),
            })?;
            out.push_str(self.rules.text(text));
            Ok(())
        };
        text(&self.target, "a target", &mut self.draft.target)?;
        if let Some(column) = &self.id {
            text(column, "an id", &mut self.draft.id)?;
        }
        if let Some(column) = &self.weight {
            let cell = record.content(column.index);
            let parsed = self.rules.missing.parse(&cell);
            self.draft.weight = parsed.map_err(|why| why.error(at(column), &cell))?;
            self.draft.check_weight(|| at(column))?;
        }
        Ok(())
    }
}
