//! Rows that are read in passes: where they do not fit into memory and have too many masks to be summed by them.

use super::check_target;
use super::gather::check_like;
use super::label::{Labels, N_BLOCKS};
use crate::data::{Dataset, Schema};
use crate::error::{Error, Result};
use crate::moments::{Chunks, Rows, power_of_two};
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

/// Why rows could not be read.
pub type Failure = Box<dyn std::error::Error + Send + Sync>;

type Read<'a> = dyn Fn(&mut dyn FnMut(&Dataset)) -> std::result::Result<(), Failure> + Sync + 'a;

/// Rows that are read again whenever something is to be known of them: a fit takes as many passes as its base has
/// steps and a few more, and memory that does not depend on the number of rows.
///
/// It is for tables that do not fit into memory and in which nearly every row has a pattern of holes of its own;
/// [`Statistics`](crate::Statistics) of such rows would be larger than they are. Models, folds and scores are those of the rows.
///
/// ```
/// use gapfit::data::{Dataset, MaskedMatrix};
/// use gapfit::{Learner, Parameters, Passes};
///
/// let chunk = |c: usize| {
///     let cells = [c as f64, f64::NAN, 1.0, 2.0 * c as f64];
///     Dataset::new(MaskedMatrix::from_nan(2, 2, &cells)?, vec![1.0, c as f64])
/// };
/// let passes = Passes::new(|take| {
///     for c in 0..50 {
///         take(&chunk(c)?); // from a file, say
///     }
///     Ok(())
/// })?;
/// let model = Learner::default().fit(&passes, Parameters { alpha: 0.01, gamma: 1.0 })?.model;
/// assert_eq!(model.training().rows, 100);
/// # Ok::<_, gapfit::Error>(())
/// ```
pub struct Passes<'a> {
    /// A table of the same columns without rows.
    blank: Dataset,
    read: Box<Read<'a>>,
    seen: Seen,
    /// Whether a pass failed; there are none after it.
    has_failed: AtomicBool,
    failure: Mutex<Option<Error>>,
}

/// What one pass tells.
#[derive(Debug, Default)]
struct Seen {
    /// Of each block, those that count.
    n_rows: [usize; N_BLOCKS],
    /// Also those that do not count.
    n_read: usize,
    heaviest: f64,
    /// Sums of weights: of the cells that are observed, and of the rows.
    observed: f64,
    weight: f64,
    /// The bits of the features that are never missing.
    always: Vec<u64>,
    n_masks: usize,
}

impl<'a> Passes<'a> {
    /// The rows that `read` hands out, a table after the other, the same in each call; it is called here for the first
    /// time. It may be called on several threads at once.
    ///
    /// # Errors
    /// [`Error::Pass`] where it fails, [`Error::Empty`] without rows, [`Error::Setting`] for classes or several
    /// targets, or where tables have other columns than the first.
    pub fn new(
        read: impl Fn(&mut dyn FnMut(&Dataset)) -> std::result::Result<(), Failure> + Sync + 'a,
    ) -> Result<Self> {
        let (mut seen, mut blank, mut bad) = (Seen::default(), None, Ok(()));
        let is_read = read(&mut |data| {
            let blank = blank.get_or_insert_with(|| data.select(&[]).without_texts());
            let checked = check_target(data).and_then(|()| check_like(blank, data));
            match checked {
                Ok(()) => seen.add(data),
                Err(error) if bad.is_ok() => bad = Err(error),
                Err(_) => {}
            }
        });
        is_read.map_err(Error::Pass)?;
        bad?;
        let blank = blank.filter(|_| seen.weight > 0.0).ok_or(Error::Empty {
            what: "training rows",
            expected: "at least one row with positive weight",
        })?;
        Ok(Self {
            blank,
            read: Box::new(read),
            seen,
            has_failed: AtomicBool::new(false),
            failure: Mutex::default(),
        })
    }

    /// The same with the columns behind the features, which models keep.
    ///
    /// # Errors
    /// [`Error::Shape`] when the columns have another number of features.
    pub fn with_schema(mut self, schema: Schema) -> Result<Self> {
        self.blank = self.blank.with_schema(schema)?;
        Ok(self)
    }

