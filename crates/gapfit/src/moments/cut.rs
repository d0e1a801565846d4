//! Sums of rows of which some cells are cut, before it is known where.
//!
//! A cell that is cut is one number, the bound `q`, in every row. So the sums of such rows follow from those without
//! the cell: with `v` the other cells (1, features, targets), `Σ q v = q Σ v` and `Σ q² = q² Σ 1`.

use super::Frame;
use super::numbering::Numbering;
use super::triangles::Triangles;
use crate::data::{Observed, WORD};

/// The sums of rows by which of their cells are cut; these count as missing.
#[derive(Debug)]
pub(super) struct CutSums {
    n_features: usize,
    /// Numbers of sets of cells that are cut: words of those below their column's range, then of those above it.
    cuts: Numbering,
    sums: Vec<Option<Triangles>>,
}

/// The number of no cells at all.
pub(super) const NO_CUTS: usize = 0;

impl CutSums {
    /// Of no rows.
    pub(super) fn new(n_features: usize) -> Self {
        let words = 2 * n_features.div_ceil(WORD);
        let mut none = Self {
            n_features,
            cuts: Numbering::new(words * WORD),
            sums: Vec::new(),
        };
        none.number(&vec![0; words]); // the first number
        none
    }

    /// The number of a set of cells.
    pub(super) fn number(&mut self, cuts: &[u64]) -> usize {
        self.cuts.find(cuts).unwrap_or_else(|| {
            self.sums.push(None);
            self.cuts.add(cuts)
        })
    }

    /// The cells that are cut below and above.
    pub(super) fn ends(&self, number: usize) -> [Observed<'_>; 2] {
        let bits = self.cuts.mask(number);
        let (low, high) = bits.split_at(bits.len() / 2);
        [low, high].map(|words| Observed::new(words, self.n_features))
    }

    /// Whether there are sums of rows with these cells cut.
    pub(super) fn has(&self, number: usize) -> bool {
        self.sums[number].is_some()
    }

    /// Adds rows without their cells that are cut.
    pub(super) fn add(&mut self, number: usize, more: Triangles) {
        match &mut self.sums[number] {
            Some(sums) => sums.add(&more),
            none => *none = Some(more),
        }
    }

    fn each(&self) -> impl Iterator<Item = ([Observed<'_>; 2], &Triangles)> {
        let sums = self.sums.iter().enumerate();
        sums.filter_map(|(number, sums)| Some((self.ends(number), sums.as_ref()?)))
    }

    /// The number of rows.
    #[cfg(test)]
    pub(super) fn count_rows(&self) -> usize {
        self.each().map(|(_, sums)| sums.n_rows()).sum()
    }

    /// Counts the rows in which each feature is observed, cut or not.
    pub(super) fn count(&self, counts: &mut [usize]) {
        for (cuts, sums) in self.each() {
            let n_rows = sums.n_rows();
            let others = sums.observed_counts();
            for (j, (count, others)) in counts.iter_mut().zip(others).enumerate() {
                let is_cut = cuts.iter().any(|cuts| cuts.contains(j));
                *count += others + if is_cut { n_rows } else { 0 };
            }
        }
    }

    /// Adds the rows to others in the same units, with their cells cut at the ends of the frame.
    pub(super) fn add_to(&self, all: &mut Triangles, frame: &Frame) {
        for (cuts, sums) in self.each() {
            for number in 0..sums.counts.len() {
                add_cut(all, (sums, number), cuts, frame);
            }
        }
    }
}

/// Adds the rows of one mask, to which the cells that are cut come back.
fn add_cut(
    all: &mut Triangles,
    (sums, number): (&Triangles, usize),
    [low, high]: [Observed<'_>; 2],
    frame: &Frame,
) {
    let rest = Observed::new(sums.masks.mask(number), frame.columns.len());
    let ends = low.words().iter().zip(high.words());
    let words = rest.words().iter().zip(ends);
    let mask = words.map(|(rest, (l, h))| rest | l | h);
    let mask: Vec<u64> = mask.collect();
    // Each cell is a number times one of those that are summed, of which the first is 1.
    let (mut cells, mut place) = (vec![(1.0, 0)], 0);
    for (j, unit) in frame.columns.iter().enumerate() {
        if rest.contains(j) {
            place += 1;
            cells.push((1.0, place));
        } else if low.contains(j) {
            cells.push((unit.hold(unit.lower), 0));
        } else if high.contains(j) {
            cells.push((unit.hold(unit.upper), 0));
        }
    }
    cells.extend((1..=frame.targets.len()).map(|t| (1.0, place + t)));
    let order = place + 1 + frame.targets.len();
    let triangle = &sums.sums[sums.range(number)];
    let sum = |a: usize, b: usize| {
        let (a, b) = (a.min(b), a.max(b));
        triangle[a * order + b - a * (a + 1) / 2]
    };
    let product = |(x, a): (f64, usize), (y, b): (f64, usize)| x * y * sum(a, b);
    let products = cells.iter().enumerate();
    let products = products.flat_map(|(i, &a)| cells[i..].iter().map(move |&b| (a, b)));
    let products = products.map(|(a, b)| product(a, b));
    all.add_rows(&mask, sums.counts[number], products);
}
