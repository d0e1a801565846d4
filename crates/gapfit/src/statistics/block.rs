//! The sums of some rows, and those of them that were set aside.

use super::kept::Kept;
use super::scheme::{Place, Scheme};
use super::summed::Summed;
use crate::data::{Dataset, Portion};
use crate::error::{Error, Result};
use crate::moments::{Adders, Moments, Ranges, Rows, Source};

/// Rows whose place in cross-validation is the same.
#[derive(Clone, Debug)]
pub(super) struct Block {
    /// Of the rows that are not far out.
    pub(super) sums: Summed,
    /// Of all rows.
    pub(super) extremes: Extremes,
    /// For each column, of the rows that are not far out.
    pub(super) ties: Vec<Ties>,
    /// The rows that are far out.
    pub(super) kept: Kept,
}

/// The weight of the rows that stand at the very thresholds of a column.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Ties {
    pub(super) low: f64,
    pub(super) high: f64,
}

/// The smallest and largest value of each column; the first above the second where there is none.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Extremes(pub(super) Vec<(f64, f64)>);

/// The extremes of a column without a value.
pub(super) const NOTHING: (f64, f64) = (f64::MAX, f64::MIN);

impl Extremes {
    fn none(n_columns: usize) -> Self {
        Self(vec![NOTHING; n_columns])
    }

    fn of(rows: &Rows<'_>) -> Self {
        match Ranges::fit(rows, 0.0) {
            Ok(ranges) => {
                let columns = ranges.columns.into_iter();
                Self(columns.map(|range| range.unwrap_or(NOTHING)).collect())
            }
            Err(_) => Self::none(rows.data().n_features()), // without rows
        }
    }

    pub(super) fn widen(&mut self, other: &Self) {
        for (a, b) in self.0.iter_mut().zip(&other.0) {
            *a = (a.0.min(b.0), a.1.max(b.1));
        }
    }

    /// Of each column, where there is any.
    pub(super) fn ranges(self) -> Vec<Option<(f64, f64)>> {
        let range = |(low, high)| (low <= high).then_some((low, high));
        self.0.into_iter().map(range).collect()
    }
}

impl Block {
    /// A block without rows of tables like `blank`.
    pub(super) fn none(blank: &Dataset) -> Self {
        Self {
            sums: Summed::none(),
            extremes: Extremes::none(blank.n_features()),
            ties: vec![Ties::default(); blank.n_features()],
            kept: Kept::new(blank.clone()),
        }
    }

    /// The block of the given rows of a table, or of all of them; one of so many. The adders are those of the scheme.
    pub(super) fn of(
        data: &Dataset,
        rows: Option<&[usize]>,
        (scheme, adders): (&Scheme, &Adders<'_>),
        n_blocks: usize,
    ) -> Result<Self> {
        let all = scheme.rows(data, rows);
        let mut ties = vec![Ties::default(); data.n_features()];
        let in_one_go = scheme.is_smooth.then(|| Moments::screened(&all, adders));
        let in_one_go = in_one_go.flatten();
        let (sums, far_out) = match in_one_go {
            Some((moments, far_out)) => (Summed::ByMask(moments), far_out),
            None => {
                let (inside, far_out) = part(&all, scheme, &mut ties);
                let summed = scheme.rows(data, Some(&inside));
                let source = Source::new(&summed, &scheme.frame);
                let sums = Summed::of(source, data.n_features(), n_blocks);
                (sums.ok_or_else(too_many_masks)?, far_out)
            }
        };
        let tails = data.select(&far_out).without_texts();
        let extremes = match scheme.has_tails {
            true => between_tails(&sums, &tails, scheme),
            false => Extremes::of(&all),
        };
        Ok(Self {
            sums,
            extremes,
            ties,
            kept: Kept::new(tails),
        })
    }

    /// The block of all rows of a portion with the columns of `blank`; `None` where they cannot be looked at and summed in one go.
    pub(super) fn of_portion(
        portion: &impl Portion,
        blank: &Dataset,
        (scheme, adders): (&Scheme, &Adders<'_>),
    ) -> Option<Self> {
        if !scheme.is_smooth || blank.weights().is_some() {
            return None;
        }
        let (moments, caught, targets) = Moments::of_portion(portion, adders)?;
        let sums = Summed::ByMask(moments);
        let tails = blank.with_rows(caught, targets, None).ok()?;
        Some(Self {
            extremes: between_tails(&sums, &tails, scheme),
            ties: vec![Ties::default(); blank.n_features()],
            sums,
            kept: Kept::new(tails),
        })
    }

    /// Adds the rows of another block in the same scheme.
    pub(super) fn merge(&mut self, other: &Self) -> Result<()> {
        self.sums.merge(&other.sums);
        self.extremes.widen(&other.extremes);
        for (a, b) in self.ties.iter_mut().zip(&other.ties) {
            a.low += b.low;
            a.high += b.high;
        }
        self.kept.append(&other.kept);
        let bytes = self.kept.n_rows() * (self.ties.len() + 2) * size_of::<f64>();
        match bytes <= TAILS {
            true => Ok(()),
            false => Err(Error::Setting {
                name: "clip",
                expected: "0, or first rows with tails like those of all rows, of which up to 256 MB are kept",
                got: format!("{} rows with cells far out", self.kept.n_rows()),
            }),
        }
    }

    pub(super) fn n_rows(&self) -> usize {
        self.sums.n_rows() + self.kept.n_rows()
    }

    /// The weight of the rows that are not far out and have column `j`.
    pub(super) fn weight_of(&self, j: usize) -> f64 {
        self.sums.weight_of(j)
    }
}

/// The numbers of the rows that are not far out, and of those that are.
fn part(rows: &Rows<'_>, scheme: &Scheme, ties: &mut [Ties]) -> (Vec<usize>, Vec<usize>) {
    let (mut inside, mut far_out) = (Vec::with_capacity(rows.len()), Vec::new());
    for i in 0..rows.len() {
        let row = rows.row(i);
        match scheme.place(row) {
            Place::FarOut => far_out.push(rows.number(i)),
            Place::Inside => inside.push(rows.number(i)),
            Place::AtThreshold => {
                inside.push(rows.number(i));
                for j in row.observed().iter() {
                    let (x, tail, ties) = (row.values()[j], scheme.tails[j], &mut ties[j]);
                    ties.low += if x <= tail.low { rows.weight(i) } else { 0.0 };
                    ties.high += if x >= tail.high { rows.weight(i) } else { 0.0 };
                }
            }
        }
    }
    (inside, far_out)
}

/// The extremes of rows of which those far out are known; the others lie between the thresholds, which stand for
/// them where nothing is further out.
fn between_tails(sums: &Summed, tails: &Dataset, scheme: &Scheme) -> Extremes {
    let mut extremes = Extremes::of(&scheme.rows(tails, None));
    let columns = scheme.tails.iter().enumerate();
    for (j, tail) in columns.filter(|(j, _)| sums.observes(*j)) {
        let range = &mut extremes.0[j];
        *range = (range.0.min(tail.low), range.1.max(tail.high));
    }
    extremes
}

/// Bytes of rows that a block may set aside.
const TAILS: usize = 256 << 20;

pub(super) fn too_many_masks() -> Error {
    Error::Setting {
        name: "statistics",
        expected: "few enough patterns of holes for sums by pattern (256 MB of them), or columns for sums over all patterns (1 GB)",
        got: "more: such a table is fitted from its rows".to_owned(),
    }
}
