//! One row of a stream.

use gapfit::data::{MaskedRow, RowBuffer};

use crate::error::{Error, Result};
use crate::location::Location;

/// One row of a stream, borrowed from its reader.
#[derive(Clone, Copy, Debug)]
pub struct Row<'a> {
    /// One-based line on which the row starts.
    pub line: u64,
    /// The names of the features, those that are new in this row included.
    pub names: &'a [String],
    /// The features, one per name.
    pub features: MaskedRow<'a>,
    /// The text of the target, without spaces around it; `None` where it is missing.
    pub target: Option<&'a str>,
    /// The weight, not negative; 1 where no column holds weights.
    pub weight: f64,
    /// The text that tells rows apart, without spaces around it; `None` where it is missing, or where no
    /// column holds it.
    pub id: Option<&'a str>,
}

/// The row that is being read.
#[derive(Debug, Default)]
pub(super) struct Draft {
    line: u64,
    features: RowBuffer,
    /// Empty where it is missing, as an empty cell is always.
    pub(super) target: String,
    pub(super) id: String,
    pub(super) weight: Option<f64>,
}

impl Draft {
    /// Makes it the row of this line, with this many features, everything missing.
    pub(super) fn clear(&mut self, line: u64, n_features: usize) {
        self.line = line;
        self.features.clear(n_features);
        self.target.clear();
        self.id.clear();
        self.weight = None;
    }

    /// One-based line on which the row starts.
    pub(super) fn line(&self) -> u64 {
        self.line
    }

    /// Sets feature `j`, which may be the one behind the last.
    pub(super) fn set(&mut self, j: usize, cell: Option<f64>) {
        if j == self.features.n_features() {
            self.features.push_hole();
        }
        if let Some(number) = cell {
            self.features
                .set(j, number)
                .expect("the rules for cells let only finite numbers pass");
        }
    }

    /// Refuses a weight that is negative, or that is missing beside a target; `at` gives its place.
    pub(super) fn check_weight(&self, at: impl FnOnce() -> Location) -> Result<()> {
        match self.weight {
            Some(got) if got < 0.0 => Err(Error::NegativeWeight { at: at(), got }),
            None if !self.target.is_empty() => Err(Error::Incomplete {
                at: at(),
                role: "weight",
            }),
            _ => Ok(()),
        }
    }

    /// The row, of features with these names.
    pub(super) fn row<'a>(&'a self, names: &'a [String]) -> Row<'a> {
        Row {
            line: self.line,
            names,
            features: self.features.as_row(),
            target: there(&self.target),
            weight: self.weight.unwrap_or(1.0),
            id: there(&self.id),
        }
    }
}

fn there(text: &str) -> Option<&str> {
    (!text.is_empty()).then_some(text)
}
