//! Rows of an array in memory, where they are.

use super::Sweep;
use crate::ahead::Progress;
use crate::data::{Dataset, WORD};
use crate::error::{Error, Result};
use crate::linalg::push_bits_of_rows;
use crate::moments::{Adder, FIRST, Numbers, Screened, Settled, Slab, parts};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Rows whose bits are found at once: their cells stay near until they are summed.
const AT_ONCE: usize = 4096;

impl Sweep {
    /// The rows of an array, row by row, where NaN is a hole, with a target for each; as [`Sweep::gather`], without a copy. `None`
    /// also where a cell is infinite or a target is not finite, which a table refuses. `go_on` is told now and then how
    /// many rows of how many are summed.
    ///
    /// # Errors
    /// [`Error::Shape`] unless there are as many cells for each target as `blank` has features, [`Error::Stopped`]
    /// when `go_on` says so.
    pub fn of_array(
        blank: &Dataset,
        clip: f64,
        cells: &[f64],
        target: &[f64],
        go_on: &Progress<'_>,
    ) -> Result<Option<Self>> {
        let width = blank.n_features();
        if cells.len() != width * target.len() {
            return Err(Error::Shape {
                what: "cells of the table",
                expected: width * target.len(),
                got: cells.len(),
            });
        }
        if clip <= 0.0 || target.len() < FIRST || width == 0 {
            return Ok(None);
        }
        let row = |i: usize| {
            let row = &cells[i * width..(i + 1) * width];
            move |j: usize| Some(row[j]).filter(|x| !x.is_nan())
        };
        let Some(settled) = Settled::of(clip, (width, 1), row, |i, _| target[i]) else {
            return Ok(None);
        };
        let (done, is_stopped) = (AtomicUsize::new(0), AtomicBool::new(false));
        let part = |adder: &mut Adder<'_>, range: Range<usize>| {
            let done = done.fetch_add(range.len(), Ordering::Relaxed);
            if go_on(done, target.len()).is_break() {
                is_stopped.store(true, Ordering::Relaxed);
                return None;
            }
            let target = &target[range.clone()];
            let cells = &cells[range.start * width..range.end * width];
            add(adder, cells, target, width)?;
            adder.part()
        };
        let adders = settled.adders();
        let mut found = Screened::new(&settled, &adders, clip);
        let summed = parts(target.len(), &adders, part, |part| found.add(part));
        if is_stopped.into_inner() {
            return Err(Error::Stopped);
        }
        Ok(summed.and_then(|()| Self::finish(blank, clip, found)))
    }
}

/// Adds rows up; `None` where a target is not finite.
fn add(adder: &mut Adder<'_>, cells: &[f64], target: &[f64], width: usize) -> Option<()> {
    let mut words = Vec::with_capacity(AT_ONCE * width.div_ceil(WORD));
    let chunks = cells.chunks(AT_ONCE * width).zip(target.chunks(AT_ONCE));
    for (cells, target) in chunks {
        if !target.iter().fold(true, |all, y| all & y.is_finite()) {
            return None;
        }
        words.clear();
        push_bits_of_rows(cells, width, &mut words);
        adder.add_slab(&Slab {
            numbers: Numbers::From(0),
            values: cells,
            words: &words,
            targets: &[target],
            roots: None,
        });
    }
    Some(())
}
