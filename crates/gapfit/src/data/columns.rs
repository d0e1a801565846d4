//! Rows that come column by column.

use super::MaskedMatrix;
use super::observed::WORD;
use crate::error::{Error, Result};
use std::ops::Range;

/// A column with holes: its values, held in whatever gives a slice of them, and which are observed.
///
/// ```
/// use gapfit::data::MaskedColumn;
/// let column = MaskedColumn::from_bits([1.0, f64::NAN, 3.0], [0b011])?;
/// assert_eq!((column.get(0), column.get(1), column.get(2)), (Some(1.0), None, None));
/// # Ok::<_, gapfit::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct MaskedColumn<V> {
    /// Finite where observed.
    values: V,
    /// A bit for each value, set where it is observed; zero past the last.
    observed: Vec<u64>,
}

impl<V: AsRef<[f64]>> MaskedColumn<V> {
    /// The column of these values, where NaN marks a hole.
    ///
    /// # Errors
    /// [`Error::NotFinite`] at the first infinite value.
    pub fn from_nan(values: V) -> Result<Self> {
        Self::from_bits(values, std::iter::repeat(u64::MAX))
    }

    /// The column of those values that have a set bit, 64 to a word, least significant first; words that
    /// are not given are zero. NaN marks a hole as well.
    ///
    /// # Errors
    /// [`Error::NotFinite`] at the first infinite value that has a set bit.
    pub fn from_bits(values: V, bits: impl IntoIterator<Item = u64>) -> Result<Self> {
        let words = bits.into_iter().chain(std::iter::repeat(0));
        let mut observed = Vec::with_capacity(values.as_ref().len().div_ceil(WORD));
        for (values, word) in values.as_ref().chunks(WORD).zip(words) {
            let mut word = word & (u64::MAX >> (WORD - values.len()));
            // without a shortcut, so that it takes vector instructions
            if !values.iter().fold(true, |all, x| all & x.is_finite()) {
                word &= !bits_of(values, f64::is_nan);
                let infinite = word & bits_of(values, f64::is_infinite);
                if infinite != 0 {
                    let first = infinite.trailing_zeros() as usize;
                    return Err(Error::NotFinite {
                        what: "column".to_owned(),
                        row: observed.len() * WORD + first,
                        got: values[first],
                    });
                }
            }
            observed.push(word);
        }
        Ok(Self { values, observed })
    }

    /// The number of values, observed or not.
    pub fn len(&self) -> usize {
        self.values.as_ref().len()
    }

    /// The values, of no meaning where they are not observed.
    pub fn values(&self) -> &[f64] {
        self.values.as_ref()
    }

    /// The number of observed values.
    pub fn n_observed(&self) -> usize {
        self.observed
            .iter()
            .map(|word| word.count_ones() as usize)
            .sum()
    }

    /// Whether there are no values.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The value in row `i`, or `None` where it is missing.
    ///
    /// # Panics
    /// When there is no such row.
    pub fn get(&self, i: usize) -> Option<f64> {
        (self.observed[i / WORD] >> (i % WORD) & 1 == 1).then(|| self.values.as_ref()[i])
    }

    /// At most 64 values, of which the first begins a word of bits, and that word.
    fn part(&self, rows: &Range<usize>) -> (&[f64], u64) {
        let values = &self.values.as_ref()[rows.clone()];
        (values, self.observed[rows.start / WORD])
    }

    /// The cells, in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Option<f64>> {
        (0..self.len()).map(|i| self.get(i))
    }

    /// The cells of the given rows, in the given order.
    ///
    /// # Panics
    /// When there is no such row.
    pub fn select(&self, rows: &[usize]) -> MaskedColumn<Vec<f64>> {
        let values: Vec<f64> = rows
            .iter()
            .map(|&i| self.get(i).unwrap_or(f64::NAN))
            .collect();
        MaskedColumn::from_nan(values).expect("observed values are finite")
    }
}

/// A bit for each of at most 64 values.
fn bits_of(values: &[f64], is: fn(f64) -> bool) -> u64 {
    let bits = values.iter().zip(0..);
    bits.fold(0, |word, (&x, i)| word | u64::from(is(x)) << i)
}

