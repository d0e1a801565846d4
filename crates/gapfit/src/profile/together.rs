//! Which columns go missing together.

use super::Profile;
use crate::linalg::Matrix;

/// Columns beyond so many, the ones with the fewest holes, are not compared.
const COMPARED: usize = 300;

/// Two columns and how their holes go together.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pair {
    /// The columns, in order.
    pub columns: (usize, usize),
    /// Rows in which both are missing.
    pub both: usize,
    /// The correlation of the two being missing: 1 if always together, 0 if by chance, negative if
    /// rather one or the other.
    pub correlation: f64,
}

impl Profile {
    /// The pairs of columns whose holes are correlated most, either way; at most `n` of them. Only the
    /// 300 columns with the most holes are compared.
    pub fn together(&self, n: usize) -> Vec<Pair> {
        let columns = match &self.unlisted {
            None => with_most_holes(&self.missing, self.n_rows),
            Some(unlisted) => unlisted.columns.clone(),
        };
        let both = self.both(&columns);
        let mut pairs = Vec::new();
        for (b, &second) in columns.iter().enumerate() {
            for (a, &first) in columns[..b].iter().enumerate() {
                let is_mixed = |j| (1..self.n_rows).contains(&self.missing[j]);
                if is_mixed(first) && is_mixed(second) {
                    pairs.push(self.pair(first, second, both[(a, b)] as usize));
                }
            }
        }
        pairs.sort_by(|a, b| b.correlation.abs().total_cmp(&a.correlation.abs()));
        pairs.truncate(n);
        pairs
    }

    /// How often two of these columns are missing in one row, for the first before the second.
    fn both(&self, columns: &[usize]) -> Matrix {
        let mut both = match &self.unlisted {
            None => Matrix::zeros(columns.len(), columns.len()),
            Some(unlisted) => unlisted.both.clone(),
        };
        for mask in &self.masks {
            let holes = placed(columns, mask.missing.iter().copied());
            pairs(&holes, |a, b| both[(a, b)] += mask.rows as f64);
        }
        both
    }

    fn pair(&self, first: usize, second: usize, both: usize) -> Pair {
        let share = |count: usize| count as f64 / self.n_rows as f64;
        let (p, q) = (share(self.missing[first]), share(self.missing[second]));
        let spread = (p * (1.0 - p) * q * (1.0 - q)).sqrt();
        Pair {
            columns: (first, second),
            both,
            correlation: (share(both) - p * q) / spread,
        }
    }
}

/// The columns that are missing in some of so many rows, not in all, and most often; in order.
pub(super) fn with_most_holes(missing: &[usize], n_rows: usize) -> Vec<usize> {
    let is_mixed = |j: &usize| (1..n_rows).contains(&missing[*j]);
    let mut columns: Vec<usize> = (0..missing.len()).filter(is_mixed).collect();
    columns.sort_by_key(|&j| std::cmp::Reverse(missing[j]));
    columns.truncate(COMPARED);
    columns.sort_unstable();
    columns
}

/// Rows whose masks are not told apart, for being too many: how often columns are missing together in them.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Unlisted {
    /// Those that are compared.
    columns: Vec<usize>,
    both: Matrix,
}

impl Unlisted {
    /// No rows yet.
    pub(super) fn new(columns: Vec<usize>) -> Self {
        let both = Matrix::zeros(columns.len(), columns.len());
        Self { columns, both }
    }

    /// Takes a row with these holes.
    pub(super) fn push(&mut self, missing: impl Iterator<Item = usize>) {
        let holes = placed(&self.columns, missing);
        pairs(&holes, |a, b| self.both[(a, b)] += 1.0);
    }
}

/// The places of holes among the columns that are compared.
fn placed(columns: &[usize], missing: impl Iterator<Item = usize>) -> Vec<usize> {
    missing
        .filter_map(|j| columns.binary_search(&j).ok())
        .collect()
}

/// Calls `visit` with each two of some ascending numbers.
fn pairs(numbers: &[usize], mut visit: impl FnMut(usize, usize)) {
    for (k, &b) in numbers.iter().enumerate() {
        numbers[..k].iter().for_each(|&a| visit(a, b));
    }
}