    pub(super) fn blank(&self) -> &Dataset {
        &self.blank
    }

    pub(super) fn n_rows_of(&self, block: usize) -> usize {
        self.seen.n_rows[block]
    }

    /// The masks of each chunk, added up.
    pub(super) fn n_masks(&self) -> usize {
        self.seen.n_masks
    }

    pub(super) fn always_observed(&self) -> &[u64] {
        &self.seen.always
    }

    pub(super) fn observed_fraction(&self) -> f64 {
        let cells = self.seen.weight * self.blank.n_features() as f64;
        if cells > 0.0 {
            self.seen.observed / cells
        } else {
            1.0
        }
    }

    /// Whether no pass has failed; the first to ask is told why.
    pub(super) fn check(&self) -> Result<()> {
        if !self.has_failed.load(Ordering::SeqCst) {
            return Ok(());
        }
        let failure = self
            .failure
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        Err(failure.unwrap_or_else(|| Error::Pass("rows could not be read again".into())))
    }

    /// One pass; after a failure there is none, and whoever asked for it is to [`check`](Self::check).
    fn pass(&self, take: &mut dyn FnMut(&Dataset)) {
        if self.has_failed.load(Ordering::SeqCst) {
            return;
        }
        let (mut n_read, mut is_same) = (0, Ok(()));
        let is_read = (self.read)(&mut |data| {
            n_read += data.n_rows();
            match check_like(&self.blank, data) {
                Ok(()) => take(data),
                Err(error) => is_same = Err(error),
            }
        });
        let is_complete = match n_read == self.seen.n_read {
            true => Ok(()),
            false => Err(Error::Shape {
                what: "rows, when they were read again",
                expected: self.seen.n_read,
                got: n_read,
            }),
        };
        if let Err(error) = is_read.map_err(Error::Pass).and(is_same).and(is_complete) {
            *self.failure.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
            self.has_failed.store(true, Ordering::SeqCst);
        }
    }
}

impl fmt::Debug for Passes<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { blank, seen, .. } = self;
        let mut shown = f.debug_struct("Passes");
        shown
            .field("blank", blank)
            .field("seen", seen)
            .finish_non_exhaustive()
    }
}

impl Seen {
    /// What brings the largest weight near 1; rows without weights have that of 1 as they are.
    fn weight_unit(&self) -> f64 {
        1.0 / power_of_two(self.heaviest)
    }

    fn add(&mut self, data: &Dataset) {
        let rows = Rows::new(data, None);
        let labels = Labels::new(data);
        self.n_read += data.n_rows();
        self.n_masks += rows.n_masks();
        for i in (0..rows.len()).map(|i| rows.number(i)) {
            let (weight, words) = (data.weight(i), data.features().words(i));
            self.n_rows[labels.of(data, i)] += 1;
            self.heaviest = self.heaviest.max(weight);
            self.weight += weight;
            let observed: u32 = words.iter().map(|word| word.count_ones()).sum();
            self.observed += weight * f64::from(observed);
            if self.always.is_empty() {
                self.always = words.to_vec();
            }
            let always = self.always.iter_mut().zip(words);
            always.for_each(|(always, word)| *always &= word);
        }
    }
}

/// The rows of some blocks.
#[derive(Debug)]
pub(super) struct PickedRows<'a> {
    passes: &'a Passes<'a>,
    bits: u16,
}

impl<'a> PickedRows<'a> {
    pub(super) fn new(passes: &'a Passes<'a>, bits: u16) -> Self {
        Self { passes, bits }
    }
}

impl Chunks for PickedRows<'_> {
    fn each(&self, take: &mut dyn FnMut(&Rows<'_>)) {
        let unit = self.passes.seen.weight_unit();
        self.passes.pass(&mut |data| {
            let rows = match self.bits {
                u16::MAX => Rows::new(data, None),
                bits => {
                    let labels = Labels::new(data);
                    let is_picked = |i: &usize| bits >> labels.of(data, *i) & 1 == 1;
                    let picked: Vec<usize> = (0..data.n_rows()).filter(is_picked).collect();
                    Rows::new(data, Some(&picked))
                }
            };
            if rows.len() > 0 {
                take(&rows.in_weight_unit(unit));
            }
        });
    }
}