impl MaskedMatrix {
    /// Appends rows that come as columns of equal length. On an error the table is unchanged.
    ///
    /// ```
    /// use gapfit::data::{MaskedColumn, MaskedMatrix};
    /// let mut table = MaskedMatrix::new(2);
    /// let columns = [[1.0, f64::NAN], [3.0, 4.0]].map(MaskedColumn::from_nan);
    /// let [a, b] = columns;
    /// table.push_columns(&[&a?, &b?])?;
    /// assert_eq!((table.get(1, 0), table.get(1, 1)), (None, Some(4.0)));
    /// # Ok::<_, gapfit::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Shape`] when there are too few or too many columns or one has another length than the
    /// first.
    pub fn push_columns<V: AsRef<[f64]>>(&mut self, columns: &[&MaskedColumn<V>]) -> Result<()> {
        check_columns(columns, self.n_cols)?;
        let n_new = columns.first().map_or(0, |column| column.len());
        let (values, words) = (self.values.len(), self.observed.len());
        self.values.resize(values + n_new * self.n_cols, 0.0);
        self.observed
            .resize(words + n_new * self.words_per_row(), 0);
        self.n_rows += n_new;
        let into = (&mut self.values[values..], &mut self.observed[words..]);
        put::<V, true>(columns, 0..n_new, into);
        Ok(())
    }
}

/// Whether there are so many columns, of equal length.
fn check_columns<V: AsRef<[f64]>>(columns: &[&MaskedColumn<V>], n_cols: usize) -> Result<()> {
    let shape = |what, expected, got| Error::Shape {
        what,
        expected,
        got,
    };
    if columns.len() != n_cols {
        return Err(shape("columns", n_cols, columns.len()));
    }
    let n_rows = columns.first().map_or(0, |column| column.len());
    match columns.iter().find(|column| column.len() != n_rows) {
        Some(column) => Err(shape("values of a column", n_rows, column.len())),
        None => Ok(()),
    }
}

/// A few rows at a time of what comes as columns, in memory that is used again.
///
/// ```
/// use gapfit::data::{MaskedColumn, SliceBuffer};
/// let [a, b] = [[1.0, f64::NAN], [3.0, 4.0]].map(|values| MaskedColumn::from_nan(values).unwrap());
/// let mut buffer = SliceBuffer::default();
/// let rows = buffer.fill(&[&a, &b], 0..2);
/// assert_eq!(rows.get(1, 0), None);
/// assert_eq!(rows.get(1, 1), Some(4.0));
/// ```
#[derive(Debug, Default)]
pub struct SliceBuffer {
    values: Vec<f64>,
    words: Vec<u64>,
}

/// Rows that lie one after the other. What stands in a hole has no meaning.
#[derive(Clone, Copy, Debug)]
pub struct RowSlice<'a> {
    n_cols: usize,
    pub(crate) values: &'a [f64],
    pub(crate) words: &'a [u64],
}

impl SliceBuffer {
    /// The given rows of columns of equal length; the first has a number that is a multiple of 64.
    ///
    /// # Panics
    /// When the first row has another number, or there are no such rows in one of the columns.
    pub fn fill<V: AsRef<[f64]>>(
        &mut self,
        columns: &[&MaskedColumn<V>],
        rows: Range<usize>,
    ) -> RowSlice<'_> {
        assert!(rows.start.is_multiple_of(WORD), "whole words of bits");
        let n_cols = columns.len();
        self.values.resize(rows.len() * n_cols, 0.0);
        self.words.resize(rows.len() * n_cols.div_ceil(WORD), 0);
        put::<V, false>(columns, rows, (&mut self.values, &mut self.words));
        RowSlice {
            n_cols,
            values: &self.values,
            words: &self.words,
        }
    }
}

impl<'a> From<&'a MaskedMatrix> for RowSlice<'a> {
    fn from(rows: &'a MaskedMatrix) -> Self {
        Self {
            n_cols: rows.n_cols,
            values: &rows.values,
            words: &rows.observed,
        }
    }
}

