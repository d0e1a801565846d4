//! The sums of rows and those that are set aside, while they come.
//!
//! Rows that are set aside would be a share of all rows, however many these are. So now and then they are looked at again: by then the
//! clipping bounds are known better ([`Band`]), and most rows turn out to have no cell near one. They are summed, without
//! the cells that will be cut ([`CutSums`], docs/math.md 5.7). What stays are rows with a cell in a band, about as many as the square
//! root of all, and a few of which so many cells will be cut that hardly another row is like them.

use super::adder::{Adder, PART, PER_MASK, Part};
use super::aside::Aside;
use super::band::{Band, Side};
use super::cut::{CutSums, NO_CUTS};
use super::{Frame, Moments, Ranges, Settled, Slab};
use crate::data::WORD;

/// Cells of rows that are set aside before these are looked at again, besides as many as stayed the last time: 8 MB.
const PILE: usize = 1 << 20;

/// Rows that are summed at once when they are looked at again.
const AT_ONCE: usize = 1 << 13;

/// What one pass over rows finds.
pub(crate) struct Screened<'a> {
    settled: &'a Settled,
    clip: f64,
    found: Part,
    /// For each column the lower end and the upper one.
    bands: Vec<[Band; 2]>,
    cut: CutSums,
    /// Rows that may be set aside, and those that stayed the last time.
    pile: usize,
    n_stayed: usize,
    /// Scratch: the cells of a row that are cut.
    cuts: Vec<u64>,
}

/// Cells up to the bands at the lower and the upper end of a column, and how many are observed in all.
type Column = ([Vec<f64>; 2], usize);

impl<'a> Screened<'a> {
    pub(crate) fn new(settled: &'a Settled, clip: f64) -> Self {
        let bands = settled.screens.iter();
        let bands = bands.map(|screen| [screen.low, -screen.high].map(Band::up_to));
        Self {
            settled,
            clip,
            found: Part::none(&settled.frame),
            bands: bands.collect(),
            cut: CutSums::new(settled.screens.len()),
            pile: PILE / settled.screens.len().max(1),
            n_stayed: 0,
            cuts: vec![0; 2 * settled.screens.len().div_ceil(WORD)],
        }
    }

    /// Adds the sums of some rows, and the rows that the screens caught; `None` where one pass cannot do it.
    pub(crate) fn add(&mut self, part: Part) -> Option<()> {
        self.found.add(part);
        match self.n_aside() > self.pile + self.n_stayed {
            true => self.sift(),
            false => Some(()),
        }
    }

    /// Ranges, frame and moments of the rows, clipped; `None` where one pass cannot do it.
    pub(crate) fn finish(mut self) -> Option<(Ranges, Frame, Moments)> {
        let ranges = Ranges {
            columns: self.quantiles()?,
            targets: self.settled.targets.clone(),
        };
        let frame = self.settled.frame.clone().clipped_to(&ranges);
        let mut adder = Adder::new(&frame, None);
        let mut n_rows = 0;
        for piece in std::mem::take(&mut self.found.aside) {
            if n_rows + piece.len() > PART {
                self.found.add(adder.part()?);
                n_rows = 0;
            }
            n_rows += piece.len();
            adder.add_slab(&piece.slab(&piece.targets()));
        }
        self.found.add(adder.part()?);
        drop(adder);
        self.cut.add_to(&mut self.found.sums, &frame);
        let sums = &self.found.sums;
        let are_few = sums.counts.len() * PER_MASK <= sums.n_rows();
        are_few.then(|| (ranges, frame, self.found.moments()))
    }

    fn n_aside(&self) -> usize {
        self.found.aside.iter().map(Aside::len).sum()
    }

