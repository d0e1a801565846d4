//! Which entries of a row are shifted when a feature is missing: the support of its shift.

use crate::linalg::{add_scaled, dot};
use std::ops::Range;

/// The entries that are shifted, for each feature with holes.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Shifted {
    /// The same for every feature.
    Alike(Range<usize>),
    /// A list for each feature; entries outside it are zeros by construction.
    Listed(Lists),
}

/// Lists of entries, each ascending, one after the other.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Lists {
    /// Where each list starts, and where the last one ends.
    starts: Vec<usize>,
    entries: Vec<u32>,
}

impl Lists {
    pub(crate) fn new(lists: &[Vec<u32>]) -> Self {
        let ends = lists.iter().scan(0, |end, list| {
            *end += list.len();
            Some(*end)
        });
        Self {
            starts: std::iter::once(0).chain(ends).collect(),
            entries: lists.concat(),
        }
    }

    #[inline]
    pub(crate) fn list(&self, b: usize) -> &[u32] {
        &self.entries[self.starts[b]..self.starts[b + 1]]
    }
}

impl Shifted {
    /// The shifts of all features before feature `b`.
    #[inline]
    pub(crate) fn start(&self, b: usize) -> usize {
        match self {
            Self::Alike(range) => b * range.len(),
            Self::Listed(lists) => lists.starts[b],
        }
    }

    /// Where the shifts of feature `b` are among all shifts.
    #[inline]
    pub(crate) fn range(&self, b: usize) -> Range<usize> {
        self.start(b)..self.start(b + 1)
    }

    /// The entries that feature `b` shifts, ascending.
    pub(crate) fn entries(&self, b: usize) -> impl ExactSizeIterator<Item = usize> + Clone + '_ {
        let list = match self {
            Self::Alike(_) => &[],
            Self::Listed(lists) => lists.list(b),
        };
        let (first, len) = match self {
            Self::Alike(range) => (range.start, range.len()),
            Self::Listed(_) => (0, list.len()),
        };
        (0..len).map(move |i| list.get(i).map_or(first + i, |&e| e as usize))
    }

    /// Adds `factor` times the entries of `row` that feature `b` shifts to `into`.
    #[inline]
    pub(crate) fn add_entries(&self, b: usize, factor: f64, row: &[f64], into: &mut [f64]) {
        match self {
            Self::Alike(range) => add_scaled(into, factor, &row[range.clone()]),
            Self::Listed(lists) => {
                for (into, &e) in into.iter_mut().zip(lists.list(b)) {
                    *into += factor * row[e as usize];
                }
            }
        }
    }

    /// Adds the shift of feature `b` to its entries of `row`.
    #[inline]
    pub(crate) fn add_shift(&self, b: usize, shift: &[f64], row: &mut [f64]) {
        match self {
            Self::Alike(range) => add_scaled(&mut row[range.clone()], 1.0, shift),
            Self::Listed(lists) => {
                for (x, &e) in shift.iter().zip(lists.list(b)) {
                    row[e as usize] += x;
                }
            }
        }
    }

    /// Writes the shift of feature `b` to its entries of `row`.
    pub(crate) fn spread(&self, b: usize, shift: &[f64], row: &mut [f64]) {
        match self {
            Self::Alike(range) => row[range.clone()].copy_from_slice(shift),
            Self::Listed(lists) => {
                for (x, &e) in shift.iter().zip(lists.list(b)) {
                    row[e as usize] = *x;
                }
            }
        }
    }

    /// The shift of feature `b` times a row.
    #[inline]
    pub(crate) fn dot(&self, b: usize, shift: &[f64], row: &[f64]) -> f64 {
        match self {
            Self::Alike(range) => dot(shift, &row[range.clone()]),
            Self::Listed(lists) => {
                let pairs = shift.iter().zip(lists.list(b));
                pairs.map(|(x, &e)| x * row[e as usize]).sum()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_of_all_is_alike() {
        let alike = Shifted::Alike(1..4);
        let listed = Shifted::Listed(Lists::new(&[vec![1, 2, 3], vec![1, 2, 3]]));
        let (row, shift) = ([1.0, 2.0, 4.0, 8.0], [0.5, -1.0, 3.0]);
        for b in 0..2 {
            assert_eq!(alike.range(b), listed.range(b));
            assert!(alike.entries(b).eq(listed.entries(b)));
            let made = [&alike, &listed].map(|shifted| {
                let (mut sums, mut spread) = ([1.0; 3], [7.0; 4]);
                shifted.add_entries(b, 2.0, &row, &mut sums);
                shifted.spread(b, &shift, &mut spread);
                (sums, spread, shifted.dot(b, &shift, &row).to_bits())
            });
            assert_eq!(made[0], made[1]);
        }
    }
}
