//! One bin per mask: rows wait in it, in their units, until there are enough for a matrix product.
//!
//! Rows are kept whole, zeros for the holes: copying and multiplying them with vector instructions is
//! faster than choosing the other cells.

use super::aside::Aside;
use super::frame::Unit;
use super::numbering::Numbering;
use super::screen::Screen;
use super::{Frame, MaskMoments, Moments, Rows, Slab};
use crate::data::Observed;
use crate::linalg::{LANES, Loop, Simd, set_gram_of_rows, vectorised};
use std::ops::Range;

/// Rows per bin: all bins of a thousand masks of ten features nearly fit the second-level cache.
pub(super) const BIN: usize = 32;

/// Rows that are summed in the same bins, at most, so that parts of a table can be summed at once: the sums of a table are
/// those of its parts of this size, whoever makes them.
pub(crate) const PART: usize = 1 << 17;

/// Masks that a part may have: with more, most rows would leave bins that are nearly empty.
pub(super) const MASKS: usize = PART / BIN;

/// Rows that the screens may catch in a part before they count as misjudged: as many, and this share of all.
const CAUGHT: usize = 1 << 12;
const CAUGHT_SHARE: usize = 4;

/// Bins for the rows of one part after the other, and the moments of those that left them.
pub(crate) struct Bins<'a> {
    frame: &'a Frame,
    units: Units,
    is_screened: bool,
    store: Store,
}

/// What rows change.
struct Store {
    n_features: usize,
    n_targets: usize,
    /// Cells per row: features, targets, 1, and zeros up to whole pairs of vectors.
    stride: usize,
    masks: Numbering,
    /// Row after row, bin after bin.
    cells: Vec<f64>,
    filled: Vec<u32>,
    gram: Vec<f64>,
    /// Lower triangles.
    moments: Vec<MaskMoments>,
    aside: Aside,
    n_rows: usize,
}

/// The sums over some rows, lower triangles only, and the rows that were set aside.
#[derive(Debug)]
pub(crate) struct Part {
    pub(super) moments: Moments,
    pub(super) aside: Aside,
}

impl<'a> Bins<'a> {
    /// Bins for rows in these units; rows that the screens catch are set aside.
    pub(crate) fn new(frame: &'a Frame, screens: Option<&[Screen]>) -> Self {
        let (n_features, n_targets) = (frame.columns.len(), frame.targets.len());
        let order = n_features + n_targets + 1;
        let stride = order.next_multiple_of(2 * LANES);
        Self {
            frame,
            units: Units::new(frame, screens, stride),
            is_screened: screens.is_some(),
            store: Store {
                n_features,
                n_targets,
                stride,
                masks: Numbering::new(n_features),
                cells: Vec::new(),
                filled: Vec::new(),
                gram: vec![0.0; order * stride],
                moments: Vec::new(),
                aside: Aside::new(n_features, n_targets),
                n_rows: 0,
            },
        }
    }

    /// Drops a range of rows into the bins.
    pub(super) fn add_rows(&mut self, rows: &Rows<'_>, range: Range<usize>) {
        match rows.slab(range.clone()) {
            Some((slab, targets)) => self.add_slab(&Slab {
                targets: &targets,
                ..slab
            }),
            None => vectorised(AddRows {
                bins: self,
                rows,
                range,
            }),
        }
    }

    /// Drops rows that lie one after the other into the bins.
    pub(crate) fn add_slab(&mut self, slab: &Slab<'_>) {
        vectorised(AddSlab { bins: self, slab });
    }

    /// The sums over the rows dropped in so far, which ends the part; `None` where it has too many masks, or
    /// where too many rows were set aside.
    pub(crate) fn part(&mut self) -> Option<Part> {
        let is_fit = !self.is_beyond();
        vectorised(EmptyAll(&mut self.store));
        let part = self.store.take();
        is_fit.then_some(part)
    }