    /// The quantiles of each column at `clip` and its mirror image.
    fn quantiles(&self) -> Option<Vec<Option<(f64, f64)>>> {
        let columns = self.columns()?.into_iter().zip(&self.bands);
        let range = |(([mut low, mut high], n), bands): (Column, &[Band; 2])| {
            let low = bands[0].bound(&mut low, self.clip, n)?;
            let high = bands[1].bound(&mut high, self.clip, n)?;
            Some(Some((low, -high)))
        };
        columns.map(range).collect()
    }

    /// What is known of each column; `None` where a cell is infinite: it is far out, and no table has one.
    fn columns(&self) -> Option<Vec<Column>> {
        let mut counts = self.found.sums.observed_counts();
        self.cut.count(&mut counts);
        let screens = &self.settled.screens;
        let mut tails = vec![[Vec::new(), Vec::new()]; screens.len()];
        let mut is_finite = true;
        for piece in &self.found.aside {
            piece.for_each_out(screens, &mut counts, |j, x| {
                is_finite &= x.is_finite();
                if x <= screens[j].low {
                    tails[j][0].push(x);
                }
                if x >= screens[j].high {
                    tails[j][1].push(-x);
                }
            });
        }
        is_finite.then(|| tails.into_iter().zip(counts).collect())
    }

    /// Looks again at the rows that were set aside, and sums those that can be summed by now.
    fn sift(&mut self) -> Option<()> {
        let columns = self.columns()?.into_iter().zip(&mut self.bands);
        for ((tails, n), bands) in columns {
            for (mut tail, band) in tails.into_iter().zip(bands) {
                band.narrow(&mut tail, self.clip, n)?;
            }
        }
        let pieces = std::mem::take(&mut self.found.aside);
        let targets: Vec<_> = pieces.iter().map(Aside::targets).collect();
        let slabs = pieces.iter().zip(&targets);
        let slabs: Vec<_> = slabs.map(|(piece, targets)| piece.slab(targets)).collect();
        let mut stay = pieces[0].as_empty();
        let mut judged = Vec::new();
        for (p, slab) in slabs.iter().enumerate() {
            for i in 0..slab.n_rows() {
                match self.judge(slab, i) {
                    Some(cuts) => judged.push((cuts as u32, p as u32, i as u32)),
                    None => stay.push(slab, i),
                }
            }
        }
        judged.sort_unstable();
        let n_masks = self.found.sums.counts.len();
        let mut adder = Adder::new(&self.settled.frame, None);
        let mut rows = stay.as_empty();
        for alike in judged.chunk_by(|a, b| a.0 == b.0) {
            let cuts = alike[0].0 as usize;
            // sums by mask of few rows would take more memory than the rows
            if cuts != NO_CUTS && !self.cut.has(cuts) && alike.len() < n_masks {
                let rows = alike.iter();
                rows.for_each(|&(_, p, i)| stay.push(&slabs[p as usize], i as usize));
                continue;
            }
            for alike in alike.chunks(AT_ONCE) {
                rows.clear();
                for &(_, p, i) in alike {
                    rows.push(&slabs[p as usize], i as usize);
                    rows.hide(self.cut.ends(cuts));
                }
                adder.add_slab(&rows.slab(&rows.targets()));
            }
            let part = adder.part()?;
            if cuts == NO_CUTS {
                self.found.sums.add(&part.sums);
                continue;
            }
            for (j, bands) in self.bands.iter_mut().enumerate() {
                for (band, cuts) in bands.iter_mut().zip(self.cut.ends(cuts)) {
                    band.n_cut += if cuts.contains(j) { alike.len() } else { 0 };
                }
            }
            self.cut.add(cuts, part.sums);
        }
        self.n_stayed = stay.len();
        self.found.aside = vec![stay];
        Some(())
    }

