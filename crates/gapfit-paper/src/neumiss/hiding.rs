//! Which cells are hidden.

use super::Population;

/// How cells are hidden.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hiding {
    /// Completely at random.
    Mcar,
    /// The nearer a value is to two standard deviations above its mean, the likelier.
    Gaussian,
    /// The larger a value is, the likelier: `Φ(x/2 - c)`.
    Probit,
}

/// Slope of the probit.
const SLOPE: f64 = 0.5;

impl Hiding {
    /// Every way.
    pub const ALL: [Self; 3] = [Self::Mcar, Self::Gaussian, Self::Probit];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Mcar => "mcar",
            Self::Gaussian => "gaussian self-masking",
            Self::Probit => "probit self-masking",
        }
    }

    /// The chance of each cell to be hidden, such that each feature loses the share `rate`.
    pub(super) fn chances(self, population: &Population, rate: f64) -> Chances {
        let features = 0..population.n_features();
        match self {
            Self::Mcar => Chances::Same(rate),
            Self::Gaussian => {
                let bell = |j: usize| Bell::new(population, j, rate);
                Chances::Bells(features.map(bell).collect())
            }
            Self::Probit => {
                // E Φ(λx - c) = Φ((λμ - c) / sqrt(1 + λ²σ²)), so c solves it for the rate.
                let offset = |j: usize| {
                    let spread = 1.0 + SLOPE * SLOPE * population.covariance(j, j);
                    SLOPE * population.mean(j) - quantile(rate) * spread.sqrt()
                };
                Chances::Probits(features.map(offset).collect())
            }
        }
    }
}

/// The chance of each cell to be hidden.
pub(super) enum Chances {
    Same(f64),
    Bells(Vec<Bell>),
    /// The offset c of each feature.
    Probits(Vec<f64>),
}

impl Chances {
    pub(super) fn chance(&self, j: usize, x: f64) -> f64 {
        match self {
            Self::Same(rate) => *rate,
            Self::Bells(bells) => {
                let Bell { centre, variance } = bells[j];
                (-(x - centre).powi(2) / (2.0 * variance)).exp()
            }
            Self::Probits(offsets) => normal_cdf(SLOPE * x - offsets[j]),
        }
    }
}

/// A cell is hidden with chance `exp(-(x - centre)² / (2 variance))`.
#[derive(Clone, Copy)]
pub(super) struct Bell {
    pub(super) centre: f64,
    pub(super) variance: f64,
}

impl Bell {
    pub(super) fn new(population: &Population, j: usize, rate: f64) -> Self {
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

/// The root of an increasing function of a positive number, by bisection of its logarithm.
fn root(f: impl Fn(f64) -> f64, mut low: f64, mut high: f64) -> f64 {
    for _ in 0..200 {
        let middle = (low * high).sqrt();
        if f(middle) < 0.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
    (low * high).sqrt()
}
