//! Tables with holes, made with a fixed seed.

use anyhow::Result;
use gapfit::corrupt::Mechanism;
use gapfit::data::{Dataset, MaskedMatrix};
use gapfit_paper::outcome::{deviation, mean};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::StandardNormal;

/// Normal features that share a common part, and a linear target with noise.
pub(crate) fn linear(n_rows: usize, n_cols: usize, seed: u64) -> Result<Dataset> {
    Linear::new(n_cols, seed).rows(n_rows)
}

/// Rows of [`linear`] without end, to be taken in parts.
#[derive(Debug)]
pub(crate) struct Linear {
    weights: Vec<f64>,
    rng: ChaCha8Rng,
}

impl Linear {
    pub(crate) fn new(n_cols: usize, seed: u64) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let weights = (0..n_cols).map(|_| rng.sample(StandardNormal)).collect();
        Self { weights, rng }
    }

    /// The next rows.
    pub(crate) fn rows(&mut self, n_rows: usize) -> Result<Dataset> {
        let Self { weights, rng } = self;
        let mut normal = || -> f64 { rng.sample(StandardNormal) };
        let mut table = MaskedMatrix::new(weights.len());
        table.reserve(n_rows);
        let mut target = Vec::with_capacity(n_rows);
        let mut row = vec![0.0; weights.len()];
        for _ in 0..n_rows {
            let common = normal();
            row.fill_with(|| 0.7 * common + 0.7 * normal());
            let sum: f64 = row.iter().zip(&*weights).map(|(x, w)| x * w).sum();
            target.push(sum + 0.5 * normal());
            table.push_row(row.iter().copied().map(Some))?;
        }
        Ok(Dataset::new(table, target)?)
    }
}

/// The same data with holes.
pub(crate) fn with_holes(data: &Dataset, mechanism: &Mechanism, seed: u64) -> Result<Dataset> {
    let rng = &mut ChaCha8Rng::seed_from_u64(seed);
    let table = mechanism.apply(data.features(), rng)?;
    Ok(data.clone().with_features(table)?)
}

/// How steep the odds of made-up classes are, per standard deviation of the score.
const STEEPNESS: f64 = 3.0;

/// Two classes whose log-odds are the standardised target times [`STEEPNESS`].
pub(crate) fn logistic(scores: &Dataset, rng: &mut ChaCha8Rng) -> Result<Dataset> {
    let target = scores.target();
    let (middle, spread) = (mean(target), deviation(target));
    let label = |&score: &f64| {
        let odds = (STEEPNESS * (score - middle) / spread).exp();
        let is_second = rng.random::<f64>() * (1.0 + odds) < odds;
        if is_second { "yes" } else { "no" }
    };
    let labels: Vec<&str> = target.iter().map(label).collect();
    Ok(Dataset::classified(scores.features().clone(), &labels)?)
}
