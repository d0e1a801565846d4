//! The cells near the ends of columns, among which the clipping bounds are.

use super::rank::rank;
use super::screen::Screen;
use super::slab::{AHEAD, padded};
use super::{Rows, Slab, screen};
use crate::data::WORD;
use crate::linalg::{LANES, Loop, Simd, bits_of, cells_of_bits, prefetch, vectorised};
use rayon::prelude::*;

/// Cells at or beyond the screens of their columns.
#[derive(Debug)]
pub(super) struct Tails {
    /// For each column those at the lower end, and the negatives of those at the upper one, so that both ends look alike.
    pub(super) cells: Vec<[Vec<f64>; 2]>,
    /// For each column, and up to whole vectors, the cells that are observed.
    counts: Vec<f64>,
}

impl Tails {
    /// None yet, of columns with so many other cells.
    pub(super) fn new(counts: &[usize]) -> Self {
        let mut counts: Vec<f64> = counts.iter().map(|&n| n as f64).collect();
        let cells = vec![Default::default(); counts.len()];
        counts.resize(cells.len().next_multiple_of(LANES), 0.0);
        Self { cells, counts }
    }

    /// Looks at some rows.
    pub(super) fn look(&mut self, slab: &Slab<'_>, screens: &[Screen]) {
        vectorised(Look {
            tails: self,
            slab,
            screens,
        });
    }

    /// The observed cells of a column.
    pub(super) fn count(&self, column: usize) -> usize {
        self.counts[column] as usize
    }

    /// Appends what others found in the same columns.
    fn append(&mut self, others: Self) {
        let ends = self.cells.iter_mut().flatten();
        let ends = ends.zip(others.cells.iter().flatten());
        ends.for_each(|(all, more)| all.extend_from_slice(more));
        let counts = self.counts.iter_mut().zip(others.counts);
        counts.for_each(|(all, more)| *all += more);
    }
}

struct Look<'a, 'b> {
    tails: &'a mut Tails,
    slab: &'a Slab<'b>,
    screens: &'a [Screen],
}

impl Loop for Look<'_, '_> {
    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let (slab, Tails { cells, counts }) = (self.slab, self.tails);
        let ends = Ends::new(self.screens);
        let ones = cells_of_bits(S::F64_LANES);
        let ones = &S::as_simd_f64s(&ones).0[..1 << S::F64_LANES];
        let counts = S::as_mut_simd_f64s(counts).0;
        ends.each(simd, slab, |i, v, bits, mut out| {
            let row = slab.row(i, ends.n_columns).0;
            counts[v] = simd.add_f64s(counts[v], ones[usize::from(bits) % ones.len()]);
            while out != 0 {
                let j = v * S::F64_LANES + out.trailing_zeros() as usize;
                out &= out - 1;
                let [lower, upper] = &mut cells[j];
                if row[j] <= ends.low[j] {
                    lower.push(row[j]);
                }
                if row[j] >= ends.high[j] {
                    upper.push(-row[j]);
                }
            }
        });
    }
}

/// The bits of the cells of some rows that are at or beyond the screens of their columns, whole words for each row.
pub(super) fn beyond(slab: &Slab<'_>, screens: &[Screen]) -> Vec<u64> {
    let mut bits = vec![0; slab.words.len()];
    vectorised(Beyond {
        bits: &mut bits,
        slab,
        screens,
    });
    bits
}

struct Beyond<'a, 'b> {
    bits: &'a mut [u64],
    slab: &'a Slab<'b>,
    screens: &'a [Screen],
}

impl Loop for Beyond<'_, '_> {
    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let per_row = self.screens.len().div_ceil(WORD);
        Ends::new(self.screens).each(simd, self.slab, |i, v, _, out| {
            let start = v * S::F64_LANES;
            self.bits[i * per_row + start / WORD] |= u64::from(out) << (start % WORD);
        });
    }
}

/// The ends of columns, and nothing beyond where there are no more columns, up to whole vectors.
struct Ends {
    n_columns: usize,
    low: Vec<f64>,
    high: Vec<f64>,
}

impl Ends {
    fn new(screens: &[Screen]) -> Self {
        let stride = screens.len().next_multiple_of(LANES);
        let end = |of: fn(&Screen) -> f64| -> Vec<f64> {
            let nowhere = std::iter::repeat(&Screen::NOWHERE);
            screens.iter().chain(nowhere).map(of).take(stride).collect()
        };
        Self {
            n_columns: screens.len(),
            low: end(|screen| screen.low),
            high: end(|screen| screen.high),
        }
    }

    /// Calls `visit` for each vector of each row with their numbers, the bits of the observed cells, and of those among them that are at or
    /// beyond an end.
    #[inline(always)]
    fn each<S: Simd>(&self, simd: S, slab: &Slab<'_>, mut visit: impl FnMut(usize, usize, u8, u8)) {
        let (lows, highs) = (S::as_simd_f64s(&self.low).0, S::as_simd_f64s(&self.high).0);
        let vectors = self.n_columns.div_ceil(S::F64_LANES);
        let lanes = u8::MAX >> (u8::BITS as usize - S::F64_LANES);
        let mut last = vec![0.0; self.low.len()];
        for i in 0..slab.n_rows() {
            let first = i * self.n_columns;
            let ahead = first + AHEAD;
            prefetch(slab.values, ahead..ahead + self.n_columns);
            let row = padded(&slab.values[first..], &mut last);
            let words = slab.row(i, self.n_columns).1;
            let cells = S::as_simd_f64s(row).0.iter().zip(lows).zip(highs);
            for (v, ((&x, &low), &high)) in cells.enumerate().take(vectors) {
                let start = v * S::F64_LANES;
                let bits = (words[start / WORD] >> (start % WORD)) as u8 & lanes;
                let is_out = simd.or_m64s(
                    simd.less_than_or_equal_f64s(x, low),
                    simd.greater_than_or_equal_f64s(x, high),
                );
                visit(i, v, bits, bits & bits_of(simd, is_out));
            }
        }
    }
}

