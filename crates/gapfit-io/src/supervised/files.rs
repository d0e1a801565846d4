//! Several files with the same columns, read one after the other.

use gapfit::data::{MaskedMatrix, Schema};

use super::rows::{Features, Places, Rows};
use super::{Roles, Supervised, checked_places};
use crate::columns::{Encoder, Guesses, Kinds};
use crate::error::Result;
use crate::reader::Reader;

/// Files that are read one after the other.
pub(super) struct Files<'a> {
    n_files: usize,
    open: &'a mut dyn FnMut(usize) -> Result<Reader>,
    pub(super) roles: &'a Roles,
    pub(super) kinds: &'a Kinds,
    /// The one that is being read.
    pub(super) reader: Reader,
    pub(super) places: Places,
    number: usize,
}

impl<'a> Files<'a> {
    pub(super) fn new(
        n_files: usize,
        open: &'a mut dyn FnMut(usize) -> Result<Reader>,
        roles: &'a Roles,
        kinds: &'a Kinds,
    ) -> Result<Self> {
        let mut reader = open(0)?;
        let places = checked_places(&mut reader, roles, kinds)?;
        Ok(Self {
            n_files,
            ..Self::one((reader, places), open, roles, kinds)
        })
    }

    /// One table, open already, with its columns in these places; `open` is not called.
    pub(super) fn one(
        (reader, places): (Reader, Places),
        open: &'a mut dyn FnMut(usize) -> Result<Reader>,
        roles: &'a Roles,
        kinds: &'a Kinds,
    ) -> Self {
        Self {
            n_files: 1,
            open,
            roles,
            kinds,
            reader,
            places,
            number: 0,
        }
    }

    /// No rows yet; features are those of a schema, or guessed.
    pub(super) fn rows<'s>(&mut self, schema: Option<&'s Schema>) -> Rows<'s> {
        let Self {
            reader,
            places,
            kinds,
            ..
        } = self;
        let features = match schema {
            None => Features::Guessed(Guesses::new(reader, &places.features, kinds)),
            Some(schema) => {
                let none = MaskedMatrix::new(schema.n_features());
                Features::Encoded(Encoder::new(reader, schema), none, schema)
            }
        };
        Rows::new(features, self.roles)
    }

    /// Takes more rows, some `limit` of them, from as many files as it takes; whether there are any.
    pub(super) fn advance(&mut self, rows: &mut Rows<'_>, limit: usize) -> Result<bool> {
        while !rows.take(&mut self.reader, &self.places, limit)? && self.number + 1 < self.n_files {
            self.number += 1;
            self.reader = (self.open)(self.number)?;
            self.reader.check_roles(self.roles.named())?;
            self.places = Places::of(&mut self.reader, self.roles)?;
            rows.turn_to(&mut self.reader)?;
        }
        Ok(rows.len() > 0)
    }

    /// Whether there are rows to learn from.
    pub(super) fn check(&self, rows: &Rows<'_>) -> Result<()> {
        rows.check(&self.reader, &self.places)
    }
}

impl Supervised {
    /// The rows of the files that `open` opens by their numbers, the first `n_files` of them, one file after the
    /// other. The columns are those of the first; others may have them in another order, and more.
    ///
    /// # Errors
    /// As [`read_as`](Self::read_as), and [`Error::AbsentColumn`](crate::Error::AbsentColumn) where a file lacks
    /// a column of the first.
    pub fn read_files(
        n_files: usize,
        mut open: impl FnMut(usize) -> Result<Reader>,
        roles: &Roles,
        kinds: &Kinds,
    ) -> Result<Self> {
        let mut files = Files::new(n_files, &mut open, roles, kinds)?;
        let mut rows = files.rows(None);
        rows.reserve(files.reader.n_rows().unwrap_or(0));
        files.advance(&mut rows, usize::MAX)?;
        files.check(&rows)?;
        rows.finish(&files.reader, roles, kinds)
    }
}
