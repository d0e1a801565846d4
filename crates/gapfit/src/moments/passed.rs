//! Rows that are read again on each visit: too many to be kept, with masks too many to sum them by.

use super::grouped::Grouped;
use super::{FOLD_PARTS, Frame, MaskMoments, Masks, Rows, Totals};
use rayon::prelude::*;
use std::fmt::Debug;

/// Rows that come in chunks, the same ones as often as they are asked for.
pub(crate) trait Chunks: Debug + Send + Sync {
    /// Hands one chunk after the other to `take`.
    fn each(&self, take: &mut dyn FnMut(&Rows<'_>));
}

/// The moments of such rows: those of the masks of each chunk. A mask is met in more than one of them, and that
/// makes no difference to what adds up over rows.
#[derive(Debug)]
pub(crate) struct Passed<'a> {
    chunks: Box<dyn Chunks + 'a>,
    frame: Frame,
    pub(super) totals: Totals,
    /// How many masks are met that have so many observed features.
    pub(super) counts: Vec<usize>,
}

impl<'a> Passed<'a> {
    /// Reads the rows once, for what is known of each column alone.
    pub(crate) fn new(chunks: Box<dyn Chunks + 'a>, frame: &Frame) -> Self {
        let n_columns = frame.columns.len();
        let mut totals = Totals::zeros(n_columns);
        let mut counts = vec![0; n_columns + 1];
        chunks.each(&mut |rows| {
            totals.add(&Totals::of_rows(rows, frame));
            Grouped::new(rows, Masks::of(rows)).count(&mut counts);
        });
        Self {
            chunks,
            frame: frame.clone(),
            totals,
            counts,
        }
    }

    pub(super) fn n_masks(&self) -> usize {
        self.counts.iter().sum()
    }

    pub(super) fn for_each(&self, mut visit: impl FnMut(&MaskMoments)) {
        self.chunks.each(&mut |rows| {
            let grouped = Grouped::new(rows, Masks::of(rows));
            grouped.for_range(0..grouped.masks.len(), &self.frame, &mut visit);
        });
    }

    /// What `visit` makes of the masks: each part goes on from chunk to chunk.
    pub(super) fn fold<T: Send>(
        &self,
        start: impl Fn() -> T,
        visit: impl Fn(&mut T, &MaskMoments) + Sync,
    ) -> Vec<T> {
        let mut parts: Vec<T> = std::iter::repeat_with(start).take(FOLD_PARTS).collect();
        self.chunks.each(&mut |rows| {
            let grouped = Grouped::new(rows, Masks::of(rows));
            let cut = |p: usize| grouped.masks.len() * p / FOLD_PARTS;
            parts.par_iter_mut().enumerate().for_each(|(p, part)| {
                let masks = cut(p)..cut(p + 1);
                grouped.for_range(masks, &self.frame, |moments| visit(part, moments));
            });
        });
        parts
    }
}
