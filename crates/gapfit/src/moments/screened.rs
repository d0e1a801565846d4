//! The sums of rows and those that are set aside, while they come.
//!
//! Rows that are set aside would be a share of all rows, however many these are. So now and then they are looked at again: by then the
//! clipping bounds are known better ([`Band`]), and most rows turn out to have no cell near one. They are summed, with zeros for the
//! cells that will be cut, which come back in the end ([`CutSums`], docs/math.md 5.7). What stays are rows with a cell in a band, about as many
//! as the square root of all.

use super::adder::{Adder, PART, PER_MASK, Part};
use super::aside::Aside;
use super::band::{Band, Side};
use super::cut::{Cut, CutSums};
use super::screen::Screen;
use super::tails::{self, Tails};
use super::{Adders, Frame, Moments, Ranges, Settled};
use crate::data::{Observed, WORD};

/// Cells of rows that are set aside before these are looked at again, besides as many as stayed the last time: 4 MB.
const PILE: usize = 1 << 19;

/// Rows that are summed at once when they are looked at again.
const AT_ONCE: usize = 1 << 12;

/// What one pass over rows finds.
pub(crate) struct Screened<'a> {
    settled: &'a Settled,
    adders: &'a Adders<'a>,
    clip: f64,
    found: Part,
    /// For each column the lower end and the upper one.
    bands: Vec<[Band; 2]>,
    cut: CutSums,
    /// Rows that may be set aside, and those that stayed the last time.
    pile: usize,
    n_stayed: usize,
    /// Scratch: the cells of a row that are cut, and the row in units without them.
    cuts: Vec<Cut>,
    row: Vec<f64>,
}

