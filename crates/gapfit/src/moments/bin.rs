//! One bin per mask: rows wait in it, in their units, until there are enough for a matrix product.
//!
//! Rows are kept whole, zeros for the holes: copying and multiplying them with vector instructions is
//! faster than choosing the other cells.

use super::frame::Unit;
use super::screen::Screen;
use super::sum::Aside;
use super::{Frame, MaskMoments, Masks, Rows};
use crate::linalg::{LANES, Loop, Simd, set_gram_of_rows, vectorised};
use std::ops::Range;

/// Rows per bin: all bins of a thousand masks of ten features nearly fit the second-level cache.
pub(super) const BIN: usize = 32;

/// The bins of some rows, and the moments of those that left them.
pub(super) struct Bins<'a> {
    rows: &'a Rows<'a>,
    masks: &'a Masks,
    frame: &'a Frame,
    screens: Option<&'a [Screen]>,
    /// Cells per row: features, targets, 1, and zeros up to whole pairs of vectors.
    stride: usize,
    /// Row after row, bin after bin.
    cells: Vec<f64>,
    filled: Vec<u32>,
    gram: Vec<f64>,
    /// Lower triangles.
    moments: Vec<MaskMoments>,
    aside: Aside,
}

impl<'a> Bins<'a> {
    pub(super) fn new(
        rows: &'a Rows<'a>,
        masks: &'a Masks,
        frame: &'a Frame,
        screens: Option<&'a [Screen]>,
    ) -> Self {
        let order = rows.data().n_features() + frame.targets.len() + 1;
        let stride = order.next_multiple_of(2 * LANES);
        Self {
            cells: vec![0.0; masks.len() * BIN * stride],
            filled: vec![0; masks.len()],
            gram: vec![0.0; order * stride],
            moments: (0..masks.len()).map(|m| masks.moments(m)).collect(),
            aside: Aside::default(),
            rows,
            masks,
            frame,
            screens,
            stride,
        }
    }

    /// Sums a range of the rows; those that the screens catch are set aside.
    pub(super) fn sum(mut self, range: Range<usize>) -> (Vec<MaskMoments>, Aside) {
        vectorised(SumRange {
            bins: &mut self,
            range,
        });
        (self.moments, self.aside)
    }

    /// Sums rows that were set aside earlier.
    pub(super) fn sum_aside(mut self, aside: &Aside) -> Vec<MaskMoments> {
        vectorised(SumAside {
            bins: &mut self,
            aside,
        });
        self.moments
    }

    /// Drops the `i`-th row into the bin of mask `m`, unless it is caught; empties the bin when it is full.
    /// `row` has the features and then any finite numbers, `target` gives the targets by their number.
    #[inline(always)]
    fn drop_in<S: Simd>(
        &mut self,
        lanes: &Lanes<S>,
        (i, m): (usize, usize),
        (row, root): (&[f64], f64),
        target: impl Fn(usize) -> f64,
    ) {
        let start = (m * BIN + self.filled[m] as usize) * self.stride;
        let into = &mut self.cells[start..start + self.stride];
        let width = self.frame.columns.len();
        if lanes.hold(&row[..self.stride], self.masks.words(m), root, into) {
            let targets = (0..self.frame.targets.len()).map(target);
            self.aside.push((i, m), &row[..width], targets);
            return;
        }
        let (of_targets, rest) = into[width..].split_at_mut(self.frame.targets.len());
        for (t, (cell, unit)) in of_targets.iter_mut().zip(&self.frame.targets).enumerate() {
            *cell = unit.hold(target(t)) * root;
        }
        rest[0] = root;
        self.filled[m] += 1;
        if self.filled[m] as usize == BIN {
            self.empty_out(lanes.simd, m);
        }
    }

    #[inline(always)]
    fn empty_all<S: Simd>(&mut self, simd: S) {
        for m in 0..self.filled.len() {
            self.empty_out(simd, m);
        }
    }

    #[inline(always)]
    fn empty_out<S: Simd>(&mut self, simd: S, m: usize) {
        let n_rows = std::mem::take(&mut self.filled[m]) as usize;
        let rows = &self.cells[m * BIN * self.stride..][..n_rows * self.stride];
        set_gram_of_rows(simd, &mut self.gram, rows, self.stride);
        add(&self.gram, self.stride, &mut self.moments[m]);
    }
}

/// Adds the upper triangle of a Gram matrix in the order (features, targets, 1) to the lower one of
/// moments in the order (1, features, targets).
fn add(gram: &[f64], stride: usize, moments: &mut MaskMoments) {
    let order = moments.order();
    let one = gram.len() / stride - 1;
    let targets = one - moments.n_targets..one;
    let row = |i: usize| &gram[i * stride..(i + 1) * stride];
    let observed = &moments.observed;
    let mut columns = moments.sums.chunks_exact_mut(order);
    let first = columns.next().expect("the column of the constant");
    first[0] += row(one)[one];
    let others = observed.iter().copied().chain(targets.clone());
    for (sum, j) in first[1..].iter_mut().zip(others) {
        *sum += row(j)[one];
    }
    let n_observed = observed.len();
    for ((o, &i), column) in observed.iter().enumerate().zip(columns.by_ref()) {
        let row = row(i);
        for (sum, &j) in column[o + 1..].iter_mut().zip(&observed[o..]) {
            *sum += row[j];
        }
        add_to(&mut column[n_observed + 1..], &row[targets.clone()]);
    }
    for ((t, target), column) in targets.clone().enumerate().zip(columns) {
        add_to(&mut column[n_observed + 1 + t..], &row(target)[target..one]);
    }
}

