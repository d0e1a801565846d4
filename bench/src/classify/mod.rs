//! How good imputed logistic regression is, on the base that it chooses, beside mean imputation with indicators and
//! round-robin imputation, all tuned by the log-loss of held-out rows.

mod source;

use crate::peer::{Peers, write_features, write_numbers};
use crate::report::{Report, Table};
use anyhow::{Context, Result};
use gapfit::data::Dataset;
use gapfit::eval::ClassScores;
use gapfit::loss::Loss;
use gapfit::support::{SupportChoice, SupportRule};
use gapfit::tune::{self, Chosen, Search};
use gapfit::{Base, Learner, Method, Parameters};
use gapfit_paper::outcome::{mean, paired};
use serde::Serialize;
use source::{RATE, SOURCES, Source, WIDTH};
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::time::Instant;
use tempfile::TempDir;

/// Compares imputed logistic regression with mean imputation and mask indicators, and with scikit-learn.
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
    /// Runs only cells whose name contains one of these.
    cells: Vec<String>,
    /// Leaves out scikit-learn, which needs Python.
    #[arg(long)]
    no_peers: bool,
    /// Python with the peers installed.
    #[arg(long, default_value = concat!(env!("CARGO_MANIFEST_DIR"), "/.venv/bin/python"), hide_default_value = true)]
    python: PathBuf,
}

/// The peers' tasks, and what they are called here.
const PEERS: [(&str, &str); 2] = [
    ("mask_logistic", "SimpleImputer, indicators"),
    ("iterative_logistic", "IterativeImputer"),
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
    holes: String,
    is_self_masking: bool,
    irr: Vec<Score>,
    /// The others, by name.
    rivals: Vec<(&'static str, Vec<Score>)>,
    /// The base and what was learnt about the holes, by draw.
    learnt: Vec<String>,
    seconds: f64,
}

#[derive(Clone, Copy, Debug, Serialize)]
struct Score {
    log_loss: f64,
    auc: f64,
    /// Of our own models.
    calibration_error: Option<f64>,
}

/// Runs all draws.
pub(crate) fn run(args: &Args) -> Result<Standings> {
    let mut peers = match args.no_peers {
        true => None,
        false => Some(Rivals::start(&args.python)?),
    };
    let is_wanted = |source: &Source| {
        let name = source.to_string();
        args.cells.is_empty() || args.cells.iter().any(|part| name.contains(part))
    };
    let sources = SOURCES.into_iter().filter(is_wanted);
    let cells = sources.map(|source| run_cell(source, args, peers.as_mut()));
    Ok(Standings {
        draws: args.draws,
        seed: args.seed,
        rows: args.rows,
        cells: cells.collect::<Result<_>>()?,
    })
}

fn run_cell(source: Source, args: &Args, mut peers: Option<&mut Rivals>) -> Result<Cell> {
    let start = Instant::now();
    let names = PEERS.iter().filter(|_| peers.is_some());
    let names = std::iter::once("mask").chain(names.map(|(_, name)| *name));
    let mut cell = Cell {
        holes: source.to_string(),
        is_self_masking: source.is_self_masking(),
        irr: Vec::new(),
        rivals: names.map(|name| (name, Vec::new())).collect(),
        learnt: Vec::new(),
        seconds: 0.0,
    };
    for draw in 0..args.draws {
        let [train, test] = source.draw(args.rows, args.seed + draw)?;
        let (search, go_on) = (Search::default(), |_, _| ControlFlow::Continue(()));
        let irr = logistic(Method::default());
        let chosen = tune::choose_base(&irr, &Base::ALL, &train, &search, &go_on)?;
        cell.learnt.push(learnt(&chosen));
        let irr = Learner {
            support: chosen.support,
            ..logistic(Method::Irr(chosen.base))
        };
        cell.irr
            .push(score(&irr, chosen.parameters, &train, &test)?);
        let mask = logistic(Method::Mask);
        let tuned = tune::cross_validate(&mask, &train, &search, &go_on)?;
        let mut scores = vec![score(&mask, tuned.best.parameters, &train, &test)?];
        if let Some(peers) = &mut peers {
            scores.extend(peers.scores(&train, &test)?);
        }
        for ((_, of_rival), score) in cell.rivals.iter_mut().zip(scores) {
            of_rival.push(score);
        }
        eprintln!("{}: draw {} of {}", cell.holes, draw + 1, args.draws);
    }
    cell.seconds = start.elapsed().as_secs_f64();
    Ok(cell)
}

/// scikit-learn, on rows written for it.
struct Rivals {
    peers: Peers,
    folder: PathBuf,
}

impl Rivals {
    fn start(python: &std::path::Path) -> Result<Self> {
        let folder: TempDir = tempfile::Builder::new().prefix("gapfit-bench-").tempdir()?;
        Ok(Self {
            folder: folder.path().to_owned(),
            peers: Peers::start(python, folder)?,
        })
    }

    fn scores(&mut self, train: &Dataset, test: &Dataset) -> Result<Vec<Score>> {
        for (name, rows) in [("train", train), ("test", test)] {
            let path = |name: &str| self.folder.join(format!("{name}.f64"));
            write_features(&path(name), rows)?;
            let target = rows.target().iter().copied();
            write_numbers(&path(&format!("{name}_target")), target)?;
        }
        let ask = |(task, _): (&str, &str)| {
            let answer = self.peers.run(task)?;
            Ok(Score {
                log_loss: answer.log_loss.context("peers: expected a log-loss")?,
                auc: answer.auc.context("peers: expected an AUC")?,
                calibration_error: None,
            })
        };
        PEERS.into_iter().map(ask).collect()
    }
}

/// The base that was chosen and what shifts on it when a feature is missing.
fn learnt(chosen: &Chosen) -> String {
    let shifts = match (chosen.parameters.gamma > 0.0, &chosen.support) {
        (false, _) => "nothing",
        (true, SupportChoice::Rule(SupportRule::Constant)) => "constant",
        (true, _) => "all",
    };
    format!("{} {shifts}", chosen.base)
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
    let scores = ClassScores::of(test.target(), &found, None);
    Ok(Score {
        log_loss: scores.log_loss,
        auc: scores.auc,
        calibration_error: Some(scores.calibration_error),
    })
}

/// How much larger numbers of imputed logistic regression are than a rival's.
struct Difference {
    mean: f64,
    error: f64,
}

impl Difference {
    fn of(irr: &[Score], rival: &[Score], number: fn(&Score) -> f64) -> Self {
        let of = |scores: &[Score]| scores.iter().map(number).collect::<Vec<f64>>();
        let (mean, error) = paired(&of(irr), &of(rival));
        Self { mean, error }
    }

    fn shown(&self) -> String {
        format!("{:+.4} ± {:.4}", self.mean, self.error)
    }
}

impl Cell {
    /// What the bar says of a rival: not worse by more than one standard error in log-loss and AUC, and
    /// clearly better (by more than two, in log-loss) where values mask themselves.
    fn verdict(&self, log_loss: &Difference, auc: &Difference) -> &'static str {
        let is_worse = log_loss.mean > log_loss.error || -auc.mean > auc.error;
        let is_clear = log_loss.mean < -2.0 * log_loss.error;
        match (is_worse, self.is_self_masking, is_clear) {
            (true, ..) => "WORSE",
            (false, true, false) => "NOT CLEARLY BETTER",
            (false, _, true) => "clearly better",
            (false, false, false) => "not worse",
        }
    }
}

