//! Rows that wait for others of their masks, to be multiplied together: of each the observed features, moved together, the targets,
//! and 1. With a third of the cells missing that is half of the products.

use super::Slab;
use super::aligned::Aligned;
use super::aside::Aside;
use super::frame::Unit;
use super::slab::{AHEAD, padded};
use super::triangles::Triangles;
use super::units::{Group, Lanes};
use crate::data::WORD;
use crate::linalg::{
    LANES, Loop, SHORT, Simd, add_short_rows, pack, prefetch, set_gram_of_rows, vectorised_with,
};
use std::ops::Range;

/// Rows of a mask that are multiplied together: many of long ones, whose Gram matrix is much larger than a row.
const ROWS: u32 = 16;
const LONG_ROWS: u32 = 32;

/// Some rows, one after the other.
pub(super) struct Run<'a> {
    pub(super) slab: &'a Slab<'a>,
    pub(super) range: Range<usize>,
    /// The numbers of their masks.
    pub(super) numbers: &'a [u32],
    /// The units of the targets.
    pub(super) targets: &'a [Unit],
}

impl Run<'_> {
    /// Writes row `i`, which has these cells: observed features, targets, 1. Whether it is to stay there: none of them is caught.
    #[inline(always)]
    fn put<S: Simd, const PLAIN: bool>(
        &self,
        lanes: &Lanes<'_, S>,
        groups: &[Group],
        (row, words): (&[f64], &[u64]),
        i: usize,
        into: &mut [f64],
    ) -> bool {
        let root = if PLAIN { 1.0 } else { self.slab.root(i) };
        let (mut n, mut caught) = (0, lanes.none());
        for (k, (group, cells)) in groups.iter().zip(row.as_chunks().0).enumerate() {
            let bits = (words[k * LANES / WORD] >> (k * LANES % WORD)) as u8;
            let held = lanes.hold::<PLAIN>(group, (cells, bits), root, &mut caught);
            n += pack(lanes.simd, held, bits, &mut into[n..]);
        }
        if lanes.is_any(caught) {
            return false;
        }
        for (column, unit) in self.slab.targets.iter().zip(self.targets) {
            into[n] = (column[i] - unit.shift) * unit.per_scale * root;
            n += 1;
        }
        into[n] = root;
        true
    }
}

/// Rows of masks, a few of each.
#[derive(Debug)]
pub(super) struct Packed {
    n_features: usize,
    n_targets: usize,
    bins: Vec<Bin>,
    /// For each mask its rows, room for what is behind the cells of the last one, and, of short rows, the lower triangle of their Gram
    /// matrix.
    cells: Aligned,
    /// The Gram matrix of long rows.
    gram: Vec<f64>,
}

/// Where the rows of a mask are.
#[derive(Clone, Copy, Debug)]
struct Bin {
    /// Where the next row goes.
    next: u32,
    /// Where there is no more room.
    full: u32,
    /// Cells of a row, and the same up to whole vectors.
    order: u32,
    stride: u32,
}

impl Bin {
    #[inline(always)]
    fn is_short(&self) -> bool {
        self.order as usize <= SHORT
    }

    /// Where the first row is.
    #[inline(always)]
    fn first(&self) -> u32 {
        self.full - self.stride * if self.is_short() { ROWS } else { LONG_ROWS }
    }

    /// Where the Gram matrix is.
    #[inline(always)]
    fn gram(&self) -> Range<usize> {
        let start = self.full as usize + LANES;
        match self.is_short() {
            true => start..start + (self.order * self.stride) as usize,
            false => start..start,
        }
    }
}

impl Packed {
    /// No masks yet, for rows of so many features and targets.
    pub(super) fn new(n_features: usize, n_targets: usize) -> Self {
        Self {
            n_features,
            n_targets,
            bins: Vec::new(),
            cells: Aligned::default(),
            gram: Vec::new(),
        }
    }

