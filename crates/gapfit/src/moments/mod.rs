//! Second moments of a table, one small matrix per distinct mask: all that a fit needs of the rows.
//!
//! For each mask, over its rows with weights `s_i`, `Σ s_i (1, x_o, y)(1, x_o, y)ᵀ` where `x_o` are the
//! observed features and `y` the targets. Scaling, base imputers and the normal equations are functions of these sums
//! (docs/math.md 5), because each of them is affine in `x_o` for a given mask. Sums are additive:
//! they merge over parts of a table, and those of a fold are those of the blocks it learns from.
//!
//! Values are held in a [`Frame`]: per column shifted to the middle of its range and divided by a
//! power of two, so that no sum overflows and none loses digits to a large mean.
//!
//! Cost: `T (observed)²/2` multiply-adds, over a few rows of one mask at a time.

mod adder;
mod adders;
mod aligned;
mod aside;
mod band;
mod by_mask;
mod cut;
mod folded;
mod frame;
mod grouped;
mod masks;
mod numbering;
mod packed;
mod passed;
mod portion;
mod quantile;
mod range;
mod rank;
mod recast;
mod rows;
mod screen;
mod screened;
mod settled;
mod slab;
mod sum;
mod tails;
mod tile;
mod totals;
mod triangles;
mod units;

pub(crate) use adder::{Adder, PART};
pub(crate) use adders::Adders;
pub(crate) use by_mask::{MaskMoments, Moments};
pub(crate) use folded::{Folded, Places, Remade, Terms};
pub(crate) use frame::{Frame, Unit, power_of_two};
pub(crate) use passed::{Chunks, Passed};
pub(crate) use portion::visit_like;
pub(crate) use range::Ranges;
pub(crate) use rank::ROUNDING;
pub(crate) use recast::Origin;
pub(crate) use rows::Rows;
pub(crate) use screen::{FIRST, Screen, columns_of, spread};
pub(crate) use screened::Screened;
pub(crate) use settled::Settled;
pub(crate) use slab::{Numbers, Slab};
pub(crate) use sum::parts;
pub(crate) use totals::Totals;

use crate::error::Result;
use grouped::Grouped;
use masks::Masks;
use rayon::prelude::*;
use std::ops::Range;

/// The moments of some rows: kept per mask, or made anew from the rows on each visit.
///
/// Kept while they fit the budget; when nearly every row has its own mask they would outgrow the
/// table itself, and visiting row by row needs no memory at all. Where the rows do not fit into memory
/// either, they are read again, or the sums are those over all masks together: then nothing can be visited.
#[derive(Debug)]
pub(crate) enum Source<'a> {
    Kept(Moments),
    Visited(Box<Visited<'a>>),
    Passed(Box<Passed<'a>>),
    /// Over all masks together.
    Folded(Box<Folded>),
}

/// Rows to be summed when visited.
#[derive(Debug)]
pub(crate) struct Visited<'a> {
    grouped: Grouped<'a>,
    frame: Frame,
    totals: Totals,
}

/// Training rows, read: the range of each column, the units that follow, the moments.
#[derive(Debug)]
pub(crate) struct Reading<'a> {
    /// The rows themselves, unless sums are all that is left of them.
    pub(crate) rows: Option<&'a Rows<'a>>,
    pub(crate) ranges: Ranges,
    pub(crate) frame: Frame,
    pub(crate) source: Source<'a>,
}

impl Reading<'static> {
    /// Sums that are all that is left of some rows.
    pub(crate) fn of_sums(ranges: Ranges, frame: Frame, source: Source<'static>) -> Self {
        Self {
            rows: None,
            ranges,
            frame,
            source,
        }
    }
}

