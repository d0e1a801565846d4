//! How good predicted probabilities and decisions are.

use super::Probabilities;

/// Scores of predicted probabilities against classes; weighted where weights are given. NaN where no
/// row has weight, or where there are decisions without probabilities.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClassScores {
    /// Mean of `-ln` of the probability of the class that came, which counts as 1e-300 at least.
    pub log_loss: f64,
    /// Share of rows whose most probable class came; the first of equally probable ones is meant.
    pub accuracy: f64,
    /// Mean squared error of the probability of the second of two classes; of more classes the sum of
    /// the squared errors of all.
    pub brier: f64,
    /// How likely a row of a class has a higher probability of it than a row of another, ties counting
    /// half; of more than two classes the mean over those that have rows. NaN with one class.
    pub auc: f64,
    /// Expected calibration error: the mean distance of the probability of the most probable class from
    /// the share of rows in which it came, over ten equal ranges of that probability.
    pub calibration_error: f64,
}

/// Ranges of probability.
const RANGES: usize = 10;

impl ClassScores {
    /// The scores of `predicted`; `target` has the numbers of the classes.
    ///
    /// ```
    /// use gapfit::eval::{ClassScores, Probabilities};
    /// let predicted = Probabilities::new(2, vec![0.75, 0.25, 0.5, 0.5, 0.25, 0.75])?;
    /// let scores = ClassScores::of(&[0.0, 1.0, 1.0], &predicted, None);
    /// assert_eq!(scores.auc, 1.0);
    /// assert_eq!(scores.accuracy, 2.0 / 3.0);
    /// # Ok::<(), gapfit::Error>(())
    /// ```
    ///
    /// # Panics
    /// When the lengths differ, or a target is not the number of a class.
    pub fn of(target: &[f64], predicted: &Probabilities, weights: Option<&[f64]>) -> Self {
        assert_eq!(target.len(), predicted.n_rows(), "one row per target value");
        let class = |i: usize| target[i] as usize;
        let average = |f: &dyn Fn(usize) -> f64| {
            let (mut sum, mut total) = (0.0, 0.0);
            for i in 0..target.len() {
                let weight = weights.map_or(1.0, |w| w[i]);
                sum += weight * f(i);
                total += weight;
            }
            sum / total
        };
        let decided: Vec<usize> = predicted.rows().map(most_probable).collect();
        let brier = |i: usize| {
            let errors = predicted.row(i).iter().enumerate().map(|(j, p)| {
                let came = f64::from(u8::from(j == class(i)));
                (p - came).powi(2)
            });
            // both classes of two are off by the same
            errors.sum::<f64>() / if predicted.n_classes() == 2 { 2.0 } else { 1.0 }
        };
        Self {
            log_loss: average(&|i| -predicted.row(i)[class(i)].max(1e-300).ln()),
            accuracy: accuracy(target, &decided, weights),
            brier: average(&brier),
            auc: mean_auc(target, predicted, weights),
            calibration_error: calibration_error(target, predicted, &decided, weights),
        }
    }

    /// The scores of what was decided without probabilities, of two classes by `scores` that are higher for
    /// the second: accuracy, and with them AUC.
    ///
    /// # Panics
    /// When the lengths differ.
    pub fn of_decisions(
        target: &[f64],
        decided: &[usize],
        scores: Option<&[f64]>,
        weights: Option<&[f64]>,
    ) -> Self {
        let is_second: Vec<bool> = target.iter().map(|&class| class > 0.5).collect();
        Self {
            log_loss: f64::NAN,
            accuracy: accuracy(target, decided, weights),
            brier: f64::NAN,
            auc: scores.map_or(f64::NAN, |scores| auc(&is_second, scores, weights)),
            calibration_error: f64::NAN,
        }
    }
}

/// The share of rows for which the class that came was decided; weighted where weights are given.
///
/// # Panics
/// When the lengths differ.
pub fn accuracy(target: &[f64], decided: &[usize], weights: Option<&[f64]>) -> f64 {
    assert_eq!(target.len(), decided.len(), "one decision per target value");
    let (mut right, mut total) = (0.0, 0.0);
    for (i, (&class, &decided)) in target.iter().zip(decided).enumerate() {
        let weight = weights.map_or(1.0, |w| w[i]);
        total += weight;
        if class as usize == decided {
            right += weight;
        }
    }
    right / total
}