    /// Makes room for a mask that is new, the next number, whose rows have so many cells.
    pub(super) fn open(&mut self, order: usize) {
        let order = order as u32;
        let mut bin = Bin {
            next: self.cells.len() as u32,
            full: 0,
            order,
            stride: order.next_multiple_of(LANES as u32),
        };
        bin.full = bin.next + bin.stride * if bin.is_short() { ROWS } else { LONG_ROWS };
        self.cells.extend_to(bin.gram().end);
        self.bins.push(bin);
    }

    /// Takes rows in, and multiplies those of a mask as soon as they are enough; those that are caught are set aside. `PLAIN` ones are
    /// not clipped and have no weights.
    #[inline(always)]
    pub(super) fn take<S: Simd, const PLAIN: bool>(
        &mut self,
        lanes: &Lanes<'_, S>,
        run: &Run<'_>,
        sums: &mut Triangles,
        aside: &mut Aside,
    ) {
        let is_narrow = self.n_features + self.n_targets < SHORT + LANES;
        match lanes.groups {
            [_] if is_narrow => self.take_few::<S, PLAIN, 1>(lanes, run, sums, aside),
            [_, _] if is_narrow => self.take_few::<S, PLAIN, 2>(lanes, run, sums, aside),
            _ => self.take_many::<S, PLAIN>(lanes, run, sums, aside),
        }
    }

    /// Rows of one or two groups of cells and not many targets, in loops of known length.
    #[inline(always)]
    fn take_few<S: Simd, const PLAIN: bool, const N: usize>(
        &mut self,
        lanes: &Lanes<'_, S>,
        run: &Run<'_>,
        sums: &mut Triangles,
        aside: &mut Aside,
    ) {
        let (slab, width) = (run.slab, self.n_features);
        let groups: &[Group; N] = lanes.groups.try_into().expect("N groups");
        let (bins, cells) = (&mut self.bins[..], &mut self.cells[..]);
        let ahead = (AHEAD / width).min(AHEAD / LANES) * width;
        let mut values = &slab.values[run.range.start * width..];
        let mut last = [0.0; SHORT];
        let words = &slab.words[run.range.clone()];
        for ((i, &number), &word) in run.range.clone().zip(run.numbers).zip(words) {
            prefetch(values, ahead..ahead + N * LANES);
            let row = padded(values, &mut last);
            values = &values[width..];
            let bin = &mut bins[number as usize];
            let into = cells[bin.next as usize..].first_chunk_mut();
            let into: &mut [f64; SHORT + LANES] = into.expect("a row and room behind it");
            if !run.put::<S, PLAIN>(lanes, groups, (row, &[word]), i, into) {
                aside.push(slab, i);
                continue;
            }
            bin.next += bin.stride;
            if bin.next == bin.full {
                multiply(lanes.simd, bin, cells, &mut self.gram, (sums, number));
            }
        }
    }

    /// Rows of any number of cells.
    #[inline(always)]
    fn take_many<S: Simd, const PLAIN: bool>(
        &mut self,
        lanes: &Lanes<'_, S>,
        run: &Run<'_>,
        sums: &mut Triangles,
        aside: &mut Aside,
    ) {
        let (slab, width) = (run.slab, self.n_features);
        let (bins, cells) = (&mut self.bins[..], &mut self.cells[..]);
        let mut last = vec![0.0; width.next_multiple_of(LANES)];
        for (i, &number) in run.range.clone().zip(run.numbers) {
            let ahead = i * width + AHEAD;
            prefetch(slab.values, ahead..ahead + width);
            let row = padded(&slab.values[i * width..], &mut last);
            let words = slab.row(i, width).1;
            let bin = &mut bins[number as usize];
            let into = &mut cells[bin.next as usize..];
            match run.put::<S, PLAIN>(lanes, lanes.groups, (row, words), i, into) {
                true => bin.next += bin.stride,
                false => aside.push(slab, i),
            }
            if bin.next == bin.full {
                multiply(lanes.simd, bin, cells, &mut self.gram, (sums, number));
            }
        }
    }

