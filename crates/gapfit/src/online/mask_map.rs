//! ψ for a given number of features: which columns of A are active for a mask.

use super::psi::MaskFeatures;
use super::selection::{Columns, Selection, contains_all};
use crate::data::{Observed, WORD};
use crate::error::{Error, Result};
use rustc_hash::FxHashMap;

/// The most weights a learner may have: one GiB of them.
pub(crate) const MAX_WEIGHTS: u128 = 1 << 27;

/// ψ for a given number of features; tells which columns of A are active for a mask.
///
/// Columns of `affine`: 0 always, `1 + j` when feature j is missing. Of `subsets`: ordered by their
/// largest feature, so that a new feature only appends columns. Of `pattern`: 0 is the complete mask.
///
/// ```
/// use gapfit::data::MaskedMatrix;
/// use gapfit::online::{MaskFeatures, MaskMap};
/// let table = MaskedMatrix::from_nan(1, 3, &[1.0, f64::NAN, 2.0])?;
/// let psi = MaskMap::new(MaskFeatures::Affine, 3)?;
/// assert_eq!(psi.n_columns(), 4);
/// assert_eq!(psi.active(table.row(0).observed()), [0, 2]);
/// # Ok::<(), gapfit::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct MaskMap {
    kind: MaskFeatures,
    n_features: usize,
    /// The members of each subset, ascending.
    subsets: Vec<Box<[u32]>>,
    /// The masks with weights of their own, the complete one apart, in order of their columns.
    patterns: Vec<Box<[u64]>>,
    number_of: FxHashMap<Box<[u64]>, u32>,
}

impl MaskMap {
    /// The map for this many features.
    ///
    /// # Errors
    /// [`Error::Setting`] when there would be more than 2²⁷ weights; it says how many.
    pub fn new(kind: MaskFeatures, n_features: usize) -> Result<Self> {
        kind.validate()?;
        check_size(kind, n_features)?;
        let mut map = Self {
            kind,
            n_features: 0,
            subsets: Vec::new(),
            patterns: Vec::new(),
            number_of: FxHashMap::default(),
        };
        for _ in 0..n_features {
            map.push_feature();
        }
        Ok(map)
    }

    /// The map with these masks in its columns, for a saved state.
    pub(crate) fn with_patterns(mut self, patterns: Vec<Box<[u64]>>) -> Option<Self> {
        for mask in patterns {
            let number = self.patterns.len() as u32;
            if self.number_of.insert(mask.clone(), number).is_some() {
                return None;
            }
            self.patterns.push(mask);
        }
        Some(self)
    }

    /// Which ψ it is.
    pub fn kind(&self) -> MaskFeatures {
        self.kind
    }

    /// The number of features.
    pub fn n_features(&self) -> usize {
        self.n_features
    }

    /// The number of columns of A; for `pattern` it grows with the masks that were noted.
    pub fn n_columns(&self) -> usize {
        match self.kind {
            MaskFeatures::Constant => 1,
            MaskFeatures::Identity => self.n_features,
            MaskFeatures::Affine => 1 + self.n_features,
            MaskFeatures::Subsets(_) => self.subsets.len(),
            MaskFeatures::Pattern(_) => 1 + self.n_patterns(),
        }
    }

    /// Masks with a stored column, the shared one included.
    pub(crate) fn n_patterns(&self) -> usize {
        self.patterns.len() + usize::from(self.is_full())
    }

    pub(crate) fn patterns(&self) -> &[Box<[u64]>] {
        &self.patterns
    }

    fn is_full(&self) -> bool {
        matches!(self.kind, MaskFeatures::Pattern(n) if n == self.patterns.len())
    }

    /// The active columns, ascending; none for a mask that `pattern` has not noted yet.
    ///
    /// # Panics
    /// When the mask is not one of that many features.
    pub fn active(&self, observed: Observed<'_>) -> Vec<usize> {
        assert_eq!(observed.n_features(), self.n_features, "features");
        match self.kind {
            MaskFeatures::Constant => vec![0],
            MaskFeatures::Identity => observed.iter().collect(),
            MaskFeatures::Affine => [0]
                .into_iter()
                .chain(observed.missing().map(|j| 1 + j))
                .collect(),
            MaskFeatures::Subsets(_) => (0..self.subsets.len())
                .filter(|&s| contains_all(observed, &self.subsets[s]))
                .collect(),
            MaskFeatures::Pattern(_) if is_complete(observed) => vec![0],
            MaskFeatures::Pattern(_) => self.number(observed).map(|p| 1 + p).into_iter().collect(),
        }
    }