impl Report for Standings {
    fn markdown(&self) -> String {
        let mut table = Table::new([
            "holes",
            "against",
            "log-loss irr",
            "irr - rival",
            "AUC irr",
            "irr - rival",
            "verdict",
            "calibration error irr",
            "base, and what shifts",
        ]);
        for cell in &self.cells {
            let average = |number: fn(&Score) -> f64| {
                let numbers: Vec<f64> = cell.irr.iter().map(number).collect();
                format!("{:.4}", mean(&numbers))
            };
            for (name, rival) in &cell.rivals {
                let log_loss = Difference::of(&cell.irr, rival, |s| s.log_loss);
                let auc = Difference::of(&cell.irr, rival, |s| s.auc);
                table.push([
                    cell.holes.clone(),
                    (*name).to_owned(),
                    average(|s| s.log_loss),
                    log_loss.shown(),
                    average(|s| s.auc),
                    auc.shown(),
                    cell.verdict(&log_loss, &auc).to_owned(),
                    average(|s| s.calibration_error.unwrap_or(f64::NAN)),
                    cell.learnt.join(", "),
                ]);
            }
        }
        format!(
            "Logistic loss, mean over {} draws (seed {}) with the standard error of the paired difference; made-up \
             data of {} training and test rows, {WIDTH} features, {RATE} of the cells missing.\n\n{table}",
            self.draws, self.seed, self.rows
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verdicts_ask_for_one_standard_error_and_for_two_where_values_mask_themselves() {
        let cell = |is_self_masking| Cell {
            holes: String::new(),
            is_self_masking,
            irr: Vec::new(),
            rivals: Vec::new(),
            learnt: Vec::new(),
            seconds: 0.0,
        };
        let by = |mean| Difference { mean, error: 0.1 };
        assert_eq!(cell(false).verdict(&by(0.09), &by(-0.09)), "not worse");
        assert_eq!(cell(false).verdict(&by(0.11), &by(0.0)), "WORSE");
        assert_eq!(cell(false).verdict(&by(-1.0), &by(-0.11)), "WORSE");
        assert_eq!(
            cell(true).verdict(&by(-0.19), &by(0.0)),
            "NOT CLEARLY BETTER"
        );
        assert_eq!(cell(true).verdict(&by(-0.21), &by(0.0)), "clearly better");
    }
}
