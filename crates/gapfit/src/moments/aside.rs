//! Rows that are set aside while others are summed.

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

    /// The observed cells, each with its column.
    pub(super) fn cells(&self) -> impl Iterator<Item = (usize, f64)> {
        let rows = self.values.chunks_exact(self.n_features.max(1));
        let words = self.words.chunks_exact(self.n_features.div_ceil(64).max(1));
        rows.zip(words).flat_map(|(values, words)| {
            let observed = crate::data::Observed::new(words, values.len()).iter();
            observed.map(|j| (j, values[j]))
        })
    }
}
