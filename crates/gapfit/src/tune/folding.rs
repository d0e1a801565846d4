//! How rows are parted into folds.

use super::fold::{Blocks, Fold, Folds, Order};
use super::{block, given};
use crate::data::Dataset;
use crate::error::{Error, Result};
use crate::statistics::{N_BLOCKS, block_of};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rustc_hash::{FxHashMap, FxHashSet};
use std::hash::Hash;

/// How rows are parted into those to learn from and those to be judged on.
///
/// Rows of weight zero are in no fold and change no fold.
///
/// ```
/// use gapfit::data::{Dataset, MaskedMatrix};
/// use gapfit::tune::Folding;
/// let data = Dataset::new(MaskedMatrix::from_nan(4, 1, &[1.0; 4])?, vec![0.0; 4])?;
/// let patients = Folding::grouped(&["ann", "bob", "ann", "eve"]);
/// let folds = patients.split(&data, 3, 0)?;
/// assert!(folds.iter().any(|fold| fold.held_out == [0, 2]));
///
/// let years = Folding::Timed(vec![2023.0, 2021.0, 2022.0, 2021.0]);
/// let folds = years.split(&data, 2, 0)?;
/// assert_eq!(folds.get(0).train, [1, 3]);
/// assert_eq!(folds.get(0).held_out, [2]);
/// # Ok::<_, gapfit::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Folding {
    /// Parts of equal size of the shuffled rows; of classes as [`Folding::Stratified`].
    #[default]
    Shuffled,
    /// The same distribution of the target in every part: each value of the target, where there are
    /// few, and else each run of neighbouring values, is dealt out evenly.
    Stratified,
    /// Rows of one group, that is of the same number, stay together; parts of about equal size.
    Grouped(Vec<u32>),
    /// Learns from the past, is judged on the future: the rows in the order of these times are cut
    /// into one block more than there are folds, and each fold learns from the blocks before the one
    /// it holds out. Rows of the same time are never separated.
    Timed(Vec<f64>),
    /// By the cells of a row, so that it is in the same fold wherever it stands and copies stay together: the
    /// folds of [`Statistics`](crate::Statistics). Ten at most, of about equal size; `seed` plays no part.
    Hashed,
    /// These folds; their number is as it is, whatever is asked for.
    Given(Vec<Fold>),
}

impl Folding {
    /// Rows with equal labels stay together.
    pub fn grouped<L: Eq + Hash>(labels: &[L]) -> Self {
        let mut numbers: FxHashMap<&L, u32> = FxHashMap::default();
        let number = |label| {
            let next = u32::try_from(numbers.len()).expect("a table has at most 2^32 rows");
            *numbers.entry(label).or_insert(next)
        };
        Self::Grouped(labels.iter().map(number).collect())
    }

    /// The same kind of folding for these rows of the table, in this order.
    ///
    /// # Panics
    /// If there is no such row.
    pub fn select(&self, rows: &[usize]) -> Self {
        match self {
            Self::Shuffled => Self::Shuffled,
            Self::Stratified => Self::Stratified,
            Self::Hashed => Self::Hashed,
            Self::Grouped(groups) => Self::Grouped(rows.iter().map(|&i| groups[i]).collect()),
            Self::Timed(times) => Self::Timed(rows.iter().map(|&i| times[i]).collect()),
            Self::Given(folds) => Self::Given(given::select(folds, rows)),
        }
    }

    /// The largest number of folds that these rows can be parted into.
    ///
    /// # Panics
    /// If there is no such row.
    pub fn most(&self, rows: &[usize]) -> usize {
        match self {
            Self::Shuffled | Self::Stratified => rows.len(),
            Self::Hashed => rows.len().min(N_BLOCKS),
            Self::Grouped(groups) => {
                let distinct: FxHashSet<u32> = rows.iter().map(|&i| groups[i]).collect();
                distinct.len()
            }
            Self::Timed(times) => {
                // plus 0: the two zeros are one time
                let bits = rows.iter().map(|&i| (times[i] + 0.0).to_bits());
                bits.collect::<FxHashSet<_>>().len().saturating_sub(1)
            }
            Self::Given(folds) => folds.len(),
        }
    }

