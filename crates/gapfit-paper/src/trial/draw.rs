//! The random part of a trial: which rows, in which order, with which holes.

use super::Draw;
use crate::Result;
use crate::experiment::Drawn;
use gapfit::data::Dataset;
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

/// Rows to learn from and rows to predict.
#[derive(Debug)]
pub(super) struct Split {
    pub(super) train: Dataset,
    pub(super) test: Dataset,
}

/// The rows of a trial, with holes and without.
#[derive(Debug)]
pub(super) struct Rows {
    pub(super) holey: Split,
    /// Absent where the holes are natural.
    pub(super) complete: Option<Split>,
}

/// Draws `cell.rows` of a scaled table that has the training rows at least, punches holes into all of them,
/// and splits off the training rows.
pub(super) fn rows(cell: &Drawn, table: &Dataset, draw: Draw) -> Result<Rows> {
    let table = &labelled(cell, table)?;
    let n_rows = cell.rows.unwrap_or(table.n_rows());
    let n_rows = n_rows.max(cell.train).min(table.n_rows());
    let rng = &mut ChaCha8Rng::seed_from_u64(draw.seed);
    // Cells that share a table and a kind of holes share their draws; others do not.
    rng.set_stream(cell.stream());
    let mut order: Vec<usize> = (0..table.n_rows()).collect();
    order.shuffle(rng);
    let drawn = table.select(&order[..n_rows]);
    let at: Vec<usize> = (0..n_rows).collect();
    let (train, test) = at.split_at(cell.train);
    let split = |data: &Dataset| Split {
        train: data.select(train),
        test: data.select(test),
    };
    let Some(mechanism) = cell.mechanism() else {
        return Ok(Rows {
            holey: split(&drawn),
            complete: None,
        });
    };
    let holes = mechanism.apply(drawn.features(), rng)?;
    let holey = split(&drawn.clone().with_features(holes)?);
    Ok(Rows {
        holey,
        complete: Some(split(&drawn)),
    })
}

/// The table with its label: the digit against all others, where one is asked for.
fn labelled(cell: &Drawn, table: &Dataset) -> Result<Dataset> {
    let Some(digit) = cell.digit else {
        return Ok(table.clone());
    };
    // The scaled target takes the digits 0 to 9 to -1 to 1.
    let class = |y: &f64| {
        let is_digit = ((y + 1.0) * 4.5 - f64::from(digit)).abs() < 0.5;
        if is_digit { 1.0 } else { -1.0 }
    };
    let classes = table.target().iter().map(class).collect();
    Ok(Dataset::new(table.features().clone(), classes)?)
}
