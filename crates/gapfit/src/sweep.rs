//! Rows that are read once, for one fit: summed as they come, never gathered into a table.
//!
//! The sums are those of the same rows in a table, to the bit ([`Reading`]). One pass is not always enough:
//! where it is not, there is no sweep, and the rows go into a table.

mod array;

use crate::ahead::in_order;
use crate::data::{Dataset, MaskedMatrix, Portion, Schema, WORD};
use crate::moments::{Adders, FIRST, Reading, Screened, Settled, Source, Totals, visit_like};

/// What one fit needs of rows, which are gone.
///
/// ```
/// use gapfit::data::{Dataset, MaskedMatrix};
/// use gapfit::{Learner, Parameters, Sweep};
/// use std::ops::ControlFlow;
///
/// let n = 40_000;
/// let cells: Vec<f64> = (0..n).map(|i| if i % 5 == 0 { f64::NAN } else { (i as f64).sin() }).collect();
/// let target: Vec<f64> = (0..n).map(|i| (i as f64).sin() + 1.0).collect();
/// let parameters = Parameters { alpha: 0.01, gamma: 1.0 };
///
/// let blank = Dataset::new(MaskedMatrix::new(1), vec![])?;
/// let go_on = |_, _| ControlFlow::Continue(());
/// let sweep = Sweep::of_array(&blank, 0.002, &cells, &target, &go_on)?.expect("rows enough, and alike");
/// let swept = Learner::default().fit_sweep(&sweep, parameters)?;
///
/// let data = Dataset::new(MaskedMatrix::from_nan(n, 1, &cells)?, target)?;
/// let fitted = Learner::default().fit(&data, parameters)?;
/// assert_eq!(swept.model.to_bytes(), fitted.model.to_bytes());
/// # Ok::<_, gapfit::Error>(())
/// ```
#[derive(Debug)]
pub struct Sweep {
    /// The columns, with a row for each mask.
    pub(crate) outline: Dataset,
    /// The quantile that cells are cut at.
    pub(crate) clip: f64,
    pub(crate) reading: Reading<'static>,
}

impl Sweep {
    /// Rows in portions of this many; the last may have fewer.
    pub const PORTION: usize = crate::moments::PART;

    /// The rows of many portions, of a table with the columns of `blank`, cut at the quantile `clip`. Each is summed on other
    /// threads while the next is found. `None` where one pass over the rows is not enough: they are few, have
    /// too many patterns of holes or so many cells that one is often in a tail (about 31 of them at a `clip` of 0.002), or those that come
    /// first say too little about the others. Also `None` where portions have another number of columns.
    ///
    /// # Errors
    /// The first of `portions`.
    pub fn gather<P: Portion, E>(
        blank: &Dataset,
        clip: f64,
        portions: impl IntoIterator<Item = Result<P, E>>,
    ) -> Result<Option<Self>, E> {
        let mut portions = portions.into_iter();
        let Some(first) = portions.next().transpose()? else {
            return Ok(None);
        };
        let Some(settled) = settle(blank, clip, &first) else {
            return Ok(None);
        };
        let portions = std::iter::once(Ok(first)).chain(portions);
        let adders = settled.adders();
        let mut found = Screened::new(&settled, &adders, clip);
        let is_summed = sum(&adders, portions, &mut found)?;
        let found = is_summed.then_some(found);
        Ok(found.and_then(|found| Self::finish(blank, clip, found)))
    }

    fn finish(blank: &Dataset, clip: f64, found: Screened<'_>) -> Option<Self> {
        let (ranges, frame, moments) = found.finish()?;
        Some(Self {
            outline: blank.outlined(moments.each().map(|(mask, _)| mask)),
            clip,
            reading: Reading::of_sums(ranges, frame, Source::Kept(moments)),
        })
    }

    /// The same with the columns behind the features, which models keep.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) when the columns have another number of features.
    pub fn with_schema(mut self, schema: Schema) -> crate::Result<Self> {
        self.outline = self.outline.with_schema(schema)?;
        Ok(self)
    }

    /// The number of rows.
    pub fn n_rows(&self) -> usize {
        self.totals().n_rows
    }

    /// The share of the cells that are observed; 1 without cells.
    pub fn observed_fraction(&self) -> f64 {
        self.totals().observed_fraction()
    }

    fn totals(&self) -> Totals {
        self.reading.source.totals(self.outline.n_features())
    }
}

/// Units and thresholds, from the first rows.
fn settle(blank: &Dataset, clip: f64, first: &impl Portion) -> Option<Settled> {
    if clip <= 0.0 || first.n_rows() < FIRST {
        return None;
    }
    let (width, per_row) = (blank.n_features(), blank.n_features().div_ceil(WORD));
    let (mut values, mut words, mut targets) = (Vec::new(), Vec::new(), Vec::new());
    let is_like = visit_like(first, width, |rows, target| {
        let n = target.len().min(FIRST - targets.len());
        values.extend_from_slice(&rows.values[..n * width]);
        words.extend_from_slice(&rows.words[..n * per_row]);
        targets.extend_from_slice(&target[..n]);
    });
    if !is_like {
        return None;
    }
    let rows = MaskedMatrix::from_bits(targets.len(), width, values, words);
    let rows = &rows;
    let row = |i: usize| {
        let row = rows.row(i);
        move |j: usize| row.get(j)
    };
    Settled::of(clip, (width, 1), row, |i, _| targets[i])
}

/// Why there are no sums.
enum Stop<E> {
    Error(E),
    /// One pass is not enough.
    OnePass,
}

/// Adds up all portions; whether one pass is enough.
fn sum<P: Portion, E>(
    adders: &Adders<'_>,
    portions: impl Iterator<Item = Result<P, E>>,
    found: &mut Screened<'_>,
) -> Result<bool, E> {
    let part = |portion: P| adders.part(&portion);
    let added = in_order(portions.map(|p| p.map_err(Stop::Error)), part, |part| {
        let added = part.and_then(|part| found.add(part));
        added.ok_or(Stop::OnePass)
    });
    match added {
        Ok(()) => Ok(true),
        Err(Stop::OnePass) => Ok(false),
        Err(Stop::Error(error)) => Err(error),
    }
}
