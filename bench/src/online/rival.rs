//! Our learner, Vowpal Wabbit and river on the same rows: 64 features, a tenth of the cells missing.
//!
//! Both learn the same model, weights that are affine in what is missing: ours is given a constant
//! feature, Vowpal Wabbit has one, and gets the values, an indicator for each hole, and the products of
//! the two. Our rows are in memory. Its rows come either by its own driver, which reads a binary cache on
//! a second thread, or from memory as well, parsed before and handed over one by one. river has no weights for
//! holes, and gets the values that are there as dictionaries of Python.

use super::pace::{ROWS, stream};
use crate::constant;
use crate::peer::{Peers, Timed, write_features, write_numbers};
use crate::report::Table;
use crate::sample::median;
use anyhow::{Context, Result};
use gapfit::data::Dataset;
use gapfit::loss::Loss;
use gapfit::online::{Adaptive, AdaptiveRule, Auto, Learn, MaskFeatures, MirrorDescent, Step};
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Instant;

/// Features, without the constant.
const WIDTH: usize = 64;

/// Share of missing cells.
const RATE: f64 = 0.1;

/// Times that the rows are gone over, as `peers.py` has it.
const PASSES: usize = 25;

/// Two learners that are alike.
#[derive(Clone, Copy, Debug)]
struct Duel {
    ours: Ours,
    /// Who it is against, and where its rows come from.
    source: &'static str,
    /// The task of the peers.
    task: &'static str,
    /// How many times faster we want to be, if at all.
    bar: Option<f64>,
}

/// Our side of a duel.
#[derive(Clone, Copy, Debug)]
enum Ours {
    Constant,
    Adaptive(AdaptiveRule),
    Auto,
}

const COIN: Ours = Ours::Adaptive(AdaptiveRule::Coin);
const ADAGRAD: Ours = Ours::Adaptive(AdaptiveRule::AdaGrad);

const DUELS: [Duel; 8] = [
    duel(Ours::Constant, "VW from its cache", "vw_sgd", Some(10.0)),
    duel(
        Ours::Constant,
        "VW from memory",
        "vw_sgd_memory",
        Some(10.0),
    ),
    duel(COIN, "VW from its cache", "vw_adaptive", Some(5.0)),
    duel(COIN, "VW from memory", "vw_adaptive_memory", Some(5.0)),
    duel(ADAGRAD, "VW from its cache", "vw_adaptive", Some(5.0)),
    duel(ADAGRAD, "VW from memory", "vw_adaptive_memory", Some(5.0)),
    duel(Ours::Auto, "VW from memory", "vw_adaptive_memory", None),
    duel(
        Ours::Constant,
        "river, from dictionaries",
        "river_sgd",
        None,
    ),
];

const fn duel(ours: Ours, source: &'static str, task: &'static str, bar: Option<f64>) -> Duel {
    Duel {
        ours,
        source,
        task,
        bar,
    }
}

impl Ours {
    fn name(self) -> String {
        match self {
            Self::Constant => "constant".to_owned(),
            Self::Adaptive(rule) => rule.to_string(),
            Self::Auto => "auto".to_owned(),
        }
    }

    /// Learns from all rows, [`PASSES`] times over; auto, which adds a constant itself and is much slower,
    /// once.
    fn learn(self, rows: &Dataset) -> Result<Timed> {
        let loss = Loss::Logistic;
        let d = rows.n_features();
        match self {
            Self::Constant => {
                let settings = MirrorDescent {
                    psi: MaskFeatures::Affine,
                    loss,
                    step: Step::Constant { eta: 0.01 },
                    ..MirrorDescent::default()
                };
                learn(settings.start(d)?, rows, PASSES)
            }
            Self::Adaptive(rule) => {
                let settings = Adaptive {
                    rule,
                    loss,
                    ..Adaptive::default()
                };
                learn(settings.start(d)?, rows, PASSES)
            }
            Self::Auto => {
                let settings = Auto {
                    loss,
                    ..Auto::default()
                };
                learn(settings.start(d)?, rows, 1)
            }
        }
    }
}

/// How the duels ended.
#[derive(Debug, Serialize)]
pub(crate) struct Standings {
    peers: BTreeMap<String, String>,
    repeats: u32,
    pub(crate) duels: Vec<Standing>,
}

#[derive(Debug, Serialize)]
pub(crate) struct Standing {
    pub(crate) steps: String,
    pub(crate) source: &'static str,
    pub(crate) ours: Side,
    pub(crate) theirs: Side,
    pub(crate) bar: Option<f64>,
}

/// One side of a duel.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct Side {
    /// One per round, ascending.
    rows_per_second: Vec<f64>,
    /// The mean loss of the predictions made before learning, where it is known.
    loss: Option<f64>,
}

