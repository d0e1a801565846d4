//! Our learners and Vowpal Wabbit on the same rows: 64 features, a tenth of the cells missing.
//!
//! Both learn the same model, weights that are affine in what is missing: ours is given a constant
//! feature, Vowpal Wabbit has one, and gets the values, an indicator for each hole, and the products of
//! the two. Our rows are in memory. Its rows come either by its own driver, which reads a binary cache on
//! a second thread, or from memory as well, parsed before and handed over one by one. Either way a row is
//! predicted and learnt in one call.

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

/// A learner of ours.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Ours {
    Constant,
    Adaptive(AdaptiveRule),
}

const OURS: [Ours; 3] = [
    Ours::Constant,
    Ours::Adaptive(AdaptiveRule::AdaGrad),
    Ours::Adaptive(AdaptiveRule::Coin),
];

/// A task of the peers.
#[derive(Clone, Copy, Debug)]
struct Theirs {
    task: &'static str,
    /// Where its rows come from.
    source: &'static str,
    /// Whether its steps adapt.
    adapts: bool,
}

const THEIRS: [Theirs; 4] = [
    theirs("vw_sgd", "cache", false),
    theirs("vw_sgd_memory", "memory", false),
    theirs("vw_adaptive", "cache", true),
    theirs("vw_adaptive_memory", "memory", true),
];

const fn theirs(task: &'static str, source: &'static str, adapts: bool) -> Theirs {
    Theirs {
        task,
        source,
        adapts,
    }
}

impl Ours {
    fn name(self) -> String {
        match self {
            Self::Constant => "constant".to_owned(),
            Self::Adaptive(rule) => rule.to_string(),
        }
    }

    /// How many times faster than its counterparts we want to be.
    fn bar(self) -> f64 {
        match self {
            Self::Constant => 10.0,
            Self::Adaptive(_) => 5.0,
        }
    }

    fn is_like(self, theirs: Theirs) -> bool {
        theirs.adapts != (self == Self::Constant)
    }

    /// Learns from all rows, [`PASSES`] times over.
    fn learn(self, rows: &Dataset) -> Result<Timed> {
        let (psi, loss, d) = (MaskFeatures::Affine, Loss::Logistic, rows.n_features());
        match self {
            Self::Constant => {
                let settings = MirrorDescent {
                    psi,
                    loss,
                    step: Step::Constant { eta: 0.01 },
                    ..MirrorDescent::default()
                };
                pass(&mut settings.start(d)?, rows, PASSES)
            }
            Self::Adaptive(rule) => {
                let settings = Adaptive {
                    rule,
                    psi,
                    loss,
                    ..Adaptive::default()
                };
                pass(&mut settings.start(d)?, rows, PASSES)
            }
        }
    }
}

/// How the duels ended.
#[derive(Debug, Serialize)]
pub(super) struct Standings {
    peers: BTreeMap<String, String>,
    repeats: u32,
    duels: Vec<Standing>,
    /// The combination of thirty learners, one pass; it has no counterpart.
    auto: Side,
}

#[derive(Debug, Serialize)]
struct Standing {
    steps: String,
    source: &'static str,
    ours: Side,
    theirs: Side,
    bar: f64,
}

/// One side of a duel.
#[derive(Clone, Debug, Default, Serialize)]
struct Side {
    /// One per round, ascending.
    rows_per_second: Vec<f64>,
    /// The mean loss of the predictions made before learning, where it is known.
    loss: Option<f64>,
}

/// Lets all take turns, after one round that does not count.
pub(super) fn measure(python: &Path, repeats: u32) -> Result<Standings> {
    let bare = stream(WIDTH, RATE)?;
    let mut peers = start(python, &bare)?;
    let rows = constant::prepend(&bare)?;
    let mut ours = OURS.map(|ours| (ours, Side::default()));
    let mut theirs = THEIRS.map(|theirs| (theirs, Side::default()));
    let mut auto = Side::default();
    for round in 0..=repeats {
        eprintln!("round {round} of {repeats}: Vowpal Wabbit");
        for (ours, side) in &mut ours {
            side.note(round, ours.learn(&rows)?)?;
        }
        for (theirs, side) in &mut theirs {
            side.note(round, peers.run(theirs.task)?)?;
        }
        auto.note(round, learn_auto(&bare)?)?;
    }
    Ok(Standings {
        peers: peers.versions()?,
        repeats,
        duels: pair(&ours, &theirs),
        auto,
    })
}

