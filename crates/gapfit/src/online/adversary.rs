//! The adversary of the paper's Proposition 1: many tasks that have nothing in common but the features.
//!
//! ```text
//! x = (1, 0, ..., 0)     the first d/2 features are always observed
//! z = (1, ..., 1, k)     the others are zero, and the bits of k say which of them are observed
//! y = ±1                 a fair coin
//! ```
//!
//! Round t belongs to task `k = t mod K`. No learner does better than chance on a fair coin, while the best
//! weight of each mask in hindsight agrees with the majority of its coins: for the hinge and the absolute
//! loss regret against all functions of the mask is at least `Σ_k E|±1 ± ... ± 1| ≈ √(2KT/π)`, whatever the
//! learner (docs/math.md 13.7).

use crate::data::RowBuffer;
use crate::error::{Error, Result};
use rand::{Rng, RngExt};

/// An endless stream of rows and targets in which every mask is a task of its own.
///
/// ```
/// use gapfit::online::Adversary;
/// use rand_chacha::{ChaCha8Rng, rand_core::SeedableRng};
/// let adversary = Adversary::new(4, 3, ChaCha8Rng::seed_from_u64(1))?;
/// assert_eq!(adversary.expected_regret(6), 3.0); // three tasks of two coins: |±1 ± 1| is 1 on average
/// for (row, y) in adversary.take(100) {
///     assert_eq!(row.as_row().get(0), Some(1.0));
///     assert_eq!(y * y, 1.0);
/// }
/// # Ok::<(), gapfit::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Adversary<R> {
    n_features: usize,
    n_tasks: u64,
    round: u64,
    rng: R,
}

impl<R: Rng> Adversary<R> {
    /// An adversary with this many features and tasks.
    ///
    /// # Errors
    /// [`Error::Setting`] when the number of features is odd or zero, or when there are no tasks or more
    /// than 2^(features / 2).
    pub fn new(n_features: usize, n_tasks: u64, rng: R) -> Result<Self> {
        if n_features == 0 || !n_features.is_multiple_of(2) {
            return Err(Error::Setting {
                name: "n_features",
                expected: "an even number of at least 2",
                got: n_features.to_string(),
            });
        }
        let half = u32::try_from(n_features / 2).unwrap_or(u32::MAX);
        let fits = 1u64.checked_shl(half).is_none_or(|most| n_tasks <= most);
        if n_tasks == 0 || !fits {
            return Err(Error::Setting {
                name: "n_tasks",
                expected: "a number from 1 to 2^(n_features / 2)",
                got: n_tasks.to_string(),
            });
        }
        Ok(Self {
            n_features,
            n_tasks,
            round: 0,
            rng,
        })
    }

    /// The regret against all functions of the mask that no learner can avoid over this many rounds, on
    /// average, for the hinge and the absolute loss: the sum of `E|±1 ± ... ± 1|` over the tasks.
    pub fn expected_regret(&self, rounds: u64) -> f64 {
        let (each, longer) = (rounds / self.n_tasks, rounds % self.n_tasks);
        let all = self.n_tasks as f64 * mean_excess(each);
        all + longer as f64 * (mean_excess(each + 1) - mean_excess(each))
    }
}

impl<R: Rng> Iterator for Adversary<R> {
    type Item = (RowBuffer, f64);

    fn next(&mut self) -> Option<Self::Item> {
        let task = self.round % self.n_tasks;
        self.round += 1;
        let half = self.n_features / 2;
        let mut row = RowBuffer::new(self.n_features);
        let mut set = |j: usize, value: f64| row.set(j, value).ok();
        (0..half).for_each(|j| {
            set(j, if j == 0 { 1.0 } else { 0.0 });
        });
        for bit in (0..half.min(64)).filter(|bit| task >> bit & 1 == 1) {
            set(half + bit, 0.0);
        }
        let target = if self.rng.random::<bool>() { 1.0 } else { -1.0 };
        Some((row, target))
    }
}

/// `E|±1 ± ... ± 1|` of n fair coins: `2m C(2m, m)/4^m` for n = 2m - 1 and n = 2m.
fn mean_excess(n: u64) -> f64 {
    let pairs = n.div_ceil(2);
    if pairs == 0 {
        return 0.0;
    }
    let ratio = |m: u64| (2 * m + 1) as f64 / (2 * m) as f64;
    (1..pairs).map(ratio).product()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand_chacha::{ChaCha8Rng, rand_core::SeedableRng};

    fn adversary(n_features: usize, n_tasks: u64) -> Result<Adversary<ChaCha8Rng>> {
        Adversary::new(n_features, n_tasks, ChaCha8Rng::seed_from_u64(5))
    }

    #[test]
    fn the_mean_excess_is_that_of_all_sequences_of_coins() {
        for n in 0..12u32 {
            let excess = |coins: u32| (2.0 * f64::from(coins.count_ones()) - f64::from(n)).abs();
            let mean = (0..1 << n).map(excess).sum::<f64>() / f64::from(1 << n);
            assert!((mean_excess(u64::from(n)) - mean).abs() < 1e-12, "{n}");
        }
        let large = mean_excess(1_000_000) / (2e6 / std::f64::consts::PI).sqrt();
        assert!((large - 1.0).abs() < 1e-6, "{large}");
    }

    #[test]
    fn every_mask_of_the_last_half_comes_in_turn() {
        let masks: Vec<Vec<usize>> = adversary(4, 4)
            .unwrap()
            .take(5)
            .map(|(row, _)| row.as_row().observed().iter().collect())
            .collect();
        let expected = [
            vec![0, 1],
            vec![0, 1, 2],
            vec![0, 1, 3],
            vec![0, 1, 2, 3],
            vec![0, 1],
        ];
        assert_eq!(masks, expected);
    }

    #[test]
    fn numbers_that_do_not_go_together_are_refused() {
        for (d, k, name) in [
            (3, 1, "n_features"),
            (0, 1, "n_features"),
            (4, 0, "n_tasks"),
            (4, 5, "n_tasks"),
        ] {
            let text = adversary(d, k).unwrap_err().to_string();
            assert!(text.starts_with(name), "{text}");
        }
        assert!(adversary(128, u64::MAX).is_ok());
        assert!(adversary(126, u64::MAX).is_err());
    }
}
