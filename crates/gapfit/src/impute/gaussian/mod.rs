//! The Gaussian base: holes are filled with their conditional mean under a normal distribution whose
//! mean and covariance are those under which the observed cells are likeliest (docs/math.md 6.5 to 6.7).
//!
//! Given per-mask sums, or rows to sum on each visit; returns the distribution and how its fit went.

mod conditional;
mod em;
mod information;
mod likelihood;
mod path;
mod report;
mod shrink;
mod standard;
mod support;
#[cfg(test)]
mod tests;

pub(crate) use conditional::{Conditional, Gaussian};
pub(crate) use em::Ended;
pub(crate) use report::Report;

use crate::linalg::Matrix;
use crate::prepare::{Prepared, Sample};
use em::Limits;
use likelihood::At;
use shrink::Table;
use standard::Standard;
use support::Pairs;

/// How closely the likelihood is maximised: conditional means are then stable to about 1e-7 of the
/// spread of their column.
const LIMITS: Limits = Limits {
    tol: 1e-15,
    max_iter: 1000,
};

/// Fits the distribution.
pub(super) fn fit(prepared: &Prepared, sample: &Sample<'_>) -> (Gaussian, Report) {
    let (frame, source) = (&sample.reading.frame, &sample.reading.source);
    let standard = Standard::new(prepared, sample.means, source);
    let table = Table {
        rows: sample.reading.rows,
        source,
        frame,
        standard: &standard,
    };
    let mut report = Report::new(&standard);
    if standard.len() == 0 {
        return (prepared.distribution(sample, &standard, None), report);
    }
    let pairs = Pairs::of(source, &standard);
    let choice = table.choose(&pairs);
    let likelihood = table.likelihood(choice.shrinkage);
    let start = em::start(&likelihood, &pairs.covariance);
    let maximum = start.map(|start| em::maximise(&likelihood, start, LIMITS));
    let gaussian = prepared.distribution(sample, &standard, maximum.as_ref().map(|m| &m.at));
    report.choice(&choice, &standard);
    if let Some(maximum) = &maximum {
        report.maximum(maximum, &likelihood);
    }
    (gaussian, report)
}

impl Prepared {
    /// A fitted point in the units of the completed rows; columns that do not vary, or all of them
    /// where there is no point, go with no other.
    fn distribution(&self, sample: &Sample<'_>, standard: &Standard, at: Option<&At>) -> Gaussian {
        let n = self.live.len();
        let mut mean = self.means(sample.means, &sample.reading.frame)[1..].to_vec();
        let mut spread = vec![1.0; n];
        let mut correlation = Matrix::zeros(n, n);
        (0..n).for_each(|l| correlation[(l, l)] = 1.0);
        if let Some(At { point, .. }) = at {
            let (order, covariance) = (point.n, point.covariance());
            let root = |a: usize| covariance[a * (order + 1)].sqrt();
            for (b, &j) in standard.columns.iter().enumerate() {
                let (slope, _) = self.unframe(j, &sample.reading.frame);
                let k = self.entry_of[j] - 1;
                mean[k] += slope * standard.spread[b] * point.mean()[b];
                let unit = slope * standard.spread[b] * root(b);
                spread[k] = unit.clamp(f64::MIN_POSITIVE, f64::MAX);
                for (a, &i) in standard.columns.iter().enumerate().filter(|(a, _)| *a != b) {
                    let cell = covariance[a.min(b) * order + a.max(b)];
                    correlation[(self.entry_of[i] - 1, k)] = cell / (root(a) * root(b));
                }
            }
        }
        sound(&mean, &spread, &correlation)
    }
}

/// The distribution; correlations are drawn towards zero as far as it takes for it to be one, which
/// beyond the shrinkage chosen is not at all unless variances differ by many orders.
fn sound(mean: &[f64], spread: &[f64], correlation: &Matrix) -> Gaussian {
    let n = mean.len();
    [0.0, 1e-9, 1e-6, 1e-3, 1.0]
        .into_iter()
        .find_map(|share| {
            let mut drawn = correlation.clone();
            for j in 0..n {
                for i in (0..n).filter(|&i| i != j) {
                    drawn[(i, j)] *= 1.0 - share;
                }
            }
            Gaussian::new(mean.to_vec(), spread.to_vec(), drawn).ok()
        })
        .expect("positive spreads and no correlation are a distribution")
}
