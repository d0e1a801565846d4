//! Sums mask by mask in one piece of memory: what is added up while rows are read.

use super::numbering::Numbering;
use super::{MaskMoments, Moments};
use crate::data::Observed;

/// The triangles of the moments of some masks, one after the other, in the order in which the masks came.
#[derive(Debug)]
pub(super) struct Triangles {
    n_features: usize,
    n_targets: usize,
    pub(super) masks: Numbering,
    /// Rows per mask.
    pub(super) counts: Vec<usize>,
    /// Where the triangle of each mask ends.
    ends: Vec<usize>,
    /// The sums over `i`-th times `j`-th of (1, observed features, targets), for each `i` from `j = i` on.
    pub(super) sums: Vec<f64>,
}

impl Triangles {
    /// Of no masks.
    pub(super) fn new(n_features: usize, n_targets: usize) -> Self {
        Self {
            n_features,
            n_targets,
            masks: Numbering::new(n_features),
            counts: Vec::new(),
            ends: Vec::new(),
            sums: Vec::new(),
        }
    }

    /// Of no masks, with memory for as many as these.
    pub(super) fn as_empty(&self) -> Self {
        Self {
            counts: Vec::with_capacity(self.counts.len()),
            ends: Vec::with_capacity(self.ends.len()),
            sums: Vec::with_capacity(self.sums.len()),
            ..Self::new(self.n_features, self.n_targets)
        }
    }

    /// The number of a mask, for which room is made if it is new.
    pub(super) fn number(&mut self, mask: &[u64]) -> usize {
        self.masks.find(mask).unwrap_or_else(|| self.open(mask))
    }

    /// Makes room for a mask that is new, and returns its number.
    pub(super) fn open(&mut self, mask: &[u64]) -> usize {
        let order = Observed::new(mask, self.n_features).count() + 1 + self.n_targets;
        let end = self.sums.len() + order * (order + 1) / 2;
        self.sums.resize(end, 0.0);
        self.ends.push(end);
        self.counts.push(0);
        self.masks.add(mask)
    }

    /// Where the triangle of a mask is among the sums.
    #[inline(always)]
    pub(super) fn range(&self, number: usize) -> std::ops::Range<usize> {
        let start = match number {
            0 => 0,
            _ => self.ends[number - 1],
        };
        start..self.ends[number]
    }

    /// The length of (1, observed features, targets) of a mask.
    pub(super) fn order(&self, number: usize) -> usize {
        let observed = Observed::new(self.masks.mask(number), self.n_features);
        observed.count() + 1 + self.n_targets
    }

    /// The sum over `a`-th times `b`-th of (1, observed features, targets) of a mask.
    pub(super) fn sum_mut(&mut self, number: usize, a: usize, b: usize) -> &mut f64 {
        let (a, b) = (a.min(b), a.max(b));
        let place = a * self.order(number) + b - a * (a + 1) / 2;
        let range = self.range(number);
        &mut self.sums[range][place]
    }

    /// The number of rows.
    pub(super) fn n_rows(&self) -> usize {
        self.counts.iter().sum()
    }

    /// For each feature the number of rows in which it is observed.
    pub(super) fn observed_counts(&self) -> Vec<usize> {
        let mut counts = vec![0; self.n_features];
        for (number, count) in self.counts.iter().enumerate() {
            let observed = Observed::new(self.masks.mask(number), self.n_features);
            observed.iter().for_each(|j| counts[j] += count);
        }
        counts
    }

    /// Adds the rows of another part.
    pub(super) fn add(&mut self, other: &Self) {
        for (number, &count) in other.counts.iter().enumerate() {
            let sums = other.sums[other.range(number)].iter().copied();
            self.add_rows(other.masks.mask(number), count, sums);
        }
    }

    /// Adds so many rows of one mask, of which the triangle is given.
    pub(super) fn add_rows(
        &mut self,
        mask: &[u64],
        count: usize,
        triangle: impl Iterator<Item = f64>,
    ) {
        let number = self.number(mask);
        self.counts[number] += count;
        let range = self.range(number);
        let sums = self.sums[range].iter_mut().zip(triangle);
        sums.for_each(|(sum, more)| *sum += more);
    }

    /// The moments, mask by mask.
    pub(super) fn moments(&self) -> Moments {
        let ascending = self.masks.ascending().into_iter();
        let filled = ascending.filter(|&number| self.counts[number] > 0);
        let masks = filled.map(|number| (self.masks.mask(number).to_vec(), self.of_mask(number)));
        Moments {
            masks: masks.collect(),
        }
    }

    fn of_mask(&self, number: usize) -> MaskMoments {
        let observed: Vec<usize> = Observed::new(self.masks.mask(number), self.n_features)
            .iter()
            .collect();
        let order = self.order(number);
        let mut sums = vec![0.0; order * order];
        let places = (0..order).flat_map(|i| (i..order).map(move |j| (i, j)));
        for ((i, j), &sum) in places.zip(&self.sums[self.range(number)]) {
            sums[i * order + j] = sum;
            sums[j * order + i] = sum;
        }
        MaskMoments {
            observed,
            n_targets: self.n_targets,
            n_rows: self.counts[number],
            sums,
        }
    }
}
