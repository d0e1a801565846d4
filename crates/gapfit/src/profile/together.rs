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
        let is_mixed = |j: &usize| (1..self.n_rows).contains(&self.missing[*j]);
        let mut columns: Vec<usize> = (0..self.missing.len()).filter(is_mixed).collect();
        columns.sort_by_key(|&j| std::cmp::Reverse(self.missing[j]));
        columns.truncate(COMPARED);
        columns.sort_unstable();
        let both = self.both(&columns);
        let mut pairs = Vec::new();
        for (b, &second) in columns.iter().enumerate() {
            for (a, &first) in columns[..b].iter().enumerate() {
                pairs.push(self.pair(first, second, both[(a, b)] as usize));
            }
        }
        pairs.sort_by(|a, b| b.correlation.abs().total_cmp(&a.correlation.abs()));
        pairs.truncate(n);
        pairs
    }

    /// How often two of these columns are missing in one row, for the first before the second.
    fn both(&self, columns: &[usize]) -> Matrix {
        let mut place = vec![None; self.missing.len()];
        for (c, &j) in columns.iter().enumerate() {
            place[j] = Some(c);
        }
        let mut both = Matrix::zeros(columns.len(), columns.len());
        for mask in &self.masks {
            let missing: Vec<usize> = mask.missing.iter().filter_map(|&j| place[j]).collect();
            for (k, &b) in missing.iter().enumerate() {
                for &a in &missing[..k] {
                    both[(a, b)] += mask.rows as f64;
                }
            }
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
