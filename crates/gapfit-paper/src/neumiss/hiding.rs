//! Which cells are hidden.

use super::Population;
use super::root::root;
use gapfit::{Error, Result};
use rand::{Rng, RngExt};
use rand_distr::StandardNormal;
use serde::Deserialize;

/// How cells are hidden.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Hiding {
    /// Completely at random.
    Mcar,
    /// At random: a tenth of the columns is always observed and decides, by a logistic curve.
    Mar,
    /// The nearer a value is to two standard deviations above its mean, the likelier.
    Gaussian,
    /// The larger a value is, the likelier: `Φ(x/2 - c)`.
    Probit,
}

/// Slope of the probit.
const SLOPE: f64 = 0.5;

impl Hiding {
    /// Every way.
    pub const ALL: [Self; 4] = [Self::Mcar, Self::Mar, Self::Gaussian, Self::Probit];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Mcar => "MCAR",
            Self::Mar => "MAR",
            Self::Gaussian => "Gaussian self-masking",
            Self::Probit => "probit self-masking",
        }
    }
}

/// The chance of each cell of a row to be hidden; [`Population::hide`] makes one.
#[derive(Clone, Debug)]
pub struct Holes {
    pub(super) chances: Chances,
}

#[derive(Clone, Debug)]
pub(super) enum Chances {
    Same(f64),
    /// By feature; `None` for one that is always observed.
    Logistic(Vec<Option<Score>>),
    Bells(Vec<Bell>),
    /// The offset c of each feature.
    Probits(Vec<f64>),
}

/// A cell is hidden with chance `1 / (1 + exp(-(weights · x + offset)))`.
#[derive(Clone, Debug)]
pub(super) struct Score {
    /// Of the features that are always observed, the first ones.
    weights: Vec<f64>,
    offset: f64,
}

/// A cell is hidden with chance `exp(-(x - centre)² / (2 variance))`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bell {
    pub(super) centre: f64,
    pub(super) variance: f64,
}

impl Population {
    /// A way to hide cells of this population such that each feature that can be hidden loses the share
    /// `rate`; what it leaves open is drawn.
    ///
    /// # Errors
    /// [`Error::Setting`] unless `0 < rate < 1`.
    pub fn hide(&self, hiding: Hiding, rate: f64, rng: &mut impl Rng) -> Result<Holes> {
        if !(rate > 0.0 && rate < 1.0) {
            return Err(Error::Setting {
                name: "rate",
                expected: "a number above 0 and below 1",
                got: rate.to_string(),
            });
        }
        let features = 0..self.n_features();
        let chances = match hiding {
            Hiding::Mcar => Chances::Same(rate),
            Hiding::Mar => {
                // The features are exchangeable, so the first ones do.
                let n_seen = (self.n_features() / 10).max(1);
                let mut score =
                    |j: usize| (j >= n_seen).then(|| Score::draw(self, n_seen, rate, rng));
                Chances::Logistic(features.map(&mut score).collect())
            }
            Hiding::Gaussian => {
                Chances::Bells(features.map(|j| Bell::new(self, j, rate)).collect())
            }
            Hiding::Probit => {
                // E Φ(λx - c) = Φ((λμ - c) / sqrt(1 + λ²σ²)), so c solves it for the rate.
                let offset = |j: usize| {
                    let spread = 1.0 + SLOPE * SLOPE * self.covariance(j, j);
                    SLOPE * self.mean(j) - quantile(rate) * spread.sqrt()
                };
                Chances::Probits(features.map(offset).collect())
            }
        };
        Ok(Holes { chances })
    }
}

impl Holes {
    /// The chance that cell `j` of a row is hidden.
    pub(super) fn chance(&self, row: &[f64], j: usize) -> f64 {
        match &self.chances {
            Chances::Same(rate) => *rate,
            Chances::Logistic(scores) => scores[j].as_ref().map_or(0.0, |score| score.chance(row)),
            Chances::Bells(bells) => {
                let Bell { centre, variance } = bells[j];
                (-(row[j] - centre).powi(2) / (2.0 * variance)).exp()
            }
            Chances::Probits(offsets) => normal_cdf(SLOPE * row[j] - offsets[j]),
        }
    }
}

impl Score {
    /// Standard normal weights, scaled so that the score has standard deviation `1/s`, `s ~ U(.1, .5)`.
    fn draw(population: &Population, n_seen: usize, rate: f64, rng: &mut impl Rng) -> Self {
        let mut weights: Vec<f64> = (0..n_seen).map(|_| rng.sample(StandardNormal)).collect();
        let pairs = (0..n_seen).flat_map(|i| (0..n_seen).map(move |k| (i, k)));
        let variance: f64 = pairs
            .map(|(i, k)| weights[i] * weights[k] * population.covariance(i, k))
            .sum();
        let deviation = 1.0 / rng.random_range(0.1..0.5);
        for weight in &mut weights {
            *weight *= deviation / variance.sqrt();
        }
        let mean: f64 = (0..n_seen).map(|i| weights[i] * population.mean(i)).sum();
        // Increasing in the offset, whose exponential is bisected.
        let share = |t: f64| mean_logistic(t.ln(), deviation) - rate;
        let offset = root(share, 1e-300, 1e300).ln() - mean;
        Self { weights, offset }
    }

    fn chance(&self, row: &[f64]) -> f64 {
        let score: f64 = self.weights.iter().zip(row).map(|(w, x)| w * x).sum();
        1.0 / (1.0 + (-(score + self.offset)).exp())
    }
}

/// The mean of `1 / (1 + exp(-s))` over a normal s, by the trapezoid rule, which converges fast here.
fn mean_logistic(mean: f64, deviation: f64) -> f64 {
    let (mut sum, mut weight) = (0.0, 0.0);
    for i in -80..=80 {
        let t = 0.1 * f64::from(i);
        let density = (-0.5 * t * t).exp();
        sum += density / (1.0 + (-(mean + deviation * t)).exp());
        weight += density;
    }
    sum / weight
}

impl Bell {
    fn new(population: &Population, j: usize, rate: f64) -> Self {
        let variance = population.covariance(j, j);
        Self {
            centre: population.mean(j) + 2.0 * variance.sqrt(),
            variance: variance * width(rate),
        }
    }
}

/// The c at which `sqrt(c / (1 + c)) exp(-2 / (1 + c))`, the share that is hidden, is `rate`.
fn width(rate: f64) -> f64 {
    root(
        |c: f64| (c / (1.0 + c)).sqrt() * (-2.0 / (1.0 + c)).exp() - rate,
        1e-12,
        1e12,
    )
}

fn normal_cdf(x: f64) -> f64 {
    0.5 * libm::erfc(-x / std::f64::consts::SQRT_2)
}

fn quantile(rate: f64) -> f64 {
    // Shifted to where bisection by ratios works.
    root(|t: f64| normal_cdf(t.ln()) - rate, 1e-17, 1e17).ln()
}
