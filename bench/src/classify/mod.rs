//! Classes through holes: imputed logistic regression, on the base it chooses, against mean imputation with
//! indicators of what is missing, both tuned by the log-loss of held-out rows.

use crate::report::{Report, Table};
use anyhow::Result;
use gapfit::data::Dataset;
use gapfit::eval::ClassScores;
use gapfit::loss::Loss;
use gapfit::tune::{self, Search};
use gapfit::{Base, Learner, Method, Parameters};
use gapfit_paper::Embedded;
use gapfit_paper::neumiss::{Hiding, Population};
use gapfit_paper::outcome::{deviation, mean, paired};
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde::Serialize;
use std::ops::ControlFlow;
use std::time::Instant;

/// Compares imputed logistic regression with mean imputation and mask indicators.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Draws of rows and holes; at least 2.
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u64).range(2..))]
    draws: u64,
    /// Seed of the first draw; each further one adds 1.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Training rows of made-up data, and test rows.
    #[arg(long, default_value_t = 2000)]
    rows: usize,
}

/// Features of made-up data, and the share of their cells that is missing.
const WIDTH: usize = 10;
const RATE: f64 = 0.5;

/// How steep the odds are, per standard deviation of the linear score.
const STEEPNESS: f64 = 3.0;

/// Where rows and holes come from.
#[derive(Clone, Copy, Debug)]
enum Source {
    /// Linear-Gaussian scores behind the classes.
    Neumiss(Hiding),
    /// Natural holes; two thirds of the rows to train.
    Hypothyroid,
}

const SOURCES: [Source; 5] = [
    Source::Neumiss(Hiding::Mcar),
    Source::Neumiss(Hiding::Mar),
    Source::Neumiss(Hiding::Gaussian),
    Source::Neumiss(Hiding::Probit),
    Source::Hypothyroid,
];

/// Scores of everything everywhere.
#[derive(Debug, Serialize)]
pub(crate) struct Standings {
    draws: u64,
    seed: u64,
    rows: usize,
    cells: Vec<Cell>,
}

/// Test scores by draw.
#[derive(Debug, Serialize)]
struct Cell {
    holes: &'static str,
    mask: Vec<Score>,
    irr: Vec<Score>,
    bases: Vec<String>,
    seconds: f64,
}

#[derive(Clone, Copy, Debug, Serialize)]
struct Score {
    log_loss: f64,
    auc: f64,
    calibration_error: f64,
}

impl Source {
    fn name(self) -> &'static str {
        match self {
            Self::Neumiss(hiding) => hiding.name(),
            Self::Hypothyroid => "hypothyroid",
        }
    }

    /// Training and test rows.
    fn draw(self, args: &Args, seed: u64) -> Result<[Dataset; 2]> {
        let rng = &mut ChaCha8Rng::seed_from_u64(seed);
        let n = args.rows;
        let all = match self {
            Self::Neumiss(hiding) => {
                let population = Population::draw(WIDTH, rng);
                let holes = population.hide(hiding, RATE, rng)?;
                classes(&population.sample(2 * n, &holes, rng)?, rng)?
            }
            Self::Hypothyroid => Embedded::Hypothyroid.load().classify()?,
        };
        let mut order: Vec<usize> = (0..all.n_rows()).collect();
        order.shuffle(rng);
        let n_train = match self {
            Self::Hypothyroid => all.n_rows() * 2 / 3,
            _ => n,
        };
        let (train, test) = order.split_at(n_train);
        Ok([all.select(train), all.select(test)])
    }
}

/// Classes whose log-odds are the standardised target times [`STEEPNESS`].
fn classes(scores: &Dataset, rng: &mut ChaCha8Rng) -> Result<Dataset> {
    let target = scores.target();
    let middle = mean(target);
    let spread = deviation(target);
    let label = |&score: &f64| {
        let odds = (STEEPNESS * (score - middle) / spread).exp();
        let is_second = rng.random::<f64>() * (1.0 + odds) < odds;
        if is_second { "yes" } else { "no" }
    };
    let labels: Vec<&str> = target.iter().map(label).collect();
    Ok(Dataset::classified(scores.features().clone(), &labels)?)
}

/// Runs all draws.
pub(crate) fn run(args: &Args) -> Result<Standings> {
    let mut cells = Vec::new();
    for source in SOURCES {
        let start = Instant::now();
        let mut cell = Cell {
            holes: source.name(),
            mask: Vec::new(),
            irr: Vec::new(),
            bases: Vec::new(),
            seconds: 0.0,
        };
        for draw in 0..args.draws {
            let [train, test] = source.draw(args, args.seed + draw)?;
            let (search, go_on) = (Search::default(), |_, _| ControlFlow::Continue(()));
            let mask = logistic(Method::Mask);
            let tuned = tune::cross_validate(&mask, &train, &search, &go_on)?;
            cell.mask
                .push(score(&mask, tuned.best.parameters, &train, &test)?);
            let irr = logistic(Method::default());
            let chosen = tune::choose_base(&irr, &Base::ALL, &train, &search, &go_on)?;
            let irr = logistic(Method::Irr(chosen.base));
            cell.irr
                .push(score(&irr, chosen.parameters, &train, &test)?);
            cell.bases.push(chosen.base.to_string());
        }
        cell.seconds = start.elapsed().as_secs_f64();
        eprintln!("{}: {:.1} s", cell.holes, cell.seconds);
        cells.push(cell);
    }
    Ok(Standings {
        draws: args.draws,
        seed: args.seed,
        rows: args.rows,
        cells,
    })
}

fn logistic(method: Method) -> Learner {
    Learner {
        loss: Loss::Logistic,
        ..Learner::new(method)
    }
}

fn score(
    learner: &Learner,
    parameters: Parameters,
    train: &Dataset,
    test: &Dataset,
) -> Result<Score> {
    let model = learner.fit(train, parameters)?.model;
    let found = model.predict_proba(test.features())?;
    let ClassScores {
        log_loss,
        auc,
        calibration_error,
        ..
    } = ClassScores::of(test.target(), &found, None);
    Ok(Score {
        log_loss,
        auc,
        calibration_error,
    })
}

impl Report for Standings {
    fn markdown(&self) -> String {
        let mut table = Table::new([
            "holes",
            "log-loss mask",
            "irr",
            "irr - mask",
            "AUC mask",
            "irr",
            "irr - mask",
            "calibration error irr",
            "bases",
        ]);
        for cell in &self.cells {
            let of = |scores: &[Score], f: fn(&Score) -> f64| -> Vec<f64> {
                scores.iter().map(f).collect()
            };
            let difference = |f: fn(&Score) -> f64| {
                let (mean, error) = paired(&of(&cell.irr, f), &of(&cell.mask, f));
                format!("{mean:+.4} ± {error:.4}")
            };
            let average = |scores: &[Score], f| format!("{:.4}", mean(&of(scores, f)));
            table.push([
                cell.holes.to_owned(),
                average(&cell.mask, |s| s.log_loss),
                average(&cell.irr, |s| s.log_loss),
                difference(|s| s.log_loss),
                average(&cell.mask, |s| s.auc),
                average(&cell.irr, |s| s.auc),
                difference(|s| s.auc),
                average(&cell.irr, |s| s.calibration_error),
                cell.bases.join(" "),
            ]);
        }
        format!(
            "Logistic loss, mean over {} draws (seed {}) with the standard error of the paired difference; made-up \
             data of {} training and test rows, {WIDTH} features, {RATE} of the cells missing.\n\n{table}",
            self.draws, self.seed, self.rows
        )
    }
}