/// Lets both sides take turns, after one round that does not count.
pub(crate) fn measure(python: &Path, repeats: u32) -> Result<Standings> {
    let rows = stream(WIDTH, RATE)?;
    let mut peers = start(python, &rows)?;
    let rows = constant::prepend(&rows)?;
    let sides = || (Side::default(), Side::default());
    let mut duels = DUELS.map(|duel| (duel, sides()));
    for round in 0..=repeats {
        eprintln!("round {round} of {repeats}: Vowpal Wabbit");
        for (duel, (ours, theirs)) in &mut duels {
            ours.note(round, duel.ours.learn(&rows)?)?;
            theirs.note(round, peers.run(duel.task)?)?;
        }
    }
    let standing = |(duel, (ours, theirs)): (Duel, (Side, Side))| Standing {
        steps: duel.ours.name(),
        source: duel.source,
        ours,
        theirs,
        bar: duel.bar,
    };
    Ok(Standings {
        peers: peers.versions()?,
        repeats,
        duels: duels.map(standing).into(),
    })
}

/// Writes the rows and starts the peers on them.
fn start(python: &Path, rows: &Dataset) -> Result<Peers> {
    let folder = tempfile::Builder::new().prefix("gapfit-bench-").tempdir()?;
    write_features(&folder.path().join("stream.f64"), rows)?;
    let target = folder.path().join("stream_target.f64");
    write_numbers(&target, rows.target().iter().copied())?;
    Peers::start(python, folder)
        .context("Vowpal Wabbit: expected Python with the peers; --no-peers does without")
}

/// Learns from all rows, this many times over.
fn learn(mut learner: impl Learn, rows: &Dataset, passes: usize) -> Result<Timed> {
    let mut loss = 0.0;
    let start = Instant::now();
    for _ in 0..passes {
        for (row, &class) in rows.features().rows().zip(rows.target()) {
            loss += learner.learn(row, class, 1.0)?.loss;
        }
    }
    let n_rows = (passes * rows.n_rows()) as f64;
    Ok(Timed {
        seconds: start.elapsed().as_secs_f64(),
        rows: Some(n_rows),
        loss: Some(loss / n_rows),
        ..Timed::default()
    })
}

impl Side {
    /// Notes a round, unless it is the first.
    fn note(&mut self, round: u32, timed: Timed) -> Result<()> {
        let rows = timed.rows.context("peers: expected rows")?;
        self.loss = timed.loss;
        if round > 0 {
            self.rows_per_second.push(rows / timed.seconds);
            self.rows_per_second.sort_by(f64::total_cmp);
        }
        Ok(())
    }

    pub(crate) fn median(&self) -> f64 {
        median(&self.rows_per_second)
    }

    /// Median, slowest and fastest, in thousands of rows a second.
    fn text(&self) -> String {
        let thousands = |x: f64| format!("{:.0}", x / 1e3);
        let ends = [self.rows_per_second.first(), self.rows_per_second.last()];
        let [slowest, fastest] = ends.map(|end| end.copied().map_or(String::new(), thousands));
        format!("{} ({slowest} to {fastest})", thousands(self.median()))
    }
}

impl Standing {
    fn cells(&self) -> [String; 7] {
        let ratio = self.ours.median() / self.theirs.median();
        let losses = [self.ours.loss, self.theirs.loss];
        let [ours, theirs] = losses.map(|loss| or_dash(loss, |loss| format!("{loss:.5}")));
        [
            format!("{}, {}", self.steps, self.source),
            self.ours.text(),
            self.theirs.text(),
            format!("{ratio:.1}"),
            or_dash(self.bar, |bar| format!("at least {bar} x faster")),
            or_dash(self.bar, |bar| {
                if ratio >= bar { "yes" } else { "NO" }.to_owned()
            }),
            format!("{ours}, {theirs}"),
        ]
    }
}

fn or_dash<T>(value: Option<T>, text: impl Fn(T) -> String) -> String {
    value.map_or("-".to_owned(), text)
}

impl Standings {
    pub(super) fn markdown(&self) -> String {
        let mut table = Table::new([
            "steps",
            "gapfit",
            "peer",
            "ratio",
            "bar",
            "met",
            "mean losses",
        ]);
        for duel in &self.duels {
            table.push(duel.cells());
        }
        let version = |name: &str| self.peers.get(name).cloned().unwrap_or_default();
        format!(
            "Against Vowpal Wabbit {} and river {}: {WIDTH} features and a constant, {} % missing, logistic loss, \
             {PASSES} passes over {ROWS} rows; one thread, and one more where VW reads its cache. Thousands of \
             rows a second, median (slowest to fastest) of {} alternating rounds after one that does not \
             count.\n\n{table}",
            version("vowpalwabbit"),
            version("river"),
            100.0 * RATE,
            self.repeats
        )
    }
}
