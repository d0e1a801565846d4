//! Rows that are kept as they are while more come.

use crate::data::Dataset;
use std::borrow::{Borrow, Cow};

/// Rows in tables of the same columns, one after the other: a single table would be copied whenever it outgrows its memory, and
/// leave the old one behind.
#[derive(Clone, Debug)]
pub(super) struct Kept {
    /// One at least, which may have no rows.
    pieces: Vec<Dataset>,
}

/// Cells of a piece, unless it came with more.
const CELLS: usize = 1 << 18;

impl Kept {
    /// The rows of one table.
    pub(super) fn new(rows: Dataset) -> Self {
        Self { pieces: vec![rows] }
    }

    pub(super) fn n_rows(&self) -> usize {
        self.pieces.iter().map(Dataset::n_rows).sum()
    }

    /// The rows, table after table.
    pub(super) fn pieces(&self) -> &[Dataset] {
        &self.pieces
    }

    /// All rows in one table.
    pub(super) fn whole(&self) -> Cow<'_, Dataset> {
        let (first, others) = self.pieces.split_first().expect("there is a piece");
        if others.is_empty() {
            return Cow::Borrowed(first);
        }
        Cow::Owned(together(first.select(&[]), self.n_rows(), &self.pieces))
    }

    /// Brings all rows into one table. A piece is gone before the next is copied.
    pub(super) fn join(&mut self) {
        if let [first, _, ..] = &self.pieces[..] {
            let (blank, n_rows) = (first.select(&[]), self.n_rows());
            let pieces = std::mem::take(&mut self.pieces);
            self.pieces.push(together(blank, n_rows, pieces));
        }
    }

    /// Adds the rows of others with the same columns.
    pub(super) fn append(&mut self, others: &Self) {
        others.pieces.iter().for_each(|rows| self.push(rows));
    }

    fn push(&mut self, rows: &Dataset) {
        let last = self.pieces.last_mut().expect("there is a piece");
        let room = (CELLS / rows.n_features().max(1)).max(rows.n_rows());
        if last.n_rows() == 0 || last.n_rows() + rows.n_rows() <= room {
            return last.append(rows);
        }
        let mut piece = rows.select(&[]);
        piece.reserve(room);
        piece.append(rows);
        self.pieces.push(piece);
    }
}

/// A table of so many rows, those of the pieces behind each other; each piece is let go before the next is copied.
fn together(
    mut blank: Dataset,
    n_rows: usize,
    pieces: impl IntoIterator<Item = impl Borrow<Dataset>>,
) -> Dataset {
    blank.reserve(n_rows);
    for piece in pieces {
        blank.append(piece.borrow());
    }
    blank
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::MaskedMatrix;

    #[test]
    fn rows_in_pieces_are_those_of_one_table() {
        let rows = |range: std::ops::Range<usize>| {
            let cells: Vec<f64> = range.clone().map(|i| i as f64).collect();
            let table = MaskedMatrix::from_nan(range.len(), 1, &cells).unwrap();
            Dataset::new(table, cells).unwrap()
        };
        let mut kept = Kept::new(rows(0..0));
        let ends = [
            0,
            5,
            5,
            CELLS - 1,
            CELLS,
            CELLS + 1,
            3 * CELLS,
            3 * CELLS + 7,
        ];
        for ends in ends.windows(2) {
            kept.append(&Kept::new(rows(ends[0]..ends[1])));
        }
        assert_eq!(kept.pieces().len(), 4);
        let last = *ends.last().unwrap();
        assert_eq!(kept.n_rows(), last);
        assert_eq!(kept.whole().target(), rows(0..last).target());
        assert_eq!(kept.whole().features(), rows(0..last).features());
        kept.join();
        assert_eq!(kept.pieces(), [rows(0..last)]);
        kept.append(&Kept::new(rows(last..last + 5)));
        assert_eq!(kept.whole().features(), rows(0..last + 5).features());
    }
}
