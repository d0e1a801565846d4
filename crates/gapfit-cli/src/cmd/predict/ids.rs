//! Columns that tell rows apart, carried along to their predictions.

use std::collections::BTreeMap;

use anyhow::Result;
use gapfit_io::{Cell, Reader, Reading, Row};

use crate::csv_cell::quoted;
use crate::hint::Hinted;
use crate::matching::Known;

/// The cells that stand before each line of the result.
#[derive(Debug, Default)]
pub(super) struct Ids {
    names: Vec<String>,
    /// Where they are among the columns that are read.
    places: Vec<usize>,
    /// The cells of each of the current rows.
    rows: Vec<Vec<Option<String>>>,
}

impl Ids {
    /// These columns, none of which may be a feature or have the name of a column of the result.
    pub(super) fn new(names: &[String], known: &Known<'_>, columns: &[String]) -> Result<Self> {
        for name in names {
            if known.names().contains(&name.as_str()) {
                return Err(Hinted::error(
                    format!(
                        "--id: expected a column that is no feature of the model, got {name:?}"
                    ),
                    "name a column that tells rows apart",
                ));
            }
            if columns.contains(name) {
                return Err(Hinted::error(
                    format!("--id: expected another name than those of the result, got {name:?}"),
                    "rename the column in the table",
                ));
            }
        }
        Ok(Self {
            names: names.to_vec(),
            ..Self::default()
        })
    }

    /// Finds the columns, which are read as they are written.
    pub(super) fn find(&mut self, reader: &mut Reader) -> Result<()> {
        self.places.clear();
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
            Cell::Text(text) => Some(text.to_owned()),
            Cell::Number(number) => Some(format!("{number:?}")),
            Cell::Hole => None,
        };
        self.rows.push(self.places.iter().map(cell).collect());
    }

    /// Forgets the rows so far.
    pub(super) fn clear(&mut self) {
        self.rows.clear();
    }

    /// What each line about the current rows begins with, row by row.
    pub(super) fn prefixes(&self) -> Vec<String> {
        let cell = |cell: &Option<String>| quoted(cell.as_deref().unwrap_or_default()) + ",";
        let rows = self.rows.iter();
        rows.map(|cells| cells.iter().map(cell).collect()).collect()
    }

    /// The ids of the current rows by name, row by row; none where none are asked for.
    pub(super) fn named(&self) -> impl Iterator<Item = Option<BTreeMap<&str, Option<&str>>>> {
        let names = self.names.iter().map(String::as_str);
        self.rows.iter().map(move |cells| {
            let cells = cells.iter().map(Option::as_deref);
            (!self.names.is_empty()).then(|| names.clone().zip(cells).collect())
        })
    }
}