impl<'a> Reading<'a> {
    /// Reads rows of so many features that come in passes, clipped at the quantile `clip`.
    pub(crate) fn of_chunks(
        chunks: Box<dyn Chunks + 'a>,
        n_features: usize,
        clip: f64,
    ) -> Result<Self> {
        let ranges = Ranges::of_chunks(&*chunks, n_features, clip)?;
        let frame = Frame::new(&ranges, clip > 0.0);
        Ok(Self {
            rows: None,
            source: Source::Passed(Box::new(Passed::new(chunks, &frame))),
            ranges,
            frame,
        })
    }

    /// Reads the rows, clipped at the quantile `clip`; in one pass where that is possible.
    pub(crate) fn new(rows: &'a Rows<'a>, clip: f64) -> Result<Self> {
        if clip > 0.0
            && let Some((ranges, frame, moments)) = settled::read(rows, clip)
        {
            return Ok(Self {
                rows: Some(rows),
                ranges,
                frame,
                source: Source::Kept(moments),
            });
        }
        let ranges = Ranges::fit(rows, clip)?;
        let frame = Frame::new(&ranges, clip > 0.0);
        let source = Source::new(rows, &frame);
        Ok(Self {
            rows: Some(rows),
            ranges,
            frame,
            source,
        })
    }
}

/// Bytes of moments to keep at most.
pub(crate) const BUDGET: usize = 256 << 20;

impl<'a> Source<'a> {
    /// Sums the rows mask by mask in a given frame, if the sums fit the budget.
    pub(crate) fn new(rows: &'a Rows<'a>, frame: &Frame) -> Self {
        Self::with_budget(rows, Masks::of(rows), frame, BUDGET)
    }

    fn with_budget(rows: &'a Rows<'a>, masks: Masks, frame: &Frame, budget: usize) -> Self {
        if masks.bytes() <= budget {
            return Self::Kept(sum::all(rows, &masks, frame));
        }
        Self::Visited(Box::new(Visited {
            totals: Totals::of_rows(rows, frame),
            grouped: Grouped::new(rows, masks),
            frame: frame.clone(),
        }))
    }

    /// The sums of the rows mask by mask, however much they take.
    pub(crate) fn all_kept(rows: &'a Rows<'a>, frame: &Frame) -> Moments {
        sum::all(rows, &Masks::of(rows), frame)
    }

    /// The same rows, to be summed on each visit.
    #[cfg(test)]
    pub(crate) fn visited(rows: &'a Rows<'a>, frame: &Frame) -> Self {
        Self::with_budget(rows, Masks::of(rows), frame, 0)
    }

    /// The kept moments, where they are kept.
    #[cfg(test)]
    pub(crate) fn kept(self) -> Option<Moments> {
        match self {
            Self::Kept(moments) => Some(moments),
            Self::Visited(_) | Self::Passed(_) | Self::Folded(_) => None,
        }
    }

    /// Weight, sum and sum of squares of the first target, in its unit.
    pub(crate) fn target(&self) -> (f64, f64, f64) {
        if let Self::Folded(folded) = self {
            return folded.target();
        }
        let (mut weight, mut sum, mut squares) = (0.0, 0.0, 0.0);
        self.for_each(|m| {
            let y = m.observed.len() + 1;
            weight += m.weight();
            sum += m.sum(0, y);
            squares += m.sum(y, y);
        });
        (weight, sum, squares)
    }

    /// What is known of each of `n_columns` columns alone.
    pub(crate) fn totals(&self, n_columns: usize) -> Totals {
        match self {
            Self::Kept(moments) => Totals::of_moments(moments, n_columns),
            Self::Visited(visited) => visited.totals.clone(),
            Self::Passed(passed) => passed.totals.clone(),
            Self::Folded(folded) => folded.totals(),
        }
    }

    /// How many masks have none of `n_columns` columns observed, how many have one, and so on.
    pub(crate) fn observed_counts(&self, n_columns: usize) -> Vec<usize> {
        let mut counts = vec![0; n_columns + 1];
        match self {
            Self::Kept(moments) => moments.observed().for_each(|o| counts[o.len()] += 1),
            Self::Visited(visited) => visited.grouped.count(&mut counts),
            Self::Passed(passed) => counts.clone_from(&passed.counts),
            Self::Folded(folded) => {
                // as if each row had a mask of its own, of as many columns as are observed on average
                let observed: usize = folded.observed().iter().sum();
                counts[observed / folded.n_rows().max(1)] = folded.n_rows();
            }
        }
        counts
    }

