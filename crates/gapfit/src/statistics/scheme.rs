//! The units that all parts of a table are summed in, and from where on cells count as far out.

use super::block::Block;
use crate::data::{Dataset, MaskedRow, WORD};
use crate::error::{Error, Result};
use crate::hash::mixed;
use crate::moments::{Frame, Moments, Ranges, Rows, Screen, Source, Unit, reach};
use rayon::prelude::*;

/// Settled from the first rows, then the same for all that follow.
#[derive(Clone, Debug)]
pub(super) struct Scheme {
    pub(super) frame: Frame,
    pub(super) tails: Vec<Tail>,
    /// What weights are multiplied by; a power of two.
    pub(super) weight_unit: f64,
    /// Whether some cells may be far out.
    pub(super) has_tails: bool,
    /// Whether every column has thresholds, and they are no values that many rows have: then rows can be
    /// looked at and summed in one go.
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
        let n = sample.len();
        match ends(&mut sample, n / 8, need).or_else(|| ends(&mut sample, n, need)) {
            Some((low, high)) => {
                let inside = sample.iter().filter(|(x, _)| low < *x && *x < high);
                let is_smooth = inside.count() * 10 > sample.len() * 9;
                (Self { low, high }, is_smooth)
            }
            None => (Self::ALL, false),
        }
    }
}

/// Up to where from either end of a sample there is a weight of `need`, if `n` cells from there have as much: only these
/// are sorted.
fn ends(sample: &mut [(f64, f64)], n: usize, need: f64) -> Option<(f64, f64)> {
    let ascending = |a: &(f64, f64), b: &(f64, f64)| a.0.total_cmp(&b.0);
    let others = sample.len() - n;
    if n > 0 && others > 0 {
        sample.select_nth_unstable_by(n, ascending);
    }
    sample[..n].sort_unstable_by(ascending);
    let low = reach(sample[..n].iter(), need)?;
    if n > 0 && others > 0 {
        sample.select_nth_unstable_by(others, ascending);
    }
    sample[others..].sort_unstable_by(ascending);
    let high = reach(sample[others..].iter().rev(), need)?;
    Some((low, high))
}

/// Rows that thresholds are settled by, at most.
const SAMPLE: usize = 1 << 14;

/// Where a row stands.
pub(super) enum Place {
    Inside,
    /// Inside, with a cell at the very threshold.
    AtThreshold,
    FarOut,
}

impl Scheme {
    /// Settles units and thresholds; tails are told apart unless `clip` is 0.
    pub(super) fn of(rows: &Dataset, clip: f64) -> Result<Self> {
        let counted = Rows::new(rows, None);
        let n = counted.len().min(SAMPLE);
        // one of each run, at random: a fixed step could fall in with a rhythm of the rows
        let start = |s: usize| s * counted.len() / n;
        let sample =
            (0..n).map(|s| start(s) + mixed(s as u64) as usize % (start(s + 1) - start(s)));
        let sample: Vec<usize> = sample.collect();
        let cells = |j: usize| {
            let cell = |&i: &usize| Some((counted.row(i).get(j)?, counted.weight(i)));
            sample.iter().filter_map(cell).collect()
        };
        let tail = |j: usize| match clip > 0.0 {
            true => Tail::of(cells(j), clip),
            false => (Tail::NONE, false),
        };
        let columns = (0..rows.n_features()).into_par_iter();
        let (tails, smooth): (Vec<Tail>, Vec<bool>) = columns.map(tail).unzip();
        let is_smooth = smooth.iter().all(|is_smooth| *is_smooth);
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
            let mut out = 0u64;
            for (bit, (tail, x)) in tails.iter().zip(values).enumerate() {
                out |= u64::from((*x <= tail.low) | (*x >= tail.high)) << bit;
            }
            out &= word;
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
    pub(super) fn sum_tails(&self, tails: &Dataset, frame: &Frame) -> Moments {
        Source::all_kept(&self.rows(tails, None), frame)
    }

    /// The extremes of the columns of some blocks, or where they are clipped.
    pub(super) fn ranges(&self, blocks: &[&Block], clip: f64) -> Result<Ranges> {
        let mut extremes = blocks[0].extremes.clone();
        let others = blocks[1..].iter();
        others.for_each(|block| extremes.widen(&block.extremes));
        let mut columns = extremes.ranges();
        if clip > 0.0 {
            columns
                .par_iter_mut()
                .enumerate()
                .try_for_each(|(j, range)| {
                    *range = range.map(|_| self.quantiles(blocks, j, clip)).transpose()?;
                    Ok::<(), Error>(())
                })?;
        }
        let of_unit = |unit: &Unit| (unit.release(-1.0), unit.release(1.0));
        Ok(Ranges {
            columns,
            targets: self.frame.targets.iter().map(of_unit).collect(),
        })
    }

    /// The quantiles of column `j` at `clip` and its mirror image.
    fn quantiles(&self, blocks: &[&Block], j: usize, clip: f64) -> Result<(f64, f64)> {
        let Tail { low, high } = self.tails[j];
        let (mut below, mut above, mut weight) = (Vec::new(), Vec::new(), 0.0);
        for block in blocks {
            weight += block.weight_of(j);
            below.push((low, block.ties[j].low));
            above.push((high, block.ties[j].high));
            let tails = self.rows(&block.tails, None);
            for i in 0..tails.len() {
                if let Some(x) = tails.row(i).get(j) {
                    weight += tails.weight(i);
                    below.extend((x <= low).then(|| (x, tails.weight(i))));
                    above.extend((x >= high).then(|| (x, tails.weight(i))));
                }
            }
        }
        below.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
        above.sort_unstable_by(|a, b| b.0.total_cmp(&a.0));
        let need = clip * weight;
        match (reach(below.iter(), need), reach(above.iter(), need)) {
            (Some(low), Some(high)) => Ok((low, high)),
            _ => Err(Error::Setting {
                name: "clip",
                expected: "a quantile for which rows were kept, or 0 (the tails of the first rows and of all rows must be alike)",
                got: format!("{clip}, beyond what was kept of feature {j}"),
            }),
        }
    }
}
