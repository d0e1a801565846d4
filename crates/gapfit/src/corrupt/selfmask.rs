//! Self-masking: the value of a cell decides over its own chance to go missing.
//!
//! Beyond the paper. Each function returns the chance of each value, with mean `rate`; scores are in
//! standard deviations of the column from its mean, so the unit of the column does not matter.

use super::chance::{self, calibrate};
use super::column::standardise;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

/// The bump of [`gaussian`] lies so many standard deviations above the mean.
const PEAK: f64 = 2.0;
/// Slope of the argument of [`probit`], per standard deviation.
const SLOPE: f64 = 0.5;

/// Larger values go missing more often: a logistic curve, steep by chance. The scores have
/// standard deviation `1/s`, `s ~ U[0.1, 0.5]`.
pub(super) fn logistic(values: &[f64], rate: f64, rng: &mut ChaCha8Rng) -> Vec<f64> {
    let s = rng.random_range(0.1..0.5);
    let scores: Vec<f64> = standardise(values).iter().map(|t| t / s).collect();
    calibrate(&scores, rate, chance::logistic)
}

/// Values near [`PEAK`] go missing more often: `exp(-(t - PEAK)² / 2s²)`, solved for `s`.
pub(super) fn gaussian(values: &[f64], rate: f64) -> Vec<f64> {
    let scores: Vec<f64> = standardise(values).iter().map(|t| t - PEAK).collect();
    calibrate(&scores, rate, chance::bump)
}

/// Larger values go missing more often: `Φ(SLOPE t - c)`, solved for `c`.
pub(super) fn probit(values: &[f64], rate: f64) -> Vec<f64> {
    let scores: Vec<f64> = standardise(values).iter().map(|t| SLOPE * t).collect();
    calibrate(&scores, rate, chance::probit)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use rand_chacha::rand_core::SeedableRng;

    fn all(values: &[f64], rate: f64, seed: u64) -> [Vec<f64>; 3] {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        [
            logistic(values, rate, &mut rng),
            probit(values, rate),
            gaussian(values, rate),
        ]
    }

    fn any_column() -> impl Strategy<Value = Vec<f64>> {
        let finite = prop::num::f64::ANY.prop_filter("finite", |x| x.is_finite());
        prop_oneof![
            prop::collection::vec(finite, 1..60),
            prop::collection::vec((0..3i32).prop_map(f64::from), 1..60),
            prop::collection::vec(-1e300..1e300, 1..60),
        ]
    }

    proptest! {
        #[test]
        fn chances_average_to_the_rate_on_any_column(
            values in any_column(), rate in 1e-6..0.999_999, seed in 0u64..1000,
        ) {
            for chances in all(&values, rate, seed) {
                let mean = chances.iter().sum::<f64>() / chances.len() as f64;
                prop_assert!((mean / rate - 1.0).abs() < 1e-9, "{mean} {rate}");
                prop_assert!(chances.iter().all(|p| (0.0..=1.0).contains(p)));
            }
        }

        #[test]
        fn larger_values_never_have_a_smaller_chance(
            mut values in any_column(), rate in 0.0..1.0, seed in 0u64..1000,
        ) {
            values.sort_by(f64::total_cmp);
            let [logistic, probit, _] = all(&values, rate, seed);
            prop_assert!(logistic.is_sorted());
            prop_assert!(probit.is_sorted());
        }
    }

    #[test]
    fn the_bump_has_its_closed_form_width_on_normal_values() {
        // Rate √(c/(1+c)) exp(-2/(1+c)) for s² = c times the variance; c = 3 gives 0.525...
        let c: f64 = 3.0;
        let rate = (c / (1.0 + c)).sqrt() * (-2.0 / (1.0 + c)).exp();
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let values: Vec<f64> = (0..200_000)
            .map(|_| rng.sample(rand_distr::StandardNormal))
            .collect();
        let chances = gaussian(&values, rate);
        for (x, p) in values.iter().zip(chances).take(1000) {
            let expected = (-(x - 2.0) * (x - 2.0) / (2.0 * c)).exp();
            assert!((p - expected).abs() < 0.01, "{x}: {p} {expected}");
        }
    }
}
