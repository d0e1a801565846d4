//! Which stored columns make up the weights of a mask (docs/math.md 13.4).

use crate::data::{Observed, WORD};

/// How a mask's weights come from the stored ones: the complete row's weights or nothing, plus or
/// minus some of the other stored columns.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Selection<'a> {
    pub(crate) complete: bool,
    pub(crate) subtracts: bool,
    pub(super) columns: Columns<'a>,
}

/// Some of the stored columns.
#[derive(Clone, Copy, Debug)]
pub(super) enum Columns<'a> {
    None,
    One(usize),
    /// One for each missing feature.
    Missing(Observed<'a>),
    /// One for each subset of which something is missing.
    Broken(&'a [Box<[u32]>], Observed<'a>),
}

impl Selection<'_> {
    /// The number of columns besides the complete row's.
    pub(crate) fn count(self) -> usize {
        match self.columns {
            Columns::None => 0,
            Columns::One(_) => 1,
            Columns::Missing(observed) => observed.n_features() - observed.count(),
            Columns::Broken(subsets, observed) => subsets
                .iter()
                .filter(|s| !contains_all(observed, s))
                .count(),
        }
    }

    /// Hands out the numbers of the columns, some at a time, ascending.
    pub(crate) fn for_each_block(self, mut f: impl FnMut(&[u32])) {
        let mut block = [0; WORD];
        let mut len = 0;
        let mut push = |j: usize| {
            block[len] = j as u32;
            len += 1;
            if len == WORD {
                f(&block);
                len = 0;
            }
        };
        match self.columns {
            Columns::None => {}
            Columns::One(j) => push(j),
            Columns::Missing(observed) => for_each_missing(observed, &mut push),
            Columns::Broken(subsets, observed) => (0..subsets.len())
                .filter(|&s| !contains_all(observed, &subsets[s]))
                .for_each(&mut push),
        }
        if len > 0 {
            f(&block[..len]);
        }
    }
}

/// A plain loop over the bits: the iterator costs as much as the arithmetic on a column.
#[inline]
fn for_each_missing(observed: Observed<'_>, mut f: impl FnMut(usize)) {
    let mut left = observed.n_features();
    for (w, &word) in observed.words().iter().enumerate() {
        let mut holes = if left < WORD {
            !word & ((1 << left) - 1)
        } else {
            !word
        };
        left = left.saturating_sub(WORD);
        while holes != 0 {
            f(w * WORD + holes.trailing_zeros() as usize);
            holes &= holes - 1;
        }
    }
}

pub(super) fn contains_all(observed: Observed<'_>, subset: &[u32]) -> bool {
    subset.iter().all(|&j| observed.contains(j as usize))
}
