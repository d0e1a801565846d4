//! Where `alpha` and `gamma` are looked for.

use std::time::Duration;

use gapfit::Parameters;
use gapfit::tune::Search;

use crate::args::Usage;

/// The grid of candidates.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Tuning")]
pub(crate) struct Tuning {
    /// Candidates: alpha 2^-20 ... 2^10 and gamma 0, 2^-12 ... 2^10, from coarse to fine, or the
    /// paper's 2^-12 ... 2^10 for both, every pair.
    #[arg(long, value_enum, default_value_t)]
    grid: Grid,
    /// Candidates for alpha instead; every pair with a gamma is tried.
    #[arg(
        long,
        value_name = "A,...",
        value_delimiter = ',',
        allow_negative_numbers = true
    )]
    alphas: Vec<f64>,
    /// Candidates for gamma instead; every pair with an alpha is tried.
    #[arg(
        long,
        value_name = "G,...",
        value_delimiter = ',',
        allow_negative_numbers = true
    )]
    gammas: Vec<f64>,
    /// Seconds after which a search begins nothing new; what it left out is said.
    #[arg(long, value_name = "SECONDS", value_parser = budget, allow_negative_numbers = true)]
    budget: Option<Duration>,
}

#[derive(Clone, Copy, Debug, Default, clap::ValueEnum)]
enum Grid {
    #[default]
    Default,
    Paper,
}

impl Tuning {
    /// Whether candidates for gamma were given.
    pub(crate) fn has_gammas(&self) -> bool {
        !self.gammas.is_empty()
    }

    /// The search over this grid, checked.
    pub(crate) fn search(&self) -> Result<Search, Usage> {
        let mut search = match self.grid {
            Grid::Default => Search::default(),
            Grid::Paper => Search::paper(),
        };
        if !self.alphas.is_empty() {
            let check = |alpha| Parameters { alpha, gamma: 0.0 }.validate();
            search.alphas = ascending("alphas", &self.alphas, check)?;
            search.coarse_to_fine = false;
        }
        if !self.gammas.is_empty() {
            let check = |gamma| Parameters { alpha: 1.0, gamma }.validate();
            search.gammas = ascending("gammas", &self.gammas, check)?;
            search.coarse_to_fine = false;
        }
        search.budget = self.budget;
        Ok(search)
    }
}

/// A number of seconds.
fn budget(text: &str) -> Result<Duration, String> {
    let seconds = text.parse().ok();
    let budget = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    budget.ok_or_else(|| "expected a number of seconds, not negative".to_owned())
}

/// The candidates in order, each once and in its range.
fn ascending(
    flag: &str,
    given: &[f64],
    check: impl Fn(f64) -> gapfit::Result<()>,
) -> Result<Vec<f64>, Usage> {
    for &candidate in given {
        check(candidate).map_err(|error| Usage(format!("--{flag}: {error}")))?;
    }
    let mut grid = given.to_vec();
    grid.sort_by(f64::total_cmp);
    grid.dedup();
    Ok(grid)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn given_candidates_are_put_in_order_and_all_of_them_tried() {
        let tuning = Tuning {
            grid: Grid::Default,
            alphas: vec![1.0, 0.25, 1.0],
            gammas: vec![],
            budget: None,
        };
        let search = tuning.search().unwrap();
        assert_eq!(search.alphas, [0.25, 1.0]);
        assert_eq!(search.gammas, Search::default().gammas);
        assert!(!search.coarse_to_fine);
    }
}
