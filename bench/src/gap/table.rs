//! The tables on which the gap is certified: easy ones, and those that break solvers.

use crate::synthetic::{linear, with_holes};
use anyhow::Result;
use gapfit::corrupt::Mechanism;
use gapfit::data::{Dataset, MaskedMatrix};
use std::fmt;

/// Numbers of columns.
const WIDTHS: [usize; 6] = [2, 5, 10, 20, 40, 60];

/// Holes in any cell with this chance.
const MCAR: Mechanism = Mechanism::Mcar { rate: 0.3 };

/// What is special about a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// Correlated columns, holes at random.
    Easy,
    /// A duplicated, a collinear, a constant and an unobserved column besides, as far as they fit.
    Degenerate,
    /// A third of one column is missing, nothing else.
    OneColumn,
    /// The paper's data-dependent holes.
    Dependent,
    /// Half as many rows as unknowns.
    FewRows,
}

impl Kind {
    const ALL: [Self; 5] = [
        Self::Easy,
        Self::Degenerate,
        Self::OneColumn,
        Self::Dependent,
        Self::FewRows,
    ];
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Easy => "easy",
            Self::Degenerate => "degenerate",
            Self::OneColumn => "one column",
            Self::Dependent => "dependent",
            Self::FewRows => "few rows",
        })
    }
}

/// A table to be made: its kind and its width.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Recipe {
    kind: Kind,
    n_cols: usize,
}

impl fmt::Display for Recipe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} d={}", self.kind, self.n_cols)
    }
}

impl Recipe {
    /// Every kind in every width, the narrow ones first.
    pub(crate) fn all() -> impl Iterator<Item = Self> {
        WIDTHS
            .into_iter()
            .flat_map(|n_cols| Kind::ALL.map(|kind| Self { kind, n_cols }))
    }

    /// Whether this is its kind, its width or both.
    pub(crate) fn matches(self, name: &str) -> bool {
        let (kind, width) = (self.kind.to_string(), format!("d={}", self.n_cols));
        name == kind || name == width || name == self.to_string()
    }

    /// How many of the 23 exponents to visit in each parameter: fewer where a fit takes long.
    pub(crate) fn points_per_axis(self) -> usize {
        match (self.kind, self.n_cols) {
            (Kind::OneColumn, _) | (_, ..=10) => 23,
            (_, ..=20) => 12,
            _ => 5,
        }
    }

    /// The table; its seed depends on the recipe alone.
    pub(crate) fn make(self) -> Result<Dataset> {
        let seed = self.n_cols as u64;
        let complete = linear(self.n_rows(), self.n_cols, seed)?;
        match self.kind {
            Kind::Easy | Kind::FewRows => with_holes(&complete, &MCAR, seed + 100),
            Kind::Dependent => {
                with_holes(&complete, &Mechanism::Dependent { beta: 0.75 }, seed + 100)
            }
            Kind::OneColumn => {
                let mut table = complete.features().clone();
                (0..table.n_rows())
                    .step_by(3)
                    .for_each(|i| table.hide(i, 1));
                Ok(complete.with_features(table)?)
            }
            Kind::Degenerate => degenerate(complete, seed + 100),
        }
    }

    fn n_rows(self) -> usize {
        let unknowns = (self.n_cols + 1) * (self.n_cols + 1);
        match self.kind {
            Kind::FewRows => unknowns / 2,
            Kind::OneColumn => 1000,
            _ => (3 * unknowns).max(1000),
        }
    }
}

/// Overwrites columns 1 to 4, those there are: the first again, a combination of the first, the sixth
/// and a constant, a constant, holes alone.
fn degenerate(complete: Dataset, seed: u64) -> Result<Dataset> {
    let n_cols = complete.n_features();
    let mut table = MaskedMatrix::new(n_cols);
    for row in complete.features().rows() {
        let x = row.values();
        let collinear = 1.0 - 2.0 * x[0] + 3.0 * x.get(5).unwrap_or(&0.0);
        let mut row: Vec<_> = x.iter().copied().map(Some).collect();
        let special = [Some(x[0]), Some(collinear), Some(7.0), None];
        row[1..]
            .iter_mut()
            .zip(special)
            .for_each(|(x, new)| *x = new);
        table.push_row(row)?;
    }
    with_holes(&complete.with_features(table)?, &MCAR, seed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_degenerate_table_is_what_it_says() {
        let recipe = Recipe {
            kind: Kind::Degenerate,
            n_cols: 10,
        };
        let data = recipe.make().unwrap();
        for row in data.features().rows() {
            assert_eq!(row.get(4), None);
            assert!(row.get(3).is_none_or(|x| (x - 7.0).abs() < 1e-15));
            if let (Some(a), Some(b)) = (row.get(0), row.get(1)) {
                assert!((a - b).abs() < 1e-15);
            }
        }
    }

    #[test]
    fn every_table_can_be_made_and_has_holes() {
        for recipe in Recipe::all().filter(|recipe| recipe.n_cols <= 20) {
            let data = recipe.make().unwrap();
            assert_eq!(data.n_features(), recipe.n_cols);
            assert!(data.features().observed_fraction() < 1.0, "{recipe}");
        }
    }
}