impl RowSlice<'_> {
    /// The number of columns.
    pub fn n_cols(&self) -> usize {
        self.n_cols
    }

    /// The cell in row `i`, column `j`, or `None` where it is missing.
    pub fn get(&self, i: usize, j: usize) -> Option<f64> {
        let per_row = self.n_cols.div_ceil(WORD);
        let is_observed = self.words[i * per_row + j / WORD] >> (j % WORD) & 1 == 1;
        is_observed.then(|| self.values[i * self.n_cols + j])
    }
}

/// Rows that are put in place together: near while the columns fill them in turn. Whole words of bits.
const NEAR: usize = 8 * WORD;

/// Columns whose cells are put in place together: their cells in a row are neighbours.
const AT_ONCE: usize = 4;

/// Puts rows in place, values and words of bits; zeros for holes where they are `BLANKED`.
fn put<V: AsRef<[f64]>, const BLANKED: bool>(
    columns: &[&MaskedColumn<V>],
    rows: Range<usize>,
    (values, words): (&mut [f64], &mut [u64]),
) {
    let (width, per_row) = (columns.len(), columns.len().div_ceil(WORD));
    if width == 0 {
        return;
    }
    let values = values.chunks_mut(NEAR * width);
    let words = words.chunks_mut(NEAR * per_row);
    for ((first, values), words) in rows.clone().step_by(NEAR).zip(values).zip(words) {
        let block = first..rows.end.min(first + NEAR);
        put_values::<V, BLANKED>(columns, block.clone(), values);
        put_bits(columns, block, words);
    }
}

/// Puts values in place, a few columns at a time, each read for many rows.
fn put_values<V: AsRef<[f64]>, const BLANKED: bool>(
    columns: &[&MaskedColumn<V>],
    rows: Range<usize>,
    values: &mut [f64],
) {
    let width = columns.len();
    for (g, group) in columns.chunks(AT_ONCE).enumerate() {
        let into = values.chunks_mut(WORD * width);
        for (first, into) in rows.clone().step_by(WORD).zip(into) {
            let part = first..rows.end.min(first + WORD);
            let place = (width, g * AT_ONCE);
            match *group {
                [a, b, c, d] => {
                    let parts = [a, b, c, d].map(|column| column.part(&part));
                    scatter::<4, BLANKED>(parts, into, place);
                }
                [a, b, c] => {
                    let parts = [a, b, c].map(|column| column.part(&part));
                    scatter::<3, BLANKED>(parts, into, place);
                }
                [a, b] => {
                    let parts = [a, b].map(|column| column.part(&part));
                    scatter::<2, BLANKED>(parts, into, place);
                }
                [a] => scatter::<1, BLANKED>([a.part(&part)], into, place),
                _ => unreachable!("chunks of at most four"),
            }
        }
    }
}

/// Puts values into entries `at` on of each row.
#[inline(always)]
fn scatter<const K: usize, const BLANKED: bool>(
    columns: [(&[f64], u64); K],
    rows: &mut [f64],
    (width, at): (usize, usize),
) {
    let n_rows = rows.len() / width;
    let columns = columns.map(|(values, word)| (&values[..n_rows], word));
    for (i, row) in rows.chunks_exact_mut(width).enumerate() {
        let cells = columns.map(|(values, word)| match BLANKED {
            true => {
                let all_or_none = (word >> i & 1).wrapping_neg();
                f64::from_bits(values[i].to_bits() & all_or_none)
            }
            false => values[i],
        });
        row[at..at + K].copy_from_slice(&cells);
    }
}

/// Puts bits in place.
fn put_bits<V>(columns: &[&MaskedColumn<V>], rows: Range<usize>, words: &mut [u64]) {
    let per_row = columns.len().div_ceil(WORD);
    let into = words.chunks_mut(WORD * per_row);
    for (first, into) in rows.step_by(WORD).zip(into) {
        for (k, columns) in columns.chunks(WORD).enumerate() {
            let mut square = [0; WORD];
            for (bits, column) in square.iter_mut().zip(columns) {
                *bits = column.observed[first / WORD];
            }
            transpose(&mut square);
            let words = into[k..].iter_mut().step_by(per_row);
            words.zip(square).for_each(|(word, bits)| *word = bits);
        }
    }
}

