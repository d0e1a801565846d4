//! Exact quantiles of rows that are read again and again: few cells are held at a time, however many there are.
//!
//! Cells are told apart by their leading bits, in an order of bits that is the order of numbers. Each pass
//! counts those in the piece of the line where the quantile lies, by their next few bits, until they
//! are so few in a piece that they can be gathered and sorted.

use super::Rows;
use super::passed::Chunks;
use super::range::{Ranges, no_rows, span};
use super::rank::ROUNDING;
use crate::error::Result;
use rayon::prelude::*;

/// Bits that are looked at in a pass.
const BITS: u32 = 12;
/// Cells that are gathered of a piece, at most.
const GATHERED: usize = 1 << 15;

impl Ranges {
    /// As [`Ranges::fit`], of rows that are read in passes.
    pub(crate) fn of_chunks(chunks: &dyn Chunks, n_features: usize, clip: f64) -> Result<Self> {
        let mut all: Option<Self> = None;
        let mut ends = vec![[End::new(0), End::new(u64::MAX)]; n_features];
        chunks.each(&mut |rows| {
            let Ok(ranges) = Self::fit(rows, 0.0) else {
                return; // none of its rows counts
            };
            match &mut all {
                None => all = Some(ranges),
                Some(all) => all.widen(&ranges),
            }
            if clip > 0.0 {
                look(&mut ends, rows);
            }
        });
        let mut all = all.ok_or_else(no_rows)?;
        if clip > 0.0 {
            settle(&mut ends, clip);
            while ends.iter().flatten().any(End::is_open) {
                chunks.each(&mut |rows| look(&mut ends, rows));
                settle(&mut ends, clip);
            }
            for (range, [low, high]) in all.columns.iter_mut().zip(&ends) {
                *range = range.and(low.found.zip(high.found));
            }
        }
        Ok(all)
    }

    fn widen(&mut self, more: &Self) {
        for (all, more) in self.columns.iter_mut().zip(&more.columns) {
            *all = span(all.iter().chain(more).flat_map(|&(low, high)| [low, high]));
        }
        for (all, more) in self.targets.iter_mut().zip(&more.targets) {
            *all = (all.0.min(more.0), all.1.max(more.1));
        }
    }
}

/// Shows the cells of some rows to both ends of each column.
fn look(ends: &mut [[End; 2]], rows: &Rows<'_>) {
    let columns = ends.par_iter_mut().enumerate();
    columns.for_each(|(j, [low, high])| {
        for i in 0..rows.len() {
            if let Some(x) = rows.row(i).get(j) {
                low.add(x, rows.weight(i));
                high.add(x, rows.weight(i));
            }
        }
    });
}

fn settle(ends: &mut [[End; 2]], clip: f64) {
    ends.iter_mut().flatten().for_each(|end| end.settle(clip));
}

/// One end of a column: where its quantile lies, as far as that is known.
#[derive(Clone, Debug)]
struct End {
    /// Turns the order around, for the upper end.
    turn: u64,
    /// The piece: keys with the leading `known` bits of `from`.
    from: u64,
    known: u32,
    /// The weight of the cells before it, and the weight that is to be reached.
    before: f64,
    need: Option<f64>,
    /// The weight and the number of the cells in the piece, by their next bits; empty where they are gathered.
    counted: Vec<(f64, usize)>,
    gathered: Vec<(u64, f64)>,
    found: Option<f64>,
}

impl End {
    fn new(turn: u64) -> Self {
        Self {
            turn,
            from: 0,
            known: 0,
            before: 0.0,
            need: None,
            counted: vec![(0.0, 0); 1 << BITS],
            gathered: Vec::new(),
            found: None,
        }
    }

    fn is_open(&self) -> bool {
        self.found.is_none()
    }

    fn add(&mut self, x: f64, weight: f64) {
        let key = key(x) ^ self.turn;
        let is_inside = (key ^ self.from).leading_zeros() >= self.known;
        if self.found.is_some() || !is_inside {
            return;
        }
        if self.counted.is_empty() {
            return self.gathered.push((key, weight));
        }
        let place = (key << self.known) >> (64 - self.bits());
        let (sum, count) = &mut self.counted[place as usize];
        *sum += weight;
        *count += 1;
    }

    /// The bits that come next.
    fn bits(&self) -> u32 {
        BITS.min(64 - self.known)
    }

