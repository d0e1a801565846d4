//! Whether holes say something about the target.
//!
//! For a column, the mean of the target where it is missing is compared with that where it is
//! observed. The difference over its standard error (Welch) is about standard normal if holes are
//! blind to the target; p-values are corrected for the number of columns (Holm), so that with chance
//! `p` or less even one column is called informative wrongly.

use crate::data::Dataset;

/// Rows that a mean needs at least on either side.
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
    /// Mean of the target where the column is missing, minus that where it is observed.
    pub difference: f64,
    /// Its standard error.
    pub standard_error: f64,
    /// How likely a difference like the largest ones found is if no column is informative: the p-value
    /// corrected for many columns.
    pub p: f64,
}

impl Association {
    /// One for each column that is missing in five rows or more and observed in as many; the smallest
    /// `p` first. Weights of rows play no part.
    pub fn all(data: &Dataset) -> Vec<Self> {
        let columns = 0..data.n_features();
        let mut found: Vec<Self> = columns.filter_map(|j| Self::of(data, j)).collect();
        found.sort_by(|a, b| a.p.total_cmp(&b.p));
        let (n, mut before) = (found.len(), 0.0f64);
        for (k, association) in found.iter_mut().enumerate() {
            before = before.max(association.p * (n - k) as f64).min(1.0);
            association.p = before;
        }
        found
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
        let z = if difference == 0.0 {
            0.0
        } else {
            (difference / standard_error).abs()
        };
        Some(Self {
            column,
            difference,
            standard_error,
            p: libm::erfc(z / std::f64::consts::SQRT_2),
        })
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
