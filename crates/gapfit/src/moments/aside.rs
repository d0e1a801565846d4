//! Rows that are set aside while others are summed.

use super::{Frame, Numbers, Slab};
use crate::data::{MaskedMatrix, Observed, WORD};

/// Rows that there is memory for at first: copying the values of thousands to larger memory takes long.
const AT_FIRST: usize = 1 << 13;

/// Copies of rows, with their numbers.
#[derive(Debug, Default)]
pub(super) struct Aside {
    pub(super) numbers: Vec<u32>,
    /// Features, row after row; of no meaning where they are missing.
    values: Vec<f64>,
    /// The bits of the observed ones.
    words: Vec<u64>,
    /// One column per target.
    targets: Vec<Vec<f64>>,
    n_features: usize,
}

impl Aside {
    /// No rows yet.
    pub(super) fn new(n_features: usize, n_targets: usize) -> Self {
        Self {
            targets: vec![Vec::new(); n_targets],
            n_features,
            ..Self::default()
        }
    }

    /// Forgets all rows, but not their memory.
    pub(super) fn clear(&mut self) {
        self.numbers.clear();
        self.values.clear();
        self.words.clear();
        self.targets.iter_mut().for_each(Vec::clear);
    }

    /// Whether there is memory for so many more rows.
    pub(super) fn has_room_for(&self, n_rows: usize) -> bool {
        self.len() + n_rows <= AT_FIRST
    }

    /// Forgets all rows but these, which ascend, but not their memory.
    pub(super) fn keep(&mut self, rows: &[usize]) {
        let (width, per_row) = (self.n_features, self.n_features.div_ceil(WORD));
        keep(&mut self.numbers, rows, 1);
        keep(&mut self.values, rows, width);
        keep(&mut self.words, rows, per_row);
        let targets = self.targets.iter_mut();
        targets.for_each(|column| keep(column, rows, 1));
    }

    pub(super) fn len(&self) -> usize {
        self.numbers.len()
    }

    /// One column per target.
    pub(super) fn targets(&self) -> Vec<&[f64]> {
        self.targets.iter().map(Vec::as_slice).collect()
    }

    /// The rows, in the order in which they were set aside.
    pub(super) fn slab<'a>(&'a self, targets: &'a [&'a [f64]]) -> Slab<'a> {
        Slab {
            numbers: Numbers::Listed(&self.numbers),
            values: &self.values,
            words: &self.words,
            targets,
            roots: None,
        }
    }

    /// The rows as a table, and their first target.
    pub(super) fn into_rows(mut self) -> (MaskedMatrix, Vec<f64>) {
        let target = self.targets.swap_remove(0);
        let rows =
            MaskedMatrix::from_bits(self.numbers.len(), self.n_features, self.values, self.words);
        (rows, target)
    }

    /// Copies row `i` of a slab.
    pub(super) fn push(&mut self, slab: &Slab<'_>, i: usize) {
        if self.numbers.is_empty() {
            self.numbers.reserve(AT_FIRST);
            self.values.reserve(AT_FIRST * self.n_features);
            self.words
                .reserve(AT_FIRST * self.n_features.div_ceil(WORD));
            let targets = self.targets.iter_mut();
            targets.for_each(|column| column.reserve(AT_FIRST));
        }
        self.numbers.push(slab.number(i));
        let (values, words) = slab.row(i, self.n_features);
        self.values.extend_from_slice(values);
        self.words.extend_from_slice(words);
        for (column, target) in self.targets.iter_mut().zip(slab.targets) {
            column.push(target[i]);
        }
    }

    /// Puts another value into a cell of the last row.
    pub(super) fn replace(&mut self, j: usize, x: f64) {
        let first = self.values.len() - self.n_features;
        self.values[first + j] = x;
    }

    /// Writes the last row in units: (1, observed features, targets).
    pub(super) fn hold_last(&self, frame: &Frame, row: &mut Vec<f64>) {
        let Some(last) = self.len().checked_sub(1) else {
            return;
        };
        let (width, per_row) = (self.n_features, self.n_features.div_ceil(WORD));
        let values = &self.values[last * width..];
        let observed = Observed::new(&self.words[last * per_row..], width);
        let features = observed.iter().map(|j| frame.columns[j].hold(values[j]));
        let targets = self.targets.iter().zip(&frame.targets);
        let targets = targets.map(|(column, unit)| unit.hold(column[last]));
        row.clear();
        row.extend(std::iter::once(1.0).chain(features).chain(targets));
    }
}

/// Keeps these runs of so many cells.
fn keep<T: Copy>(cells: &mut Vec<T>, runs: &[usize], length: usize) {
    for (to, from) in runs.iter().enumerate() {
        cells.copy_within(from * length..(from + 1) * length, to * length);
    }
    cells.truncate(runs.len() * length);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::moments::Unit;

    /// Rows of two features, of which some cells are missing, and two targets.
    fn rows(numbers: &[u32]) -> Aside {
        let mut rows = Aside::new(2, 2);
        for &i in numbers {
            let x = f64::from(i);
            let slab = Slab {
                numbers: Numbers::Listed(&[i]),
                values: &[x, -x],
                words: &[u64::from(i % 4)],
                targets: &[&[2.0 * x], &[3.0 * x]],
                roots: None,
            };
            rows.push(&slab, 0);
        }
        rows
    }

    #[test]
    fn rows_that_are_kept_are_those_that_were_pushed() {
        let mut some = rows(&[0, 1, 2, 3, 4, 5, 6, 7]);
        some.keep(&[1, 2, 5, 7]);
        assert_eq!(format!("{some:?}"), format!("{:?}", rows(&[1, 2, 5, 7])));
        some.keep(&[]);
        assert_eq!(some.len(), 0);
    }

    #[test]
    fn the_last_row_in_units_has_zeros_where_its_cells_are_the_shift() {
        let unit = |shift| Unit::unclipped(shift, 4.0).expect("a power of two");
        let frame = Frame {
            columns: vec![unit(0.3), unit(1.0)],
            targets: vec![unit(0.0), unit(-1.0)],
        };
        let mut some = rows(&[2, 3]);
        some.replace(0, 0.3);
        let mut row = vec![7.0];
        some.hold_last(&frame, &mut row);
        assert_eq!(row, [1.0, 0.0, -1.0, 1.5, 2.5]);
        rows(&[2]).hold_last(&frame, &mut row);
        assert_eq!(row, [1.0, -0.75, 1.0, 1.75]);
    }
}