impl<'a> Screened<'a> {
    pub(crate) fn new(settled: &'a Settled, adders: &'a Adders<'a>, clip: f64) -> Self {
        let bands = settled.screens.iter();
        let bands = bands.map(|screen| [screen.low, -screen.high].map(Band::up_to));
        Self {
            settled,
            adders,
            clip,
            found: Part::none(&settled.frame),
            bands: bands.collect(),
            cut: CutSums::default(),
            pile: PILE / settled.screens.len().max(1),
            n_stayed: 0,
            cuts: Vec::new(),
            row: Vec::new(),
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
        let aside = std::mem::take(&mut self.found.aside);
        let adders = self.adders;
        adders.lend_for(&frame, |adder| {
            let mut n_rows = 0;
            for piece in aside {
                if n_rows + piece.len() > PART {
                    self.found.add(adder.part()?);
                    n_rows = 0;
                }
                n_rows += piece.len();
                adder.add_slab(&piece.slab(&piece.targets()));
            }
            self.found.add(adder.part()?);
            Some(())
        })?;
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
        let mut tails = self.tails()?;
        let range = |(j, bands): (usize, &[Band; 2])| {
            let n = tails.count(j);
            let [low, high] = &mut tails.cells[j];
            let low = bands[0].bound(low, self.clip, n)?;
            let high = bands[1].bound(high, self.clip, n)?;
            Some(Some((low, -high)))
        };
        self.bands.iter().enumerate().map(range).collect()
    }

    /// The cells up to the ends of the bands that are not gone; `None` where one is infinite: it is far out, and no table has one.
    fn tails(&self) -> Option<Tails> {
        let mut tails = Tails::new(&self.found.sums.observed_counts());
        for piece in &self.found.aside {
            tails.look(&piece.slab(&piece.targets()), &self.settled.screens);
        }
        let mut cells = tails.cells.iter().flatten().flatten();
        cells.all(|x| x.is_finite()).then_some(tails)
    }

    /// Looks again at the rows that were set aside, and sums those that can be summed by now.
    fn sift(&mut self) -> Option<()> {
        self.narrow()?;
        let frame = &self.settled.frame;
        let adders = self.adders;
        let sums = adders.lend_for(frame, |adder| {
            let mut rows = Aside::new(frame.columns.len(), frame.targets.len());
            let mut stay: Vec<Aside> = Vec::new();
            for mut piece in std::mem::take(&mut self.found.aside) {
                let staying = self.sum_sure(&piece, &mut rows, adder);
                match stay.last_mut() {
                    Some(last) if last.has_room_for(staying.len()) => {
                        let targets = piece.targets();
                        let slab = piece.slab(&targets);
                        staying.iter().for_each(|&i| last.push(&slab, i));
                    }
                    _ => {
                        piece.keep(&staying);
                        stay.push(piece);
                    }
                }
            }
            adder.add_slab(&rows.slab(&rows.targets()));
            self.found.aside = stay;
            adder.part()
        })?;
        self.found.sums.add(&sums.sums);
        self.n_stayed = self.n_aside();
        Some(())
    }

    /// Sums the rows of which it is sure what becomes of their cells, the last ones when `rows` are added; which are the others.
    fn sum_sure(&mut self, piece: &Aside, rows: &mut Aside, adder: &mut Adder<'_>) -> Vec<usize> {
        let targets = piece.targets();
        let slab = piece.slab(&targets);
        let insides = self.bands.iter().map(|[low, high]| Screen {
            low: low.inside,
            high: -high.inside,
        });
        let per_row = self.bands.len().div_ceil(WORD);
        let bits = tails::beyond(&slab, &insides.collect::<Vec<_>>());
        let mut others = Vec::new();
        for i in 0..slab.n_rows() {
            let (values, words) = slab.row(i, self.bands.len());
            if !self.judge(values, &bits[i * per_row..][..per_row]) {
                others.push(i);
                continue;
            }
            rows.push(&slab, i);
            self.cut_last(rows, words);
            if rows.len() == AT_ONCE {
                adder.add_slab(&rows.slab(&rows.targets()));
                rows.clear();
            }
        }
        others
    }

    /// Makes the bands as narrow as the rows so far allow.
    fn narrow(&mut self) -> Option<()> {
        let mut tails = self.tails()?;
        for (j, bands) in self.bands.iter_mut().enumerate() {
            let n = tails.count(j);
            for (tail, band) in tails.cells[j].iter_mut().zip(bands) {
                band.narrow(tail, self.clip, n)?;
            }
        }
        Some(())
    }

    /// Whether it is sure which cells of a row will be cut, among those of these bits; these are written down.
    fn judge(&mut self, values: &[f64], bits: &[u64]) -> bool {
        self.cuts.clear();
        for j in Observed::new(bits, self.bands.len()).iter() {
            let [low, high] = &self.bands[j];
            match (low.side(values[j]), high.side(-values[j])) {
                (Side::Inside, Side::Inside) => {}
                (Side::Cut, Side::Inside) => self.cuts.push(Cut::lower(j)),
                (Side::Inside, Side::Cut) => self.cuts.push(Cut::upper(j)),
                _ => return false,
            }
        }
        true
    }

    /// Makes zeros in units of the cells of the last row that will be cut, and keeps what it takes to put them in.
    fn cut_last(&mut self, rows: &mut Aside, mask: &[u64]) {
        if self.cuts.is_empty() {
            return;
        }
        let frame = &self.settled.frame;
        for cut in &self.cuts {
            rows.replace(cut.column(), frame.columns[cut.column()].shift);
            self.bands[cut.column()][cut.end()].n_cut += 1;
        }
        rows.hold_last(frame, &mut self.row);
        let mask = self.found.sums.number(mask);
        self.cut.add(mask, &self.cuts, &self.row);
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
        let row = |i: usize| {
            let row = rows.row(i);
            move |j: usize| row.get(j)
        };
        Settled::of(CLIP, (3, 1), row, |i, _| rows.target(i)).unwrap()
    }

    fn screened<'a>(settled: &'a Settled, adders: &'a Adders<'a>) -> Screened<'a> {
        Screened {
            pile: 1 << 14,
            ..Screened::new(settled, adders, CLIP)
        }
    }

    #[test]
    fn few_rows_stay_and_the_sums_are_those_of_two_passes() {
        let data = table(900_000, 0.0);
        let rows = Rows::new(&data, None);
        let settled = settled(&rows);
        let adders = settled.adders();
        let mut found = screened(&settled, &adders);
        let (mut n_caught, mut most) = (0, 0);
        sum::each_part(&rows, &adders, |part| {
            n_caught += part.aside.iter().map(Aside::len).sum::<usize>();
            found.add(part)?;
            most = most.max(found.n_aside());
            Some(())
        })
        .unwrap();
        assert!(n_caught > 50_000 && most < 30_000, "{n_caught} {most}");
        let bands = found.bands.iter().flatten();
        let n_cut: usize = bands.map(|band| band.n_cut).sum();
        assert!(n_cut > 60_000, "{n_cut}"); // of three columns, so in more than 20 000 rows
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
    fn rows_stay_only_for_a_cell_in_a_band_and_sums_of_cells_have_an_end() {
        let data = table(900_000, 0.0);
        let rows = Rows::new(&data, None);
        let settled = settled(&rows);
        let adders = settled.adders();
        let mut found = screened(&settled, &adders);
        let mut lengths = Vec::new();
        sum::each_part(&rows, &adders, |part| {
            found.add(part)?;
            found.sift()?;
            lengths.push(found.cut.len());
            Some(())
        })
        .unwrap();
        assert!(found.n_aside() > 1000);
        for stayed in &found.found.aside {
            let targets = stayed.targets();
            let slab = stayed.slab(&targets);
            for i in 0..slab.n_rows() {
                let (values, words) = slab.row(i, 3);
                let is_unsure = |j: usize| {
                    let [low, high] = &found.bands[j];
                    [low.side(values[j]), high.side(-values[j])].contains(&Side::Unsure)
                };
                assert!(Observed::new(words, 3).iter().any(is_unsure));
            }
        }
        // a mask with three observed columns has 6 cells with 5 sums each, and 12 pairs of them
        let most = [(1, 2 * 3, 0), (2, 4 * 4, 4), (3, 6 * 5, 12)];
        let most: usize = [3, 3, 1]
            .iter()
            .zip(most)
            .map(|(n, m)| n * (m.1 + m.2))
            .sum();
        assert!(lengths.iter().all(|&len| len <= most), "{lengths:?}");
        assert!(lengths[1] < most, "{lengths:?}");
    }

    #[test]
    fn rows_that_drift_are_given_up() {
        let data = table(900_000, 1e-5);
        let rows = Rows::new(&data, None);
        let settled = settled(&rows);
        let adders = settled.adders();
        let mut found = screened(&settled, &adders);
        let summed = sum::each_part(&rows, &adders, |part| found.add(part));
        assert!(summed.is_none() || found.finish().is_none());
    }
}
