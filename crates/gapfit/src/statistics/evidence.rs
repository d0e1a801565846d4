//! What a learner learns from.

use super::part::Picked;
use super::{State, Statistics};
use crate::data::Dataset;
use std::borrow::Cow;

/// A table, or statistics that stand for it.
#[derive(Clone, Copy, Debug)]
pub struct Evidence<'a>(pub(crate) Kind<'a>);

/// Rows, or sums over them.
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

impl Evidence<'_> {
    /// The number of targets.
    pub fn n_targets(&self) -> usize {
        match self.0 {
            Kind::Rows(data) => data.n_targets(),
            Kind::Sums(_) => 1,
        }
    }

    /// A table with the same columns and masks: the rows themselves, or a row for each mask, of zeros.
    pub(crate) fn outline(&self) -> Cow<'_, Dataset> {
        match self.0 {
            Kind::Rows(data) => Cow::Borrowed(data),
            Kind::Sums(picked) => Cow::Owned(picked.outline()),
        }
    }
}

impl Picked<'_> {
    fn outline(self) -> Dataset {
        let mut masks: Vec<&[u64]> = Vec::new();
        for block in self.blocks() {
            let tails = block.tails.features();
            masks.extend(block.moments.each().map(|(mask, _)| mask));
            masks.extend((0..tails.n_rows()).map(|i| tails.words(i)));
        }
        masks.sort_unstable();
        masks.dedup();
        self.blank().outlined(masks.into_iter())
    }
}
