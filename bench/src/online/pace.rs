//! Rows a second by width and share of holes, and what a complete row costs.

use crate::report::Table;
use anyhow::Result;
use gapfit::corrupt::Mechanism;
use gapfit::data::{Dataset, MaskedMatrix};
use gapfit::loss::Loss;
use gapfit::online::{Learn, MaskFeatures, MirrorDescent, Step};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::StandardNormal;
use serde::Serialize;
use std::time::{Duration, Instant};

/// Numbers of features.
const WIDTHS: [usize; 4] = [16, 64, 256, 1024];

/// Shares of missing cells.
const RATES: [f64; 4] = [0.0, 0.01, 0.1, 0.5];

/// What the weights may know of the mask: nothing, which is plain gradient descent, or all of it.
const PSIS: [MaskFeatures; 3] = [
    MaskFeatures::Constant,
    MaskFeatures::Affine,
    MaskFeatures::Identity,
];

/// Rows in memory, gone over again and again.
pub(super) const ROWS: usize = 4000;

/// A complete row may cost this many times what it costs plain gradient descent.
const COMPLETE: f64 = 2.0;

/// Rows per second of one case.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Case {
    width: usize,
    rate: f64,
    psi: String,
    rows_per_second: f64,
}

/// Times every case, each for this long.
pub(super) fn measure(time: Duration) -> Result<Vec<Case>> {
    let mut cases = Vec::new();
    for width in WIDTHS {
        eprintln!("d = {width}");
        for rate in RATES {
            let data = stream(width, rate)?;
            for psi in PSIS {
                cases.push(Case {
                    width,
                    rate,
                    psi: psi.to_string(),
                    rows_per_second: rows_per_second(&data, psi, time)?,
                });
            }
        }
    }
    Ok(cases)
}

/// Standard normal rows with holes at random, and a target of two classes.
pub(super) fn stream(width: usize, rate: f64) -> Result<Dataset> {
    let rng = &mut ChaCha8Rng::seed_from_u64(7);
    let (mut table, mut target) = (MaskedMatrix::new(width), Vec::new());
    for _ in 0..ROWS {
        let row: Vec<f64> = (0..width).map(|_| rng.sample(StandardNormal)).collect();
        target.push(f64::signum(row.iter().step_by(2).sum()));
        table.push_row(row.into_iter().map(Some))?;
    }
    if rate > 0.0 {
        table = Mechanism::Mcar { rate }.apply(&table, rng)?;
    }
    Ok(Dataset::new(table, target)?)
}

/// The best of whole passes over the rows: predict, then learn.
fn rows_per_second(data: &Dataset, psi: MaskFeatures, time: Duration) -> Result<f64> {
    let settings = MirrorDescent {
        psi,
        loss: Loss::Logistic,
        step: Step::Constant { eta: 0.01 },
        ..MirrorDescent::default()
    };
    let mut learner = settings.start(data.n_features())?;
    let (start, mut best) = (Instant::now(), f64::INFINITY);
    while start.elapsed() < time || best.is_infinite() {
        let pass = Instant::now();
        for (row, &class) in data.features().rows().zip(data.target()) {
            std::hint::black_box(learner.predict(row)?);
            learner.learn(row, class, 1.0)?;
        }
        best = best.min(pass.elapsed().as_secs_f64());
    }
    Ok(data.n_rows() as f64 / best)
}

/// One line per width and share of holes.
pub(super) fn table(cases: &[Case]) -> Table {
    let mut table = Table::new([
        "d",
        "missing",
        "constant",
        "affine",
        "identity",
        "affine / constant",
    ]);
    for case in cases.chunks_exact(PSIS.len()) {
        let pace = |k: usize| case[k].rows_per_second;
        let thousands = |k: usize| format!("{:.0}", pace(k) / 1e3);
        table.push([
            case[0].width.to_string(),
            format!("{} %", 100.0 * case[0].rate),
            thousands(0),
            thousands(1),
            thousands(2),
            format!("{:.2}", pace(0) / pace(1)),
        ]);
    }
    table
}

/// Whether complete rows cost what they may, in one sentence.
pub(super) fn verdict(cases: &[Case]) -> String {
    let complete = cases
        .chunks_exact(PSIS.len())
        .filter(|of| of[0].rate <= 0.0);
    let costs = complete.flat_map(|of| {
        let cost = |case: &Case| of[0].rows_per_second / case.rows_per_second;
        of[1..].iter().map(move |case| (cost(case), case))
    });
    let Some((cost, case)) = costs.max_by(|a, b| a.0.total_cmp(&b.0)) else {
        return "No complete rows were timed.".to_owned();
    };
    format!(
        "A complete row costs at most {COMPLETE} times plain gradient descent: {}, {cost:.2} times at worst \
         ({}, d = {}).",
        if cost <= COMPLETE { "yes" } else { "NO" },
        case.psi,
        case.width
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_verdict_is_that_of_the_slowest_complete_rows() {
        let case = |rate, psi: MaskFeatures, rows_per_second| Case {
            width: 16,
            rate,
            psi: psi.to_string(),
            rows_per_second,
        };
        let line = |rate, paces: [f64; 3]| [0, 1, 2].map(|k| case(rate, PSIS[k], paces[k]));
        let holey = line(0.5, [9.0, 1.0, 1.0]);
        let quick = [line(0.0, [3.0, 2.0, 2.5]), holey].concat();
        assert!(verdict(&quick).contains(": yes, 1.50 times at worst (affine, d = 16)"));
        let slow = line(0.0, [3.0, 2.0, 1.0]);
        assert!(verdict(&slow).contains(": NO, 3.00 times at worst (identity, d = 16)"));
    }
}
