//! Parts of the rows that a fold holds out: what the error of a difference is judged by.
//!
//! Five folds are five numbers, whose spread says little of the error of their mean: by chance they lie close together, and
//! a difference that is nothing counts as many errors. Rows of a fold that are dealt out at random to some parts are more numbers
//! of the same kind (the method of random groups; docs/math.md 6.8). Parts are summed with the folds, so that nothing is kept
//! of the rows. They are the same for every candidate and base: rows lie in the same order for all of them.

use crate::hash::mixed;

/// The parts of a fold at most.
const MOST: usize = 20;

/// The rows of a part at least, on average.
const ROWS: usize = 10;

/// The rows of a fold in parts.
#[derive(Clone, Debug)]
pub(super) struct Parts {
    /// The part of each row; nothing where there is one part.
    of_row: Vec<u8>,
    /// The weight of each part.
    pub(super) weights: Vec<f64>,
}

impl Parts {
    /// A fold as one part.
    pub(super) fn whole(weight: f64) -> Self {
        Self {
            of_row: Vec::new(),
            weights: vec![weight],
        }
    }

    /// Rows of these weights, dealt out at random, but always alike.
    pub(super) fn of_rows(weights: &[f64]) -> Self {
        let count = (weights.len() / ROWS).clamp(1, MOST);
        let part = |i: usize| (mixed(i as u64) % count as u64) as u8;
        let mut parts = Self {
            of_row: (0..weights.len()).map(part).collect(),
            weights: vec![0.0; count],
        };
        parts.weights = parts.sums(weights);
        parts
    }

    /// The sum over each part of a number of each row, or of their sum where the fold is one part.
    pub(super) fn sums(&self, terms: &[f64]) -> Vec<f64> {
        let mut sums = vec![0.0; self.weights.len()];
        if self.of_row.is_empty() {
            sums[0] = terms.iter().sum();
        }
        for (&part, term) in self.of_row.iter().zip(terms) {
            sums[usize::from(part)] += term;
        }
        sums
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_in_one_part_and_parts_are_of_about_equal_size() {
        for n in [1, 9, 19, 20, 57, 199, 5000] {
            let parts = Parts::of_rows(&vec![2.0; n]);
            assert_eq!(parts.weights.len(), (n / 10).clamp(1, 20));
            let total: f64 = parts.weights.iter().sum();
            assert!((total - 2.0 * n as f64).abs() < 1e-9);
        }
        let parts = Parts::of_rows(&vec![1.0; 5000]);
        assert!(parts.weights.iter().all(|w| (150.0..350.0).contains(w)));
    }

    #[test]
    fn neighbours_are_not_dealt_out_in_turn() {
        // rows come mask by mask; in turn, every part would have as many of each mask
        let parts = Parts::of_rows(&vec![1.0; 200]);
        let sums = parts.sums(&[vec![1.0; 40], vec![0.0; 160]].concat());
        assert!(sums.iter().any(|&n| n < 2.0) && sums.iter().any(|&n| n > 2.0));
    }

    #[test]
    fn a_fold_that_is_summed_is_one_part() {
        let parts = Parts::whole(3.0);
        assert_eq!(parts.weights, [3.0]);
        assert_eq!(parts.sums(&[7.0]), [7.0]);
    }
}
