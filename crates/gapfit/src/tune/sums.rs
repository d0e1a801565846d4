//! Folds of statistics: whole blocks of them.

use super::split::ReadFold;
use super::{Folding, Search};
use crate::error::{Error, Result};
use crate::statistics::{N_BLOCKS, Sums};
use rayon::prelude::*;

/// The folds, read with values clipped at the quantile `clip`: those of [`Folding::Hashed`].
pub(super) fn folds(sums: &Sums, search: &Search, clip: f64) -> Result<Vec<ReadFold<'static>>> {
    let wrong = |name, expected, got| Error::Setting {
        name,
        expected,
        got,
    };
    if !matches!(search.folding, Folding::Shuffled | Folding::Hashed) {
        let got = "groups, times or given folds".to_owned();
        return Err(wrong("folding", "by the blocks of the statistics", got));
    }
    if sums.n_blocks() < 2 {
        let got = "statistics without blocks".to_owned();
        return Err(wrong(
            "folding",
            "statistics that were gathered with blocks",
            got,
        ));
    }
    let k = search.folds;
    if !(2..=N_BLOCKS).contains(&k) {
        let got = k.to_string();
        return Err(wrong("folds", "2 to 10, of statistics", got));
    }
    let fold = |f: usize| {
        let reading = sums.reading(clip, |b| b % k != f)?;
        let held_out = sums.moments(&reading.frame, |b| b % k == f);
        Ok(ReadFold::of_sums(reading, held_out))
    };
    (0..k).into_par_iter().map(fold).collect()
}