    /// Whether no sums can come of the part.
    fn is_beyond(&self) -> bool {
        let store = &self.store;
        let caught = store.aside.len().saturating_sub(CAUGHT) * CAUGHT_SHARE;
        store.masks.len() > MASKS || self.is_screened && caught > store.n_rows
    }
}

impl Store {
    /// Takes sums and rows aside away; what follows starts anew.
    fn take(&mut self) -> Part {
        let none = Aside::new(self.n_features, self.n_targets);
        let mut moments: Vec<_> = std::mem::take(&mut self.moments)
            .into_iter()
            .map(Some)
            .collect();
        let ascending = self.masks.ascending().into_iter();
        let masks = ascending.filter_map(|m| {
            let moments = moments[m].take().filter(|moments| moments.n_rows > 0)?;
            Some((self.masks.mask(m).to_vec(), moments))
        });
        let masks = masks.collect();
        self.masks.clear();
        self.filled.clear();
        self.n_rows = 0;
        Part {
            moments: Moments { masks },
            aside: std::mem::replace(&mut self.aside, none),
        }
    }

    /// Makes a bin for a mask that is new; its number.
    #[cold]
    fn open(&mut self, mask: &[u64]) -> usize {
        let observed: Vec<usize> = Observed::new(mask, self.n_features).iter().collect();
        self.moments.push(MaskMoments {
            sums: vec![0.0; (observed.len() + 1 + self.n_targets).pow(2)],
            observed,
            n_targets: self.n_targets,
            n_rows: 0,
        });
        self.filled.push(0);
        let n_cells = self.filled.len() * BIN * self.stride;
        if self.cells.len() < n_cells {
            self.cells.resize(n_cells, 0.0);
        }
        self.masks.add(mask)
    }

    /// Drops a row into the bin of its mask, unless it is caught; empties the bin when it is full. `row` has the
    /// features and then any numbers, of no meaning where they are missing; `target` gives the targets by their number.
    #[inline(always)]
    fn drop_in<S: Simd, const PLAIN: bool>(
        &mut self,
        (lanes, frame): (&Lanes<'_, S>, &Frame),
        (number, mask): (usize, &[u64]),
        (row, root): (&[f64], f64),
        target: impl Fn(usize) -> f64,
    ) {
        let m = match self.masks.find(mask) {
            Some(m) => m,
            None => self.open(mask),
        };
        let start = (m * BIN + self.filled[m] as usize) * self.stride;
        let into = &mut self.cells[start..start + self.stride];
        if lanes.hold::<PLAIN>((row, mask), root, into) {
            let targets = (0..self.n_targets).map(target);
            self.aside
                .push(number, (&row[..self.n_features], mask), targets);
            return;
        }
        let rest = &mut into[self.n_features..];
        for (t, (cell, unit)) in rest.iter_mut().zip(&frame.targets).enumerate() {
            *cell = unit.hold(target(t)) * root;
        }
        rest[self.n_targets] = root;
        self.filled[m] += 1;
        if self.filled[m] as usize == BIN {
            self.empty_out(lanes.simd, m);
        }
    }

    #[inline(always)]
    fn empty_out<S: Simd>(&mut self, simd: S, m: usize) {
        let n_rows = std::mem::take(&mut self.filled[m]) as usize;
        let rows = &self.cells[m * BIN * self.stride..][..n_rows * self.stride];
        set_gram_of_rows(simd, &mut self.gram, rows, self.stride);
        add(&self.gram, self.stride, &mut self.moments[m]);
        self.moments[m].n_rows += n_rows;
    }
}

/// How many rows are dropped in before it is looked whether sums can come of them.
const GLANCE: usize = 1 << 10;

struct AddRows<'a, 'b, 'c> {
    bins: &'a mut Bins<'b>,
    rows: &'a Rows<'c>,
    range: Range<usize>,
}

