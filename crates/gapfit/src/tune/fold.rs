//! Which rows are held out together.

use super::Search;
use crate::data::Dataset;
use crate::error::{Error, Result};
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

/// The held-out rows of each of `k` folds: a seeded shuffle cut into parts of equal size.
///
/// # Errors
/// [`Error::Setting`] unless `2 <= k <= n_rows`.
pub fn folds(n_rows: usize, k: usize, seed: u64) -> Result<Vec<Vec<usize>>> {
    if k < 2 || k > n_rows {
        return Err(Error::Setting {
            name: "folds",
            expected: "at least 2 and at most the number of rows",
            got: format!("{k} (rows: {n_rows})"),
        });
    }
    let mut rows: Vec<usize> = (0..n_rows).collect();
    rows.shuffle(&mut ChaCha8Rng::seed_from_u64(seed));
    let cut = |f: usize| f * n_rows / k;
    Ok((0..k).map(|f| rows[cut(f)..cut(f + 1)].to_vec()).collect())
}

/// Folds of the rows that count: a row without weight is in none.
pub(super) fn of_rows_with_weight(data: &Dataset, search: &Search) -> Result<Vec<Vec<usize>>> {
    let rows: Vec<usize> = (0..data.n_rows())
        .filter(|&i| data.weight(i) > 0.0)
        .collect();
    let mut folds = folds(rows.len(), search.folds, search.seed)?;
    for row in folds.iter_mut().flatten() {
        *row = rows[*row];
    }
    Ok(folds)
}

/// The rows that are not in `part`, ascending.
pub fn complement(n_rows: usize, part: &[usize]) -> Vec<usize> {
    let mut inside = vec![false; n_rows];
    for &i in part {
        inside[i] = true;
    }
    (0..n_rows).filter(|&i| !inside[i]).collect()
}
