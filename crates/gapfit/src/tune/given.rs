//! Folds that the user made.

use super::fold::Fold;
use crate::data::Dataset;
use crate::error::{Error, Result};

/// The same folds without the rows of weight zero.
///
/// # Errors
/// [`Error::Setting`] unless there is a fold, and each has rows of weight to learn from, others to be
/// judged on, and no row that `data` has not.
pub(super) fn weighed(folds: &[Fold], data: &Dataset) -> Result<Vec<Fold>> {
    if folds.is_empty() {
        return Err(bad("none".to_owned()));
    }
    let numbered = folds.iter().enumerate();
    numbered
        .map(|(f, fold)| weighed_fold(f, fold, data))
        .collect()
}

fn weighed_fold(f: usize, fold: &Fold, data: &Dataset) -> Result<Fold> {
    let rows = |rows: &[usize]| {
        if let Some(row) = rows.iter().find(|row| **row >= data.n_rows()) {
            return Err(bad(format!("row {row} of {} in fold {f}", data.n_rows())));
        }
        let mut rows = rows.to_vec();
        rows.retain(|&row| data.weight(row) > 0.0);
        match rows.is_empty() {
            true => Err(bad(format!("fold {f} without such rows on one side"))),
            false => Ok(rows),
        }
    };
    let (mut train, held_out) = (rows(&fold.train)?, rows(&fold.held_out)?);
    train.sort_unstable();
    match held_out.iter().find(|row| train.binary_search(row).is_ok()) {
        Some(row) => Err(bad(format!("row {row} on both sides of fold {f}"))),
        None => Ok(Fold { train, held_out }),
    }
}

fn bad(got: String) -> Error {
    Error::Setting {
        name: "folds",
        expected: "rows of weight to learn from, and others to be judged on",
        got,
    }
}

/// The same folds for these rows, in this order.
pub(super) fn select(folds: &[Fold], rows: &[usize]) -> Vec<Fold> {
    let among = |chosen: &[usize]| {
        let mut chosen = chosen.to_vec();
        chosen.sort_unstable();
        let is_chosen = |place: &usize| chosen.binary_search(&rows[*place]).is_ok();
        (0..rows.len()).filter(is_chosen).collect()
    };
    let select = |fold: &Fold| Fold {
        train: among(&fold.train),
        held_out: among(&fold.held_out),
    };
    folds.iter().map(select).collect()
}
