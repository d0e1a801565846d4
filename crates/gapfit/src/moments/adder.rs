//! Adding rows up, mask by mask.
//!
//! Rows wait in their units, in the order in which they come, until there are several for most masks; then those of
//! each mask are looked up and multiplied together, with their sums in registers. Rows are kept whole, zeros for the holes: copying
//! and multiplying them with vector instructions is faster than choosing the other cells.

use super::aside::Aside;
use super::frame::Unit;
use super::held::{Lanes, Units};
use super::screen::Screen;
use super::slab::Picked;
use super::triangles::Triangles;
use super::waiting::{NARROW, Waiting};
use super::{Frame, Moments, Rows, Slab};
use crate::data::{Observed, WORD};
use crate::linalg::{BLOCKED, LANES, Loop, Simd, set_gram, set_gram_of_rows, vectorised};
use std::ops::Range;

/// Rows that are summed together, at most, so that parts of a table can be summed at once: the sums of a table are
/// those of its parts of this size, whoever makes them.
pub(crate) const PART: usize = 1 << 17;

/// Rows that the masks of a table should have on average: with fewer it is quicker to sort all rows first.
pub(super) const PER_MASK: usize = 32;

/// Masks that a part may have.
const MASKS: usize = PART / PER_MASK;

/// Sums that a part may have, 128 MB: in wide tables a mask has half a million.
const SUMS: usize = 1 << 24;

/// Rows that the screens may catch in a part before they count as misjudged: as many, and this share of all.
const CAUGHT: usize = 1 << 12;
const CAUGHT_SHARE: usize = 4;

/// Adds up the rows of one part after the other.
pub(crate) struct Adder<'a> {
    frame: &'a Frame,
    units: Units,
    is_screened: bool,
    store: Store,
}

/// What rows change.
struct Store {
    n_features: usize,
    n_targets: usize,
    waiting: Waiting,
    found: Triangles,
    /// Where each sum is in the Gram matrix of whole rows.
    places: Vec<u32>,
    gram: Vec<f64>,
    /// Scratch: the rows of one mask, where they are wide.
    tile: Vec<f64>,
    aside: Aside,
    n_rows: usize,
}

/// The sums over some rows, and the rows that were set aside.
#[derive(Debug)]
pub(crate) struct Part {
    pub(super) sums: Triangles,
    /// One piece for each part of the table.
    pub(super) aside: Vec<Aside>,
}

impl Part {
    /// Of no rows.
    pub(crate) fn none(frame: &Frame) -> Self {
        let (n_features, n_targets) = (frame.columns.len(), frame.targets.len());
        Self {
            sums: Triangles::new(n_features, n_targets),
            aside: Vec::new(),
        }
    }

    /// Adds the rows of another part in the same units.
    pub(crate) fn add(&mut self, other: Self) {
        self.sums.add(&other.sums);
        self.aside.extend(other.aside);
    }

    /// The sums, without what was set aside.
    pub(super) fn moments(&self) -> Moments {
        self.sums.moments()
    }
}

impl<'a> Adder<'a> {
    /// For rows in these units; rows that the screens catch are set aside.
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
                waiting: Waiting::new(stride),
                found: Triangles::new(n_features, n_targets),
                places: Vec::new(),
                gram: vec![0.0; order * stride],
                tile: Vec::new(),
                aside: Aside::new(n_features, n_targets),
                n_rows: 0,
            },
        }
    }

    /// Adds a range of rows.
    pub(super) fn add_rows(&mut self, rows: &Rows<'_>, range: Range<usize>) {
        if let Some((slab, targets)) = rows.slab(range.clone()) {
            let targets = &targets[..];
            return self.add_slab(&Slab { targets, ..slab });
        }
        for start in range.clone().step_by(GLANCE) {
            let picked = Picked::new(rows, start..range.end.min(start + GLANCE));
            self.add_slab(&picked.slab(&picked.targets()));
            if self.is_beyond() {
                break;
            }
        }
    }

    /// Adds rows that lie one after the other.
    pub(crate) fn add_slab(&mut self, slab: &Slab<'_>) {
        vectorised(AddSlab { adder: self, slab });
    }

    /// The sums over the rows so far, which ends the part; `None` where it has too many masks, or
    /// where too many rows were set aside.
    pub(crate) fn part(&mut self) -> Option<Part> {
        let is_fit = !self.is_beyond();
        vectorised(Settle(&mut self.store));
        let part = self.store.take();
        is_fit.then_some(part)
    }

    /// Whether no sums can come of the part.
    fn is_beyond(&self) -> bool {
        let store = &self.store;
        let caught = store.aside.len().saturating_sub(CAUGHT) * CAUGHT_SHARE;
        let is_large = store.found.counts.len() > MASKS || store.is_full();
        is_large || self.is_screened && caught > store.n_rows
    }
}

