//! Whether holes say something about the target.
//!
//! For a column, the mean of the target where it is missing is compared with that where it is
//! observed. The difference over its standard error (Welch) is about standard normal if holes are
//! blind to the target; p-values are corrected for the number of columns (Holm), so that with chance
//! `p` or less even one column is called informative wrongly.
//!
//! Of a target of classes the share of each class is compared, with the standard error that the share in
//! all rows gives both sides, and the correction is for the number of columns and classes.

use crate::data::Dataset;

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
        let columns = 0..data.n_features();
        let mut found: Vec<Self> = match data.classes().len() {
            0 => columns.filter_map(|j| Self::of(data, j)).collect(),
            n => {
                let classes = if n == 2 { 1..2 } else { 0..n };
                let pairs = columns.flat_map(|j| classes.clone().map(move |class| (j, class)));
                let share = |(j, class)| Self::of_class(data, j, class);
                pairs.filter_map(share).collect()
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

    /// That of a column and a class, not yet corrected.
    fn of_class(data: &Dataset, column: usize, class: usize) -> Option<Self> {
        // rows, and those of the class, where the column is observed and where it is missing
        let mut counts = [[0.0; 2]; 2];
        for (row, &y) in data.features().rows().zip(data.target()) {
            let side = &mut counts[usize::from(row.get(column).is_none())];
            side[0] += 1.0;
            side[1] += f64::from(u8::from(y as usize == class));
        }
        let [[n_observed, observed], [n_missing, missing]] = counts;
        let share = (observed + missing) / (n_observed + n_missing);
        let least = n_observed.min(n_missing) * share.min(1.0 - share);
        (least >= FEW as f64).then(|| {
            let variance = share * (1.0 - share) * (1.0 / n_observed + 1.0 / n_missing);
            let difference = missing / n_missing - observed / n_observed;
            Self::new(column, Some(class), difference, variance.sqrt())
        })
    }

    /// That of one column, not yet corrected.
    fn of(data: &Dataset, column: usize) -> Option<Self> {
        let side = |is_missing: bool| {
            let rows = data.features().rows().zip(data.target());
            let picked = rows.filter(|(row, _)| row.get(column).is_none() == is_missing);
            Side::of(picked.map(|(_, y)| *y))
        };
        let (missing, observed) = (side(true)?, side(false)?);
        let difference = missing.mean - observed.mean;
        let standard_error = (missing.error_squared + observed.error_squared).sqrt();
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

/// The mean of some targets and the square of its standard error.
struct Side {
    mean: f64,
    error_squared: f64,
}

impl Side {
    fn of(targets: impl Iterator<Item = f64>) -> Option<Self> {
        let (mut n, mut mean, mut squares) = (0usize, 0.0, 0.0);
        for y in targets {
            n += 1;
            let off = y - mean;
            mean += off / n as f64;
            squares += off * (y - mean);
        }
        (n >= FEW).then(|| Self {
            mean,
            error_squared: squares / (n as f64 * (n as f64 - 1.0)),
        })
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