impl Loop for AddRows<'_, '_, '_> {
    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let Self { bins, rows, range } = self;
        let targets: Vec<&[f64]> = rows.targets().collect();
        let mut last = vec![0.0; bins.store.stride];
        for start in range.clone().step_by(GLANCE) {
            let glance = start..range.end.min(start + GLANCE);
            let lanes = (&Lanes::new(simd, &bins.units), bins.frame);
            bins.store.n_rows += glance.len();
            for i in glance {
                let number = rows.number(i);
                let row = padded(rows.values_from(i), &mut last);
                let (place, row) = ((number, rows.words(i)), (row, rows.root_of_weight(i)));
                let target = |t: usize| targets[t][number];
                bins.store.drop_in::<S, false>(lanes, place, row, target);
            }
            if bins.is_beyond() {
                break;
            }
        }
    }
}

struct AddSlab<'a, 'b, 'c> {
    bins: &'a mut Bins<'b>,
    slab: &'a Slab<'c>,
}

impl Loop for AddSlab<'_, '_, '_> {
    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        match self.bins.units.clips {
            true => self.add::<S, false>(simd),
            false => self.add::<S, true>(simd),
        }
    }
}

impl AddSlab<'_, '_, '_> {
    #[inline(always)]
    fn add<S: Simd, const PLAIN: bool>(self, simd: S) {
        let Self { bins, slab } = self;
        let (values, words, targets) = (slab.values, slab.words, slab.targets);
        let width = bins.store.n_features;
        let per_row = width.div_ceil(64);
        let mut last = vec![0.0; bins.store.stride];
        let n_rows = targets.first().map_or(0, |target| target.len());
        for start in (0..n_rows).step_by(GLANCE) {
            let glance = start..n_rows.min(start + GLANCE);
            let lanes = (&Lanes::new(simd, &bins.units), bins.frame);
            bins.store.n_rows += glance.len();
            for i in glance {
                let row = padded(&values[i * width..], &mut last);
                let place = (slab.first + i, &words[i * per_row..(i + 1) * per_row]);
                let target = |t: usize| targets[t][i];
                bins.store
                    .drop_in::<S, PLAIN>(lanes, place, (row, 1.0), target);
            }
            if bins.is_beyond() {
                break;
            }
        }
    }
}

/// The row itself, or a longer copy where it is shorter than one.
#[inline(always)]
fn padded<'a>(row: &'a [f64], copy: &'a mut [f64]) -> &'a [f64] {
    if row.len() >= copy.len() {
        return row;
    }
    copy[..row.len()].copy_from_slice(row);
    copy
}

struct EmptyAll<'a>(&'a mut Store);

impl Loop for EmptyAll<'_> {
    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        for m in 0..self.0.filled.len() {
            self.0.empty_out(simd, m);
        }
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

/// What is done to the cells of a row, in arrays as long as the padded row: whole vectors of any width.
struct Units {
    lower: Vec<f64>,
    upper: Vec<f64>,
    per_scale: Vec<f64>,
    /// The shift in units.
    shift: Vec<f64>,
    /// From how far out on cells are caught, in units.
    bound: Vec<f64>,
    /// Whether some cells are clipped.
    clips: bool,
    /// For each way the bits of a vector can be set, 1 where they are: for vectors of 1, 2, 4 and 8 cells.
    bits: [Vec<f64>; 4],
}