impl Store {
    /// Takes sums and rows aside away; what follows starts anew.
    fn take(&mut self) -> Part {
        self.waiting.make_room(0);
        self.places.clear();
        self.n_rows = 0;
        let found = self.found.as_empty();
        let aside = Aside::new(self.n_features, self.n_targets);
        Part {
            sums: std::mem::replace(&mut self.found, found),
            aside: vec![std::mem::replace(&mut self.aside, aside)],
        }
    }

    fn is_full(&self) -> bool {
        self.found.sums.len() > SUMS
    }

    /// Makes room for a mask that is new; its number.
    #[cold]
    fn open(&mut self, mask: &[u64]) -> usize {
        let stride = self.waiting.stride;
        let one = self.n_features + self.n_targets;
        let observed = Observed::new(mask, self.n_features);
        let cells: Vec<usize> = std::iter::once(one)
            .chain(observed.iter())
            .chain(self.n_features..one)
            .collect();
        for (i, &a) in cells.iter().enumerate() {
            let place = |&b: &usize| (a.min(b) * stride + a.max(b)) as u32;
            self.places.extend(cells[i..].iter().map(place));
        }
        let number = self.found.open(mask);
        self.waiting.make_room(number + 1);
        number
    }

    /// Writes the numbers of the masks of some rows; not of all where there are too many for sums, so that no part comes of them.
    #[inline(always)]
    fn find_masks(&mut self, masks: &[u64], numbers: &mut [u32]) {
        let per_row = self.n_features.div_ceil(WORD);
        let mut done = 0;
        loop {
            let (masks, numbers) = (&masks[done * per_row..], &mut numbers[done..]);
            let found = self.found.masks.find_each(masks, numbers);
            if found == numbers.len() || self.is_full() {
                return;
            }
            let new = &masks[found * per_row..(found + 1) * per_row];
            numbers[found] = self.open(new) as u32;
            done += found + 1;
        }
    }

    /// Lets some rows wait for others of their masks, whose `numbers` are known, unless they are caught.
    #[inline(always)]
    fn take_in<S: Simd, const PLAIN: bool, const STRIDE: usize>(
        &mut self,
        lanes: &Lanes<'_, S>,
        (slab, range): (&Slab<'_>, Range<usize>),
        numbers: &[u32],
        buffer: &mut Buffer,
    ) {
        let width = self.n_features;
        let (stride, per_row) = match STRIDE {
            0 => (self.waiting.stride, width.div_ceil(WORD)),
            _ => (STRIDE, 1),
        };
        let cells = &mut self.waiting.cells[self.waiting.first..];
        let masks = &mut self.waiting.masks[..];
        let (mut len, mut n_caught) = (self.waiting.len, 0);
        for ((i, &number), k) in range.zip(numbers).zip(0..) {
            let row = padded(&slab.values[i * width..], &mut buffer.last[..stride]);
            let words = &slab.words[i * per_row..][..per_row];
            let root = match slab.roots {
                Some(roots) if !PLAIN => roots[i],
                _ => 1.0,
            };
            let into = &mut cells[len * stride..][..stride];
            let is_caught = lanes.hold::<PLAIN>((row, words), root, into);
            let rest = into[width..].iter_mut();
            let targets = buffer.targets.chunks_exact(GLANCE).map(|target| target[k]);
            for (cell, y) in rest.zip(targets.chain([1.0])) {
                *cell = if PLAIN { y } else { y * root };
            }
            masks[len] = number;
            // a row that is caught is written over by the next
            len += usize::from(!is_caught);
            buffer.caught[n_caught % GLANCE] = i;
            n_caught += usize::from(is_caught);
        }
        self.waiting.len = len;
        for &i in &buffer.caught[..n_caught] {
            self.aside.push(slab, i);
        }
    }

    /// Sums the rows that wait.
    #[inline(always)]
    fn settle<S: Simd>(&mut self, simd: S) {
        let (waiting, found) = (&mut self.waiting, &mut self.found);
        waiting.sort(found.counts.len());
        let (cells, stride) = (&waiting.cells[waiting.first..], waiting.stride);
        let mut start = 0;
        for (m, &end) in waiting.ends.iter().enumerate() {
            let end = end as usize;
            if start == end {
                continue;
            }
            let row = |&r: &u32| &cells[r as usize * stride..][..stride];
            let rows = waiting.sorted[start..end].iter().map(row);
            if self.gram.len() < BLOCKED * stride {
                set_gram_of_rows(simd, &mut self.gram, &rows, stride);
            } else {
                self.tile.clear();
                rows.for_each(|row| self.tile.extend_from_slice(row));
                set_gram(&mut self.gram, &self.tile, stride);
            }
            let range = found.range(m);
            let sums = found.sums[range.clone()].iter_mut();
            for (sum, &place) in sums.zip(&self.places[range]) {
                *sum += self.gram[place as usize];
            }
            found.counts[m] += end - start;
            start = end;
        }
    }
}

/// Rows that are looked at together.
const GLANCE: usize = 1 << 8;

struct AddSlab<'a, 'b, 'c> {
    adder: &'a mut Adder<'b>,
    slab: &'a Slab<'c>,
}

