//! Whether holes say something about the target.
//!
//! For a column, the mean of the target where it is missing is compared with that where it is
//! observed. The difference over its standard error (Welch) is about standard normal if holes are
//! blind to the target; p-values are corrected for the number of columns (Holm), so that with chance
//! `p` or less even one column is called informative wrongly.
//!
//! Of a target of classes the share of each class is compared, with the standard error that the share in
//! all rows gives both sides, and the correction is for the number of columns and classes.

use crate::data::{Dataset, Observed};

/// Rows that a mean needs at least on either side, and rows of a class that a share needs to expect there.
const FEW: usize = 5;

/// What holes in one column go with in the target.
///
/// ```
/// use gapfit::data::{Dataset, MaskedMatrix};
/// use gapfit::profile::Association;
///
/// let cells: Vec<f64> = (0..40).map(|i| if i % 2 == 0 { f64::NAN } else { 1.0 }).collect();
/// let target = (0..40).map(|i| f64::from(i % 2) + f64::from(i % 3)).collect();
/// let data = Dataset::new(MaskedMatrix::from_nan(40, 1, &cells)?, target)?;
/// let found = Association::all(&data);
/// assert!(found[0].difference < -0.5 && found[0].p < 0.01);
/// # Ok::<(), gapfit::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Association {
    /// The column.
    pub column: usize,
    /// The class, of two always the second; `None` where the target is numbers.
    pub class: Option<usize>,
    /// Mean of the target where the column is missing, minus that where it is observed; of a class its
    /// share.
    pub difference: f64,
    /// Its standard error.
    pub standard_error: f64,
    /// How likely a difference like the largest ones found is if no column is informative: the p-value
    /// corrected for many columns.
    pub p: f64,
}

impl Association {
    /// One for each column that is missing in five rows or more and observed in as many, and for each
    /// class of which so many rows are expected there; the smallest `p` first. Weights of rows play no
    /// part.
    pub fn all(data: &Dataset) -> Vec<Self> {
        let (mut contrast, n_classes) = (Contrast::new(data.n_features()), data.classes().len());
        for (i, &y) in data.target().iter().enumerate() {
            let class = (n_classes > 0).then_some(y as usize);
            contrast.push(data.features().words(i), y, class);
        }
        contrast.finish(n_classes)
    }

    /// That of a column and a class, not yet corrected.
    fn of_class(column: usize, class: usize, [observed, missing]: &[Side; 2]) -> Option<Self> {
        let count = |side: &Side| side.classes.get(class).copied().unwrap_or(0) as f64;
        let (n_observed, n_missing) = (observed.n as f64, missing.n as f64);
        let (observed, missing) = (count(observed), count(missing));
        let share = (observed + missing) / (n_observed + n_missing);
        let least = n_observed.min(n_missing) * share.min(1.0 - share);
        (least >= FEW as f64).then(|| {
            let variance = share * (1.0 - share) * (1.0 / n_observed + 1.0 / n_missing);
            let difference = missing / n_missing - observed / n_observed;
            Self::new(column, Some(class), difference, variance.sqrt())
        })
    }

    /// That of one column, not yet corrected.
    fn of(column: usize, [observed, missing]: &[Side; 2]) -> Option<Self> {
        let difference = missing.mean - observed.mean;
        let standard_error = (missing.error_squared()? + observed.error_squared()?).sqrt();
        Some(Self::new(column, None, difference, standard_error))
    }

    fn new(column: usize, class: Option<usize>, difference: f64, standard_error: f64) -> Self {
        let z = if difference == 0.0 {
            0.0
        } else {
            (difference / standard_error).abs()
        };
        Self {
            column,
            class,
            difference,
            standard_error,
            p: libm::erfc(z / std::f64::consts::SQRT_2),
        }
    }
}

/// The target where each column is observed and where it is missing, row by row.
///
/// ```
/// use gapfit::profile::Contrast;
///
/// let mut contrast = Contrast::new(1);
/// (0..40).for_each(|i| contrast.push(&[i % 2], (i % 2 + i % 3) as f64, None));
/// let found = contrast.finish(0);
/// assert!(found[0].difference < -0.5 && found[0].p < 0.01);
/// ```
#[derive(Clone, Debug)]
pub struct Contrast {
    /// Of each column, where it is observed and where it is missing.
    columns: Vec<[Side; 2]>,
}

/// The targets of some rows: their mean and their squared differences from it, and how many are of each class.
#[derive(Clone, Debug, Default)]
struct Side {
    n: usize,
    mean: f64,
    squares: f64,
    classes: Vec<usize>,
}

