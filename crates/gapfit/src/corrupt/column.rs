//! One column at a time: its observed cells, where each stands in the column, and the coins.

use crate::data::MaskedMatrix;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

/// The observed cells of one column.
pub(super) struct Column {
    index: usize,
    rows: Vec<usize>,
    values: Vec<f64>,
}

impl Column {
    /// Column `index` of `table`.
    pub(super) fn of(table: &MaskedMatrix, index: usize) -> Self {
        let (rows, values) = table
            .rows()
            .enumerate()
            .filter_map(|(i, row)| Some((i, row.get(index)?)))
            .unzip();
        Self {
            index,
            rows,
            values,
        }
    }

    /// The observed values, from the first row to the last.
    pub(super) fn values(&self) -> &[f64] {
        &self.values
    }

    /// The rows in which they stand.
    pub(super) fn rows(&self) -> &[usize] {
        &self.rows
    }

    /// Hides each observed cell with its chance. One draw a cell whatever the chance, so that with
    /// the same seed higher chances only add holes.
    pub(super) fn hide(&self, table: &mut MaskedMatrix, chances: &[f64], rng: &mut ChaCha8Rng) {
        debug_assert_eq!(chances.len(), self.rows.len());
        for (&row, &chance) in self.rows.iter().zip(chances) {
            if rng.random::<f64>() < chance {
                table.hide(row, self.index);
            }
        }
    }
}

/// The values scaled to `[0, 1]` by their least and largest; all 0 when these are equal.
pub(super) fn to_unit(values: &[f64]) -> Vec<f64> {
    let low = values.iter().copied().fold(f64::INFINITY, f64::min);
    let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if low >= high {
        return vec![0.0; values.len()];
    }
    // Halving keeps the range finite at the top of the floating-point range; doing so only there
    // keeps the last bit of the smallest numbers.
    let unit = if (high - low).is_finite() { 1.0 } else { 0.5 };
    let range = high * unit - low * unit;
    values
        .iter()
        .map(|x| (x * unit - low * unit) / range)
        .collect()
}

/// The values in standard deviations from their mean; all 0 when they are equal.
///
/// By way of `[0, 1]`, so that no magnitude overflows and a small spread around a large mean survives.
pub(super) fn standardise(values: &[f64]) -> Vec<f64> {
    let mut scores = to_unit(values);
    let n = scores.len() as f64;
    let mean = scores.iter().sum::<f64>() / n;
    let sd = (scores.iter().map(|u| (u - mean).powi(2)).sum::<f64>() / n).sqrt();
    if sd > 0.0 {
        scores.iter_mut().for_each(|u| *u = (*u - mean) / sd);
    }
    scores
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::cmp::Ordering;

    proptest! {
        #[test]
        fn any_finite_column_standardises_to_mean_zero_and_deviation_one(
            values in prop::collection::vec(prop::num::f64::ANY, 0..50),
        ) {
            let values: Vec<f64> = values.into_iter().filter(|x| x.is_finite()).collect();
            let scores = standardise(&values);
            let n = scores.len().max(1) as f64;
            let mean = scores.iter().sum::<f64>() / n;
            let variance = scores.iter().map(|t| t * t).sum::<f64>() / n;
            let constant = values.iter().all(|x| x.partial_cmp(&values[0]) == Some(Ordering::Equal));
            prop_assert!(mean.abs() < 1e-10);
            prop_assert!((variance - f64::from(u8::from(!constant))).abs() < 1e-10);
        }
    }

    #[test]
    fn the_unit_interval_is_reached_from_any_magnitude() {
        let ends = [f64::MIN, 0.0, f64::MAX];
        assert_eq!(to_unit(&ends), [0.0, 0.5, 1.0]);
        let tiny = f64::from_bits(1);
        assert_eq!(to_unit(&[tiny, 3.0 * tiny, 2.0 * tiny]), [0.0, 1.0, 0.5]);
        assert_eq!(to_unit(&[7.0, 7.0]), [0.0, 0.0]);
        assert!(to_unit(&[]).is_empty());
    }
}
