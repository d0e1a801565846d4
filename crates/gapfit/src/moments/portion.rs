//! Portions, summed where their rows are.

use super::adder::Part;
use super::{Adders, Moments, Numbers, Slab};
use crate::data::{MaskedMatrix, Portion, RowSlice};

/// Shows the rows of a portion up to the first that have not so many columns; whether all have.
pub(crate) fn visit_like(
    portion: &impl Portion,
    n_columns: usize,
    mut take: impl FnMut(RowSlice<'_>, &[f64]),
) -> bool {
    let mut is_like = true;
    portion.visit(&mut |rows, target| {
        is_like &= rows.n_cols() == n_columns;
        if is_like {
            take(rows, target);
        }
    });
    is_like
}

impl Adders<'_> {
    /// The sums over the rows of a portion, and those that were set aside, whose numbers mean nothing; `None` where it has other columns
    /// or too many masks, or where too many rows were set aside.
    pub(crate) fn part(&self, portion: &impl Portion) -> Option<Part> {
        let n_features = self.frame.columns.len();
        self.lend(|adder| {
            let is_like = visit_like(portion, n_features, |rows, target| {
                adder.add_slab(&Slab {
                    numbers: Numbers::From(0),
                    values: rows.values,
                    words: rows.words,
                    targets: &[target],
                    roots: None,
                });
            });
            // also ends the part where it is not wanted
            adder.part().filter(|_| is_like)
        })
    }
}

impl Moments {
    /// The moments of the rows of a portion without a cell that is caught, and the others with their targets; `None` as
    /// [`Adders::part`].
    pub(crate) fn of_portion(
        portion: &impl Portion,
        adders: &Adders<'_>,
    ) -> Option<(Self, MaskedMatrix, Vec<f64>)> {
        let mut found = adders.part(portion)?;
        let (caught, targets) = found.aside.pop()?.into_rows();
        Some((found.moments(), caught, targets))
    }
}