impl Contrast {
    /// No rows yet.
    pub fn new(n_columns: usize) -> Self {
        Self {
            columns: vec![Default::default(); n_columns],
        }
    }

    /// Takes a row, whose observed columns are the bits that are set, and its target: a number, or the number of a
    /// class, if it may turn out to be one.
    ///
    /// # Panics
    /// When there are other than enough words for the columns.
    pub fn push(&mut self, observed: &[u64], target: f64, class: Option<usize>) {
        let observed = Observed::new(observed, self.columns.len());
        for (j, sides) in self.columns.iter_mut().enumerate() {
            sides[usize::from(!observed.contains(j))].push(target, class);
        }
    }

    /// What holes go with, in a target of so many classes; of none it is numbers.
    pub fn finish(self, n_classes: usize) -> Vec<Association> {
        let columns = self.columns.iter().enumerate();
        let mut found: Vec<Association> = match n_classes {
            0 => columns
                .filter_map(|(j, sides)| Association::of(j, sides))
                .collect(),
            n => {
                let classes = if n == 2 { 1..2 } else { 0..n };
                let of_column = |(j, sides)| {
                    let share = move |class| Association::of_class(j, class, sides);
                    classes.clone().filter_map(share)
                };
                columns.flat_map(of_column).collect()
            }
        };
        found.sort_by(|a, b| a.p.total_cmp(&b.p));
        let (n, mut before) = (found.len(), 0.0f64);
        for (k, association) in found.iter_mut().enumerate() {
            before = before.max(association.p * (n - k) as f64).min(1.0);
            association.p = before;
        }
        found
    }

    /// The same with classes numbered anew: `numbers` has the new number of each.
    #[must_use]
    pub fn renumbered(mut self, numbers: &[usize]) -> Self {
        for side in self.columns.iter_mut().flatten() {
            let old = std::mem::take(&mut side.classes);
            side.classes = vec![0; numbers.len()];
            for (count, &number) in old.into_iter().zip(numbers) {
                side.classes[number] += count;
            }
        }
        self
    }
}

impl Side {
    fn push(&mut self, target: f64, class: Option<usize>) {
        self.n += 1;
        let off = target - self.mean;
        self.mean += off / self.n as f64;
        self.squares += off * (target - self.mean);
        if let Some(class) = class {
            if self.classes.len() <= class {
                self.classes.resize(class + 1, 0);
            }
            self.classes[class] += 1;
        }
    }

    /// The square of the standard error of the mean, if rows are enough.
    fn error_squared(&self) -> Option<f64> {
        let n = self.n as f64;
        (self.n >= FEW).then(|| self.squares / (n * (n - 1.0)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::MaskedMatrix;

    /// Two columns, the first missing in every fourth row, the second in every third.
    fn classes(n: usize, class: impl Fn(usize) -> &'static str) -> Dataset {
        let cell = |i: usize, every: usize| {
            if i.is_multiple_of(every) {
                f64::NAN
            } else {
                1.0
            }
        };
        let cells: Vec<f64> = (0..n).flat_map(|i| [cell(i, 4), cell(i, 3)]).collect();
        let features = MaskedMatrix::from_nan(n, 2, &cells).unwrap();
        let labels: Vec<&str> = (0..n).map(class).collect();
        Dataset::classified(features, &labels).unwrap()
    }

    #[test]
    fn shares_of_classes_are_compared_by_the_pooled_test() {
        // of 25 rows without the first column 15 are b, of 75 with it 15
        let data = classes(100, |i| match (i % 4, i / 4 % 5) {
            (0, k) if k < 3 => "b",
            (1, k) if k < 3 => "b",
            _ => "a",
        });
        let found = Association::all(&data);
        let first = found[0];
        assert_eq!((first.column, first.class), (0, Some(1)));
        assert!((first.difference - (0.6 - 0.2)).abs() < 1e-12, "{first:?}");
        let error = (0.3f64 * 0.7 * (1.0 / 25.0 + 1.0 / 75.0)).sqrt();
        assert!((first.standard_error - error).abs() < 1e-12, "{first:?}");
        let p = libm::erfc(0.4 / error / std::f64::consts::SQRT_2);
        assert!((first.p - 2.0 * p).abs() < 1e-12, "two columns: {first:?}");
    }

    #[test]
    fn every_class_of_three_is_looked_at_and_a_rare_one_is_not() {
        let data = classes(240, |i| ["a", "b", "c"][i / 4 % 3]);
        assert_eq!(Association::all(&data).len(), 6);
        let rare = classes(240, |i| if i == 4 { "z" } else { "a" });
        assert!(Association::all(&rare).is_empty());
    }
}
