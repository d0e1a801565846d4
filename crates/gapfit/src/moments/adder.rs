//! Adding rows up, mask by mask.
//!
//! A row goes, in its units, to the others of its mask ([`Packed`]); as soon as there are enough of them they are
//! multiplied together.

use super::aside::Aside;
use super::packed::{Packed, Run};
use super::screen::Screen;
use super::triangles::Triangles;
use super::units::{Lanes, Units};
use super::{Frame, Moments, Rows, Slab};
use crate::data::WORD;
use crate::linalg::{Loop, Simd, vectorised};
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

/// Rows whose masks are looked up at once.
const AT_ONCE: usize = 256;

/// Adds up the rows of one part after the other.
pub(crate) struct Adder<'a> {
    frame: &'a Frame,
    units: Units,
    packed: Packed,
    tally: Tally,
    /// The numbers of the masks of some rows.
    numbers: Vec<u32>,
}

/// What is known of the part so far, but for the rows in bins.
struct Tally {
    n_features: usize,
    n_targets: usize,
    is_screened: bool,
    found: Triangles,
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
        match self.sums.counts.is_empty() {
            true => self.sums = other.sums,
            false => self.sums.add(&other.sums),
        }
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
        Self {
            frame,
            units: Units::new(frame, screens),
            packed: Packed::new(n_features, n_targets),
            numbers: vec![0; AT_ONCE],
            tally: Tally {
                n_features,
                n_targets,
                is_screened: screens.is_some(),
                found: Triangles::new(n_features, n_targets),
                aside: Aside::new(n_features, n_targets),
                n_rows: 0,
            },
        }
    }

    /// The same memory for rows in other units, of as many features and targets.
    pub(super) fn recast<'b>(self, frame: &'b Frame, screens: Option<&[Screen]>) -> Adder<'b> {
        let units = Units::new(frame, screens);
        let mut tally = self.tally;
        tally.is_screened = screens.is_some();
        Adder {
            frame,
            units,
            tally,
            packed: self.packed,
            numbers: self.numbers,
        }
    }

    /// Adds a range of rows.
    pub(super) fn add_rows(&mut self, rows: &Rows<'_>, range: Range<usize>) {
        rows.each_slab(range, |slab| {
            self.add_slab(slab);
            !self.tally.is_beyond()
        });
    }

    /// Adds rows that lie one after the other.
    pub(crate) fn add_slab(&mut self, slab: &Slab<'_>) {
        vectorised(AddSlab { adder: self, slab });
    }

    /// The sums over the rows so far, which ends the part; `None` where it has too many masks, or
    /// where too many rows were set aside.
    pub(crate) fn part(&mut self) -> Option<Part> {
        let is_fit = !self.tally.is_beyond();
        vectorised(Settle(self));
        let part = self.tally.take();
        is_fit.then_some(part)
    }
}

impl Tally {
    /// Whether no sums can come of the part.
    fn is_beyond(&self) -> bool {
        let caught = self.aside.len().saturating_sub(CAUGHT) * CAUGHT_SHARE;
        let is_large = self.found.counts.len() > MASKS || self.is_full();
        is_large || self.is_screened && caught > self.n_rows
    }

    fn is_full(&self) -> bool {
        self.found.sums.len() > SUMS
    }

    /// Takes sums and rows aside away; what follows starts anew.
    fn take(&mut self) -> Part {
        self.n_rows = 0;
        let found = self.found.as_empty();
        let aside = Aside::new(self.n_features, self.n_targets);
        Part {
            sums: std::mem::replace(&mut self.found, found),
            aside: vec![std::mem::replace(&mut self.aside, aside)],
        }
    }

    /// Writes the numbers of the masks of some rows; `false` where not of all, since there are too many for sums and no part comes of
    /// them.
    #[inline(always)]
    fn find_masks(&mut self, packed: &mut Packed, masks: &[u64], numbers: &mut [u32]) -> bool {
        let per_row = self.n_features.div_ceil(WORD);
        let mut done = 0;
        loop {
            let (masks, numbers) = (&masks[done * per_row..], &mut numbers[done..]);
            let found = self.found.masks.find_each(masks, numbers);
            if found == numbers.len() || self.is_full() {
                return found == numbers.len();
            }
            let new = &masks[found * per_row..(found + 1) * per_row];
            let number = self.found.open(new);
            packed.open(self.found.order(number));
            numbers[found] = number as u32;
            done += found + 1;
        }
    }
}

struct AddSlab<'a, 'b, 'c> {
    adder: &'a mut Adder<'b>,
    slab: &'a Slab<'c>,
}

impl Loop for AddSlab<'_, '_, '_> {
    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        match !self.adder.units.clips && self.slab.roots.is_none() {
            true => add::<S, true>(simd, self.adder, self.slab),
            false => add::<S, false>(simd, self.adder, self.slab),
        }
    }
}

