//! Sums over rows: mask by mask, or over all masks together where these are too many.

use crate::data::WORD;
use crate::moments::{BUDGET, Folded, Moments, Origin, Remade, Source};

/// The sums of one target over some rows.
#[derive(Clone, Debug)]
pub(super) enum Summed {
    ByMask(Moments),
    /// For bases that fill holes with constants.
    Folded(Box<Folded>),
}

/// Bytes that sums over all masks may take, in all blocks.
const FOLDED: usize = 1 << 30;

impl Summed {
    /// Of no rows.
    pub(super) fn none() -> Self {
        Self::ByMask(Moments::none())
    }

    /// Those of the rows behind a source, over all masks together where they are not kept mask by mask; `None` where that takes
    /// too much memory as well.
    pub(super) fn of(source: Source<'_>, n_features: usize, n_blocks: usize) -> Option<Self> {
        if let Source::Kept(moments) = source {
            return Some(Self::ByMask(moments));
        }
        can_fold(n_features, n_blocks).then(|| {
            let mut folded = Folded::none(n_features);
            source.for_each(|of_mask| folded.add(of_mask));
            Self::Folded(Box::new(folded))
        })
    }

    pub(super) fn is_folded(&self) -> bool {
        matches!(self, Self::Folded(_))
    }

    /// Adds all masks up.
    fn fold(&mut self, n_features: usize) {
        if let Self::ByMask(moments) = self {
            *self = Self::Folded(Box::new(Folded::of(moments, n_features)));
        }
    }

    pub(super) fn n_rows(&self) -> usize {
        match self {
            Self::ByMask(moments) => moments.n_rows(),
            Self::Folded(folded) => folded.n_rows(),
        }
    }

    /// The weight of the rows in which feature `j` is observed.
    pub(super) fn weight_of(&self, j: usize) -> f64 {
        match self {
            Self::ByMask(moments) => moments.weight_of(j),
            Self::Folded(folded) => folded.weight_of(j),
        }
    }

    /// The sum of feature `j` in its unit.
    pub(super) fn sum_of(&self, j: usize) -> f64 {
        match self {
            Self::ByMask(moments) => {
                let sums = moments.each().filter_map(|(_, m)| {
                    let place = m.observed.binary_search(&j).ok()?;
                    Some(m.sum(0, place + 1))
                });
                sums.sum()
            }
            Self::Folded(folded) => folded.totals().columns[j].sum,
        }
    }

    /// Whether feature `j` is observed in any row.
    pub(super) fn observes(&self, j: usize) -> bool {
        match self {
            Self::ByMask(moments) => moments.observed().any(|m| m.binary_search(&j).is_ok()),
            Self::Folded(folded) => folded.observed()[j] > 0,
        }
    }

    /// The masks; one for all of them that lacks whatever one of them lacks, where they are not told apart.
    pub(super) fn masks(&self) -> Vec<Vec<u64>> {
        match self {
            Self::ByMask(moments) => moments.each().map(|(mask, _)| mask.to_vec()).collect(),
            Self::Folded(folded) => {
                let mut mask = vec![0; folded.observed().len().div_ceil(WORD)];
                for (j, n) in folded.observed().iter().enumerate() {
                    mask[j / WORD] |= u64::from(*n == folded.n_rows()) << (j % WORD);
                }
                vec![mask]
            }
        }
    }

    /// Adds other rows in the same units.
    pub(super) fn merge(&mut self, other: &Self) {
        match (&mut *self, other) {
            (Self::ByMask(mine), Self::ByMask(theirs)) => mine.merge(theirs),
            (Self::Folded(mine), Self::Folded(theirs)) => mine.merge(theirs),
            (Self::Folded(mine), Self::ByMask(theirs)) => {
                theirs.each().for_each(|(_, of_mask)| mine.add(of_mask));
            }
            (Self::ByMask(_), Self::Folded(theirs)) => {
                self.fold(theirs.observed().len());
                self.merge(other);
            }
        }
    }

    /// Multiplies the weights of all rows.
    pub(super) fn scale(&mut self, by: f64) {
        match self {
            Self::ByMask(moments) => moments.scale(by),
            Self::Folded(folded) => folded.scale(by),
        }
    }

    /// The sums of new features and of another target.
    pub(super) fn recast(&self, origins: &[Origin], target: Origin) -> Self {
        match self {
            Self::ByMask(moments) => Self::ByMask(moments.recast(origins, target)),
            Self::Folded(folded) => {
                let features: Vec<Remade> = origins.iter().map(Remade::from).collect();
                Self::Folded(Box::new(folded.recast(&features, target)))
            }
        }
    }

    fn bytes(&self) -> usize {
        match self {
            Self::ByMask(moments) => moments.bytes(),
            Self::Folded(_) => 0, // they do not grow
        }
    }

    pub(super) fn into_source(self) -> Source<'static> {
        match self {
            Self::ByMask(moments) => Source::Kept(moments),
            Self::Folded(folded) => Source::Folded(folded),
        }
    }
}

fn can_fold(n_features: usize, n_blocks: usize) -> bool {
    Folded::bytes(n_features).saturating_mul(n_blocks) <= FOLDED
}

/// Adds all masks up where those of all blocks take more memory than may be kept, or where one block has them so; whether
/// they take no more than may be kept then.
pub(super) fn fold_large(blocks: &mut [&mut Summed], n_features: usize) -> bool {
    let bytes: usize = blocks.iter().map(|sums| sums.bytes()).sum();
    let is_large = bytes > BUDGET;
    if is_large && !can_fold(n_features, blocks.len()) {
        return false;
    }
    if is_large || blocks.iter().any(|sums| sums.is_folded()) {
        blocks.iter_mut().for_each(|sums| sums.fold(n_features));
    }
    true
}
