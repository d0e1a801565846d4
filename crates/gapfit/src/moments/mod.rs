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
mod masks;
mod range;
mod rows;
mod sum;

pub(crate) use frame::{Frame, power_of_two};
pub(crate) use masks::Masks;
pub(crate) use range::Ranges;
pub(crate) use rows::Rows;

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

    /// Copies the lower triangle onto the upper one.
    fn mirror(&mut self) {
        let order = self.order();
        for i in 0..order {
            for j in i + 1..order {
                self.sums[j * order + i] = self.sums[i * order + j];
            }
        }
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

/// Rows sorted by mask, to be summed when visited.
#[derive(Debug)]
pub(crate) struct Visited<'a> {
    rows: &'a Rows<'a>,
    masks: &'a Masks,
    frame: &'a Frame,
    order: Vec<u32>,
    starts: Vec<usize>,
}

/// Bytes of moments to keep at most.
const BUDGET: usize = 256 << 20;

impl<'a> Source<'a> {
    /// Sums the rows mask by mask, if the sums fit the budget.
    pub(crate) fn new(rows: &'a Rows<'a>, masks: &'a Masks, frame: &'a Frame) -> Self {
        Self::with_budget(rows, masks, frame, BUDGET)
    }

    fn with_budget(rows: &'a Rows<'a>, masks: &'a Masks, frame: &'a Frame, budget: usize) -> Self {
        let bytes = |m| (masks.mask(m).count() + 2).pow(2) * 8;
        if (0..masks.len()).map(bytes).sum::<usize>() <= budget {
            let moments = sum::all(rows, masks, frame);
            let masks = (0..masks.len()).map(|m| masks.mask(m).words().to_vec());
            return Self::Kept(Moments {
                masks: masks.zip(moments).collect(),
            });
        }
        let (order, starts) = masks.sort();
        Self::Visited(Visited {
            rows,
            masks,
            frame,
            order,
            starts,
        })
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
            Self::Visited(visited) => visited.for_each(visit),
        }
    }
}

impl Visited<'_> {
    fn for_each(&self, mut visit: impl FnMut(&MaskMoments)) {
        let mut tile = sum::Tile::default();
        for m in 0..self.masks.len() {
            let members = &self.order[self.starts[m]..self.starts[m + 1]];
            visit(&sum::one(
                m, members, self.rows, self.masks, self.frame, &mut tile,
            ));
        }
    }
}
