//! One row of cells, and the rules by which a text becomes one.

use super::{Reading, Wanted};
use crate::cell::{NotNumber, hexadecimal};
use crate::error::Error;
use crate::location::Location;

/// A cell of a table.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Cell<'a> {
    /// Nothing is there.
    Hole,
    /// A finite number.
    Number(f64),
    /// A text without spaces around it, not empty.
    Text(&'a str),
}

/// Where a row stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// One-based line of a text file on which it starts.
    Line(u64),
    /// One-based number among the rows.
    Row(u64),
}

/// One row, borrowed from its reader.
#[derive(Clone, Copy, Debug)]
pub struct Row<'a> {
    /// Where it stands.
    pub place: Place,
    cells: &'a [Raw],
    text: &'a str,
}

impl<'a> Row<'a> {
    /// The cell of the `j`-th column that is read.
    ///
    /// # Panics
    /// When there is no such column.
    pub fn cell(self, j: usize) -> Cell<'a> {
        match self.cells[j] {
            Raw::Hole => Cell::Hole,
            Raw::Number(number) => Cell::Number(number),
            Raw::Text { start, end } => Cell::Text(&self.text[start..end]),
        }
    }

    /// The number in the `j`-th cell; `None` where it is a hole or a text.
    ///
    /// # Panics
    /// When there is no such column.
    pub fn number(self, j: usize) -> Option<f64> {
        match self.cells[j] {
            Raw::Number(number) => Some(number),
            _ => None,
        }
    }
}

#[derive(Clone, Copy, Debug)]
enum Raw {
    Hole,
    Number(f64),
    /// A part of the text of the row.
    Text {
        start: usize,
        end: usize,
    },
}

/// The row that is being read.
#[derive(Debug)]
pub(crate) struct Draft {
    pub(crate) place: Place,
    cells: Vec<Raw>,
    text: String,
}

/// Why a text is no cell of its column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    NotNumber(NotNumber),
    NotUtf8,
}

impl Fault {
    /// The error that says where, and what stands there.
    pub(crate) fn error(self, at: Location, cell: &[u8]) -> Error {
        match self {
            Self::NotNumber(why) => why.error(at, cell),
            Self::NotUtf8 => Error::NotText {
                at,
                what: "text",
                got: hexadecimal(cell),
            },
        }
    }
}

impl Default for Draft {
    fn default() -> Self {
        Self {
            place: Place::Row(0),
            cells: Vec::new(),
            text: String::new(),
        }
    }
}

impl Draft {
    pub(crate) fn clear(&mut self) {
        self.cells.clear();
        self.text.clear();
    }

    /// Makes it a row of this many holes.
    pub(crate) fn all_holes(&mut self, n_cells: usize) {
        self.clear();
        self.cells.resize(n_cells, Raw::Hole);
    }

    pub(crate) fn row(&self) -> Row<'_> {
        Row {
            place: self.place,
            cells: &self.cells,
            text: &self.text,
        }
    }

    /// Puts a finite number, or a hole, behind the cells.
    #[cfg(feature = "arrow")]
    pub(crate) fn push_number(&mut self, number: Option<f64>) {
        self.cells.push(number.map_or(Raw::Hole, Raw::Number));
    }

    /// Puts the cell of the `j`-th column behind the others, as its text says.
    pub(crate) fn push(&mut self, wanted: Wanted<'_>, j: usize, cell: &[u8]) -> Result<(), Fault> {
        let raw = self.raw(wanted, j, cell)?;
        self.cells.push(raw);
        Ok(())
    }

    /// Sets the cell of the `j`-th column, as its text says.
    pub(crate) fn set(&mut self, wanted: Wanted<'_>, j: usize, cell: &[u8]) -> Result<(), Fault> {
        self.cells[j] = self.raw(wanted, j, cell)?;
        Ok(())
    }

    fn raw(&mut self, wanted: Wanted<'_>, j: usize, cell: &[u8]) -> Result<Raw, Fault> {
        let reading = wanted.readings[j];
        if reading == Reading::Text {
            let cell = cell.trim_ascii();
            if wanted.missing.matches(cell) {
                return Ok(Raw::Hole);
            }
            return self.written(cell);
        }
        match wanted.missing.parse(cell) {
            Ok(Some(number)) => Ok(Raw::Number(number)),
            Ok(None) => Ok(Raw::Hole),
            Err(why) if reading == Reading::Number => {
                truth(cell).map(Raw::Number).ok_or(Fault::NotNumber(why))
            }
            Err(_) => self.written(cell.trim_ascii()),
        }
    }

    fn written(&mut self, cell: &[u8]) -> Result<Raw, Fault> {
        let text = std::str::from_utf8(cell).map_err(|_| Fault::NotUtf8)?;
        let start = self.text.len();
        self.text.push_str(text);
        let end = self.text.len();
        Ok(Raw::Text { start, end })
    }
}

/// 1 for true and 0 for false, in the spellings of the common languages.
pub(crate) fn truth(cell: &[u8]) -> Option<f64> {
    match cell.trim_ascii() {
        b"true" | b"True" | b"TRUE" => Some(1.0),
        b"false" | b"False" | b"FALSE" => Some(0.0),
        _ => None,
    }
}
