//! Curves behind the scores of classes.

/// A corner of a ROC curve.
///
/// See [`roc`] for an example.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RocPoint {
    /// The share of the rows that are not positive whose score is as high or higher.
    pub false_positive: f64,
    /// The share of the positive rows whose score is.
    pub true_positive: f64,
}

/// The corners of the ROC curve of scores, from (0, 0) to (1, 1); the area below the straight lines
/// between them is the [`auc`](super::auc). Weighted where weights are given, empty when rows are all
/// alike.
///
/// ```
/// use gapfit::eval::roc;
/// let curve = roc(&[true, false, true], &[0.9, 0.5, 0.2], None);
/// let heights: Vec<f64> = curve.iter().map(|point| point.true_positive).collect();
/// assert_eq!(heights, [0.0, 0.5, 0.5, 1.0]);
/// ```
///
/// # Panics
/// When the lengths differ.
pub fn roc(is_positive: &[bool], scores: &[f64], weights: Option<&[f64]>) -> Vec<RocPoint> {
    assert_eq!(is_positive.len(), scores.len(), "one score per row");
    let weight = |i: usize| weights.map_or(1.0, |w| w[i]);
    let mut order: Vec<usize> = (0..scores.len()).collect();
    order.sort_by(|&a, &b| scores[b].total_cmp(&scores[a]));
    let mut passed = [0.0; 2];
    let mut corners = vec![passed];
    for tied in order.chunk_by(|&a, &b| scores[a] <= scores[b]) {
        for &i in tied {
            passed[usize::from(is_positive[i])] += weight(i);
        }
        corners.push(passed);
    }
    let [negative, positive] = passed;
    if negative <= 0.0 || positive <= 0.0 {
        return Vec::new();
    }
    let point = |[down, up]: [f64; 2]| RocPoint {
        false_positive: down / negative,
        true_positive: up / positive,
    };
    corners.into_iter().map(point).collect()
}

/// Rows whose probability of something is in the same range.
///
/// See [`reliability`] for an example.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reliability {
    /// The number of rows.
    pub rows: usize,
    /// Their part of the weight of all rows.
    pub share: f64,
    /// The mean of their probabilities.
    pub claimed: f64,
    /// The share of them in which it came.
    pub came: f64,
}

/// Probabilities of something beside the shares of rows in which it came, over equal ranges of the
/// probability; those without rows are left out. Weighted where weights are given.
///
/// ```
/// use gapfit::eval::reliability;
/// let ranges = reliability(&[0.25, 0.125, 0.875], &[true, false, true], None, 2);
/// assert_eq!((ranges[0].rows, ranges[0].claimed, ranges[0].came), (2, 0.1875, 0.5));
/// assert_eq!((ranges[1].rows, ranges[1].came), (1, 1.0));
/// ```
///
/// # Panics
/// When the lengths differ, or there are no ranges.
pub fn reliability(
    claimed: &[f64],
    came: &[bool],
    weights: Option<&[f64]>,
    n_ranges: usize,
) -> Vec<Reliability> {
    assert_eq!(claimed.len(), came.len(), "one outcome per row");
    // rows, weight, weight of claims, weight of rows in which it came
    let mut sums = vec![(0usize, [0.0f64; 3]); n_ranges];
    for (i, (&claim, &came)) in claimed.iter().zip(came).enumerate() {
        let weight = weights.map_or(1.0, |w| w[i]);
        let range = ((claim * n_ranges as f64) as usize).min(n_ranges - 1);
        let (rows, [total, claims, events]) = &mut sums[range];
        *rows += 1;
        *total += weight;
        *claims += weight * claim;
        *events += weight * f64::from(u8::from(came));
    }
    let all: f64 = sums.iter().map(|(_, [total, ..])| total).sum();
    let filled = sums.into_iter().filter(|(_, [total, ..])| *total > 0.0);
    let range = |(rows, [total, claims, events]): (usize, [f64; 3])| Reliability {
        rows,
        share: total / all,
        claimed: claims / total,
        came: events / total,
    };
    filled.map(range).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::auc;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_area_below_the_curve_is_the_auc(
            rows in prop::collection::vec((any::<bool>(), 0u8..6, 1u8..4), 2..40)
        ) {
            let positive: Vec<bool> = rows.iter().map(|row| row.0).collect();
            let scores: Vec<f64> = rows.iter().map(|row| f64::from(row.1)).collect();
            let weights: Vec<f64> = rows.iter().map(|row| f64::from(row.2)).collect();
            let curve = roc(&positive, &scores, Some(&weights));
            let expected = auc(&positive, &scores, Some(&weights));
            prop_assert_eq!(curve.is_empty(), expected.is_nan());
            let pairs = curve.windows(2).map(|pair| {
                let width = pair[1].false_positive - pair[0].false_positive;
                width * (pair[0].true_positive + pair[1].true_positive) / 2.0
            });
            let area: f64 = pairs.sum();
            prop_assert!(expected.is_nan() || (area - expected).abs() < 1e-12);
        }
    }

    #[test]
    fn weight_two_is_the_row_twice() {
        let twice = reliability(&[0.3, 0.3, 0.9], &[true, true, false], None, 10);
        let weighted = reliability(&[0.3, 0.9], &[true, false], Some(&[2.0, 1.0]), 10);
        assert_eq!(twice.len(), 2);
        for (a, b) in twice.iter().zip(&weighted) {
            for (a, b) in [(a.share, b.share), (a.claimed, b.claimed), (a.came, b.came)] {
                assert!((a - b).abs() < 1e-15);
            }
        }
    }
}