/// Rows that say where to look.
const SAMPLE: usize = 1 << 12;

/// Rows per parallel task.
const CHUNK: usize = 1 << 15;

/// The share of the cells that may be in tails: those of all columns are held at once, where gathering cells holds a few columns.
const SHARE: f64 = 0.05;

/// Whether the tails that are looked at for quantiles at `clip` are a small share of all cells.
pub(super) fn are_small(clip: f64) -> bool {
    2.0 * screen::sample_rank(clip, SAMPLE as f64) <= SHARE * SAMPLE as f64
}

/// The quantiles at `clip` and its mirror image of columns in which they can be found by their tails; rows have no weights.
pub(super) fn quantiles(rows: &Rows<'_>, clip: f64) -> Vec<Option<(f64, f64)>> {
    let n_features = rows.data().n_features();
    let sample = screen::spread(SAMPLE, rows.len());
    let row = |i: usize| {
        let row = rows.row(i);
        move |j: usize| row.get(j)
    };
    let found = screen::columns_of(&sample, 0..n_features, row).into_iter();
    let found = found.map(|cells| Screen::of(cells, clip));
    let found: Vec<Option<Screen>> = found.collect();
    let screens: Vec<Screen> = found
        .iter()
        .map(|screen| screen.unwrap_or(Screen::NOWHERE))
        .collect();
    let starts: Vec<usize> = (0..rows.len()).step_by(CHUNK).collect();
    let nothing = || Tails::new(&vec![0; n_features]);
    let tails = starts.into_par_iter().map(|start| {
        let mut tails = nothing();
        rows.each_slab(start..rows.len().min(start + CHUNK), |slab| {
            tails.look(slab, &screens);
            true
        });
        tails
    });
    let mut tails = tails.reduce(nothing, |mut all, more| {
        all.append(more);
        all
    });
    let quantiles = |(j, screen): (usize, &Option<Screen>)| {
        screen.as_ref()?;
        let place = rank(clip, tails.count(j));
        let [low, high] = &mut tails.cells[j];
        let nth = |tail: &mut [f64]| {
            (place < tail.len()).then(|| *tail.select_nth_unstable_by(place, f64::total_cmp).1)
        };
        Some((nth(low)?, -nth(high)?))
    };
    found.iter().enumerate().map(quantiles).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Dataset, MaskedMatrix};
    use crate::moments::{FIRST, Ranges};

    const N: usize = FIRST + 1000;

    /// Columns of all kinds: smooth, drifting, of two values, hardly ever observed, never observed, and more up to two words.
    fn table() -> Dataset {
        let cell = |i: usize, j: usize| {
            let x = ((i * 31 + j * 17) as f64 * 0.7).sin();
            match j {
                1 => i as f64 + x,
                2 => f64::from(x > 0.9),
                3 if !i.is_multiple_of(5000) => f64::NAN,
                4 => f64::NAN,
                _ if (i * 7 + j * 3) % 10 < 3 => f64::NAN,
                _ => x * x * x,
            }
        };
        let cells = (0..N).flat_map(|i| (0..70).map(move |j| cell(i, j)));
        let cells: Vec<f64> = cells.collect();
        let features = MaskedMatrix::from_nan(N, 70, &cells).unwrap();
        Dataset::new(features, vec![0.0; N]).unwrap()
    }

    /// By sorting all cells.
    fn sorted(rows: &Rows<'_>, j: usize, clip: f64) -> Option<(f64, f64)> {
        let cells = (0..rows.len()).filter_map(|i| rows.row(i).get(j));
        let mut cells: Vec<f64> = cells.collect();
        cells.sort_by(f64::total_cmp);
        let place = rank(clip, cells.len());
        Some((*cells.get(place)?, cells[cells.len() - 1 - place]))
    }

    #[test]
    fn quantiles_are_those_of_all_cells_and_few_columns_need_these() {
        let data = table();
        let some: Vec<usize> = (0..N).filter(|i| !i.is_multiple_of(100)).collect();
        for rows in [Rows::new(&data, None), Rows::new(&data, Some(&some))] {
            for clip in [0.002, 0.03, 0.2] {
                let expected: Vec<_> = (0..70).map(|j| sorted(&rows, j, clip)).collect();
                assert_eq!(Ranges::fit(&rows, clip).unwrap().columns, expected);
                let found = quantiles(&rows, clip);
                let both = found.iter().zip(&expected);
                assert!(
                    both.clone()
                        .all(|(found, all)| found.is_none() || found == all)
                );
                let missed: Vec<usize> = (0..70).filter(|&j| found[j].is_none()).collect();
                assert_eq!(missed, [2, 3, 4]);
            }
        }
    }

    #[test]
    fn tails_are_looked_at_where_they_are_small() {
        assert!(are_small(0.002) && are_small(0.01));
        assert!(!are_small(0.05) && !are_small(0.2));
    }
}