impl Loop for AddSlab<'_, '_, '_> {
    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let is_plain = !self.adder.units.clips && self.slab.roots.is_none();
        // the commonest case has loops of known length
        let store = &self.adder.store;
        let is_narrow = store.waiting.stride == NARROW && store.n_features > 0;
        match (is_plain, is_narrow) {
            (true, true) => self.add::<S, true, NARROW>(simd),
            (true, false) => self.add::<S, true, 0>(simd),
            (false, true) => self.add::<S, false, NARROW>(simd),
            (false, false) => self.add::<S, false, 0>(simd),
        }
    }
}

/// Memory for the rows that are looked at together.
struct Buffer {
    /// Targets in their units, [`GLANCE`] of each.
    targets: Vec<f64>,
    /// Which rows are caught.
    caught: [usize; GLANCE],
    /// The last row of a slab, padded.
    last: Vec<f64>,
}

impl Buffer {
    fn new(n_targets: usize, stride: usize) -> Self {
        Self {
            targets: vec![0.0; n_targets * GLANCE],
            caught: [0; GLANCE],
            last: vec![0.0; stride],
        }
    }

    #[inline(always)]
    fn hold_targets(&mut self, units: &[Unit], targets: &[&[f64]], range: &Range<usize>) {
        let held = self.targets.chunks_exact_mut(GLANCE);
        for ((held, unit), target) in held.zip(units).zip(targets) {
            for (held, y) in held.iter_mut().zip(&target[range.clone()]) {
                *held = (y - unit.shift) * unit.per_scale;
            }
        }
    }
}

impl AddSlab<'_, '_, '_> {
    #[inline(always)]
    fn add<S: Simd, const PLAIN: bool, const STRIDE: usize>(self, simd: S) {
        let Self { adder, slab } = self;
        let lanes = Lanes::new(simd, &adder.units);
        let per_row = adder.store.n_features.div_ceil(WORD);
        let mut buffer = Buffer::new(slab.targets.len(), adder.store.waiting.stride);
        let mut numbers = [0; GLANCE];
        let mut start = 0;
        while start < slab.n_rows() && !adder.is_beyond() {
            let store = &mut adder.store;
            // never more than may wait: how rows come together does not change when they are summed
            let room = store.waiting.room - store.waiting.len;
            let n = GLANCE.min(slab.n_rows() - start).min(room);
            let (range, numbers) = (start..start + n, &mut numbers[..n]);
            store.n_rows += n;
            store.find_masks(&slab.words[start * per_row..], numbers);
            buffer.hold_targets(&adder.frame.targets, slab.targets, &range);
            store.take_in::<S, PLAIN, STRIDE>(&lanes, (slab, range), numbers, &mut buffer);
            if store.waiting.len >= store.waiting.room {
                store.settle(simd);
            }
            start += n;
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

struct Settle<'a>(&'a mut Store);

impl Loop for Settle<'_> {
    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        self.0.settle(simd);
    }
}