/// Those that are alike.
fn pair(ours: &[(Ours, Side)], theirs: &[(Theirs, Side)]) -> Vec<Standing> {
    let mut duels = Vec::new();
    for (our, side) in ours {
        let alike = theirs.iter().filter(|(their, _)| our.is_like(*their));
        duels.extend(alike.map(|(their, rival)| Standing {
            steps: our.name(),
            source: their.source,
            ours: side.clone(),
            theirs: rival.clone(),
            bar: our.bar(),
        }));
    }
    duels
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

/// One pass of the combination, which adds the constant itself.
fn learn_auto(rows: &Dataset) -> Result<Timed> {
    let settings = Auto {
        loss: Loss::Logistic,
        ..Auto::default()
    };
    pass(&mut settings.start(rows.n_features())?, rows, 1)
}

/// Learns from all rows, this many times over.
fn pass(learner: &mut impl Learn, rows: &Dataset, passes: usize) -> Result<Timed> {
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
        rmse: None,
        rows: Some(n_rows),
        loss: Some(loss / n_rows),
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

    fn median(&self) -> f64 {
        median(&self.rows_per_second)
    }

    fn loss_text(&self) -> String {
        self.loss
            .map_or("-".to_owned(), |loss| format!("{loss:.5}"))
    }

    /// Median, slowest and fastest, in thousands of rows a second.
    fn text(&self) -> String {
        let thousands = |x: f64| match x < 1e4 {
            true => format!("{:.1}", x / 1e3),
            false => format!("{:.0}", x / 1e3),
        };
        let ends = [self.rows_per_second.first(), self.rows_per_second.last()];
        let [slowest, fastest] = ends.map(|end| end.copied().map_or(String::new(), thousands));
        format!("{} ({slowest} to {fastest})", thousands(self.median()))
    }
}

impl Standing {
    fn cells(&self) -> [String; 7] {
        let ratio = self.ours.median() / self.theirs.median();
        [
            format!("{}, VW from {}", self.steps, self.source),
            self.ours.text(),
            self.theirs.text(),
            format!("{ratio:.1}"),
            format!("at least {} x faster", self.bar),
            if ratio >= self.bar { "yes" } else { "NO" }.to_owned(),
            format!("{}, {}", self.ours.loss_text(), self.theirs.loss_text()),
        ]
    }
}

impl Standings {
    pub(super) fn markdown(&self) -> String {
        let mut table = Table::new([
            "steps",
            "gapfit",
            "VW",
            "ratio",
            "bar",
            "met",
            "mean losses",
        ]);
        for duel in &self.duels {
            table.push(duel.cells());
        }
        let dash = || "-".to_owned();
        let (speed, loss) = (self.auto.text(), self.auto.loss_text());
        table.push([
            "auto, one pass".to_owned(),
            speed,
            dash(),
            dash(),
            dash(),
            dash(),
            loss,
        ]);
        let version = self.peers.get("vowpalwabbit").map_or("", |version| version);
        format!(
            "Against Vowpal Wabbit {version}: {WIDTH} features and a constant, {} % missing, logistic loss, \
             {PASSES} passes over {ROWS} rows; one thread, and one more where VW reads its cache. Thousands of \
             rows a second, median (slowest to fastest) of {} alternating rounds after one that does not \
             count.\n\n{table}",
            100.0 * RATE,
            self.repeats
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_learner_meets_those_that_are_alike_from_both_sources() {
        let side = |pace| Side {
            rows_per_second: vec![pace],
            loss: None,
        };
        let ours = OURS.map(|ours| (ours, side(60.0)));
        let theirs = THEIRS.map(|theirs| (theirs, side(10.0)));
        let duels = pair(&ours, &theirs);
        let met = duels.iter().map(|duel| duel.cells()[5].clone());
        assert_eq!(duels.len(), 6);
        assert_eq!(
            met.collect::<Vec<_>>(),
            ["NO", "NO", "yes", "yes", "yes", "yes"]
        );
    }
}
