//! What a learner learns from.

use super::part::Picked;
use super::{Passes, State, Statistics};
use crate::data::Dataset;
use crate::error::Result;
use std::borrow::Cow;

/// A table, statistics that stand for it, or rows that are read in passes.
#[derive(Clone, Copy, Debug)]
pub struct Evidence<'a>(pub(crate) Kind<'a>);

/// Rows, or what can be had of them.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Kind<'a> {
    Rows(&'a Dataset),
    Sums(Picked<'a>),
}

impl<'a> From<&'a Dataset> for Evidence<'a> {
    fn from(data: &'a Dataset) -> Self {
        Self(Kind::Rows(data))
    }
}

impl<'a> From<&'a Statistics> for Evidence<'a> {
    fn from(statistics: &'a Statistics) -> Self {
        Self(match &statistics.state {
            State::Rows(rows) => Kind::Rows(rows), // few enough to be kept: nothing is lost
            State::Sums(sums) => Kind::Sums(Picked::all(sums)),
        })
    }
}

impl<'a> From<&'a Passes<'_>> for Evidence<'a> {
    fn from(passes: &'a Passes<'_>) -> Self {
        Self(Kind::Sums(Picked::all_rows(passes)))
    }
}

impl<'a> Evidence<'a> {
    /// The number of targets.
    pub fn n_targets(&self) -> usize {
        match self.0 {
            Kind::Rows(data) => data.n_targets(),
            Kind::Sums(_) => 1,
        }
    }

    /// The number of rows that count.
    pub fn n_rows(&self) -> usize {
        match self.0 {
            Kind::Rows(data) => (0..data.n_rows()).filter(|&i| data.weight(i) > 0.0).count(),
            Kind::Sums(picked) => picked.n_rows(),
        }
    }

    /// The share of the cells that are observed, by the weight of their rows; 1 without cells.
    pub fn observed_fraction(&self) -> f64 {
        match self.0 {
            Kind::Rows(data) => data.features().observed_fraction(),
            Kind::Sums(picked) => picked.observed_fraction(),
        }
    }

    /// The names of the features.
    pub fn names(&self) -> &'a [String] {
        self.blank().names()
    }

    /// The name of the target, or of the first.
    pub fn target_name(&self) -> &'a str {
        self.blank().target_name()
    }

    /// A table that has the columns, with rows or without.
    fn blank(&self) -> &'a Dataset {
        match self.0 {
            Kind::Rows(data) => data,
            Kind::Sums(picked) => picked.blank(),
        }
    }

    /// A table with the same columns and masks: the rows themselves, or [what stands for them](Picked::outline).
    pub(crate) fn outline(&self) -> Cow<'a, Dataset> {
        match self.0 {
            Kind::Rows(data) => Cow::Borrowed(data),
            Kind::Sums(picked) => Cow::Owned(picked.outline()),
        }
    }

    /// The number of masks, where the [outline](Self::outline) does not tell it.
    pub(crate) fn n_masks(&self) -> Option<usize> {
        match self.0 {
            Kind::Rows(_) => None,
            Kind::Sums(picked) => picked.n_masks(),
        }
    }

    /// What was made of the evidence, unless some of it could not be read.
    pub(crate) fn vouch<T>(&self, made: Result<T>) -> Result<T> {
        if let Kind::Sums(picked) = self.0 {
            picked.check()?;
        }
        made
    }
}
