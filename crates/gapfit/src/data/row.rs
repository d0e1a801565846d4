//! One row with holes that owns its cells: for rows that come one by one.

use super::matrix::MaskedRow;
use super::observed::{Observed, WORD};
use crate::error::{Error, Result};

/// One row with holes, to be written over again and again.
///
/// ```
/// use gapfit::data::RowBuffer;
/// let mut row = RowBuffer::new(3);
/// row.set(1, 0.5)?;
/// assert_eq!(row.as_row().get(1), Some(0.5));
/// row.clear(2); // the next row, of two features
/// assert_eq!(row.as_row().get(1), None);
/// # Ok::<(), gapfit::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RowBuffer {
    values: Vec<f64>,
    words: Vec<u64>,
}

impl RowBuffer {
    /// A row of this many features, all missing.
    pub fn new(n_features: usize) -> Self {
        let mut row = Self::default();
        row.clear(n_features);
        row
    }

    /// Makes it a row of this many features, all missing.
    pub fn clear(&mut self, n_features: usize) {
        self.values.clear();
        self.values.resize(n_features, 0.0);
        self.words.clear();
        self.words.resize(n_features.div_ceil(WORD), 0);
    }

    /// Appends a missing feature.
    pub fn push_hole(&mut self) {
        self.values.push(0.0);
        self.words.resize(self.values.len().div_ceil(WORD), 0);
    }

    /// Makes it a copy of `row`.
    pub fn copy_from(&mut self, row: MaskedRow<'_>) {
        self.values.clear();
        self.values.extend_from_slice(row.values());
        self.words.clear();
        self.words.extend_from_slice(row.observed().words());
    }

    /// Makes it a copy of `row` behind a feature that is 1; the values of the copy, to be changed into
    /// other finite ones where they are observed.
    pub(crate) fn copy_behind_one(&mut self, row: MaskedRow<'_>) -> &mut [f64] {
        self.values.clear();
        self.values.push(1.0);
        self.values.extend_from_slice(row.values());
        self.words.clear();
        let mut carry = 1;
        for word in row.observed().words() {
            self.words.push(word << 1 | carry);
            carry = word >> (WORD - 1);
        }
        if self.words.len() < self.values.len().div_ceil(WORD) {
            self.words.push(carry);
        }
        &mut self.values[1..]
    }

    /// Lets feature `j` be observed with this value.
    ///
    /// # Errors
    /// [`Error::NotFinite`] when it is not finite; then nothing has changed.
    ///
    /// # Panics
    /// When there is no feature `j`.
    pub fn set(&mut self, j: usize, value: f64) -> Result<()> {
        if !value.is_finite() {
            return Err(Error::NotFinite {
                what: format!("column {j}"),
                row: 0,
                got: value,
            });
        }
        self.values[j] = value;
        self.words[j / WORD] |= 1 << (j % WORD);
        Ok(())
    }

    /// The number of features.
    pub fn n_features(&self) -> usize {
        self.values.len()
    }

    /// The row.
    pub fn as_row(&self) -> MaskedRow<'_> {
        MaskedRow::new(&self.values, Observed::new(&self.words, self.n_features()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_written_over_across_words() {
        let mut row = RowBuffer::new(70);
        row.set(69, 2.0).unwrap();
        row.push_hole();
        assert_eq!(row.as_row().observed().iter().collect::<Vec<_>>(), [69]);
        assert_eq!(row.as_row().values().len(), 71);
        assert!(row.set(0, f64::INFINITY).is_err());
        assert_eq!(row.as_row().get(0), None);
        let mut copy = RowBuffer::default();
        copy.copy_from(row.as_row());
        assert_eq!(copy, row);
        row.clear(3);
        assert_eq!(row.as_row().observed().count(), 0);
    }

    #[test]
    fn a_copy_behind_one_is_the_row_one_place_on() {
        for width in [0, 1, 62, 63, 64, 65, 127, 128, 130] {
            let mut row = RowBuffer::new(width);
            for j in (0..width).filter(|j| j % 3 != 1) {
                row.set(j, j as f64).unwrap();
            }
            let mut copy = RowBuffer::new(7);
            copy.copy_behind_one(row.as_row());
            assert_eq!(copy.n_features(), width + 1);
            assert_eq!(copy.as_row().get(0), Some(1.0));
            for j in 0..width {
                assert_eq!(copy.as_row().get(1 + j), row.as_row().get(j));
            }
            let count = row.as_row().observed().count();
            assert_eq!(copy.as_row().observed().count(), 1 + count);
        }
    }
}