fn add_to(sums: &mut [f64], more: &[f64]) {
    for (sum, x) in sums.iter_mut().zip(more) {
        *sum += x;
    }
}

struct SumRange<'a, 'b> {
    bins: &'a mut Bins<'b>,
    range: Range<usize>,
}

impl Loop for SumRange<'_, '_> {
    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let Self { bins, range } = self;
        let (rows, stride) = (bins.rows, bins.stride);
        let lanes = Lanes::new(simd, bins);
        let targets: Vec<&[f64]> = rows.targets().collect();
        let mut last = vec![0.0; stride];
        for i in range {
            let mut row = rows.values_from(i);
            if row.len() < stride {
                last[..row.len()].copy_from_slice(row);
                row = &last;
            }
            let (row, number) = ((row, rows.root_of_weight(i)), rows.number(i));
            let place = (i, bins.masks.of_row(i));
            bins.drop_in(&lanes, place, row, |t| targets[t][number]);
        }
        bins.empty_all(simd);
    }
}

struct SumAside<'a, 'b> {
    bins: &'a mut Bins<'b>,
    aside: &'a Aside,
}

impl Loop for SumAside<'_, '_> {
    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let lanes = Lanes::new(simd, self.bins);
        let width = self.bins.frame.columns.len();
        let mut padded = vec![0.0; self.bins.stride];
        let n_targets = self.bins.frame.targets.len();
        let rows = self.aside.cells.chunks_exact(width + n_targets);
        let places = self.aside.rows.iter().zip(&self.aside.masks);
        for ((&i, &m), row) in places.zip(rows) {
            padded[..width].copy_from_slice(&row[..width]);
            let target = |t: usize| row[width + t];
            let place = (i as usize, m as usize);
            self.bins.drop_in(&lanes, place, (&padded, 1.0), target);
        }
        self.bins.empty_all(simd);
    }
}

/// What is done to the cells of a row, vector by vector.
struct Lanes<S: Simd> {
    simd: S,
    /// For each pair of vectors: lower, upper, shift, 1 / scale, low, high.
    pairs: Vec<[[S::f64s; 2]; 6]>,
    /// For each way the bits of a vector can be set: 1 where they are.
    bits: Vec<S::f64s>,
}

impl<S: Simd> Lanes<S> {
    fn new(simd: S, bins: &Bins<'_>) -> Self {
        let lanes = S::F64_LANES;
        let vector = |start: usize, of: &dyn Fn(usize) -> f64| {
            let cells: Vec<f64> = (start..start + lanes).map(of).collect();
            S::as_simd_f64s(&cells).0[0]
        };
        let pair = |p: usize| {
            let unit = |of: fn(&Unit) -> f64| {
                let cell = move |j: usize| bins.frame.columns.get(j).map_or(0.0, of);
                [2 * p, 2 * p + 1].map(|v| vector(v * lanes, &cell))
            };
            let bound = |of: fn(&Screen) -> f64, none: f64| {
                let cell = move |j: usize| {
                    let screen = bins.screens.and_then(|screens| screens.get(j));
                    screen.map_or(none, |screen| bins.frame.columns[j].hold(of(screen)))
                };
                [2 * p, 2 * p + 1].map(|v| vector(v * lanes, &cell))
            };
            [
                unit(|unit| unit.lower),
                unit(|unit| unit.upper),
                unit(|unit| unit.shift),
                unit(|unit| unit.per_scale),
                bound(|screen| screen.low, f64::NEG_INFINITY),
                bound(|screen| screen.high, f64::INFINITY),
            ]
        };
        let bits = |set: usize| vector(0, &|lane| f64::from(u8::from(set >> lane & 1 == 1)));
        Self {
            simd,
            pairs: (0..bins.stride / (2 * lanes)).map(pair).collect(),
            bits: (0..1 << lanes).map(bits).collect(),
        }
    }

    /// Writes the cells in their units, times `root`, zeros for the holes; returns whether one is
    /// caught.
    #[inline(always)]
    fn hold(&self, row: &[f64], words: &[u64], root: f64, into: &mut [f64]) -> bool {
        let (simd, lanes) = (self.simd, S::F64_LANES);
        let root = simd.splat_f64s(root);
        let from = S::as_simd_f64s(row).0.chunks_exact(2);
        let into = S::as_mut_simd_f64s(into).0.chunks_exact_mut(2);
        let mut is_caught = false;
        for (p, ((from, into), pair)) in from.zip(into).zip(&self.pairs).enumerate() {
            let [lower, upper, shift, per_scale, low, high] = pair;
            for k in 0..2 {
                let start = (2 * p + k) * lanes;
                let word = words.get(start / 64).copied().unwrap_or(0);
                let set = (word >> (start % 64)) as usize % self.bits.len();
                let x = simd.min_f64s(simd.max_f64s(from[k], lower[k]), upper[k]);
                // Exact but for the shift: the scale is a power of two, and so is its reciprocal.
                let x = simd.mul_f64s(simd.sub_f64s(x, shift[k]), per_scale[k]);
                let x = simd.mul_f64s(x, self.bits[set]);
                let is_low = simd.less_than_or_equal_f64s(x, low[k]);
                let is_high = simd.greater_than_or_equal_f64s(x, high[k]);
                is_caught |= simd.first_true_m64s(simd.or_m64s(is_low, is_high)) < lanes;
                into[k] = simd.mul_f64s(x, root);
            }
        }
        is_caught
    }
}
