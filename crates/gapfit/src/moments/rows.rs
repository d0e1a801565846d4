//! Some rows of a data set, with the absent ones (weight zero) left out.

use super::masks::Masks;
use super::{Numbers, Slab, power_of_two};
use crate::data::{Dataset, MaskedRow, RowSlice, WORD};
use std::ops::Range;

/// The rows of a data set that count: all, or a selection, without those of weight zero.
#[derive(Clone, Debug)]
pub(crate) struct Rows<'a> {
    data: &'a Dataset,
    /// `None` stands for every row.
    index: Option<Vec<u32>>,
    /// The target that is looked at, counted from 0.
    target: usize,
    /// Brings the largest weight of the data set near 1: only ratios of weights matter.
    weight_unit: f64,
}

impl<'a> Rows<'a> {
    /// The given rows, or all of them.
    pub(crate) fn new(data: &'a Dataset, selection: Option<&[usize]>) -> Self {
        assert!(
            u32::try_from(data.n_rows()).is_ok(),
            "row numbers are held in 32 bits"
        );
        let keep = |i: &usize| data.weight(*i) > 0.0;
        let index = match (selection, data.weights()) {
            (None, None) => None,
            (None, Some(_)) => Some((0..data.n_rows()).filter(keep).map(|i| i as u32).collect()),
            (Some(rows), None) => Some(rows.iter().map(|&i| i as u32).collect()),
            (Some(rows), Some(_)) => Some(
                rows.iter()
                    .copied()
                    .filter(keep)
                    .map(|i| i as u32)
                    .collect(),
            ),
        };
        let heaviest = data
            .weights()
            .unwrap_or(&[])
            .iter()
            .fold(0.0, |m: f64, &w| m.max(w));
        Self {
            data,
            index,
            target: 0,
            weight_unit: 1.0 / power_of_two(heaviest),
        }
    }

    /// The same rows with weights times `unit`, a power of two that is common to several tables.
    pub(crate) fn in_weight_unit(mut self, unit: f64) -> Self {
        self.weight_unit = unit;
        self
    }

    /// What weights are multiplied by.
    pub(crate) fn weight_unit(&self) -> f64 {
        self.weight_unit
    }

    /// The same rows, another target looked at.
    pub(crate) fn toward(&self, target: usize) -> Self {
        Self {
            target,
            ..self.clone()
        }
    }

    /// The same rows, those of one mask after each other.
    pub(crate) fn sorted_by_mask(&self) -> Self {
        let (order, _) = Masks::of(self).sort();
        let number = |i: u32| self.number(i as usize) as u32;
        Self {
            index: Some(order.into_iter().map(number).collect()),
            ..self.clone()
        }
    }

    /// The number of different masks.
    pub(crate) fn n_masks(&self) -> usize {
        Masks::of(self).len()
    }

    pub(crate) fn len(&self) -> usize {
        self.index.as_ref().map_or(self.data.n_rows(), Vec::len)
    }

    pub(crate) fn data(&self) -> &'a Dataset {
        self.data
    }

    /// The number in the data set of the `i`-th row.
    pub(crate) fn number(&self, i: usize) -> usize {
        self.index.as_ref().map_or(i, |index| index[i] as usize)
    }

    pub(crate) fn row(&self, i: usize) -> MaskedRow<'a> {
        self.data.features().row(self.number(i))
    }

    /// The bits of the observed features.
    pub(crate) fn words(&self, i: usize) -> &'a [u64] {
        self.data.features().words(self.number(i))
    }

    pub(crate) fn values(&self, i: usize) -> &'a [f64] {
        self.data.features().values(self.number(i))
    }

    /// Some of the rows where they lie one after the other, without their targets, and these; `None` where they do not, or have weights.
    pub(super) fn slab(&self, range: Range<usize>) -> Option<(Slab<'a>, Vec<&'a [f64]>)> {
        if self.index.is_some() || self.is_weighted() {
            return None;
        }
        let features = RowSlice::from(self.data.features());
        let (width, per_row) = (
            self.data.n_features(),
            self.data.n_features().div_ceil(WORD),
        );
        let slab = Slab {
            numbers: Numbers::From(range.start),
            values: &features.values[range.start * width..range.end * width],
            words: &features.words[range.start * per_row..range.end * per_row],
            targets: &[],
            roots: None,
        };
        let targets = self.targets().map(|target| &target[range.clone()]);
        Some((slab, targets.collect()))
    }

    /// The number of the target that is looked at.
    pub(crate) fn target_number(&self) -> usize {
        self.target
    }

    /// The target of the `i`-th row.
    pub(crate) fn target(&self, i: usize) -> f64 {
        self.data.values_of(self.target)[self.number(i)]
    }

    /// Every target of the data set, with the values of all its rows.
    pub(super) fn targets(&self) -> impl Iterator<Item = &'a [f64]> {
        let data = self.data;
        (0..data.n_targets()).map(|target| data.values_of(target))
    }

    /// The weight of the `i`-th row, times a power of two that is common to the data set.
    pub(crate) fn weight(&self, i: usize) -> f64 {
        self.data.weight(self.number(i)) * self.weight_unit
    }

    /// The root of the weight of the `i`-th row.
    pub(super) fn root_of_weight(&self, i: usize) -> f64 {
        if self.is_weighted() {
            self.weight(i).sqrt()
        } else {
            1.0
        }
    }

    pub(crate) fn is_weighted(&self) -> bool {
        self.data.weights().is_some()
    }
}
