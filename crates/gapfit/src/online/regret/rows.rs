//! The rows of a stream so far, as the comparator sees them: filled, with masks, targets and weights.

use crate::data::{MaskedRow, Observed, WORD};

/// Rows in the order in which they came.
#[derive(Clone, Debug)]
pub(crate) struct Rows {
    n_features: usize,
    /// Filled values, row by row.
    values: Vec<f64>,
    /// Bits of the observed features, row by row.
    words: Vec<u64>,
    targets: Vec<f64>,
    weights: Vec<f64>,
}

/// One of the rows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row<'a> {
    pub(crate) x: &'a [f64],
    pub(crate) observed: Observed<'a>,
    pub(crate) target: f64,
    pub(crate) weight: f64,
}

impl Rows {
    pub(crate) fn new(n_features: usize) -> Self {
        Self {
            n_features,
            values: Vec::new(),
            words: Vec::new(),
            targets: Vec::new(),
            weights: Vec::new(),
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.targets.len()
    }

    pub(crate) fn n_features(&self) -> usize {
        self.n_features
    }

    /// Cells in memory.
    pub(crate) fn n_cells(&self) -> usize {
        self.values.len()
    }

    /// Appends a row: `filled` are its values, with something in its holes.
    pub(crate) fn push(&mut self, row: MaskedRow<'_>, filled: &[f64], target: f64, weight: f64) {
        debug_assert_eq!(filled.len(), self.n_features, "features of the row");
        self.values.extend_from_slice(filled);
        self.words.extend_from_slice(row.observed().words());
        self.targets.push(target);
        self.weights.push(weight);
    }

    pub(crate) fn get(&self, t: usize) -> Row<'_> {
        let (d, n_words) = (self.n_features, self.n_features.div_ceil(WORD));
        Row {
            x: &self.values[t * d..][..d],
            observed: Observed::new(&self.words[t * n_words..][..n_words], d),
            target: self.targets[t],
            weight: self.weights[t],
        }
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = Row<'_>> {
        (0..self.len()).map(|t| self.get(t))
    }

    /// One more feature, missing from all rows so far and filled with zero.
    pub(crate) fn add_feature(&mut self) {
        let mut wider = Self::new(self.n_features + 1);
        let n_words = wider.n_features.div_ceil(WORD);
        for row in self.iter() {
            wider.values.extend_from_slice(row.x);
            wider.values.push(0.0);
            wider.words.extend_from_slice(row.observed.words());
            wider
                .words
                .resize(wider.words.len().next_multiple_of(n_words), 0);
        }
        wider.targets = std::mem::take(&mut self.targets);
        wider.weights = std::mem::take(&mut self.weights);
        *self = wider;
    }
}
