//! A place in a table, as messages name it.

use std::fmt;

use crate::closest::closest;
use crate::error::{Error, Result};
use crate::reader::Place;

/// A place in a table, displayed as far as it is known: `data.csv, line 3, column 2 ("age")`, or
/// `data.ndjson, line 3, key "age"`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Location {
    /// The file, or `standard input`.
    pub file: String,
    /// The line of a text file, or the row of another.
    pub place: Option<Place>,
    /// The cell in that line, or a column of the file.
    pub field: Option<Field>,
}

/// What finds a cell in a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Field {
    /// Its column, in delimited text.
    Column(Column),
    /// Its key, in JSON.
    Key(String),
}

/// A column of a file: its place and its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// Zero-based place in the file.
    pub index: usize,
    /// Name in the header.
    pub name: String,
}

impl Location {
    /// A line, or the whole file.
    pub(crate) fn new(file: &str, line: Option<u64>) -> Self {
        Self::at(file, line.map(Place::Line))
    }

    /// The place of a row, or the whole file.
    pub(crate) fn at(file: &str, place: Option<Place>) -> Self {
        Self {
            file: file.to_owned(),
            place,
            field: None,
        }
    }

    /// The same line, in a column where there is one.
    pub(crate) fn in_column(self, column: Option<&Column>) -> Self {
        let field = column.cloned().map(Field::Column);
        Self { field, ..self }
    }

    /// The same line, under a key.
    pub(crate) fn under(self, key: &str) -> Self {
        let field = Some(Field::Key(key.to_owned()));
        Self { field, ..self }
    }
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.file)?;
        match self.place {
            None => {}
            Some(Place::Line(line)) => write!(f, ", line {line}")?,
            Some(Place::Row(row)) => write!(f, ", row {row}")?,
        }
        match &self.field {
            None => Ok(()),
            Some(Field::Column(Column { index, name })) => {
                write!(f, ", column {} ({name:?})", index + 1)
            }
            Some(Field::Key(key)) => write!(f, ", key {key:?}"),
        }
    }
}

/// The place of the column called `name`, or the error that says which was probably meant.
pub(crate) fn position(
    columns: &[Column],
    name: &str,
    role: &'static str,
    file: &str,
) -> Result<usize> {
    let names = columns.iter().map(|column| column.name.as_str());
    let found = names.clone().position(|candidate| candidate == name);
    found.ok_or_else(|| Error::AbsentColumn {
        file: file.to_owned(),
        role,
        name: name.to_owned(),
        closest: closest(name, names.clone()).map(str::to_owned),
        columns: names.map(str::to_owned).collect(),
    })
}

/// Refuses a name that has two roles; `at` gives its place.
pub(crate) fn distinct<'a>(
    named: impl Iterator<Item = (&'static str, &'a str)>,
    at: impl Fn(&str) -> Location,
) -> Result<()> {
    let mut before: Vec<(&'static str, &str)> = Vec::new();
    for (second, name) in named {
        // a column may be ignored twice, but is not two targets
        let is_target = second == "target";
        let shared =
            |&&(first, other): &&(&str, &str)| other == name && (first != second || is_target);
        if let Some(&(first, _)) = before.iter().find(shared) {
            let at = at(name);
            return Err(Error::SharedColumn { at, first, second });
        }
        before.push((second, name));
    }
    Ok(())
}
