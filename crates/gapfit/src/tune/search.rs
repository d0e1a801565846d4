//! Where to look for parameters.

use super::Folding;
use crate::error::{Error, Result};
use crate::learn::Parameters;
use std::time::Duration;

/// Where to look for parameters, and how to judge them.
///
/// | field | default | purpose | range |
/// |---|---|---|---|
/// | `alphas` | 2^-20 ... 2^10 | candidates, ascending | positive |
/// | `gammas` | 0, 2^-12 ... 2^10 | candidates, ascending | not negative |
/// | `coarse_to_fine` | true | every eighth candidate first, then closer around the best | |
/// | `folding` | shuffled | which rows are held out together | |
/// | `folds` | 5 | cross-validation folds | 2 to the number of rows, groups, or times after the first |
/// | `budget` | none | time after which no candidate is begun; one at least is looked at | |
/// | `seed` | 0 | decides what `folding` leaves open: the shuffle; nothing, by time | |
#[derive(Clone, Debug, PartialEq)]
pub struct Search {
    /// Candidates for `alpha`, ascending.
    pub alphas: Vec<f64>,
    /// Candidates for `gamma`, ascending; methods without it use none of them.
    pub gammas: Vec<f64>,
    /// Whether to look at every eighth candidate first.
    pub coarse_to_fine: bool,
    /// Which rows are held out together.
    pub folding: Folding,
    /// The number of folds.
    pub folds: usize,
    /// Seed of the folds.
    pub seed: u64,
    /// Time after which no candidate is begun. What is found within it depends on the machine.
    pub budget: Option<Duration>,
}

impl Default for Search {
    fn default() -> Self {
        Self {
            alphas: powers_of_two(-20, 10),
            gammas: std::iter::once(0.0).chain(powers_of_two(-12, 10)).collect(),
            coarse_to_fine: true,
            folding: Folding::Shuffled,
            folds: 5,
            seed: 0,
            budget: None,
        }
    }
}

fn powers_of_two(from: i32, to: i32) -> Vec<f64> {
    (from..=to).map(|e| 2f64.powi(e)).collect()
}

impl Search {
    /// The grid of the paper, every point of it: 2^-12 ... 2^10 in both.
    pub fn paper() -> Self {
        Self {
            alphas: powers_of_two(-12, 10),
            gammas: powers_of_two(-12, 10),
            coarse_to_fine: false,
            ..Self::default()
        }
    }

    /// Checks the grids.
    ///
    /// # Errors
    /// [`Error::Setting`] for an empty or unsorted grid or a number out of range.
    pub fn validate(&self) -> Result<()> {
        let ascending = |grid: &[f64]| !grid.is_empty() && grid.windows(2).all(|w| w[0] < w[1]);
        for (name, grid) in [("alphas", &self.alphas), ("gammas", &self.gammas)] {
            if !ascending(grid) {
                return Err(Error::Setting {
                    name,
                    expected: "one or more ascending numbers",
                    got: format!("{grid:?}"),
                });
            }
        }
        let alphas = self
            .alphas
            .iter()
            .map(|&alpha| Parameters { alpha, gamma: 0.0 });
        let gammas = self
            .gammas
            .iter()
            .map(|&gamma| Parameters { alpha: 1.0, gamma });
        alphas
            .chain(gammas)
            .try_for_each(|parameters| parameters.validate())
    }
}
