//! The units that all parts of a table are summed in, and from where on cells count as far out.

use super::block::Block;
use super::kept::Kept;
use crate::data::{Dataset, MaskedRow, WORD};
use crate::error::{Error, Result};
use crate::linalg::{Loop, Simd, vectorised};
use crate::moments::{
    Frame, Moments, ROUNDING, Ranges, Rows, Screen, Source, Unit, columns_of, spread,
};
use rayon::prelude::*;
use std::cmp::Ordering;
use std::ops::Range;

/// Settled from the first rows, then the same for all that follow.
#[derive(Clone, Debug)]
pub(super) struct Scheme {
    pub(super) frame: Frame,
    pub(super) tails: Vec<Tail>,
    /// What weights are multiplied by; a power of two.
    pub(super) weight_unit: f64,
    /// Whether some cells may be far out.
    pub(super) has_tails: bool,
    /// Whether cells may be far out, every column has thresholds, and they are no values that many rows have: then rows
    /// can be looked at and summed in one go.
    pub(super) is_smooth: bool,
}

/// Cells of a column below `low` or above `high` are far out.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Tail {
    pub(super) low: f64,
    pub(super) high: f64,
}

impl Tail {
    /// No cell is far out.
    pub(super) const NONE: Self = Self {
        low: f64::MIN,
        high: f64::MAX,
    };
    /// Every cell is.
    pub(super) const ALL: Self = Self {
        low: f64::MAX,
        high: f64::MIN,
    };

    /// Four standard deviations more than the tail that clipping looks for, so that a sample rarely misleads;
    /// every cell of a column that is too rarely observed to judge. Also whether nearly all of the sample, which
    /// has values and weights, lies between the thresholds.
    fn of(mut sample: Vec<(f64, f64)>, clip: f64) -> (Self, bool) {
        let (mut weight, mut squares, mut heaviest) = (0.0, 0.0, 0.0f64);
        for (_, w) in &sample {
            weight += w;
            squares += w * w;
            heaviest = heaviest.max(*w);
        }
        let need = clip * weight + 4.0 * (clip * squares).sqrt() + 4.0 * heaviest;
        if 4.0 * need >= weight {
            return (Self::ALL, false);
        }
        let low = first_to_reach(&mut sample, need, |a, b| a.0.total_cmp(&b.0));
        let high = first_to_reach(&mut sample, need, |a, b| b.0.total_cmp(&a.0));
        match (low, high) {
            (Some(low), Some(high)) => {
                let inside = sample.iter().filter(|(x, _)| low < *x && *x < high);
                let is_smooth = inside.count() * 10 > sample.len() * 9;
                (Self { low, high }, is_smooth)
            }
            _ => (Self::ALL, false),
        }
    }

    /// For each of up to a word of cells whether it is at or beyond the thresholds of its column.
    #[inline(always)]
    fn at_or_beyond(tails: &[Self], values: &[f64]) -> u64 {
        let mut out = 0;
        for (bit, (tail, x)) in tails.iter().zip(values).enumerate() {
            out |= u64::from((*x <= tail.low) | (*x >= tail.high)) << bit;
        }
        out
    }
}

/// The first value, in this order, at which the weight up to it reaches `need`; halves that it is not in are not sorted.
fn first_to_reach(
    mut cells: &mut [(f64, f64)],
    need: f64,
    order: impl Fn(&(f64, f64), &(f64, f64)) -> Ordering + Copy,
) -> Option<f64> {
    let (need, mut before) = (need * (1.0 - ROUNDING), 0.0);
    while cells.len() > SORTED {
        let middle = cells.len() / 2;
        cells.select_nth_unstable_by(middle, order);
        let (first, second) = cells.split_at_mut(middle);
        let weight = before + first.iter().map(|cell| cell.1).sum::<f64>();
        (cells, before) = match weight >= need {
            true => (first, before),
            false => (second, weight),
        };
    }
    cells.sort_unstable_by(order);
    let found = cells.iter().find(|(_, weight)| {
        before += weight;
        before >= need
    });
    found.map(|cell| cell.0)
}

/// Cells that are sorted rather than parted.
const SORTED: usize = 64;

/// Rows that thresholds are settled by: the more, the fewer rows are beyond them.
pub(super) const SAMPLE: usize = 1 << 15;

/// Columns whose cells are gathered at once: neighbours in a row share a line of the cache.
const TOGETHER: usize = 4;

/// Where a row stands.
pub(super) enum Place {
    Inside,
    /// Inside, with a cell at the very threshold.
    AtThreshold,
    FarOut,
}