    /// Makes the piece smaller by what was seen of it, or finds the quantile in it.
    fn settle(&mut self, clip: f64) {
        if self.found.is_some() {
            return;
        }
        if self.counted.is_empty() {
            self.gathered.sort_unstable_by_key(|cell| cell.0);
            let cells = std::mem::take(&mut self.gathered);
            let place = self.reach(cells.iter().map(|cell| cell.1), clip);
            let key = place.map_or(self.from, |place| cells[place].0);
            self.found = Some(number(key ^ self.turn));
            return;
        }
        let counted = std::mem::take(&mut self.counted);
        let filled: Vec<usize> = (0..counted.len()).filter(|&b| counted[b].1 > 0).collect();
        let place = self.reach(filled.iter().map(|&b| counted[b].0), clip);
        let Some(bucket) = place.map(|place| filled[place]) else {
            self.found = Some(0.0); // nothing is observed
            return;
        };
        let bits = self.bits();
        self.from |= (bucket as u64) << (64 - self.known - bits);
        self.known += bits;
        if self.known == 64 {
            self.found = Some(number(self.from ^ self.turn));
        } else if counted[bucket].1 > GATHERED {
            self.counted = vec![(0.0, 0); 1 << BITS];
        }
    }

    /// The first of these weights with which that before it reaches the quantile; the last where rounding hides it.
    fn reach(
        &mut self,
        weights: impl ExactSizeIterator<Item = f64> + Clone,
        clip: f64,
    ) -> Option<usize> {
        let last = weights.len().checked_sub(1)?;
        let all = || clip * weights.clone().sum::<f64>();
        let need = *self.need.get_or_insert_with(all) * (1.0 - ROUNDING);
        for (place, weight) in weights.enumerate() {
            if place == last || self.before + weight >= need {
                return Some(place);
            }
            self.before += weight;
        }
        None
    }
}

/// The bits of a number such that they ascend with it.
fn key(x: f64) -> u64 {
    let bits = x.to_bits();
    let sign = 1 << 63;
    if bits & sign == 0 { bits | sign } else { !bits }
}

/// The number of a key.
fn number(key: u64) -> f64 {
    let sign = 1 << 63;
    f64::from_bits(if key & sign == 0 { !key } else { key ^ sign })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Dataset, MaskedMatrix};

    /// Rows of a table, a few at a time.
    #[derive(Debug)]
    struct Few<'a>(&'a Dataset, usize);

    impl Chunks for Few<'_> {
        fn each(&self, take: &mut dyn FnMut(&Rows<'_>)) {
            let unit = Rows::new(self.0, None).weight_unit();
            let all: Vec<usize> = (0..self.0.n_rows()).collect();
            for some in all.chunks(self.1) {
                take(&Rows::new(self.0, Some(some)).in_weight_unit(unit));
            }
        }
    }

    /// Columns with a gap, with many equal cells, with both zeros and tiny numbers, and with nothing observed.
    fn table(n: usize) -> Dataset {
        let mut cells = Vec::with_capacity(4 * n);
        for i in 0..n {
            let u = (i * 7919 % n) as f64 / n as f64;
            let tiny = [-0.0, 0.0, 1e-300, -1e-300, u - 0.5][i % 5];
            let first = if i % 3 == 0 {
                f64::NAN
            } else {
                (u - 0.5).tan()
            };
            cells.extend([first, (10.0 * u).floor(), tiny, f64::NAN]);
        }
        let target = (0..n).map(|i| i as f64).collect();
        Dataset::new(MaskedMatrix::from_nan(n, 4, &cells).unwrap(), target).unwrap()
    }

    #[test]
    fn quantiles_of_passes_are_those_of_all_rows() {
        for n in [1, 2, 1000, 150_000] {
            let data = table(n);
            let weights = (0..n).map(|i| [1.0, 0.3, 0.0, 2.5][i % 4]).collect();
            let weighted = data.clone().with_weights(weights).unwrap();
            for data in [data, weighted] {
                let rows = Rows::new(&data, None);
                for clip in [0.0, 0.002, 0.1, 0.49] {
                    let passed = Ranges::of_chunks(&Few(&data, 7 + n / 3), 4, clip).unwrap();
                    assert_eq!(passed, Ranges::fit(&rows, clip).unwrap(), "{n} {clip}");
                }
            }
        }
    }

    #[test]
    fn keys_ascend_with_their_numbers() {
        let numbers = [f64::MIN, -1.0, -1e-310, -0.0, 0.0, 1e-310, 1.0, f64::MAX];
        assert!(numbers.windows(2).all(|pair| key(pair[0]) < key(pair[1])));
        assert!(
            numbers
                .iter()
                .all(|x| number(key(*x)).to_bits() == x.to_bits())
        );
    }
}
