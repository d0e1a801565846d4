//! The different texts of a column, numbered.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::location::Location;

/// The different texts of a column, numbered as they appear, and how many rows have each.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(from = "Vec<(String, usize)>", into = "Vec<(String, usize)>")]
pub(crate) struct Dictionary {
    numbers: HashMap<String, usize>,
    counts: Vec<(String, usize)>,
}

/// Different texts that a column of categories may have.
const MOST: usize = 10_000;

impl Dictionary {
    /// The number of a text, which one more row has.
    pub(crate) fn number(&mut self, text: &str) -> usize {
        self.add(text, 1)
    }

    /// The number of a text, which so many more rows have.
    fn add(&mut self, text: &str, n_rows: usize) -> usize {
        let number = match self.numbers.get(text) {
            Some(&number) => number,
            None => {
                self.numbers.insert(text.to_owned(), self.counts.len());
                self.counts.push((text.to_owned(), 0));
                self.counts.len() - 1
            }
        };
        self.counts[number].1 += n_rows;
        number
    }

    /// Adds the rows of another part of the column.
    pub(crate) fn merge(&mut self, other: &Self) {
        for (text, n_rows) in &other.counts {
            self.add(text, *n_rows);
        }
    }

    /// The texts with the number of their rows, in the order of their numbers.
    pub(crate) fn counts(&self) -> &[(String, usize)] {
        &self.counts
    }

    /// The texts, in the order of their numbers.
    pub(crate) fn texts(&self) -> Vec<String> {
        self.counts.iter().map(|(text, _)| text.clone()).collect()
    }

    /// The number of cells.
    pub(crate) fn n_cells(&self) -> usize {
        self.counts.iter().map(|(_, count)| count).sum()
    }

    /// Whether there are more texts than a column of categories may have.
    pub(crate) fn is_full(&self) -> bool {
        self.counts.len() > MOST
    }

    /// Whether the texts tell rows apart rather than what they have in common: ten or more, in more than
    /// nine tenths of the cells a different one; more than fifty, in more than half of the cells; or more
    /// than ten thousand.
    pub(crate) fn is_of_ids(&self) -> bool {
        let (distinct, cells) = (self.counts.len(), self.n_cells());
        let nearly_all = distinct >= 10 && 10 * distinct > 9 * cells;
        nearly_all || (distinct > 50 && 2 * distinct > cells) || self.is_full()
    }

    /// The error about a column of texts that tell rows apart, which stands there.
    pub(crate) fn ids(&self, at: Location) -> Error {
        Error::Ids {
            at,
            distinct: self.counts.len(),
            cells: self.n_cells(),
        }
    }
}

impl From<Vec<(String, usize)>> for Dictionary {
    fn from(counts: Vec<(String, usize)>) -> Self {
        let mut dictionary = Self::default();
        for (text, n_rows) in counts {
            dictionary.add(&text, n_rows);
        }
        dictionary
    }
}

impl From<Dictionary> for Vec<(String, usize)> {
    fn from(dictionary: Dictionary) -> Self {
        dictionary.counts
    }
}
