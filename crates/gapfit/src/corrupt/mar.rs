//! Missing at random: a few columns stay observed and decide over the holes of the others.
//!
//! Beyond the paper; the logistic mechanism of the benchmark of Le Morvan et al. (2020).

use super::column::{Column, standardise};
use super::selfmask;
use crate::data::MaskedMatrix;
use rand::RngExt;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use rand_distr::StandardNormal;

/// One column in so many decides, at least one.
const ONE_IN: usize = 10;

/// Hides cells of every column but the deciding ones, in each at the `rate`.
pub(super) fn hide(table: &mut MaskedMatrix, rate: f64, rng: &mut ChaCha8Rng) {
    let deciding = deciding_columns(table, rng);
    let standings: Vec<Vec<f64>> = deciding.iter().map(|&j| standing(table, j)).collect();
    for j in (0..table.n_cols()).filter(|j| !deciding.contains(j)) {
        let weights: Vec<f64> = standings
            .iter()
            .map(|_| rng.sample(StandardNormal))
            .collect();
        let column = Column::of(table, j);
        let score = |&row: &usize| -> f64 {
            let terms = weights.iter().zip(&standings);
            terms.map(|(weight, standing)| weight * standing[row]).sum()
        };
        let scores: Vec<f64> = column.rows().iter().map(score).collect();
        let chances = selfmask::logistic(&scores, rate, rng);
        column.hide(table, &chances, rng);
    }
}

/// The columns with the fewest holes, at random among equals.
fn deciding_columns(table: &MaskedMatrix, rng: &mut ChaCha8Rng) -> Vec<usize> {
    let mut holes = vec![0usize; table.n_cols()];
    for row in table.rows() {
        row.observed().missing().for_each(|j| holes[j] += 1);
    }
    let mut columns: Vec<usize> = (0..table.n_cols()).collect();
    columns.shuffle(rng);
    columns.sort_by_key(|&j| holes[j]); // stable: equals stay shuffled
    columns.truncate((columns.len() / ONE_IN).max(1));
    columns
}

/// Column `j` in standard deviations from its mean, row by row; a hole counts as the mean.
fn standing(table: &MaskedMatrix, j: usize) -> Vec<f64> {
    let column = Column::of(table, j);
    let mut all_rows = vec![0.0; table.n_rows()];
    for (&row, score) in column.rows().iter().zip(standardise(column.values())) {
        all_rows[row] = score;
    }
    all_rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corrupt::Mechanism;
    use rand_chacha::rand_core::SeedableRng;

    const MAR: Mechanism = Mechanism::Mar { rate: 0.4 };

    fn normal(n_rows: usize, n_cols: usize, rng: &mut ChaCha8Rng) -> MaskedMatrix {
        let cells: Vec<f64> = (0..n_rows * n_cols)
            .map(|_| rng.sample(StandardNormal))
            .collect();
        MaskedMatrix::from_nan(n_rows, n_cols, &cells).unwrap()
    }

    fn holes(table: &MaskedMatrix, j: usize) -> usize {
        table.rows().filter(|row| row.get(j).is_none()).count()
    }

    #[test]
    fn a_tenth_of_the_columns_stays_complete_and_the_others_lose_the_rate() {
        for (n_cols, n_deciding) in [(2, 1), (9, 1), (10, 1), (29, 2)] {
            let mut rng = ChaCha8Rng::seed_from_u64(n_cols as u64);
            let n = 4000;
            let holey = MAR.apply(&normal(n, n_cols, &mut rng), &mut rng).unwrap();
            let counts: Vec<usize> = (0..n_cols).map(|j| holes(&holey, j)).collect();
            assert_eq!(counts.iter().filter(|&&c| c == 0).count(), n_deciding);
            let sd = (n as f64 * 0.4 * 0.6).sqrt();
            for &count in counts.iter().filter(|&&c| c > 0) {
                assert!(
                    (count as f64 - 0.4 * n as f64).abs() < 5.0 * sd,
                    "{counts:?}"
                );
            }
        }
    }

    #[test]
    fn the_holes_follow_the_deciding_column_and_not_the_hidden_value() {
        let mut rng = ChaCha8Rng::seed_from_u64(8);
        let n = 4000;
        let table = normal(n, 2, &mut rng);
        let holey = MAR.apply(&table, &mut rng).unwrap();
        let hidden = usize::from(holes(&holey, 0) == 0);
        let correlation = |j: usize| {
            let scores = standardise(Column::of(&table, j).values());
            let gone = holey
                .rows()
                .map(|row| f64::from(u8::from(row.get(hidden).is_none())));
            let gone = standardise(&gone.collect::<Vec<_>>());
            scores.iter().zip(gone).map(|(a, b)| a * b).sum::<f64>() / n as f64
        };
        assert!(correlation(1 - hidden).abs() > 0.5);
        assert!(correlation(hidden).abs() < 5.0 / (n as f64).sqrt());
    }

    #[test]
    fn a_complete_column_decides_where_there_is_one_else_the_fullest() {
        for hole_rows in [[5, 0, 9], [5, 2, 9]] {
            for seed in 0..20 {
                let mut rng = ChaCha8Rng::seed_from_u64(seed);
                let mut table = normal(200, 3, &mut rng);
                for (j, &rows) in hole_rows.iter().enumerate() {
                    (0..rows).for_each(|i| table.hide(i, j));
                }
                let holey = MAR.apply(&table, &mut rng).unwrap();
                assert_eq!(holes(&holey, 1), hole_rows[1]);
                assert!(holes(&holey, 0) > 40 && holes(&holey, 2) > 40);
            }
        }
    }

    #[test]
    fn equally_full_columns_take_turns_at_deciding() {
        let chosen = |seed| {
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            let holey = MAR.apply(&normal(50, 3, &mut rng), &mut rng).unwrap();
            (0..3).find(|&j| holes(&holey, j) == 0).unwrap()
        };
        let mut seen: Vec<usize> = (0..40).map(chosen).collect();
        seen.sort_unstable();
        seen.dedup();
        assert_eq!(seen, [0, 1, 2]);
    }
}
