//! Sums mask by mask: what adds up over parts of a table.

use super::masks::Masks;
use super::{Adders, Rows, sum};
use crate::data::{Observed, WORD};

/// Sums over the rows of one mask.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct MaskMoments {
    /// The observed features, ascending.
    pub(crate) observed: Vec<usize>,
    pub(crate) n_targets: usize,
    pub(crate) n_rows: usize,
    /// `(o + 1 + targets)²`, symmetric, in the order (1, observed features, targets).
    pub(crate) sums: Vec<f64>,
}

impl MaskMoments {
    /// Order of the matrix of sums.
    pub(crate) fn order(&self) -> usize {
        self.observed.len() + 1 + self.n_targets
    }

    /// The sum over `i`-th times `j`-th of (1, observed features, targets).
    pub(crate) fn sum(&self, i: usize, j: usize) -> f64 {
        self.sums[i * self.order() + j]
    }

    /// The sum of the row weights.
    pub(crate) fn weight(&self) -> f64 {
        self.sums[0]
    }

    /// Copies the lower triangle onto the upper one.
    pub(super) fn mirror(&mut self) {
        let order = self.order();
        for i in 0..order {
            for j in i + 1..order {
                self.sums[j * order + i] = self.sums[i * order + j];
            }
        }
    }

    pub(super) fn add(&mut self, other: &Self, sign: f64) {
        for (a, b) in self.sums.iter_mut().zip(&other.sums) {
            *a += sign * b;
        }
    }
}

/// The moments of a table, mask by mask, ascending in the mask.
#[derive(Clone, Debug)]
pub(crate) struct Moments {
    pub(super) masks: Vec<(Vec<u64>, MaskMoments)>,
}

impl Moments {
    pub(super) fn new(masks: &Masks, moments: Vec<MaskMoments>) -> Self {
        let words = (0..masks.len()).map(|m| masks.mask(m).words().to_vec());
        Self {
            masks: words.zip(moments).collect(),
        }
    }

    /// Of no rows.
    pub(crate) fn none() -> Self {
        Self { masks: Vec::new() }
    }

    /// The number of rows.
    pub(crate) fn n_rows(&self) -> usize {
        self.masks.iter().map(|(_, moments)| moments.n_rows).sum()
    }

    /// The weight of the rows in which column `j` is observed.
    pub(crate) fn weight_of(&self, j: usize) -> f64 {
        let masks = self.masks.iter().map(|(_, moments)| moments);
        let with = masks.filter(|moments| moments.observed.binary_search(&j).is_ok());
        with.map(MaskMoments::weight).sum()
    }

    /// The observed features of each mask.
    pub(crate) fn observed(&self) -> impl Iterator<Item = &[usize]> {
        self.masks.iter().map(|(_, moments)| &moments.observed[..])
    }

    /// The bits and the moments of each mask.
    pub(crate) fn each(&self) -> impl Iterator<Item = (&[u64], &MaskMoments)> {
        self.masks
            .iter()
            .map(|(mask, moments)| (&mask[..], moments))
    }

    /// The moments of one target whose masks have these bits and numbers of rows, from one lower triangle after the other;
    /// `None` where they do not fit together.
    pub(crate) fn from_triangles(
        bits: &[u64],
        n_features: usize,
        counts: &[f64],
        mut triangles: &[f64],
    ) -> Option<Self> {
        let words = n_features.div_ceil(WORD);
        let mut masks: Vec<(Vec<u64>, MaskMoments)> = Vec::with_capacity(counts.len());
        for (m, &count) in counts.iter().enumerate() {
            let mask = &bits[m * words..(m + 1) * words];
            let is_count = count >= 1.0 && count.fract() == 0.0 && count <= 2f64.powi(53);
            let is_next = masks.last().is_none_or(|(last, _)| last[..] < *mask);
            let observed: Vec<usize> = Observed::new(mask, n_features).iter().collect();
            let order = observed.len() + 2;
            let size = order * (order + 1) / 2;
            if !is_count || !is_next || triangles.len() < size {
                return None;
            }
            let (triangle, rest) = triangles.split_at(size);
            triangles = rest;
            let mut sums = vec![0.0; order * order];
            let pairs = (0..order).flat_map(|i| (0..=i).map(move |j| (i, j)));
            for ((i, j), &sum) in pairs.zip(triangle) {
                sums[i * order + j] = sum;
                sums[j * order + i] = sum;
            }
            let moments = MaskMoments {
                observed,
                n_rows: count as usize,
                n_targets: 1,
                sums,
            };
            masks.push((mask.to_vec(), moments));
        }
        triangles.is_empty().then_some(Self { masks })
    }

    /// The moments of the rows without a cell that is caught, and the numbers in the data set of the
    /// others; `None` where rows have weights, or where masks are too many for one pass.
    pub(crate) fn screened(rows: &Rows<'_>, adders: &Adders<'_>) -> Option<(Self, Vec<usize>)> {
        if rows.is_weighted() {
            return None;
        }
        let found = sum::in_one_pass(rows, adders)?;
        let caught = found.aside.iter().flat_map(|piece| &piece.numbers);
        let caught = caught.map(|&i| i as usize).collect();
        Some((found.moments(), caught))
    }

    /// What the sums take of memory.
    pub(crate) fn bytes(&self) -> usize {
        let cells = self.masks.iter().map(|(_, moments)| moments.sums.len());
        cells.sum::<usize>() * size_of::<f64>()
    }

    /// Adds the rows of `other`, which must have the same frame.
    pub(crate) fn merge(&mut self, other: &Self) {
        let mine = std::mem::take(&mut self.masks);
        let mut theirs = other.masks.iter().peekable();
        for (mask, mut moments) in mine {
            while let Some(new) = theirs.next_if(|(m, _)| *m < mask) {
                self.masks.push(new.clone());
            }
            if let Some((_, also)) = theirs.next_if(|(m, _)| *m == mask) {
                moments.n_rows += also.n_rows;
                moments.add(also, 1.0);
            }
            self.masks.push((mask, moments));
        }
        self.masks.extend(theirs.cloned());
    }
}
