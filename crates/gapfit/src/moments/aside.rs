//! Rows that are set aside while others are summed.

use crate::data::WORD;

/// Copies of rows, with their numbers.
#[derive(Debug, Default)]
pub(super) struct Aside {
    pub(super) numbers: Vec<u32>,
    /// Features, row after row; of no meaning where they are missing.
    pub(super) values: Vec<f64>,
    /// The bits of the observed ones.
    pub(super) words: Vec<u64>,
    /// One column per target.
    pub(super) targets: Vec<Vec<f64>>,
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

    pub(super) fn len(&self) -> usize {
        self.numbers.len()
    }

    #[cold]
    pub(super) fn push(
        &mut self,
        number: usize,
        (values, words): (&[f64], &[u64]),
        targets: impl Iterator<Item = f64>,
    ) {
        self.numbers.push(number as u32);
        self.values.extend_from_slice(values);
        self.words.extend_from_slice(words);
        let columns = self.targets.iter_mut().zip(targets);
        columns.for_each(|(column, y)| column.push(y));
    }

    pub(super) fn append(&mut self, more: &mut Self) {
        self.numbers.append(&mut more.numbers);
        self.values.append(&mut more.values);
        self.words.append(&mut more.words);
        let columns = self.targets.iter_mut().zip(&mut more.targets);
        columns.for_each(|(column, more)| column.append(more));
    }

    /// Visits the observed cells, each with its column.
    pub(super) fn for_each_cell(&self, mut visit: impl FnMut(usize, f64)) {
        let rows = self.values.chunks_exact(self.n_features.max(1));
        let per_row = self.n_features.div_ceil(WORD).max(1);
        for (values, words) in rows.zip(self.words.chunks_exact(per_row)) {
            for (w, &word) in words.iter().enumerate() {
                let mut left = word;
                while left != 0 {
                    let j = w * WORD + left.trailing_zeros() as usize;
                    left &= left - 1;
                    visit(j, values[j]);
                }
            }
        }
    }
}
