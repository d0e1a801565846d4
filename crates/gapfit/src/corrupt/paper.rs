//! The paper's own processes (its appendix; docs/math.md, section 6).

use super::Mechanism;
use super::column::to_unit;
use crate::data::MaskedMatrix;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

/// Side of the images of the handwritten digits, in pixels.
const SIDE: usize = 8;

impl Mechanism {
    /// The paper's deletion for 8 x 8 images stored row by row: each loses one of the three central
    /// pixel columns.
    ///
    /// Eight columns have no three in the very middle; these are columns 2, 3 and 4, counted from 0. With
    /// them the paper's errors of zero and mean imputation on the handwritten digits come out, with 3, 4
    /// and 5 they do not.
    pub fn central_pixel_columns() -> Self {
        let pixels = |column| (0..SIDE).map(|row| row * SIDE + column).collect();
        Self::Columns {
            groups: (2..=4).map(pixels).collect(),
        }
    }
}

/// One chance for the whole column, drawn from `U[0, beta]`.
pub(super) fn independent(values: &[f64], beta: f64, rng: &mut ChaCha8Rng) -> Vec<f64> {
    let chance = beta * rng.random::<f64>();
    vec![chance; values.len()]
}

/// The chance `beta` on one side, drawn fairly, of a threshold drawn from `U[0, 1]`; 0 on the other.
pub(super) fn dependent(values: &[f64], beta: f64, rng: &mut ChaCha8Rng) -> Vec<f64> {
    let threshold = rng.random::<f64>();
    let sign = if rng.random() { 1.0 } else { -1.0 };
    let chance = |x| {
        if sign * (x - threshold) > 0.0 {
            beta
        } else {
            0.0
        }
    };
    to_unit(values).into_iter().map(chance).collect()
}

/// Hides in each row one of the groups of columns, uniformly.
pub(super) fn hide_groups(table: &mut MaskedMatrix, groups: &[Vec<usize>], rng: &mut ChaCha8Rng) {
    for i in 0..table.n_rows() {
        for &j in &groups[rng.random_range(0..groups.len())] {
            table.hide(i, j);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand_chacha::rand_core::SeedableRng;

    const COLUMNS: u64 = 2000;

    /// Mean and five standard deviations of the mean of `COLUMNS` draws from `U[0, 1]`.
    fn assert_uniform_mean(mean: f64) {
        assert!(
            (mean - 0.5).abs() < 5.0 / (12.0 * COLUMNS as f64).sqrt(),
            "{mean}"
        );
    }

    #[test]
    fn the_independent_chance_is_uniform_up_to_beta_and_ignores_the_values() {
        let chances: Vec<f64> = (0..COLUMNS)
            .map(|seed| {
                let mut rng = ChaCha8Rng::seed_from_u64(seed);
                let column = independent(&[1.0, 5.0, -3.0], 0.75, &mut rng);
                assert!(column.iter().all(|p| p.to_bits() == column[0].to_bits()));
                column[0] / 0.75
            })
            .collect();
        assert!(chances.iter().all(|p| (0.0..1.0).contains(p)));
        assert_uniform_mean(chances.iter().sum::<f64>() / COLUMNS as f64);
    }

    #[test]
    fn the_dependent_chance_is_beta_on_one_side_of_a_uniform_threshold() {
        let values: Vec<f64> = (0..=1000).map(|i| f64::from(i) * 3.0 - 500.0).collect();
        let (mut upper, mut below) = (0, 0.0);
        for seed in 0..COLUMNS {
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            let chances = dependent(&values, 0.75, &mut rng);
            let at_risk: Vec<bool> = chances.iter().map(|&p| p > 0.0).collect();
            assert!(chances.iter().all(|p| [0.0, 0.75].contains(p)));
            assert!(at_risk.is_sorted() || at_risk.iter().rev().is_sorted());
            let is_upper = at_risk[1000];
            upper += u32::from(is_upper);
            below += at_risk.iter().filter(|&&r| r != is_upper).count() as f64 / 1001.0;
        }
        assert_uniform_mean(below / COLUMNS as f64);
        let sd = (0.25 * COLUMNS as f64).sqrt();
        assert!(
            (f64::from(upper) - 0.5 * COLUMNS as f64).abs() < 5.0 * sd,
            "{upper}"
        );
    }

    #[test]
    fn each_image_loses_one_central_pixel_column_and_each_is_as_likely() {
        let n = 3000;
        let images = MaskedMatrix::from_nan(n, 64, &vec![1.0; n * 64]).unwrap();
        let mut rng = ChaCha8Rng::seed_from_u64(5);
        let holey = Mechanism::central_pixel_columns()
            .apply(&images, &mut rng)
            .unwrap();
        let mut counts = [0u32; SIDE];
        for row in holey.rows() {
            let missing: Vec<usize> = row.observed().missing().collect();
            let column = missing[0];
            let expected: Vec<usize> = (0..8).map(|i| 8 * i + column).collect();
            assert_eq!(missing, expected);
            counts[column] += 1;
        }
        assert_eq!(counts[2..5].iter().sum::<u32>() as usize, n);
        let sd = (n as f64 * 2.0 / 9.0).sqrt();
        for count in &counts[2..5] {
            assert!(
                (f64::from(*count) - n as f64 / 3.0).abs() < 5.0 * sd,
                "{counts:?}"
            );
        }
    }
}
