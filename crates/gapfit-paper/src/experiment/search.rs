//! Where the batch experiments look for parameters.

use gapfit::tune;
use serde::Deserialize;

/// The paper's grid, or part of it, and the folds of the honest search.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Search {
    /// Candidates for `alpha` in the paper's way.
    pub alphas: Powers,
    /// Candidates for `gamma` in the paper's way.
    pub gammas: Powers,
    /// Candidates for `alpha` in the honest way.
    pub honest_alphas: Powers,
    /// Candidates for `gamma` in the honest way, besides 0.
    pub honest_gammas: Powers,
    /// Folds of the honest way.
    pub folds: usize,
}

/// Powers of two.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Powers {
    /// The first exponent.
    pub from: i32,
    /// The last exponent.
    pub to: i32,
    /// From one exponent to the next.
    pub step: usize,
}

impl Default for Search {
    fn default() -> Self {
        let all = Powers {
            from: -12,
            to: 10,
            step: 1,
        };
        Self {
            alphas: all,
            gammas: all,
            honest_alphas: Powers { from: -20, ..all },
            honest_gammas: all,
            folds: 5,
        }
    }
}

impl Powers {
    fn values(self) -> Vec<f64> {
        let exponents = (self.from..=self.to).step_by(self.step.max(1));
        exponents.map(f64::from).map(f64::exp2).collect()
    }
}

impl Search {
    /// Itself, or a search with every eighth power and two folds for a quick run.
    pub(crate) fn when(self, quick: bool) -> Self {
        if !quick {
            return self;
        }
        let coarse = |of: Powers| Powers { step: 8, ..of };
        Self {
            alphas: coarse(self.alphas),
            gammas: coarse(self.gammas),
            honest_alphas: coarse(self.honest_alphas),
            honest_gammas: coarse(self.honest_gammas),
            folds: 2,
        }
    }

    /// Every point of the paper's grid.
    pub(crate) fn paper(self) -> tune::Search {
        tune::Search {
            alphas: self.alphas.values(),
            gammas: self.gammas.values(),
            ..tune::Search::paper()
        }
    }

    /// The library's own search, from coarse to fine.
    pub(crate) fn honest(self) -> tune::Search {
        let nothing = std::iter::once(0.0);
        tune::Search {
            alphas: self.honest_alphas.values(),
            gammas: nothing.chain(self.honest_gammas.values()).collect(),
            folds: self.folds,
            ..tune::Search::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_is_the_grid_of_the_paper() {
        assert_eq!(Search::default().paper(), tune::Search::paper());
        assert_eq!(Search::default().honest(), tune::Search::default());
    }

    #[test]
    fn a_quick_search_has_few_points() {
        let quick = Search::default().when(true);
        assert_eq!(quick.paper().alphas, [2f64.powi(-12), 2f64.powi(-4), 16.0]);
        assert_eq!((quick.honest().alphas.len(), quick.folds), (4, 2));
    }
}