impl Units {
    fn new(frame: &Frame, screens: Option<&[Screen]>, stride: usize) -> Self {
        let unit = |of: fn(&Unit) -> f64| {
            let cell = |j: usize| frame.columns.get(j).map_or(0.0, of);
            (0..stride).map(cell).collect()
        };
        // The middle of a screen is near the shift: looking at the nearer end catches few cells in vain.
        let bound = |j: usize| match screens.and_then(|screens| screens.get(j)) {
            None => f64::INFINITY,
            Some(Screen { low, high }) => {
                let [low, high] = [low, high].map(|x| frame.columns[j].hold(*x));
                low.abs().min(high.abs())
            }
        };
        let bits = |lanes: usize| {
            let set = (0..1usize << lanes).flat_map(|set| (0..lanes).map(move |lane| set >> lane));
            set.map(|bits| (bits & 1) as f64).collect()
        };
        let clips = |unit: &Unit| unit.lower > f64::NEG_INFINITY || unit.upper < f64::INFINITY;
        Self {
            lower: unit(|unit| unit.lower),
            upper: unit(|unit| unit.upper),
            per_scale: unit(|unit| unit.per_scale),
            shift: unit(|unit| -unit.shift * unit.per_scale),
            bound: (0..stride).map(bound).collect(),
            clips: frame.columns.iter().any(clips),
            bits: [1, 2, 4, 8].map(bits),
        }
    }
}

/// Vectors for the cells of rows.
struct Lanes<'a, S: Simd> {
    simd: S,
    per_scale: &'a [S::f64s],
    shift: &'a [S::f64s],
    bound: &'a [S::f64s],
    lower: &'a [S::f64s],
    upper: &'a [S::f64s],
    /// For each way the bits of a vector can be set: where they are.
    bits: [S::m64s; 1 << LANES],
}

impl<'a, S: Simd> Lanes<'a, S> {
    #[inline(always)]
    fn new(simd: S, units: &'a Units) -> Self {
        let ones = &units.bits[S::F64_LANES.trailing_zeros() as usize % units.bits.len()];
        let zero = simd.splat_f64s(0.0);
        let mut bits = [simd.greater_than_f64s(zero, zero); 1 << LANES];
        for (bits, ones) in bits.iter_mut().zip(S::as_simd_f64s(ones).0) {
            *bits = simd.greater_than_f64s(*ones, zero);
        }
        Self {
            simd,
            per_scale: S::as_simd_f64s(&units.per_scale).0,
            shift: S::as_simd_f64s(&units.shift).0,
            bound: S::as_simd_f64s(&units.bound).0,
            lower: S::as_simd_f64s(&units.lower).0,
            upper: S::as_simd_f64s(&units.upper).0,
            bits,
        }
    }

    /// Writes the cells in their units, zeros for the holes; returns whether one is caught. `PLAIN` rows are not clipped
    /// and have no weights, others are multiplied by `root`.
    #[inline(always)]
    fn hold<const PLAIN: bool>(
        &self,
        (row, words): (&[f64], &[u64]),
        root: f64,
        into: &mut [f64],
    ) -> bool {
        let (simd, lanes) = (self.simd, S::F64_LANES);
        let row = S::as_simd_f64s(&row[..into.len()]).0;
        let into = S::as_mut_simd_f64s(into).0;
        let (root, zero) = (simd.splat_f64s(root), simd.splat_f64s(0.0));
        let mut caught = simd.greater_than_f64s(zero, zero);
        let units = self.per_scale.iter().zip(self.shift).zip(self.bound);
        let cells = into.iter_mut().zip(row).zip(units).enumerate();
        for (v, ((into, x), ((per_scale, shift), bound))) in cells {
            let start = v * lanes;
            let word = words.get(start / 64).copied().unwrap_or(0);
            let set = (word >> (start % 64)) as usize % (1 << lanes);
            let mut x = *x;
            if !PLAIN {
                x = simd.min_f64s(simd.max_f64s(x, self.lower[v]), self.upper[v]);
            }
            // Exact but for the shift: the scale is a power of two, and so is its reciprocal.
            x = simd.mul_add_f64s(x, *per_scale, *shift);
            x = simd.select_f64s(self.bits[set % (1 << LANES)], x, zero);
            let is_out = simd.greater_than_or_equal_f64s(simd.abs_f64s(x), *bound);
            caught = simd.or_m64s(caught, is_out);
            *into = if PLAIN { x } else { simd.mul_f64s(x, root) };
        }
        simd.first_true_m64s(caught) < lanes
    }
}