    /// The columns that are active for a complete row; `A ψ(1)` are its weights.
    pub(crate) fn active_when_complete(&self) -> std::ops::Range<usize> {
        match self.kind.is_coupled() {
            true => 0..self.n_columns(),
            false => 0..1,
        }
    }

    /// The features that column j is about; `None` when it is about none in particular.
    pub(crate) fn members(&self, j: usize) -> Option<Vec<u32>> {
        match self.kind {
            MaskFeatures::Constant | MaskFeatures::Pattern(_) => None,
            MaskFeatures::Identity => Some(vec![j as u32]),
            MaskFeatures::Affine => j.checked_sub(1).map(|j| vec![j as u32]),
            MaskFeatures::Subsets(_) => Some(self.subsets[j].to_vec()),
        }
    }

    /// Gives a mask a column of its own, if it should have one and there is room.
    pub fn note(&mut self, observed: Observed<'_>) {
        let is_pattern = matches!(self.kind, MaskFeatures::Pattern(_));
        if !is_pattern || is_complete(observed) || self.number(observed).is_some() {
            return;
        }
        let number = self.patterns.len() as u32;
        self.number_of.insert(observed.words().into(), number);
        self.patterns.push(observed.words().into());
    }

    /// The number of the mask's pattern, or of the shared one when there is no room for more.
    fn number(&self, observed: Observed<'_>) -> Option<usize> {
        match self.number_of.get(observed.words()) {
            Some(&p) => Some(p as usize),
            None => self.is_full().then_some(self.patterns.len()),
        }
    }

    /// Which stored columns make up the weights of a mask (docs/math.md 13.4).
    pub(crate) fn select<'a>(&'a self, observed: Observed<'a>) -> Selection<'a> {
        let columns = match self.kind {
            MaskFeatures::Constant => Columns::None,
            MaskFeatures::Identity | MaskFeatures::Affine => Columns::Missing(observed),
            MaskFeatures::Subsets(_) if is_complete(observed) => Columns::None,
            MaskFeatures::Subsets(_) => Columns::Broken(&self.subsets, observed),
            MaskFeatures::Pattern(_) if is_complete(observed) => Columns::None,
            MaskFeatures::Pattern(_) => {
                let columns = self.number(observed).map_or(Columns::None, Columns::One);
                return Selection {
                    complete: false,
                    subtracts: false,
                    columns,
                };
            }
        };
        Selection {
            complete: true,
            subtracts: self.kind.is_coupled(),
            columns,
        }
    }

    /// Makes room for one more feature.
    ///
    /// # Errors
    /// [`Error::Setting`] when there would be too many weights; then nothing changes.
    pub(crate) fn add_feature(&mut self) -> Result<()> {
        check_size(self.kind, self.n_features + 1)?;
        self.push_feature();
        Ok(())
    }

    fn push_feature(&mut self) {
        let new = self.n_features as u32;
        self.n_features += 1;
        if let MaskFeatures::Subsets(p) = self.kind {
            let smaller = self.subsets.iter().filter(|s| s.len() < p);
            let joined = smaller.map(|s| s.iter().copied().chain([new]).collect());
            let joined: Vec<Box<[u32]>> = joined.collect();
            self.subsets.push([new].into());
            self.subsets.extend(joined);
        }
        // A feature that did not exist was missing, so masks keep their bits and gain zeros.
        let n_words = self.n_features.div_ceil(WORD);
        if self
            .patterns
            .first()
            .is_some_and(|mask| mask.len() < n_words)
        {
            let patterns = std::mem::take(&mut self.patterns).into_iter();
            let longer = |mask: Box<[u64]>| mask.iter().copied().chain([0]).collect::<Box<[u64]>>();
            self.patterns = patterns.map(longer).collect();
            let numbered = self.patterns.iter().cloned().zip(0..);
            self.number_of = numbered.collect();
        }
    }
}

pub(crate) fn is_complete(observed: Observed<'_>) -> bool {
    observed.missing().next().is_none()
}