impl Scheme {
    /// Settles units and thresholds, these by so many rows at most; tails are told apart unless `clip` is 0.
    pub(super) fn of(rows: &Dataset, clip: f64, at_most: usize) -> Result<Self> {
        let counted = Rows::new(rows, None);
        let n = counted.len().min(at_most);
        let sample = spread(n, counted.len());
        let row = |i: usize| {
            let (row, weight) = (counted.row(i), counted.weight(i));
            move |j: usize| Some((row.get(j)?, weight))
        };
        let n_features = rows.n_features();
        let tails = |first: usize| -> Vec<(Tail, bool)> {
            let columns = first..n_features.min(first + TOGETHER);
            match clip > 0.0 {
                true => {
                    let cells = columns_of(&sample, columns, row).into_iter();
                    cells.map(|cells| Tail::of(cells, clip)).collect()
                }
                false => vec![(Tail::NONE, false); columns.len()],
            }
        };
        let firsts: Vec<usize> = (0..n_features).step_by(TOGETHER).collect();
        let tails = firsts.into_par_iter().flat_map_iter(tails);
        let (tails, smooth): (Vec<Tail>, Vec<bool>) = tails.unzip();
        let is_smooth = clip > 0.0 && smooth.iter().all(|is_smooth| *is_smooth);
        let of_tail = |tail: &Tail| (tail.low < tail.high).then_some((tail.low, tail.high));
        let bulk = tails
            .iter()
            .map(|tail| of_tail(tail).filter(|_| clip > 0.0));
        let ranges = match is_smooth && n > 0 {
            true => Ranges {
                columns: bulk.collect(),
                targets: Ranges::of_targets(&counted),
            },
            false => {
                let extremes = Ranges::fit(&counted, 0.0)?;
                let columns = bulk.zip(extremes.columns);
                Ranges {
                    columns: columns.map(|(bulk, extremes)| bulk.or(extremes)).collect(),
                    targets: extremes.targets,
                }
            }
        };
        Ok(Self {
            frame: Frame::new(&ranges, false),
            weight_unit: counted.weight_unit(),
            tails,
            has_tails: clip > 0.0,
            is_smooth,
        })
    }

    /// What tells rows apart of which no cell is far out or at a threshold.
    pub(super) fn screens(&self) -> Vec<Screen> {
        let screen = |&Tail { low, high }: &Tail| Screen { low, high };
        self.tails.iter().map(screen).collect()
    }

    /// Where a row stands.
    pub(super) fn place(&self, row: MaskedRow<'_>) -> Place {
        let mut place = Place::Inside;
        let columns = self.tails.chunks(WORD).zip(row.values().chunks(WORD));
        for ((tails, values), word) in columns.zip(row.observed().words()) {
            let mut out = Tail::at_or_beyond(tails, values) & word;
            while out != 0 {
                let j = out.trailing_zeros() as usize;
                if values[j] < tails[j].low || values[j] > tails[j].high {
                    return Place::FarOut;
                }
                place = Place::AtThreshold;
                out &= out - 1;
            }
        }
        place
    }

    /// The rows of a table in this scheme's unit of weights.
    pub(super) fn rows<'a>(&self, data: &'a Dataset, selection: Option<&[usize]>) -> Rows<'a> {
        Rows::new(data, selection).in_weight_unit(self.weight_unit)
    }

    /// The moments of rows that were set aside.
    pub(super) fn sum_kept(&self, kept: &Kept, frame: &Frame) -> Moments {
        Source::all_kept(&self.rows(&kept.whole(), None), frame)
    }

    /// The extremes of the columns of some blocks, or where they are clipped.
    pub(super) fn ranges(&self, blocks: &[&Block], clip: f64) -> Result<Ranges> {
        let mut extremes = blocks[0].extremes.clone();
        let others = blocks[1..].iter();
        others.for_each(|block| extremes.widen(&block.extremes));
        let mut columns = extremes.ranges();
        if clip > 0.0 {
            let groups = columns.par_chunks_mut(WORD).enumerate();
            groups.try_for_each(|(g, columns)| {
                let mut ends = self.ends(blocks, g);
                let columns = columns.par_iter_mut().zip(&mut ends).enumerate();
                columns.try_for_each(|(j, (range, ends))| {
                    let quantiles = |_| ends.quantiles(clip, g * WORD + j);
                    *range = range.map(quantiles).transpose()?;
                    Ok::<(), Error>(())
                })
            })?;
        }
        let of_unit = |unit: &Unit| (unit.release(-1.0), unit.release(1.0));
        Ok(Ranges {
            columns,
            targets: self.frame.targets.iter().map(of_unit).collect(),
        })
    }

    /// The ends of the columns whose bits are in the word `g` of a mask.
    fn ends(&self, blocks: &[&Block], g: usize) -> Vec<Ends> {
        let first = g * WORD;
        let tails = &self.tails[first..self.tails.len().min(first + WORD)];
        let none = || vec![Ends::default(); tails.len()];
        let mut all = none();
        for block in blocks {
            for (j, (ends, tail)) in (first..).zip(all.iter_mut().zip(tails)) {
                ends.weight += block.weight_of(j);
                ends.below.push((tail.low, block.ties[j].low));
                ends.above.push((tail.high, block.ties[j].high));
            }
        }
        let kept = blocks.iter().flat_map(|block| block.kept.pieces());
        let kept: Vec<Rows<'_>> = kept.map(|piece| self.rows(piece, None)).collect();
        let parts = kept.iter().flat_map(|rows| {
            let starts = (0..rows.len()).step_by(AT_ONCE);
            starts.map(move |start| (rows, start..rows.len().min(start + AT_ONCE)))
        });
        let parts: Vec<(&Rows<'_>, Range<usize>)> = parts.collect();
        let of_part = |(rows, range): (&Rows<'_>, Range<usize>)| {
            let (mut found, mut weights) = (none(), vec![0.0; tails.len()]);
            vectorised(AddEnds {
                rows: (rows, range),
                columns: (g, tails),
                weights: &mut weights,
                ends: &mut found,
            });
            let both = found.iter_mut().zip(weights);
            both.for_each(|(ends, weight)| ends.weight = weight);
            found
        };
        let found: Vec<Vec<Ends>> = parts.into_par_iter().map(of_part).collect();
        for found in found {
            let both = all.iter_mut().zip(found);
            both.for_each(|(ends, more)| ends.append(more));
        }
        all
    }
}