    /// Which cells of a row will be cut, as a number; `None` where that is not sure of all.
    fn judge(&mut self, slab: &Slab<'_>, i: usize) -> Option<usize> {
        let (values, words) = slab.row(i, self.bands.len());
        self.cuts.fill(0);
        let (low, high) = self.cuts.split_at_mut(words.len());
        let parts = values.chunks(WORD).zip(self.bands.chunks(WORD)).zip(words);
        for (w, ((values, bands), word)) in parts.enumerate() {
            let cells = values.iter().zip(bands).enumerate();
            for (bit, (&x, bands)) in cells.filter(|(bit, _)| word >> bit & 1 == 1) {
                match (bands[0].side(x), bands[1].side(-x)) {
                    (Side::Inside, Side::Inside) => {}
                    (Side::Cut, Side::Inside) => low[w] |= 1 << bit,
                    (Side::Inside, Side::Cut) => high[w] |= 1 << bit,
                    _ => return None,
                }
            }
        }
        Some(self.cut.number(&self.cuts))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Dataset, MaskedMatrix};
    use crate::moments::{Rows, Source, sum};
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    const CLIP: f64 = 0.02;

    /// Columns that go together, so that cells are often cut in pairs; `drift` moves them as rows come.
    fn table(n_rows: usize, drift: f64) -> Dataset {
        let rng = &mut ChaCha8Rng::seed_from_u64(8);
        let mut cells = Vec::with_capacity(3 * n_rows);
        for i in 0..n_rows {
            let common: f64 = rng.random_range(-1.0..1.0);
            for j in 0..3 {
                let x = 10.0 * common + rng.random_range(-1.0..1.0) + drift * i as f64;
                let is_hole = rng.random::<f64>() < 0.2;
                cells.push(if is_hole { f64::NAN } else { x + f64::from(j) });
            }
        }
        let target = (0..n_rows).map(|i| (i as f64).cos()).collect();
        Dataset::new(MaskedMatrix::from_nan(n_rows, 3, &cells).unwrap(), target).unwrap()
    }

    fn settled(rows: &Rows<'_>) -> Settled {
        let cell = |i: usize, j: usize| rows.row(i).get(j);
        Settled::of(CLIP, (3, 1), cell, |i, _| rows.target(i)).unwrap()
    }

    fn screened(settled: &Settled) -> Screened<'_> {
        Screened {
            pile: 1 << 14,
            ..Screened::new(settled, CLIP)
        }
    }

    #[test]
    fn few_rows_stay_and_the_sums_are_those_of_two_passes() {
        let data = table(900_000, 0.0);
        let rows = Rows::new(&data, None);
        let settled = settled(&rows);
        let mut found = screened(&settled);
        let (mut n_caught, mut most) = (0, 0);
        sum::each_part(&rows, &settled.adders(), |part| {
            n_caught += part.aside.iter().map(Aside::len).sum::<usize>();
            found.add(part)?;
            most = most.max(found.n_aside());
            Some(())
        })
        .unwrap();
        assert!(n_caught > 50_000 && most < 30_000, "{n_caught} {most}");
        assert!(found.cut.count_rows() > 20_000);
        let (ranges, frame, moments) = found.finish().unwrap();
        assert_eq!(ranges.columns, Ranges::fit(&rows, CLIP).unwrap().columns);
        let plain = Source::new(&rows, &frame).kept().unwrap();
        assert_eq!(moments.n_rows(), data.n_rows());
        for ((mask, found), (same, plain)) in moments.each().zip(plain.each()) {
            assert_eq!((mask, found.n_rows), (same, plain.n_rows));
            for (a, b) in found.sums.iter().zip(&plain.sums) {
                assert!((a - b).abs() <= 1e-9 * (1.0 + a.abs()), "{a} {b}");
            }
        }
    }

    #[test]
    fn rows_that_drift_are_given_up() {
        let data = table(900_000, 1e-5);
        let rows = Rows::new(&data, None);
        let settled = settled(&rows);
        let mut found = screened(&settled);
        let summed = sum::each_part(&rows, &settled.adders(), |part| found.add(part));
        assert!(summed.is_none() || found.finish().is_none());
    }
}