    /// Brings all that was taken in to the sums, and forgets it.
    #[inline(always)]
    pub(super) fn settle<S: Simd>(&mut self, simd: S, sums: &mut Triangles) {
        let cells = &mut self.cells[..];
        for (number, bin) in self.bins.iter_mut().enumerate() {
            multiply(simd, bin, cells, &mut self.gram, (sums, number as u32));
            if bin.is_short() {
                let range = sums.range(number);
                add_lower(
                    &mut sums.sums[range],
                    &cells[bin.gram()],
                    bin.stride as usize,
                );
            }
        }
        self.bins.clear();
        self.cells.clear();
    }
}

/// Brings the rows of a mask to its sums; `gram` is scratch.
#[inline(always)]
fn multiply<S: Simd>(
    simd: S,
    bin: &mut Bin,
    cells: &mut [f64],
    gram: &mut Vec<f64>,
    (sums, number): (&mut Triangles, u32),
) {
    let (order, stride) = (bin.order as usize, bin.stride as usize);
    let (rows, short) = cells[..bin.gram().end].split_at_mut(bin.gram().start);
    let rows = &rows[bin.first() as usize..bin.next as usize];
    bin.next = bin.first();
    let number = number as usize;
    sums.counts[number] += rows.len() / stride;
    if bin.is_short() {
        return vectorised_with(
            simd,
            AddShort {
                gram: short,
                rows,
                order,
            },
        );
    }
    gram.resize(gram.len().max(order * stride), 0.0);
    let range = sums.range(number);
    let long = AddLong {
        gram: &mut gram[..order * stride],
        rows,
        sums: &mut sums.sums[range],
        stride,
    };
    vectorised_with(simd, long);
}

/// Adds some rows to their Gram matrix; on its own, so that it takes no registers from who fills bins.
struct AddShort<'a> {
    gram: &'a mut [f64],
    rows: &'a [f64],
    order: usize,
}

impl Loop for AddShort<'_> {
    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        add_short_rows(simd, self.gram, self.rows, self.order);
    }
}

/// Adds the products of some rows to a triangle.
struct AddLong<'a> {
    gram: &'a mut [f64],
    rows: &'a [f64],
    sums: &'a mut [f64],
    stride: usize,
}

impl Loop for AddLong<'_> {
    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let Self { gram, stride, .. } = self;
        set_gram_of_rows(simd, gram, &self.rows.chunks_exact(stride), stride);
        add_upper(self.sums, gram, stride);
    }
}

/// Adds the lower triangle of products of cells of rows that end with 1 to sums of such that begin with it.
fn add_lower(sums: &mut [f64], gram: &[f64], stride: usize) {
    let last = gram.len() / stride - 1;
    let (ones, mut sums) = sums.split_at_mut(last + 1);
    let of_last = &gram[last * stride..];
    ones[0] += of_last[last];
    add(&mut ones[1..], of_last.iter());
    for i in 0..last {
        let (these, others) = sums.split_at_mut(last - i);
        add(these, gram[i * stride + i..].iter().step_by(stride));
        sums = others;
    }
}

/// The same of the upper triangle.
#[inline(always)]
fn add_upper(sums: &mut [f64], gram: &[f64], stride: usize) {
    let last = gram.len() / stride - 1;
    let (ones, mut sums) = sums.split_at_mut(last + 1);
    ones[0] += gram[last * stride + last];
    add(&mut ones[1..], gram[last..].iter().step_by(stride));
    for i in 0..last {
        let (these, others) = sums.split_at_mut(last - i);
        add(these, gram[i * stride + i..][..last - i].iter());
        sums = others;
    }
}

#[inline(always)]
fn add<'a>(sums: &mut [f64], more: impl Iterator<Item = &'a f64>) {
    sums.iter_mut().zip(more).for_each(|(sum, x)| *sum += x);
}