/// Rows that are kept of which the ends are looked for together.
const AT_ONCE: usize = 1 << 14;

/// What is known of a column and decides where it is cut.
#[derive(Clone, Debug, Default)]
struct Ends {
    /// Of all its cells.
    weight: f64,
    /// Its cells at or beyond either threshold, with their weights.
    below: Vec<(f64, f64)>,
    above: Vec<(f64, f64)>,
}

impl Ends {
    /// Adds other cells of the column.
    fn append(&mut self, other: Self) {
        self.weight += other.weight;
        self.below.extend(other.below);
        self.above.extend(other.above);
    }

    /// The quantiles at `clip` and its mirror image, of column `j`.
    fn quantiles(&mut self, clip: f64, j: usize) -> Result<(f64, f64)> {
        let need = clip * self.weight;
        let low = first_to_reach(&mut self.below, need, |a, b| a.0.total_cmp(&b.0));
        let high = first_to_reach(&mut self.above, need, |a, b| b.0.total_cmp(&a.0));
        match (low, high) {
            (Some(low), Some(high)) => Ok((low, high)),
            _ => Err(Error::Setting {
                name: "clip",
                expected: "a quantile for which rows were kept, or 0 (the tails of the first rows and of all rows must be alike)",
                got: format!("{clip}, beyond what was kept of feature {j}"),
            }),
        }
    }
}

/// Adds some rows to the weights and ends of the columns whose bits are in one word of a mask.
struct AddEnds<'a> {
    rows: (&'a Rows<'a>, Range<usize>),
    /// The number of the word, and where the tails of its columns begin.
    columns: (usize, &'a [Tail]),
    weights: &'a mut [f64],
    ends: &'a mut [Ends],
}

impl Loop for AddEnds<'_> {
    #[inline(always)]
    fn run<S: Simd>(self, _: S) {
        let ((rows, range), (g, tails)) = (self.rows, self.columns);
        for i in range {
            let (values, word) = (&rows.values(i)[g * WORD..], rows.words(i)[g]);
            let weight = rows.weight(i);
            for (bit, sum) in self.weights.iter_mut().enumerate() {
                *sum += if word >> bit & 1 == 1 { weight } else { 0.0 };
            }
            let mut out = Tail::at_or_beyond(tails, values) & word;
            while out != 0 {
                let j = out.trailing_zeros() as usize;
                let (ends, tail, x) = (&mut self.ends[j], tails[j], values[j]);
                ends.below.extend((x <= tail.low).then_some((x, weight)));
                ends.above.extend((x >= tail.high).then_some((x, weight)));
                out &= out - 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parting_finds_what_sorting_finds_from_either_end() {
        let n = 10 * SORTED;
        let cells: Vec<(f64, f64)> = (0..n)
            .map(|i| ((i * 7919 % (n / 2)) as f64, 0.1 + (i % 3) as f64))
            .collect();
        for sign in [1.0, -1.0] {
            let order = |a: &(f64, f64), b: &(f64, f64)| (sign * a.0).total_cmp(&(sign * b.0));
            let mut sorted = cells.clone();
            sorted.sort_unstable_by(order);
            let weight: f64 = cells.iter().map(|cell| cell.1).sum();
            let exact: f64 = sorted[..n / 3].iter().map(|cell| cell.1).sum();
            for need in [0.0, 0.05, exact, 0.5 * weight, weight, 1.01 * weight] {
                let mut before = 0.0;
                let first = sorted.iter().find(|(_, weight)| {
                    before += weight;
                    before >= need * (1.0 - ROUNDING)
                });
                let found = first_to_reach(&mut cells.clone(), need, order);
                assert_eq!(found, first.map(|cell| cell.0), "{need}");
            }
        }
    }
}
