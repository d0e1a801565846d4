//! Regret on the streams of the paper's Proposition 1, by class and by number of masks.

use crate::report::{Machine, Report, Table};
use anyhow::Result;
use gapfit::loss::Loss;
use gapfit::online::{
    Adversary, Feasible, Learn, MaskFeatures, MirrorDescent, Regret, RegretMeter, Step,
};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use serde::Serialize;
use std::f64::consts::PI;
use std::ops::ControlFlow;

/// Measures regret against coin flips that only the mask tells apart.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Streams per case.
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u64).range(2..))]
    streams: u64,
    /// Rounds per stream, where the number of masks varies.
    #[arg(long, default_value_t = 4096, value_parser = clap::value_parser!(u64).range(1..))]
    rounds: u64,
}

/// Features; half of them vary in being observed.
const FEATURES: usize = 16;

/// Numbers of masks.
const TASKS: [u64; 9] = [1, 2, 4, 8, 16, 32, 64, 128, 256];

/// Lengths of the streams for the bound of Theorem 1.
const ROUNDS: [u64; 6] = [64, 256, 1024, 4096, 16384, 65536];

/// The classes; `pattern` is that of all functions of the mask.
const PSIS: [MaskFeatures; 4] = [
    MaskFeatures::Constant,
    MaskFeatures::Affine,
    MaskFeatures::Identity,
    MaskFeatures::Pattern(256),
];

/// Relative gap of the comparators.
const GAP: f64 = 1e-3;

/// Mean regrets of every case.
#[derive(Debug, Serialize)]
pub(crate) struct Regrets {
    machine: Machine,
    streams: u64,
    rounds: u64,
    by_masks: Vec<Case>,
    by_rounds: Vec<Case>,
    largest_gap: f64,
}

/// One class on one kind of stream; regrets are divided by √T.
#[derive(Debug, Serialize)]
struct Case {
    psi: String,
    tasks: u64,
    rounds: u64,
    radius: f64,
    /// `suffered - certified lower bound`, the mean over streams.
    regret: f64,
    standard_error: f64,
    /// What no learner can avoid against all functions of the mask, on average.
    forced: f64,
    /// 3RG.
    bound: f64,
    largest_gap: f64,
}

/// Measures every case.
pub(crate) fn run(args: &Args) -> Result<Regrets> {
    let (mut by_masks, mut by_rounds) = (Vec::new(), Vec::new());
    for tasks in TASKS {
        eprintln!("{tasks} masks");
        for psi in PSIS {
            by_masks.push(case(psi, tasks, args.rounds, args.streams)?);
        }
    }
    for rounds in ROUNDS {
        eprintln!("{rounds} rounds");
        by_rounds.push(case(MaskFeatures::Affine, 256, rounds, args.streams)?);
    }
    let gaps = by_masks
        .iter()
        .chain(&by_rounds)
        .map(|case| case.largest_gap);
    Ok(Regrets {
        machine: Machine::here(),
        streams: args.streams,
        rounds: args.rounds,
        largest_gap: gaps.fold(0.0, f64::max),
        by_masks,
        by_rounds,
    })
}

/// All functions of the mask with weights of at most 1 each are matrices of at most √K; the restricted
/// classes get matrices of at most 1.
fn radius(psi: MaskFeatures, tasks: u64) -> f64 {
    match psi {
        MaskFeatures::Pattern(_) => (tasks as f64).sqrt(),
        _ => 1.0,
    }
}

fn case(psi: MaskFeatures, tasks: u64, rounds: u64, streams: u64) -> Result<Case> {
    let (radius, root, n) = (radius(psi, tasks), (rounds as f64).sqrt(), streams as f64);
    let regrets = (0..streams).map(|seed| stream(psi, radius, tasks, rounds, seed));
    let regrets = regrets.collect::<Result<Vec<_>>>()?;
    let upper = |regret: &Regret| regret.regret.upper / root;
    let mean = regrets.iter().map(upper).sum::<f64>() / n;
    let squares = regrets.iter().map(|regret| (upper(regret) - mean).powi(2));
    let gaps = regrets.iter().map(|regret| regret.comparator.gap);
    let adversary = Adversary::new(FEATURES, tasks, ChaCha8Rng::seed_from_u64(0))?;
    Ok(Case {
        psi: psi.to_string(),
        tasks,
        rounds,
        radius,
        regret: mean,
        standard_error: (squares.sum::<f64>() / (n - 1.0) / n).sqrt(),
        forced: adversary.expected_regret(rounds) / root,
        bound: regrets
            .iter()
            .map(|regret| regret.bound)
            .fold(0.0, f64::max)
            / root,
        largest_gap: gaps.fold(0.0, f64::max),
    })
}

/// The regret on one stream of a learner with the steps of Theorem 1, against its own class.
fn stream(psi: MaskFeatures, radius: f64, tasks: u64, rounds: u64, seed: u64) -> Result<Regret> {
    let settings = MirrorDescent {
        psi,
        loss: Loss::Hinge,
        set: Feasible::Ball(radius),
        step: Step::Anytime {
            radius,
            gradient: None,
        },
        ..MirrorDescent::default()
    };
    let mut learner = settings.start(FEATURES)?;
    let mut meter = RegretMeter::new(&settings, radius, FEATURES)?;
    let adversary = Adversary::new(FEATURES, tasks, ChaCha8Rng::seed_from_u64(seed))?;
    for (row, y) in adversary.take(usize::try_from(rounds)?) {
        let learnt = learner.learn(row.as_row(), y, 1.0)?;
        meter.add(row.as_row(), y, 1.0, learnt.loss)?;
    }
    Ok(meter.measure(GAP, |_| ControlFlow::Continue(()))?)
}

impl Report for Regrets {
    fn markdown(&self) -> String {
        let measured = |case: &Case| format!("{:.2} ± {:.2}", case.regret, case.standard_error);
        let mut masks = Table::new([
            "K",
            "constant",
            "affine",
            "identity",
            "pattern",
            "forced",
            "√(2K/π)",
            "3RG affine",
            "3RG pattern",
        ]);
        for cases in self.by_masks.chunks_exact(PSIS.len()) {
            let tasks = cases[0].tasks;
            masks.push([
                tasks.to_string(),
                measured(&cases[0]),
                measured(&cases[1]),
                measured(&cases[2]),
                measured(&cases[3]),
                format!("{:.2}", cases[3].forced),
                format!("{:.2}", (2.0 * tasks as f64 / PI).sqrt()),
                format!("{:.2}", cases[1].bound),
                format!("{:.2}", cases[3].bound),
            ]);
        }
        let mut lengths = Table::new(["T", "regret/√T", "3RG"]);
        for case in &self.by_rounds {
            lengths.push([
                case.rounds.to_string(),
                measured(case),
                format!("{:.2}", case.bound),
            ]);
        }
        format!(
            "{}. Hinge loss, {FEATURES} features, {} streams per case; regret (suffered less a certified lower bound on \
             the best matrix, largest gap {:.1e}) over √T, mean ± its standard error.\n\nK masks, T = {}; `pattern` within \
             ‖A‖ ≤ √K, the others within ‖A‖ ≤ 1:\n\n{masks}\n`affine` on 256 masks:\n\n{lengths}",
            self.machine, self.streams, self.largest_gap, self.rounds
        )
    }
}
