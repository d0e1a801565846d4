//! How long the best matrix in hindsight takes, by class, loss and radius.

use crate::report::{Machine, Report, Table};
use anyhow::Result;
use gapfit::corrupt::Mechanism;
use gapfit::data::{Dataset, MaskedMatrix};
use gapfit::loss::Loss;
use gapfit::online::regret::Hindsight;
use gapfit::online::{MaskFeatures, MirrorDescent, RegretMeter};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::StandardNormal;
use serde::Serialize;
use std::ops::ControlFlow;
use std::time::Instant;

/// Times the comparators of regret, cold.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Passes over the rows before a solve is given up.
    #[arg(long, default_value_t = 1000)]
    epochs: usize,
}

const ROWS: usize = 2000;
const FEATURES: usize = 10;

/// Shares of missing cells, radii and classes; the larger radius is not in the way.
const RATE: f64 = 0.3;
const RADII: [f64; 2] = [0.5, 30.0];
const PSIS: [MaskFeatures; 2] = [MaskFeatures::Affine, MaskFeatures::Identity];

/// The gaps that are waited for.
const GAPS: [f64; 2] = [1e-3, 1e-6];

/// The solves of every case.
#[derive(Debug, Serialize)]
pub(crate) struct Solves {
    machine: Machine,
    epochs: usize,
    cases: Vec<Case>,
}

#[derive(Debug, Serialize)]
struct Case {
    psi: String,
    loss: String,
    radius: f64,
    /// Epochs and milliseconds to each of the gaps, where it was reached.
    reached: [Option<(usize, f64)>; 2],
    gap: f64,
}

/// Solves every case.
pub(crate) fn run(args: &Args) -> Result<Solves> {
    let mut cases = Vec::new();
    for psi in PSIS {
        for radius in RADII {
            eprintln!("{psi}, radius {radius}");
            for loss in Loss::ALL {
                cases.push(case(psi, loss, radius, args.epochs)?);
            }
        }
    }
    Ok(Solves {
        machine: Machine::here(),
        epochs: args.epochs,
        cases,
    })
}

/// Correlated normal rows with holes at random, and a noisy linear target.
fn stream(loss: Loss) -> Result<Dataset> {
    let rng = &mut ChaCha8Rng::seed_from_u64(11);
    let (mut table, mut target) = (MaskedMatrix::new(FEATURES), Vec::new());
    for _ in 0..ROWS {
        let [common, noise]: [f64; 2] = [rng.sample(StandardNormal), rng.sample(StandardNormal)];
        let row: Vec<f64> = (0..FEATURES)
            .map(|_| 0.7 * common + 0.7 * rng.sample::<f64, _>(StandardNormal))
            .collect();
        let y = row.iter().step_by(2).sum::<f64>() * 0.5 + 0.5 * noise;
        target.push(if loss.is_classification() {
            y.signum()
        } else {
            y
        });
        table.push_row(row.into_iter().map(Some))?;
    }
    let table = Mechanism::Mcar { rate: RATE }.apply(&table, rng)?;
    Ok(Dataset::new(table, target)?)
}

fn case(psi: MaskFeatures, loss: Loss, radius: f64, epochs: usize) -> Result<Case> {
    let settings = MirrorDescent {
        psi,
        loss,
        ..MirrorDescent::default()
    };
    let data = stream(loss)?;
    let mut meter = RegretMeter::new(&settings, radius, FEATURES)?.with_max_epochs(epochs);
    for (row, &y) in data.features().rows().zip(data.target()) {
        meter.add(row, y, 1.0, 0.0)?;
    }
    let (mut reached, mut is_first, start) = ([None; 2], true, Instant::now());
    let watch = |best: &Hindsight| {
        for (reached, gap) in reached.iter_mut().zip(GAPS) {
            if is_first && best.gap <= gap && reached.is_none() {
                *reached = Some((best.epochs, 1e3 * start.elapsed().as_secs_f64()));
            }
        }
        // The second solve, that of the fixed weight vector, starts when the first is over.
        is_first &= best.gap > GAPS[1] && best.epochs < epochs;
        ControlFlow::Continue(())
    };
    let regret = meter.measure(GAPS[1], watch)?;
    Ok(Case {
        psi: psi.to_string(),
        loss: loss.to_string(),
        radius,
        reached,
        gap: regret.comparator.gap,
    })
}

impl Report for Solves {
    fn markdown(&self) -> String {
        let mut table = Table::new(["psi", "radius", "loss", "to 1e-3", "to 1e-6", "gap"]);
        let cell = |reached: Option<(usize, f64)>| match reached {
            Some((epochs, time)) => format!("{epochs} ({time:.0} ms)"),
            None => "-".to_owned(),
        };
        for case in &self.cases {
            table.push([
                case.psi.clone(),
                case.radius.to_string(),
                case.loss.clone(),
                cell(case.reached[0]),
                cell(case.reached[1]),
                format!("{:.1e}", case.gap),
            ]);
        }
        format!(
            "{}; one thread. {ROWS} rows, {FEATURES} features, {:.0} % missing; epochs (and milliseconds) of the best matrix in hindsight \
             to a certified relative gap, at most {} epochs.\n\n{table}",
            self.machine,
            100.0 * RATE,
            self.epochs
        )
    }
}
