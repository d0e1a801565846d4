//! The setting with the fewest mistakes on the very trials it is judged by: the paper's way.

use super::method::{Method, Setting};
use super::trial::{Trial, mistakes, share};
use crate::sample::mean;
use anyhow::{Context, Result};
use gapfit::loss::Loss;
use rayon::prelude::*;
use serde::Serialize;

/// Points of a curve.
const POINTS: usize = 100;

/// What came out, on all trials.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Outcome {
    /// Absent for a learner that tunes itself.
    pub(super) setting: Option<Setting>,
    /// Share of mistakes by trial.
    pub(super) errors: Vec<f64>,
    /// Rows so far, and the share of mistakes on them, mean over the trials.
    pub(super) curve: Vec<(usize, f64)>,
}

/// The best setting of a method, by the mean over the trials; the first of equals.
pub(super) fn best(method: Method, loss: Loss, trials: &[Trial]) -> Result<Outcome> {
    let settings = method.settings();
    let runs = settings.len() * trials.len();
    let errors = (0..runs).into_par_iter().map(|run| {
        let setting = settings[run / trials.len()];
        Ok(share(&run_one(
            method,
            loss,
            setting,
            &trials[run % trials.len()],
        )?))
    });
    let errors: Vec<f64> = errors.collect::<Result<_>>()?;
    let by_setting = errors.chunks_exact(trials.len()).map(mean);
    let least = by_setting.enumerate().min_by(|a, b| a.1.total_cmp(&b.1));
    let (least, _) = least.context("expected at least one setting")?;
    let setting = settings[least];
    let wrong = trials
        .iter()
        .map(|trial| run_one(method, loss, setting, trial));
    Ok(Outcome::of(
        Some(setting),
        &wrong.collect::<Result<Vec<_>>>()?,
    ))
}

fn run_one(method: Method, loss: Loss, at: Setting, trial: &Trial) -> Result<Vec<bool>> {
    let rows = method.rows(trial);
    let mut learner = method.descent(loss, at, trial).start(rows.n_features())?;
    mistakes(&mut learner, rows)
}

impl Outcome {
    /// From the mistakes of every trial, all of the same length.
    pub(super) fn of(setting: Option<Setting>, trials: &[Vec<bool>]) -> Self {
        let n_rows = trials[0].len();
        let until = |rows: usize| {
            let shares: Vec<f64> = trials.iter().map(|wrong| share(&wrong[..rows])).collect();
            (rows, mean(&shares))
        };
        let points = (1..=POINTS).map(|k| (k * n_rows).div_ceil(POINTS));
        Self {
            setting,
            errors: trials.iter().map(|wrong| share(wrong)).collect(),
            curve: points.map(until).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_curve_ends_at_the_error() {
        let wrong: Vec<bool> = (0..1000).map(|i| i % 4 == 0).collect();
        let outcome = Outcome::of(None, &[wrong.clone(), vec![true; 1000]]);
        assert_eq!(outcome.errors, [0.25, 1.0]);
        assert_eq!(outcome.curve.len(), POINTS);
        let (rows, last) = outcome.curve[POINTS - 1];
        assert!(rows == 1000 && (last - 0.625).abs() < 1e-15);
    }
}
