//! Filling the holes of rows, one row after the other.

use super::Imputer;
use super::gaussian::{Conditional, Gaussian};
use crate::data::Observed;
use crate::linalg::dot;
use rustc_hash::FxHashMap;

/// Fills rows by a fitted imputer. What a mask needs is made when the mask first comes up and kept in
/// bounded memory; the numbers do not depend on what came before.
#[derive(Debug)]
pub(crate) struct Filler<'a> {
    imputer: &'a Imputer,
    live: &'a [usize],
    kept: Kept,
    scratch: Vec<f64>,
}

impl<'a> Filler<'a> {
    /// For rows of the entries (1, live features).
    pub(crate) fn new(imputer: &'a Imputer, live: &'a [usize]) -> Self {
        Self {
            imputer,
            live,
            kept: Kept::default(),
            scratch: Vec::new(),
        }
    }

    /// Fills the entries of `row` whose feature is missing.
    pub(crate) fn fill(&mut self, observed: Observed<'_>, row: &mut [f64]) {
        let live = self.live;
        let missing = || (0..live.len()).filter(|&l| !observed.contains(live[l]));
        match self.imputer {
            Imputer::Zero => {}
            Imputer::Constant(values) => missing().for_each(|l| row[l + 1] = values[l + 1]),
            Imputer::Linear(coefficients) => {
                // Predictions must see zeros in the other holes: keep them aside until all are made.
                self.scratch.clear();
                let filled = missing().map(|l| dot(coefficients.col(l + 1), row));
                self.scratch.extend(filled);
                missing()
                    .zip(&self.scratch)
                    .for_each(|(l, x)| row[l + 1] = *x);
            }
            Imputer::Gaussian(gaussian) => {
                let conditional = self.kept.get(observed, gaussian, live);
                conditional.fill(gaussian, row, &mut self.scratch);
            }
        }
    }
}

/// Bytes of factors to keep at most.
const BUDGET: usize = 8 << 20;

/// The conditional distributions of the masks met so far, or of the latest of them.
#[derive(Debug, Default)]
struct Kept {
    by_mask: FxHashMap<Box<[u64]>, Conditional>,
    bytes: usize,
}

impl Kept {
    fn get(&mut self, mask: Observed<'_>, gaussian: &Gaussian, live: &[usize]) -> &Conditional {
        let words = mask.words();
        if !self.by_mask.contains_key(words) {
            if self.bytes > BUDGET {
                self.by_mask.clear();
                self.bytes = 0;
            }
            let conditional = gaussian.condition(|l| mask.contains(live[l]));
            self.bytes += conditional.bytes() + size_of_val(words);
            self.by_mask.insert(words.into(), conditional);
        }
        &self.by_mask[words]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::MaskedMatrix;
    use crate::linalg::Matrix;

    #[test]
    fn factors_are_kept_in_bounded_memory_and_change_no_number() {
        let n = 60;
        let mut correlation = Matrix::zeros(n, n);
        for j in 0..n {
            for i in 0..n {
                correlation[(i, j)] = 0.8f64.powf((i as f64 - j as f64).abs());
            }
        }
        let gaussian = Gaussian::new(vec![0.5; n], vec![2.0; n], correlation).unwrap();
        let imputer = Imputer::Gaussian(gaussian);
        let live: Vec<usize> = (0..n).collect();
        let mut table = MaskedMatrix::new(n);
        for i in 0..1500u64 {
            let is_observed = |j: usize| (i + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> j & 1 == 1;
            let cell = |j: usize| is_observed(j).then(|| (i as f64 + j as f64).sin());
            table.push_row((0..n).map(cell)).unwrap();
        }
        let mut filler = Filler::new(&imputer, &live);
        let (mut most, mut forgot) = (0, false);
        for row in table.rows() {
            let mut filled = [&[1.0], row.values()].concat();
            let mut alone = filled.clone();
            let before = filler.kept.bytes;
            filler.fill(row.observed(), &mut filled);
            Filler::new(&imputer, &live).fill(row.observed(), &mut alone);
            assert_eq!(filled, alone);
            forgot |= filler.kept.bytes < before;
            most = most.max(filler.kept.bytes);
        }
        assert!(forgot && most < BUDGET + 40_000, "{most}");
    }
}
