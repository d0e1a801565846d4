//! More columns, more features.

use super::Lazy;
use crate::data::{Observed, WORD};
use crate::error::Result;
use crate::online::psi::MaskFeatures;

impl Lazy {
    /// Appends the columns of B that ψ has and B has not.
    pub(super) fn push_columns(&mut self) {
        for j in self.columns.len()..self.n_stored() {
            let j = if self.map.kind() == MaskFeatures::Affine {
                1 + j
            } else {
                j
            };
            let rows = self
                .map
                .members(j)
                .and_then(|members| self.support.common(&members));
            self.columns.push(&rows.unwrap_or_default());
        }
        self.count_complete();
    }

    fn n_stored(&self) -> usize {
        match self.map.kind() {
            MaskFeatures::Constant => 0,
            MaskFeatures::Affine => self.map.n_features(),
            MaskFeatures::Identity | MaskFeatures::Subsets(_) => self.map.n_columns(),
            MaskFeatures::Pattern(_) => self.map.n_patterns(),
        }
    }

    fn count_complete(&mut self) {
        let n_columns = self.columns.len();
        self.n_complete.resize(self.map.n_features(), 0.0);
        match (self.is_coupled(), self.columns.is_full()) {
            (false, _) => self.n_complete.fill(1.0),
            (true, true) => self.n_complete.fill(n_columns as f64),
            (true, false) => {
                self.n_complete.fill(0.0);
                let all: Vec<_> = (0..n_columns as u32).collect();
                self.columns.count_rows(&all, &mut self.n_complete);
            }
        }
    }

    /// Gives a mask a column of its own, if ψ wants it to have one.
    pub(crate) fn note(&mut self, observed: Observed<'_>) {
        self.map.note(observed);
        if self.columns.len() < self.n_stored() {
            self.push_columns();
        }
    }

    /// Notes masks all at once, for a saved state; `None` when one comes twice.
    pub(crate) fn set_patterns(&mut self, patterns: Vec<Box<[u64]>>) -> Option<()> {
        self.map = self.map.clone().with_patterns(patterns)?;
        self.push_columns();
        Some(())
    }

    /// One more feature, with zero weights everywhere.
    ///
    /// # Errors
    /// As [`MaskMap::add_feature`]; then nothing changes.
    pub(crate) fn add_feature(&mut self) -> Result<()> {
        let d = self.map.n_features();
        self.map.add_feature()?;
        self.support.add_feature();
        self.columns.add_row();
        self.complete.push(0.0);
        self.offset.push(0.0);
        self.counts.push(0.0);
        let first = self.columns.len();
        self.push_columns();
        if self.is_coupled() {
            // A = B + c is to be zero in new columns.
            for j in first..self.columns.len() {
                self.columns.set_column(j, |i| -self.offset[i]);
            }
        } else if matches!(self.map.kind(), MaskFeatures::Pattern(_)) {
            self.keep_formerly_complete(d);
        }
        self.refresh();
        Ok(())
    }

    /// Rows that were complete with `d` features now lack one: their weights get a column, if there is
    /// room.
    fn keep_formerly_complete(&mut self, d: usize) {
        if self.complete.iter().all(|&w| w == 0.0) {
            return;
        }
        let weights = std::mem::replace(&mut self.complete, vec![0.0; d + 1]);
        let mut words = vec![0u64; (d + 1).div_ceil(WORD)];
        (0..d).for_each(|j| words[j / WORD] |= 1 << (j % WORD));
        let own = self.map.patterns().len();
        self.note(Observed::new(&words, d + 1));
        if own < self.map.patterns().len() {
            self.columns.set_column(own, |i| weights[i]);
        }
    }
}