    /// Calls `visit` with the moments of each mask: ascending in the mask, or as the rows come.
    pub(crate) fn for_each(&self, visit: impl FnMut(&MaskMoments)) {
        match self {
            Self::Passed(passed) => passed.for_each(visit),
            _ => self.for_range(0..self.n_masks(), visit),
        }
    }

    /// What `visit` makes of the masks, in parts that are worked on in parallel and depend on the
    /// masks alone: added up in order, they give the same sum for any number of threads.
    pub(crate) fn fold<T: Send>(
        &self,
        start: impl Fn() -> T + Sync,
        visit: impl Fn(&mut T, &MaskMoments) + Sync,
    ) -> Vec<T> {
        if let Self::Passed(passed) = self {
            return passed.fold(start, visit);
        }
        let n = self.n_masks();
        let parts = (n / FOLD_MASKS).clamp(1, FOLD_PARTS);
        let part = |p: usize| {
            let mut made = start();
            self.for_range(n * p / parts..n * (p + 1) / parts, |m| visit(&mut made, m));
            made
        };
        (0..parts).into_par_iter().map(part).collect()
    }

    pub(crate) fn n_masks(&self) -> usize {
        match self {
            Self::Kept(moments) => moments.masks.len(),
            Self::Visited(visited) => visited.grouped.masks.len(),
            Self::Passed(passed) => passed.n_masks(),
            Self::Folded(folded) => folded.n_rows(),
        }
    }

    fn for_range(&self, range: Range<usize>, mut visit: impl FnMut(&MaskMoments)) {
        match self {
            Self::Kept(moments) => moments.masks[range].iter().for_each(|(_, m)| visit(m)),
            Self::Visited(visited) => visited.grouped.for_range(range, &visited.frame, visit),
            Self::Passed(_) => unreachable!("such masks come one after the other"),
            Self::Folded(_) => unreachable!("whatever visits masks is refused such sums"),
        }
    }
}

