//! What a fit will take, roughly.

use super::Profile;
use crate::joint::matrix_free::couples_alike;
use crate::pipeline::{SMALL, STEPS, products};

/// What `gapfit fit` with its default settings will take: the right order, not more.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// Unknowns of imputed ridge regression.
    pub unknowns: f64,
    /// Bytes of memory at its peak.
    pub bytes: f64,
    /// Seconds on one thread, reading not included.
    pub seconds: f64,
}

/// Fits by which a search and a calibration go over the rows: five folds each, and the last fit.
const PASSES: f64 = 11.0;
/// Problems that a search over four bases solves: about 36 candidates in five folds.
const SOLVES: f64 = 720.0;
/// Multiply-adds per second, in sums over rows and in factorisations.
const SPEED: f64 = 2e9;
const FACTOR_SPEED: f64 = 1e10;
/// Seconds that a solve takes however small it is.
const OVERHEAD: f64 = 5e-4;

impl Profile {
    /// What a fit to this table will take, each column being so many features.
    pub fn estimate(&self, widths: &[usize]) -> Estimate {
        let (n, d) = (
            self.n_rows as f64,
            widths.iter().sum::<usize>() as f64 + 1.0,
        );
        let holey = widths.iter().zip(&self.missing).filter(|(_, m)| **m > 0);
        let holes = holey.map(|(width, _)| *width as f64).sum::<f64>();
        let unknowns = d * (1.0 + holes);
        let masks = self.masks.len() as f64;
        let sums = (masks * d * d / 2.0).min(n * d);
        let table = n * d;
        let (numbers, solving) = if unknowns <= SMALL as f64 {
            let forming = masks * ((1.0 + holes) * d).powi(2) / 8.0;
            let factoring = SOLVES * STEPS * unknowns.powi(3) / 6.0;
            let seconds = factoring / FACTOR_SPEED + PASSES * 4.0 * forming / SPEED;
            (10.0 * unknowns * unknowns, seconds)
        } else {
            let product = 2.0 * n * d * (1.0 + holes);
            let products = products(couples_alike(d as usize, holes as usize, self.n_rows));
            (5.0 * table, SOLVES * STEPS * products * product / SPEED)
        };
        let summing = PASSES * n * d * d / 2.0;
        Estimate {
            unknowns,
            bytes: 8.0 * (table + 6.0 * sums + numbers),
            seconds: SOLVES * OVERHEAD + summing / SPEED + solving,
        }
    }
}
