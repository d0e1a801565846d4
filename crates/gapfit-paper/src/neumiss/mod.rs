//! The linear-Gaussian benchmark of Le Morvan, Josse, Moreau, Scornet and Varoquaux, "`NeuMiss` networks"
//! (2020): normal features of low rank plus noise, a linear target, half of the cells missing.
//!
//! ```text
//! Σ = BBᵀ + diag(U(.01, .1)),  B in R^{d x d/2} standard normal,  μ ~ N(0, I)
//! y = 1 + Σ_j x_j + noise,     noise variance = βᵀΣβ / 10,  β = (1, ..., 1)
//! ```

mod bayes;
mod hiding;
mod root;

pub use hiding::{Hiding, Holes};

use gapfit::Result;
use gapfit::data::{Dataset, MaskedMatrix};
use rand::{Rng, RngExt};
use rand_distr::StandardNormal;

/// A distribution of rows and targets, all of it known.
///
/// ```
/// use gapfit_paper::neumiss::{Hiding, Population};
/// use rand_chacha::{ChaCha8Rng, rand_core::SeedableRng};
/// let mut rng = ChaCha8Rng::seed_from_u64(1);
/// let population = Population::draw(4, &mut rng);
/// let holes = population.hide(Hiding::Mcar, 0.5, &mut rng)?;
/// let data = population.sample(100, &holes, &mut rng)?;
/// let best = population.bayes(data.features(), &holes).expect("known in closed form");
/// assert_eq!(best.len(), 100);
/// # Ok::<_, gapfit::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Population {
    mean: Vec<f64>,
    /// B, row by row.
    loadings: Vec<Vec<f64>>,
    /// Variance that each feature has for itself.
    own: Vec<f64>,
}

/// The constant of the target; every weight is 1.
const INTERCEPT: f64 = 1.0;

impl Population {
    /// A population of `d` features.
    pub fn draw(d: usize, rng: &mut impl Rng) -> Self {
        let mut normals =
            |n: usize| -> Vec<f64> { (0..n).map(|_| rng.sample(StandardNormal)).collect() };
        let loadings = (0..d).map(|_| normals(d / 2)).collect();
        let mean = normals(d);
        Self {
            mean,
            loadings,
            own: (0..d).map(|_| rng.random_range(0.01..0.1)).collect(),
        }
    }

    /// The number of features.
    pub fn n_features(&self) -> usize {
        self.mean.len()
    }

    /// The mean of feature `j`.
    pub(crate) fn mean(&self, j: usize) -> f64 {
        self.mean[j]
    }

    /// The covariance of two features.
    pub(crate) fn covariance(&self, i: usize, j: usize) -> f64 {
        let pairs = self.loadings[i].iter().zip(&self.loadings[j]);
        let common: f64 = pairs.map(|(a, b)| a * b).sum();
        common + if i == j { self.own[i] } else { 0.0 }
    }

    /// The variance of the target without its noise.
    fn signal(&self) -> f64 {
        let d = self.n_features();
        let pairs = (0..d).flat_map(|i| (0..d).map(move |j| (i, j)));
        pairs.map(|(i, j)| self.covariance(i, j)).sum()
    }

    /// Rows with such holes, and their targets.
    ///
    /// # Errors
    /// Those of [`Dataset::new`].
    pub fn sample(&self, n_rows: usize, holes: &Holes, rng: &mut impl Rng) -> Result<Dataset> {
        let noise = (self.signal() / 10.0).sqrt();
        let mut table = MaskedMatrix::new(self.n_features());
        let mut target = Vec::with_capacity(n_rows);
        for _ in 0..n_rows {
            let row = self.row(rng);
            let error: f64 = rng.sample(StandardNormal);
            target.push(INTERCEPT + row.iter().sum::<f64>() + noise * error);
            let cells = row.iter().enumerate().map(|(j, &x)| {
                let is_hidden = rng.random::<f64>() < holes.chance(&row, j);
                (!is_hidden).then_some(x)
            });
            table.push_row(cells.collect::<Vec<_>>())?;
        }
        Dataset::new(table, target)
    }

    fn row(&self, rng: &mut impl Rng) -> Vec<f64> {
        let half = self.loadings.first().map_or(0, Vec::len);
        let common: Vec<f64> = (0..half).map(|_| rng.sample(StandardNormal)).collect();
        let feature = |j: usize| {
            let own: f64 = rng.sample(StandardNormal);
            let shared: f64 = self.loadings[j]
                .iter()
                .zip(&common)
                .map(|(b, z)| b * z)
                .sum();
            self.mean[j] + shared + self.own[j].sqrt() * own
        };
        (0..self.n_features()).map(feature).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand_chacha::{ChaCha8Rng, rand_core::SeedableRng};

    #[test]
    fn samples_have_the_moments_of_the_population() {
        let rng = &mut ChaCha8Rng::seed_from_u64(4);
        let population = Population::draw(4, rng);
        let rows: Vec<_> = (0..40_000).map(|_| population.row(rng)).collect();
        let n = rows.len() as f64;
        for i in 0..4 {
            let deviation = population.covariance(i, i).sqrt();
            let mean = rows.iter().map(|row| row[i]).sum::<f64>() / n;
            assert!((mean - population.mean(i)).abs() < 5.0 * deviation / n.sqrt());
            for j in 0..4 {
                let [mi, mj] = [i, j].map(|k| population.mean(k));
                let product = rows.iter().map(|row| (row[i] - mi) * (row[j] - mj));
                let off = product.sum::<f64>() / n - population.covariance(i, j);
                let size = deviation * population.covariance(j, j).sqrt();
                assert!(off.abs() < 5.0 * 1.5 * size / n.sqrt(), "{i} {j} {off}");
            }
        }
    }

    #[test]
    fn every_way_to_hide_hides_the_share_it_is_asked_for() {
        let rng = &mut ChaCha8Rng::seed_from_u64(5);
        let population = Population::draw(6, rng);
        for hiding in Hiding::ALL {
            for rate in [0.2, 0.5] {
                let holes = population.hide(hiding, rate, rng).unwrap();
                let data = population.sample(20_000, &holes, rng).unwrap();
                let hidden = |j: usize| {
                    let mut rows = data.features().rows().map(|row| row.get(j).is_none());
                    rows.by_ref().filter(|&hidden| hidden).count() as f64 / 20_000.0
                };
                let is_seen = |j: usize| hiding == Hiding::Mar && j == 0;
                for j in 0..6 {
                    let expected = if is_seen(j) { 0.0 } else { rate };
                    let share = hidden(j);
                    // Five standard deviations of a share of so many coins.
                    assert!(
                        (share - expected).abs() < 0.018,
                        "{hiding:?} {rate} {j} {share}"
                    );
                }
            }
        }
        assert!(population.hide(Hiding::Mcar, 1.0, rng).is_err());
    }
}
