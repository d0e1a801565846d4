//! Tables of a given shape.

use crate::peer::{Peers, write_features, write_numbers};
use crate::synthetic::{Linear, with_holes};
use anyhow::Result;
use gapfit::corrupt::Mechanism;
use gapfit::data::{Dataset, MaskedMatrix};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::collections::HashSet;

/// Share of the cells that are missing where nothing else is said.
pub(super) const RATE: f64 = 0.3;

/// Training and test rows of a linear target of normal features, with holes at random.
pub(super) fn tables(
    sizes: (usize, usize),
    n_cols: usize,
    rate: f64,
) -> Result<(Dataset, Dataset)> {
    let mut source = Linear::new(n_cols, 1);
    let mut next = |n, seed| {
        let complete = source.rows(n)?;
        match rate > 0.0 && n > 0 {
            true => with_holes(&complete, &Mechanism::Mcar { rate }, seed),
            false => Ok(complete),
        }
    };
    Ok((next(sizes.0, 2)?, next(sizes.1, 3)?))
}

/// Training rows alone.
pub(super) fn table(n_rows: usize, n_cols: usize, rate: f64) -> Result<Dataset> {
    Ok(tables((n_rows, 0), n_cols, rate)?.0)
}

/// The same with this many different masks, which take turns.
pub(super) fn with_masks(n_rows: usize, n_cols: usize, n_masks: usize) -> Result<Dataset> {
    let complete = table(n_rows, n_cols, 0.0)?;
    let rng = &mut ChaCha8Rng::seed_from_u64(4);
    let (mut known, mut masks) = (HashSet::new(), Vec::new());
    while masks.len() < n_masks {
        let mask: Vec<bool> = (0..n_cols).map(|_| rng.random::<f64>() >= RATE).collect();
        if known.insert(mask.clone()) {
            masks.push(mask);
        }
    }
    let mut holey = MaskedMatrix::new(n_cols);
    holey.reserve(n_rows);
    for (row, mask) in complete.features().rows().zip(masks.iter().cycle()) {
        let cells = row.values().iter().zip(mask);
        holey.push_row(cells.map(|(&x, &is_there)| is_there.then_some(x)))?;
    }
    Ok(complete.with_features(holey)?)
}

/// Hands a table over to the peers, and test rows where there are any.
pub(super) fn hand_over(peers: &Peers, name: &str, train: &Dataset, test: &Dataset) -> Result<()> {
    for (suffix, data) in [("", train), ("_test", test)] {
        if data.n_rows() > 0 {
            let path = |what: &str| peers.path(&format!("{name}{suffix}{what}.f64"));
            write_features(&path(""), data)?;
            write_numbers(&path("_target"), data.target().iter().copied())?;
        }
    }
    Ok(())
}

/// Takes the files of a table away: the largest are gigabytes.
pub(super) fn take_back(peers: &Peers, name: &str) -> Result<()> {
    for suffix in ["", "_target", "_test", "_test_target"] {
        let file = peers.path(&format!("{name}{suffix}.f64"));
        if file.exists() {
            std::fs::remove_file(file)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_as_many_masks_as_asked_for() {
        let data = with_masks(50, 12, 7).unwrap();
        let masks: HashSet<Vec<usize>> = data
            .features()
            .rows()
            .map(|row| row.observed().iter().collect())
            .collect();
        assert_eq!((data.n_rows(), masks.len()), (50, 7));
    }
}
