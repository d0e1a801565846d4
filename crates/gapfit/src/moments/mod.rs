//! Second moments of a table, one small matrix per distinct mask: all that a fit needs of the rows.
//!
//! For each mask, over its rows with weights s_i, `Σ s_i (1, x_o, y)(1, x_o, y)ᵀ` where `x_o` are the
//! observed features. Scaling, base imputers and the normal equations are functions of these sums
//! (docs/math.md 5), because each of them is affine in `x_o` for a given mask. Sums are additive:
//! they merge over parts of a table and a fold is taken out by subtraction.
//!
//! Values are held in a [`Frame`]: per column shifted to the middle of its range and divided by a
//! power of two, so that no sum overflows and none loses digits to a large mean.
//!
//! Cost: `T (observed)²/2` multiply-adds over rows sorted by mask.

mod frame;
mod group;
mod range;
mod rows;

pub(crate) use frame::{Frame, power_of_two};
pub(crate) use range::Ranges;
pub(crate) use rows::Rows;

use group::Groups;

/// Sums over the rows of one mask.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct MaskMoments {
    /// The observed features, ascending.
    pub(crate) observed: Vec<usize>,
    pub(crate) n_rows: usize,
    /// `(o + 2) x (o + 2)`, symmetric, in the order (1, observed features, target).
    pub(crate) sums: Vec<f64>,
}

impl MaskMoments {
    /// Order of the matrix of sums.
    pub(crate) fn order(&self) -> usize {
        self.observed.len() + 2
    }

    /// The sum over `i`-th times `j`-th of (1, observed features, target).
    pub(crate) fn sum(&self, i: usize, j: usize) -> f64 {
        self.sums[i * self.order() + j]
    }

    /// The sum of the row weights.
    pub(crate) fn weight(&self) -> f64 {
        self.sums[0]
    }

    fn add(&mut self, other: &Self, sign: f64) {
        for (a, b) in self.sums.iter_mut().zip(&other.sums) {
            *a += sign * b;
        }
    }
}

/// The moments of a table, mask by mask, ascending in the mask.
#[derive(Clone, Debug)]
pub(crate) struct Moments {
    masks: Vec<(Vec<u64>, MaskMoments)>,
}

impl Moments {
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

    /// Takes out the rows of `other`, which must be among the rows of `self`.
    pub(crate) fn subtract(&mut self, other: &Self) {
        let mut theirs = other.masks.iter().peekable();
        self.masks.retain_mut(|(mask, moments)| {
            if let Some((_, gone)) = theirs.next_if(|(m, _)| m == mask) {
                moments.n_rows -= gone.n_rows;
                moments.add(gone, -1.0);
            }
            moments.n_rows > 0 // what is left of an emptied mask is rounding
        });
    }
}

/// The moments of some rows: kept per mask, or made anew from the rows on each visit.
///
/// Kept while they fit the budget; when nearly every row has its own mask they would outgrow the
/// table itself, and visiting row by row needs no memory at all.
#[derive(Debug)]
pub(crate) enum Source<'a> {
    Kept(Moments),
    Visited(Visited<'a>),
}

/// Rows grouped by mask, to be summed when visited.
#[derive(Debug)]
pub(crate) struct Visited<'a> {
    rows: Rows<'a>,
    frame: &'a Frame,
    groups: Groups,
}

/// Bytes of moments to keep at most.
const BUDGET: usize = 256 << 20;

impl<'a> Source<'a> {
    /// Groups the rows by mask and sums them, if the sums fit the budget.
    pub(crate) fn new(rows: Rows<'a>, frame: &'a Frame) -> Self {
        Self::with_budget(rows, frame, BUDGET)
    }

    fn with_budget(rows: Rows<'a>, frame: &'a Frame, budget: usize) -> Self {
        let groups = Groups::by_mask(&rows);
        let bytes: usize = groups.masks().map(|m| (m.count() + 2).pow(2) * 8).sum();
        let visited = Visited {
            rows,
            frame,
            groups,
        };
        if bytes > budget {
            return Self::Visited(visited);
        }
        Self::Kept(visited.moments())
    }

    /// The kept moments, where they are kept.
    pub(crate) fn kept(self) -> Option<Moments> {
        match self {
            Self::Kept(moments) => Some(moments),
            Self::Visited(_) => None,
        }
    }

    /// Calls `visit` with the moments of each mask, ascending in the mask.
    pub(crate) fn for_each(&self, mut visit: impl FnMut(&MaskMoments)) {
        match self {
            Self::Kept(moments) => moments.masks.iter().for_each(|(_, m)| visit(m)),
            Self::Visited(visited) => {
                let mut tile = group::Tile::default();
                for g in 0..visited.groups.len() {
                    visit(&visited.groups.sum(g, &visited.rows, visited.frame, &mut tile));
                }
            }
        }
    }
}

impl Visited<'_> {
    fn moments(&self) -> Moments {
        Moments {
            masks: self.groups.sum_all(&self.rows, self.frame),
        }
    }
}
