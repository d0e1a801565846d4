//! How many rows a second the online learner takes, by width and share of holes.

use crate::report::{Machine, Report, Table};
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

/// Times predicting and learning row by row, on one thread.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Milliseconds per case.
    #[arg(long, default_value_t = 300, value_parser = clap::value_parser!(u64).range(1..))]
    milliseconds: u64,
}

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
const ROWS: usize = 4000;

/// Rows per second of every case.
#[derive(Debug, Serialize)]
pub(crate) struct Pace {
    machine: Machine,
    cases: Vec<Case>,
}

#[derive(Debug, Serialize)]
struct Case {
    width: usize,
    rate: f64,
    psi: String,
    rows_per_second: f64,
}

/// Times every case.
pub(crate) fn run(args: &Args) -> Result<Pace> {
    let time = Duration::from_millis(args.milliseconds);
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
    Ok(Pace {
        machine: Machine::here(),
        cases,
    })
}

/// Standard normal rows with holes at random, and a target of two classes.
fn stream(width: usize, rate: f64) -> Result<Dataset> {
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

impl Report for Pace {
    fn markdown(&self) -> String {
        let header = [
            "d",
            "missing",
            "constant",
            "affine",
            "identity",
            "affine / constant",
        ];
        let mut table = Table::new(header);
        for case in self.cases.chunks_exact(PSIS.len()) {
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
        format!(
            "{}; one thread. Thousands of rows a second, predict and learn, logistic loss, constant step, \
             best pass over {ROWS} rows in memory; constant is plain gradient descent on zero-filled rows, \
             the last column how many times longer the mask-dependent weights take.\n\n{table}",
            self.machine
        )
    }
}