/// How likely a row that is positive has a higher score than one that is not, ties counting half;
/// weighted where weights are given, NaN when rows are all alike.
///
/// # Panics
/// When the lengths differ.
pub fn auc(is_positive: &[bool], scores: &[f64], weights: Option<&[f64]>) -> f64 {
    assert_eq!(is_positive.len(), scores.len(), "one score per row");
    let mut order: Vec<usize> = (0..scores.len()).collect();
    order.sort_by(|&a, &b| scores[a].total_cmp(&scores[b]));
    let (mut below, mut positive, mut won) = (0.0, 0.0, 0.0);
    for tied in order.chunk_by(|&a, &b| scores[a] >= scores[b]) {
        let weigh = |wanted: bool| {
            let rows = tied.iter().filter(|&&i| is_positive[i] == wanted);
            rows.map(|&i| weights.map_or(1.0, |w| w[i])).sum::<f64>()
        };
        let (up, down) = (weigh(true), weigh(false));
        won += up * (below + 0.5 * down);
        below += down;
        positive += up;
    }
    won / (positive * below)
}

fn mean_auc(target: &[f64], predicted: &Probabilities, weights: Option<&[f64]>) -> f64 {
    let of_class = |j: usize| {
        let is_class: Vec<bool> = target.iter().map(|&class| class as usize == j).collect();
        auc(&is_class, &predicted.class(j), weights)
    };
    if predicted.n_classes() == 2 {
        return of_class(1);
    }
    let all = (0..predicted.n_classes()).map(of_class);
    let known: Vec<f64> = all.filter(|auc| !auc.is_nan()).collect();
    known.iter().sum::<f64>() / known.len() as f64
}

fn most_probable(row: &[f64]) -> usize {
    let mut best = 0;
    for (j, p) in row.iter().enumerate() {
        if *p > row[best] {
            best = j;
        }
    }
    best
}

fn calibration_error(
    target: &[f64],
    predicted: &Probabilities,
    decided: &[usize],
    weights: Option<&[f64]>,
) -> f64 {
    let mut excess = [0.0; RANGES];
    let mut total = 0.0;
    for (i, row) in predicted.rows().enumerate() {
        let weight = weights.map_or(1.0, |w| w[i]);
        let claimed = row[decided[i]];
        let came = f64::from(u8::from(target[i] as usize == decided[i]));
        let range = ((claimed * RANGES as f64) as usize).min(RANGES - 1);
        excess[range] += weight * (claimed - came);
        total += weight;
    }
    excess.iter().map(|x| x.abs()).sum::<f64>() / total
}

#[cfg(test)]
mod tests {
    use super::*;

    fn binary(second: &[f64]) -> Probabilities {
        let rows = second.iter().flat_map(|p| [1.0 - p, *p]);
        Probabilities::new(2, rows.collect()).unwrap()
    }

    #[test]
    fn auc_counts_pairs_and_halves_ties() {
        let positive = [true, false, true, false, false];
        let scores = [0.9, 0.9, 0.4, 0.4, 0.1];
        // pairs: (0: tie, win, win), (2: loss, tie, win)
        assert!((auc(&positive, &scores, None) - 4.0 / 6.0).abs() < 1e-15);
        assert!(auc(&[true, true], &[0.1, 0.2], None).is_nan());
    }

    #[test]
    fn weight_two_is_the_row_twice_and_weight_zero_no_row() {
        let twice = ClassScores::of(&[0.0, 1.0, 1.0], &binary(&[0.3, 0.6, 0.6]), None);
        let weights = [1.0, 2.0, 0.0];
        let target = [0.0, 1.0, 1.0];
        let weighted = ClassScores::of(&target, &binary(&[0.3, 0.6, 0.1]), Some(&weights));
        for (a, b) in [
            (twice.log_loss, weighted.log_loss),
            (twice.accuracy, weighted.accuracy),
            (twice.brier, weighted.brier),
            (twice.auc, weighted.auc),
            (twice.calibration_error, weighted.calibration_error),
        ] {
            assert!((a - b).abs() < 1e-15, "{a} {b}");
        }
    }

    #[test]
    fn scores_are_what_they_say() {
        let predicted = Probabilities::new(3, vec![0.5, 0.3, 0.2, 0.1, 0.1, 0.8]).unwrap();
        let scores = ClassScores::of(&[0.0, 1.0], &predicted, None);
        let log_loss = -0.5 * (0.5f64.ln() + 0.1f64.ln());
        assert!((scores.log_loss - log_loss).abs() < 1e-15);
        let brier = 0.5 * ((0.25 + 0.09 + 0.04) + (0.01 + 0.81 + 0.64));
        assert!((scores.brier - brier).abs() < 1e-15);
        assert!((scores.accuracy - 0.5).abs() < 1e-15);
        // one row claims 0.5 and is right, one claims 0.8 and is wrong
        assert!((scores.calibration_error - 0.5 * (0.5 + 0.8)).abs() < 1e-15);
        // class 0 wins its pair, class 1 wins, class 2 has no row
        assert!((scores.auc - 0.5).abs() < 1e-15, "{}", scores.auc);
    }

    #[test]
    fn a_class_that_was_impossible_costs_much_but_not_everything() {
        let scores = ClassScores::of(&[0.0], &binary(&[1.0]), None);
        assert!(scores.log_loss > 600.0 && scores.log_loss.is_finite());
    }
}
