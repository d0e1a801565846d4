//! Rows of an array in memory, where they are.

use super::Sweep;
use crate::ahead::Progress;
use crate::data::{Dataset, WORD};
use crate::error::{Error, Result};
use crate::linalg::{Loop, Simd, vectorised};
use crate::moments::{Bins, FIRST, PART, Settled, Slab, parts};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Rows whose bits are found at once: their cells stay near until they are summed.
const AT_ONCE: usize = 512;

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
        let cell = |i: usize, j: usize| Some(cells[i * width + j]).filter(|x| !x.is_nan());
        let Some(settled) = Settled::of(clip, (width, 1), cell, |i, _| target[i]) else {
            return Ok(None);
        };
        let starts: Vec<usize> = (0..target.len()).step_by(PART).collect();
        let (done, is_stopped) = (AtomicUsize::new(0), AtomicBool::new(false));
        let part = |bins: &mut Bins<'_>, start: &usize| {
            let range = *start..target.len().min(start + PART);
            let done = done.fetch_add(range.len(), Ordering::Relaxed);
            if go_on(done, target.len()).is_break() {
                is_stopped.store(true, Ordering::Relaxed);
                return None;
            }
            let target = &target[range.clone()];
            let cells = &cells[range.start * width..range.end * width];
            add(bins, cells, target, width)?;
            bins.part()
        };
        let found = parts(&settled.frame, Some(&settled.screens), &starts, part);
        if is_stopped.into_inner() {
            return Err(Error::Stopped);
        }
        Ok(found.and_then(|found| Self::finish(blank, clip, settled, found)))
    }
}

/// Drops rows into bins; `None` where a target is not finite.
fn add(bins: &mut Bins<'_>, cells: &[f64], target: &[f64], width: usize) -> Option<()> {
    let mut flat = Vec::with_capacity(AT_ONCE * width / WORD + 1);
    let mut words = Vec::with_capacity(AT_ONCE * width.div_ceil(WORD));
    let chunks = cells.chunks(AT_ONCE * width).zip(target.chunks(AT_ONCE));
    for (cells, target) in chunks {
        if !target.iter().fold(true, |all, y| all & y.is_finite()) {
            return None;
        }
        flat.clear();
        vectorised(Bits {
            cells,
            bits: &mut flat,
        });
        flat.push(0);
        words.clear();
        for i in 0..target.len() {
            push_bits(&flat, i * width..(i + 1) * width, &mut words);
        }
        bins.add_slab(&Slab {
            first: 0,
            values: cells,
            words: &words,
            targets: &[target],
        });
    }
    Some(())
}

/// A bit for each cell, set unless it is NaN.
struct Bits<'a> {
    cells: &'a [f64],
    bits: &'a mut Vec<u64>,
}

impl Loop for Bits<'_> {
    #[inline(always)]
    fn run<S: Simd>(self, _: S) {
        let (whole, rest) = self.cells.as_chunks::<WORD>();
        let word = |cells: &[f64]| {
            let bits = cells.iter().zip(0..);
            bits.fold(0u64, |word, (x, j)| word | u64::from(!x.is_nan()) << j)
        };
        self.bits.extend(whole.iter().map(|cells| word(cells)));
        self.bits.push(word(rest));
    }
}

/// Appends some bits, as whole words that start with the first of them; `flat` has a word more than they need.
#[inline(always)]
fn push_bits(flat: &[u64], range: Range<usize>, words: &mut Vec<u64>) {
    for start in range.clone().step_by(WORD) {
        let (word, shift) = (start / WORD, start % WORD);
        // in two steps, since a shift by all 64 bits is none
        let low = flat[word] >> shift;
        let high = flat[word + 1] << 1 << (WORD - 1 - shift);
        let n = WORD.min(range.end - start);
        words.push((low | high) & (u64::MAX >> (WORD - n)));
    }
}