/// Adds rows, a few at a time.
#[inline(always)]
fn add<S: Simd, const PLAIN: bool>(simd: S, adder: &mut Adder<'_>, slab: &Slab<'_>) {
    let Adder {
        frame,
        units,
        packed,
        tally,
        numbers,
    } = adder;
    let lanes = &Lanes::new(simd, units);
    let per_row = tally.n_features.div_ceil(WORD);
    for start in (0..slab.n_rows()).step_by(AT_ONCE) {
        if tally.is_beyond() {
            return;
        }
        let range = start..slab.n_rows().min(start + AT_ONCE);
        tally.n_rows += range.len();
        slab.prefetch(range.end..range.end + AT_ONCE, tally.n_features);
        let numbers = &mut numbers[..range.len()];
        if !tally.find_masks(packed, &slab.words[start * per_row..], numbers) {
            return;
        }
        let run = Run {
            slab,
            range,
            numbers,
            targets: &frame.targets,
        };
        packed.take::<S, PLAIN>(lanes, &run, &mut tally.found, &mut tally.aside);
    }
}

struct Settle<'a, 'b>(&'a mut Adder<'b>);

impl Loop for Settle<'_, '_> {
    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        self.0.packed.settle(simd, &mut self.0.tally.found);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Dataset, MaskedMatrix};
    use crate::moments::Ranges;

    /// Rows of `width` features and some targets, of seven masks; an eighth of the rows of one, more or fewer of others.
    fn table((width, n_targets): (usize, usize)) -> Dataset {
        let n_rows = 3000;
        let mut table = MaskedMatrix::new(width);
        for i in 0..n_rows {
            let kind = if i % 8 == 0 { 7 } else { i * i % 11 };
            let cell = |j: usize| {
                let is_observed = (j * 5 + kind * 3) % 7 > 1 || kind == 7;
                is_observed.then(|| ((i * width + j) as f64).sin() * (1.0 + j as f64))
            };
            table.push_row((0..width).map(cell)).unwrap();
        }
        let target = |shift: f64| (0..n_rows).map(|i| (i as f64 + shift).cos()).collect();
        let data = Dataset::new(table, target(0.0)).unwrap();
        (1..n_targets).fold(data, |data, t| {
            let target = target(0.5 * t as f64);
            data.with_further_target(&t.to_string(), target).unwrap()
        })
    }

    /// The same rows without weights and with some.
    fn weighted(data: Dataset) -> [Dataset; 2] {
        let weights = (0..data.n_rows()).map(|i| (i % 3) as f64).collect();
        let weighted = data.clone().with_weights(weights).unwrap();
        [data, weighted]
    }

    /// Rows with masks of their own: of `n_features` each has one cell, or all but one.
    fn own_masks(n_rows: usize, n_features: usize, has_one: bool) -> Dataset {
        let mut table = MaskedMatrix::new(n_features);
        for i in 0..n_rows {
            let cell = |j: usize| ((i == j) == has_one).then_some(j as f64);
            table.push_row((0..n_features).map(cell)).unwrap();
        }
        Dataset::new(table, vec![1.0; n_rows]).unwrap()
    }

    #[test]
    fn rows_with_too_many_sums_make_no_part_whatever_came_before() {
        let n_features = 2000;
        let few = own_masks(100, n_features, true);
        let few = Rows::new(&few, None);
        let frame = Frame::new(&Ranges::fit(&few, 0.0).unwrap(), false);
        let mut adder = Adder::new(&frame, None);
        let many = own_masks(16, n_features, false);
        let many = Rows::new(&many, None);
        for _ in 0..2 {
            adder.add_rows(&few, 0..few.len());
            assert_eq!(adder.part().map(|part| part.sums.n_rows()), Some(100));
            adder.add_rows(&many, 0..many.len());
            assert!(adder.part().is_none());
        }
    }

    #[test]
    fn sums_are_those_of_the_rows_one_by_one() {
        let sizes = [
            (1, 2),
            (7, 2),
            (8, 1),
            (10, 2),
            (13, 2),
            (16, 7),
            (16, 8),
            (8, 16),
            (31, 2),
            (70, 2),
        ];
        let tables = sizes.map(|size| weighted(table(size)));
        for data in tables.iter().flatten() {
            let width = data.n_features();
            let rows = Rows::new(data, None);
            let frame = Frame::new(&Ranges::fit(&rows, 0.1).unwrap(), true);
            let mut adder = Adder::new(&frame, None);
            // the memory of a part serves the next one, which has more rows than are held at once
            let parts = [0..100, 100..rows.len()].map(|range| {
                adder.add_rows(&rows, range);
                adder.part().unwrap()
            });
            let mut all = Part::none(&frame);
            parts.into_iter().for_each(|part| all.add(part));
            assert_eq!(all.sums.n_rows(), rows.len());
            for (mask, found) in all.moments().each() {
                let mut sums = vec![0.0; found.sums.len()];
                for i in (0..rows.len()).filter(|&i| rows.words(i) == mask) {
                    let features = found.observed.iter();
                    let features =
                        features.map(|&j| frame.columns[j].hold(rows.row(i).values()[j]));
                    let targets = rows.targets().zip(&frame.targets);
                    let targets = targets.map(|(y, unit)| unit.hold(y[rows.number(i)]));
                    let one = std::iter::once(1.0);
                    let row: Vec<f64> = one.chain(features).chain(targets).collect();
                    for (a, x) in row.iter().enumerate() {
                        for (b, y) in row.iter().enumerate() {
                            sums[a * row.len() + b] += rows.weight(i) * x * y;
                        }
                    }
                }
                for (sum, found) in sums.iter().zip(&found.sums) {
                    assert!((sum - found).abs() < 1e-12, "{width}: {sum} {found}");
                }
            }
        }
    }
}
