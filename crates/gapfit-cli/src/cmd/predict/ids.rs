//! Columns that tell rows apart, carried along to their predictions.

use anyhow::{Result, bail};
use gapfit_io::{Cell, Reader, Reading, Row};

use crate::csv_cell::quoted;
use crate::matching::Known;

/// The cells that stand before each line of the result.
#[derive(Debug, Default)]
pub(super) struct Ids {
    names: Vec<String>,
    /// Where they are among the columns that are read.
    places: Vec<usize>,
    /// What the lines of each of the current rows begin with.
    prefixes: Vec<String>,
}

impl Ids {
    /// These columns, none of which may be a feature or have the name of one in the header of the result.
    pub(super) fn new(names: &[String], known: &Known<'_>, header: &str) -> Result<Self> {
        for name in names {
            if known.names().contains(&name.as_str()) {
                bail!("--id: expected a column that is no feature of the model, got {name:?}");
            }
            if header.split(',').any(|column| column == name) {
                bail!("--id: expected another name than those of the result, got {name:?}");
            }
        }
        Ok(Self {
            names: names.to_vec(),
            ..Self::default()
        })
    }

    /// Finds the columns, which are read as they are written.
    pub(super) fn find(&mut self, reader: &mut Reader) -> Result<()> {
        for name in &self.names {
            let place = reader.position(name, "id")?;
            reader.read_as(place, Reading::Text);
            self.places.push(place);
        }
        Ok(())
    }

    /// What stands before the header of the result.
    pub(super) fn header(&self) -> String {
        let names = self.names.iter();
        names.map(|name| quoted(name) + ",").collect()
    }

    /// Takes the ids of one more row.
    pub(super) fn push(&mut self, row: Row<'_>) {
        let cell = |&place: &usize| match row.cell(place) {
            Cell::Text(text) => quoted(text) + ",",
            Cell::Number(number) => format!("{number:?},"),
            Cell::Hole => ",".to_owned(),
        };
        self.prefixes.push(self.places.iter().map(cell).collect());
    }

    /// Forgets the rows so far.
    pub(super) fn clear(&mut self) {
        self.prefixes.clear();
    }

    /// What each line about the current rows begins with, row by row.
    pub(super) fn prefixes(&self) -> &[String] {
        &self.prefixes
    }
}
