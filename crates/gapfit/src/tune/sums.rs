//! Folds of statistics: whole blocks of them.

use super::split::ReadFold;
use super::{Folding, Search};
use crate::error::{Error, Result};
use crate::statistics::{N_BLOCKS, Picked};
use rayon::prelude::*;

/// The folds, read with values clipped at the quantile `clip`: those of [`Folding::Hashed`].
pub(super) fn folds<'a>(
    picked: Picked<'a>,
    search: &Search,
    clip: f64,
) -> Result<Vec<ReadFold<'a>>> {
    if !matches!(search.folding, Folding::Shuffled | Folding::Hashed) {
        let got = "groups, times or given folds".to_owned();
        return Err(wrong("folding", "by the blocks of the statistics", got));
    }
    let folds = parted(picked, search.folds)?;
    let fold = |(train, held_out): (Picked<'a>, Picked<'a>)| {
        let reading = train.reading(clip)?;
        let held_out = held_out.source(&reading.frame);
        Ok(ReadFold::of_source(reading, held_out))
    };
    folds.into_par_iter().with_max_len(1).map(fold).collect()
}

/// The blocks in `k` folds: what each learns from, and what it is judged on.
pub(super) fn parted(picked: Picked<'_>, k: usize) -> Result<Vec<(Picked<'_>, Picked<'_>)>> {
    if !picked.is_blocked() {
        let got = "statistics without blocks".to_owned();
        let expected = "statistics that were gathered with blocks";
        return Err(wrong("folding", expected, got));
    }
    if !(2..=N_BLOCKS).contains(&k) {
        return Err(wrong("folds", "2 to 10, of statistics", k.to_string()));
    }
    if k > picked.filled().len() {
        let expected = "so few that by their cells rows come into each of them";
        return Err(wrong("folds", expected, k.to_string()));
    }
    Ok(picked.folds(k))
}

fn wrong(name: &'static str, expected: &'static str, got: String) -> Error {
    Error::Setting {
        name,
        expected,
        got,
    }
}