    /// The rows of `data` that count, in `k` folds; `seed` decides what the rule leaves open.
    ///
    /// # Errors
    /// [`Error::Setting`] unless `k` is at least 2 and there are as many rows, groups, or times after
    /// the first, or for given folds that do not part rows of weight; [`Error::Shape`] unless each row has its group or time; [`Error::NotFinite`] for a
    /// time that is no number.
    pub fn split(&self, data: &Dataset, k: usize, seed: u64) -> Result<Folds> {
        self.check(data.n_rows())?;
        let rows: Vec<usize> = (0..data.n_rows())
            .filter(|&i| data.weight(i) > 0.0)
            .collect();
        let most = self.most(&rows);
        if (k < 2 || k > most) && !matches!(self, Self::Given(_)) {
            let rows = match data.weights() {
                Some(_) => "rows with weight",
                None => "rows",
            };
            return Err(self.impossible(k, most, rows));
        }
        let rng = &mut ChaCha8Rng::seed_from_u64(seed);
        let (blocks, order) = match self {
            Self::Shuffled if data.classes().is_empty() => {
                (block::shuffled(rows, k, rng), Order::Any)
            }
            Self::Shuffled | Self::Stratified => {
                (block::stratified(rows, data.target(), k, rng), Order::Any)
            }
            Self::Grouped(groups) => (block::grouped(&rows, groups, k, rng), Order::Any),
            Self::Timed(times) => (block::timed(rows, times, k + 1), Order::Forward),
            Self::Hashed => (hashed(data, rows, k)?, Order::Any),
            Self::Given(folds) => return given::weighed(folds, data).map(Folds::given),
        };
        let blocks = Blocks::new(blocks, order, data.n_rows());
        Ok(Folds::of_blocks(blocks))
    }

    /// Checks that each row has its group or time.
    fn check(&self, n_rows: usize) -> Result<()> {
        let (what, got) = match self {
            Self::Shuffled | Self::Stratified | Self::Hashed | Self::Given(_) => return Ok(()),
            Self::Grouped(groups) => ("groups of rows", groups.len()),
            Self::Timed(times) => ("times of rows", times.len()),
        };
        if got != n_rows {
            let expected = n_rows;
            return Err(Error::Shape {
                what,
                expected,
                got,
            });
        }
        if let Self::Timed(times) = self
            && let Some(row) = times.iter().position(|time| !time.is_finite())
        {
            return Err(Error::NotFinite {
                what: "time".to_owned(),
                row,
                got: times[row],
            });
        }
        Ok(())
    }

    /// The error about `k` folds where there can be `most`; `rows` is what rows that count are called.
    fn impossible(&self, k: usize, most: usize, rows: &str) -> Error {
        let (expected, counted) = match self {
            Self::Shuffled | Self::Stratified | Self::Given(_) => {
                ("at least 2 and at most the number of rows", rows)
            }
            Self::Hashed => ("at least 2 and at most 10", "folds by cells"),
            Self::Grouped(_) => ("at least 2 and at most the number of groups", "groups"),
            Self::Timed(_) => (
                "at least 2 and at most the number of times after the first",
                "times after the first",
            ),
        };
        Error::Setting {
            name: "folds",
            expected,
            got: format!("{k} ({counted}: {most})"),
        }
    }
}

/// The rows by their blocks, which are dealt out to the folds.
fn hashed(data: &Dataset, rows: Vec<usize>, k: usize) -> Result<Vec<Vec<usize>>> {
    let mut folds = vec![Vec::new(); k];
    let blocks = block_of(data, rows.into_iter()).into_iter();
    // inside the training rows of a fold some blocks have none
    let filled = blocks.filter(|block| !block.is_empty());
    for (rank, block) in filled.enumerate() {
        folds[rank % k].extend(block);
    }
    folds.iter_mut().for_each(|fold| fold.sort_unstable());
    match folds.iter().any(Vec::is_empty) {
        true => Err(Error::Setting {
            name: "folds",
            expected: "so few that by their cells rows come into each of them",
            got: k.to_string(),
        }),
        false => Ok(folds),
    }
}