fn check_size(kind: MaskFeatures, n_features: usize) -> Result<()> {
    let d = n_features as u128;
    let columns = match kind {
        MaskFeatures::Constant => 1,
        MaskFeatures::Identity | MaskFeatures::Affine => d + 1,
        MaskFeatures::Subsets(p) => MaskFeatures::count_subsets(n_features, p),
        MaskFeatures::Pattern(n) => n as u128 + 2,
    };
    match columns.checked_mul(d) {
        Some(weights) if weights <= MAX_WEIGHTS => Ok(()),
        _ => Err(Error::Setting {
            name: "psi",
            expected: "at most 134217728 weights, features times columns",
            got: format!("{kind}: {n_features} features times {columns} columns"),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::MaskedMatrix;

    const HOLE: f64 = f64::NAN;

    fn every_mask(d: usize) -> MaskedMatrix {
        let cell = |i: usize, j: usize| (i >> j & 1 == 1).then_some(1.0);
        let mut table = MaskedMatrix::new(d);
        for i in 0..1 << d {
            table.push_row((0..d).map(|j| cell(i, j))).unwrap();
        }
        table
    }

    #[test]
    fn a_subset_is_active_when_all_of_it_is_observed() {
        for p in 1..=4 {
            let map = MaskMap::new(MaskFeatures::Subsets(p), 4).unwrap();
            assert_eq!(map.n_columns() as u128, MaskFeatures::count_subsets(4, p));
            let mut sorted = map.subsets.clone();
            sorted.sort();
            sorted.dedup();
            assert_eq!(sorted.len(), map.n_columns(), "subsets are distinct");
            for row in every_mask(4).rows() {
                let n = row.observed().count();
                let expected = MaskFeatures::count_subsets(n, p);
                assert_eq!(map.active(row.observed()).len() as u128, expected);
            }
        }
    }

    #[test]
    fn subsets_of_one_are_the_identity() {
        let singles = MaskMap::new(MaskFeatures::Subsets(1), 4).unwrap();
        let identity = MaskMap::new(MaskFeatures::Identity, 4).unwrap();
        for row in every_mask(4).rows() {
            assert_eq!(
                singles.active(row.observed()),
                identity.active(row.observed())
            );
        }
    }

    #[test]
    fn too_many_subsets_are_refused_with_their_count() {
        let error = MaskMap::new(MaskFeatures::Subsets(4), 200).unwrap_err();
        assert_eq!(
            error.to_string(),
            "psi: expected at most 134217728 weights, features times columns, \
             got subsets=4: 200 features times 66018450 columns"
        );
        let mut map = MaskMap::new(MaskFeatures::Identity, 11_584).unwrap();
        assert!(map.add_feature().is_err());
        assert_eq!(map.n_features(), 11_584);
    }

    #[test]
    fn masks_beyond_the_limit_share_one_column() {
        let table =
            MaskedMatrix::from_nan(4, 2, &[HOLE, 1.0, 1.0, 1.0, 1.0, HOLE, HOLE, HOLE]).unwrap();
        let mut map = MaskMap::new(MaskFeatures::Pattern(1), 2).unwrap();
        assert!(map.active(table.row(0).observed()).is_empty());
        for row in table.rows() {
            map.note(row.observed());
        }
        let active = |i: usize| map.active(table.row(i).observed());
        assert_eq!(
            [active(0), active(1), active(2), active(3)],
            [[1], [0], [2], [2]]
        );
        assert_eq!(map.n_columns(), 3);
    }

    #[test]
    fn a_new_feature_was_missing_from_all_older_masks() {
        let d = WORD;
        let row: Vec<_> = (0..d).map(|j| (j != 5).then_some(1.0)).collect();
        let mut table = MaskedMatrix::new(d);
        table.push_row(row.clone()).unwrap();
        let mut map = MaskMap::new(MaskFeatures::Pattern(9), d).unwrap();
        map.note(table.row(0).observed());
        map.add_feature().unwrap();
        let mut wider = MaskedMatrix::new(d + 1);
        wider.push_row(row.iter().copied().chain([None])).unwrap();
        wider
            .push_row(row.iter().copied().chain([Some(1.0)]))
            .unwrap();
        assert_eq!(map.active(wider.row(0).observed()), [1]);
        assert!(map.active(wider.row(1).observed()).is_empty());
    }

    #[test]
    fn a_new_feature_appends_columns() {
        for kind in [
            MaskFeatures::Identity,
            MaskFeatures::Affine,
            MaskFeatures::Subsets(3),
        ] {
            let mut grown = MaskMap::new(kind, 4).unwrap();
            let before = grown.clone();
            grown.add_feature().unwrap();
            assert_eq!(grown, MaskMap::new(kind, 5).unwrap());
            assert_eq!(grown.subsets[..before.subsets.len()], before.subsets[..]);
        }
    }
}