/// Makes bit `j` of word `i` bit `i` of word `j`: swaps the off-diagonal quarters of the square, then of
/// its quarters, and so on.
fn transpose(square: &mut [u64; WORD]) {
    let (mut half, mut low) = (WORD / 2, u64::from(u32::MAX));
    while half > 0 {
        for i in (0..WORD).filter(|i| i & half == 0) {
            let difference = (square[i] >> half ^ square[i + half]) & low;
            square[i] ^= difference << half;
            square[i + half] ^= difference;
        }
        half /= 2;
        low ^= low << half;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn columns_give_the_table_that_rows_give(
            width in 1usize..70,
            cells in prop::collection::vec(prop::option::of(-1e300..1e300f64), 0..20_000),
            first in 0usize..80,
        ) {
            let mut by_rows = MaskedMatrix::new(width);
            let rows: Vec<_> = cells.chunks_exact(width).collect();
            for row in &rows {
                by_rows.push_row(row.iter().copied()).unwrap();
            }
            let first = first.min(rows.len());
            let mut by_columns = MaskedMatrix::new(width);
            for rows in [&rows[..first], &rows[first..]] {
                let column = |j: usize| {
                    let cells = rows.iter().map(|row| row[j].unwrap_or(f64::NAN));
                    MaskedColumn::from_nan(cells.collect::<Vec<f64>>()).unwrap()
                };
                let columns: Vec<_> = (0..width).map(column).collect();
                by_columns.push_columns(&columns.iter().collect::<Vec<_>>()).unwrap();
            }
            prop_assert_eq!(by_columns, by_rows);
        }

        #[test]
        fn a_cell_is_observed_where_it_has_a_bit_and_is_a_number(
            cells in prop::collection::vec((prop::bool::ANY, prop::option::of(-9.0..9.0f64)), 0..200),
        ) {
            let values: Vec<f64> = cells.iter().map(|(_, x)| x.unwrap_or(f64::NAN)).collect();
            let word = |cells: &[(bool, Option<f64>)]| {
                cells.iter().rev().fold(0, |word, (bit, _)| word << 1 | u64::from(*bit))
            };
            let column = MaskedColumn::from_bits(values, cells.chunks(64).map(word)).unwrap();
            let expected: Vec<_> = cells.iter().map(|(bit, x)| x.filter(|_| *bit)).collect();
            prop_assert_eq!(column.iter().collect::<Vec<_>>(), expected.clone());
            let odd: Vec<usize> = (0..cells.len()).filter(|i| i % 2 == 1).collect();
            let picked: Vec<_> = odd.iter().map(|&i| expected[i]).collect();
            prop_assert_eq!(column.select(&odd).iter().collect::<Vec<_>>(), picked);
        }
    }

    #[test]
    fn columns_of_other_lengths_are_refused_and_leave_the_table_unchanged() {
        let mut table = MaskedMatrix::from_nan(1, 2, &[1.0, f64::NAN]).unwrap();
        let before = table.clone();
        let [one, two] = [1, 2].map(|n| MaskedColumn::from_nan(vec![1.0; n]).unwrap());
        for bad in [&[&one][..], &[&one, &one, &one], &[&one, &two]] {
            assert!(table.push_columns(bad).is_err());
            assert_eq!(table, before);
        }
    }

    #[test]
    fn an_infinite_value_is_refused_with_its_row_unless_it_is_hidden() {
        let mut values = vec![0.0; 130];
        values[100] = f64::NEG_INFINITY;
        let error = MaskedColumn::from_nan(&values).unwrap_err();
        assert!(error.to_string().contains("row 100"), "{error}");
        let column = MaskedColumn::from_bits(&values, [1]).unwrap();
        assert_eq!((column.get(0), column.get(100)), (Some(0.0), None));
    }
}