/// Parts of a fold, at most, and masks in each, at least.
const FOLD_PARTS: usize = 16;
const FOLD_MASKS: usize = 32;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Dataset, MaskedMatrix};
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    fn data(n_rows: usize, n_cols: usize, rate: f64) -> Dataset {
        let rng = &mut ChaCha8Rng::seed_from_u64(11);
        let mut table = MaskedMatrix::new(n_cols);
        for _ in 0..n_rows {
            let row: Vec<_> = (0..n_cols)
                .map(|j| {
                    let x: f64 = rng.random_range(-1.0..1.0);
                    (rng.random::<f64>() >= rate).then_some(100.0 * j as f64 + x / (1.01 - x))
                })
                .collect();
            table.push_row(row).unwrap();
        }
        let target = (0..n_rows).map(|i| (i as f64).cos()).collect();
        Dataset::new(table, target).unwrap()
    }

    /// All moments, mask after mask.
    fn flat(source: &Source<'_>) -> Vec<f64> {
        let mut all = Vec::new();
        source.for_each(|m| {
            all.push(m.n_rows as f64);
            all.extend(m.observed.iter().map(|&j| j as f64));
            all.extend_from_slice(&m.sums);
        });
        all
    }

    fn assert_close(a: &[f64], b: &[f64]) {
        assert_eq!(a.len(), b.len());
        for (a, b) in a.iter().zip(b) {
            assert!((a - b).abs() <= 1e-11 * (1.0 + a.abs()), "{a} {b}");
        }
    }

    fn frame(rows: &Rows<'_>) -> Frame {
        Frame::new(&Ranges::fit(rows, 0.0).unwrap(), false)
    }

    #[test]
    fn halves_merge_into_the_whole() {
        for n_cols in [3, 20] {
            let data = data(400, n_cols, 0.2);
            let all = Rows::new(&data, None);
            let frame = frame(&all);
            let part = |rows: &[usize]| {
                let rows = Rows::new(&data, Some(rows));
                Source::new(&rows, &frame).kept().unwrap()
            };
            let (first, second): (Vec<_>, Vec<_>) = (0..400).partition(|i| i % 3 == 0);
            let (first, second) = (part(&first), part(&second));
            let whole = flat(&Source::new(&all, &frame));
            let mut merged = first;
            merged.merge(&second);
            assert_close(&flat(&Source::Kept(merged)), &whole);
        }
    }

    #[test]
    fn rows_that_do_not_fit_the_budget_are_summed_on_each_visit() {
        let data = data(300, 40, 0.5);
        let rows = Rows::new(&data, None);
        let frame = frame(&rows);
        let kept = Source::with_budget(&rows, Masks::of(&rows), &frame, usize::MAX);
        let visited = Source::with_budget(&rows, Masks::of(&rows), &frame, 1000);
        assert!(matches!(visited, Source::Visited(_)));
        assert_close(&flat(&kept), &flat(&visited));
        let totals = [&kept, &visited].map(|source| {
            let totals = source.totals(40);
            let columns = totals.columns.iter();
            let columns = columns.flat_map(|c| [c.n_rows as f64, c.weight, c.sum, c.squares]);
            let rows = [totals.n_rows as f64, totals.weight];
            columns.chain(rows).collect::<Vec<f64>>()
        });
        assert_close(&totals[0], &totals[1]);
        assert_eq!(kept.observed_counts(40), visited.observed_counts(40));
        for source in [kept, visited] {
            let parts = source.fold(Vec::new, |weights, m| weights.push(m.weight()));
            assert!(parts.len() > 1);
            let mut weights = Vec::new();
            source.for_each(|m| weights.push(m.weight()));
            assert_close(&parts.concat(), &weights);
        }
    }

    #[test]
    fn wide_rows_with_masks_of_their_own_are_not_summed_in_one_pass() {
        let data = data(400, 600, 0.05);
        let rows = Rows::new(&data, None);
        let frame = frame(&rows);
        assert!(sum::in_one_pass(&rows, &Adders::new(&frame, None)).is_none());
    }

    #[test]
    fn one_pass_with_clipping_equals_two() {
        let data = data(1 << 16, 4, 0.3);
        let rows = Rows::new(&data, None);
        for clip in [0.002, 0.02] {
            let (ranges, frame, moments) = settled::read(&rows, clip).unwrap();
            let exact = Ranges::fit(&rows, clip).unwrap();
            assert_eq!(ranges.columns, exact.columns);
            let plain = Source::new(&rows, &frame);
            assert_close(&flat(&Source::Kept(moments)), &flat(&plain));
        }
        // rows that often have a cell in a tail
        assert!(settled::read(&rows, 0.05).is_none());
    }

    #[test]
    fn moments_are_sums_over_rows() {
        let data = data(200, 3, 0.4)
            .with_weights((0..200).map(|i| (i % 4) as f64).collect())
            .unwrap();
        let rows = Rows::new(&data, None);
        let frame = frame(&rows);
        Source::new(&rows, &frame).for_each(|m| {
            let (mut weight, mut product) = (0.0, 0.0);
            for i in 0..rows.len() {
                let row = rows.row(i);
                if row.observed().iter().eq(m.observed.iter().copied()) {
                    weight += rows.weight(i);
                    if let Some(&j) = m.observed.first() {
                        let held = frame.columns[j].hold(row.values()[j]);
                        product += rows.weight(i) * held * frame.targets[0].hold(rows.target(i));
                    }
                }
            }
            assert!((m.weight() - weight).abs() < 1e-10);
            if !m.observed.is_empty() {
                assert!((m.sum(1, m.order() - 1) - product).abs() < 1e-10);
            }
        });
    }
}
