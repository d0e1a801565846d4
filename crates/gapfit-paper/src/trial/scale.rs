//! The paper's units: features in [0, 1], the target in [-1, 1], by the ranges of the whole table.

use crate::Result;
use gapfit::data::{Dataset, MaskedMatrix};

/// The table in the paper's units; holes stay holes, and a feature that never changes becomes 0.
pub(crate) fn scaled(data: &Dataset) -> Result<Dataset> {
    let observed = |j: usize| data.features().rows().filter_map(move |row| row.get(j));
    let ranges: Vec<_> = (0..data.n_features()).map(|j| range(observed(j))).collect();
    let mut table = MaskedMatrix::new(data.n_features());
    for row in data.features().rows() {
        let scale = |(j, &(low, high)): (usize, &(f64, f64))| {
            let unit = if high > low {
                high - low
            } else {
                f64::INFINITY
            };
            row.get(j).map(|x| (x - low) / unit)
        };
        table.push_row(ranges.iter().enumerate().map(scale))?;
    }
    let (low, high) = range(data.target().iter().copied());
    let target = data.target().iter();
    let target = target.map(|y| 2.0 * (y - low) / (high - low) - 1.0);
    Ok(Dataset::new(table, target.collect())?)
}

fn range(values: impl Iterator<Item = f64>) -> (f64, f64) {
    values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| {
        (low.min(x), high.max(x))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scaling_reaches_both_ends_and_keeps_holes() {
        let hole = f64::NAN;
        let cells = [3.0, 7.0, hole, 7.0, 5.0, 7.0];
        let table = MaskedMatrix::from_nan(3, 2, &cells).unwrap();
        let data = Dataset::new(table, vec![10.0, 20.0, 15.0]).unwrap();
        let data = scaled(&data).unwrap();
        let column = |j| [0, 1, 2].map(|i| data.features().get(i, j));
        assert_eq!(column(0), [Some(0.0), None, Some(1.0)]);
        assert_eq!(column(1), [Some(0.0); 3]);
        assert_eq!(data.target(), [-1.0, 1.0, 0.0]);
    }
}
