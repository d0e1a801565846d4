//! How the time of a fit grows, and with what.

use super::Bench;
use super::result::{Curve, Kind, Part};
use super::shape::{RATE, hand_over, table, take_back, with_masks};
use super::stage::{self, GIVEN, PARTS};
use super::turn::{Entry, Taken};
use crate::peer::Timed;
use anyhow::{Result, ensure};
use gapfit::data::Dataset;
use gapfit::eval::Scores;
use gapfit::{Base, Learner};
use std::time::Instant;

/// A peer, and the largest size it is given.
#[derive(Clone, Copy, Debug)]
pub(super) struct Peer {
    pub(super) name: &'static str,
    /// In `contest.py`.
    pub(super) method: &'static str,
    pub(super) most: f64,
}

/// Fits of tables of several sizes.
pub(super) struct Sweep<'a> {
    /// In the names of tables and the titles of figures.
    pub(super) name: &'a str,
    /// What the sizes are.
    pub(super) x: &'a str,
    pub(super) is_log: bool,
    pub(super) sizes: Vec<f64>,
    /// Training rows and test rows, which may be none.
    pub(super) make: &'a dyn Fn(f64) -> Result<(Dataset, Dataset)>,
    pub(super) peers: &'a [Peer],
    /// The largest size at which we fit the Gaussian base; the mean is fitted at all.
    pub(super) gaussian: f64,
}

impl Sweep<'_> {
    /// What was taken at each size, and the curves: all contestants, and where our time goes.
    pub(super) fn run(&self, bench: &mut Bench) -> Result<(Vec<Vec<Taken>>, Vec<Curve>)> {
        let curve = |title: String, kind| Curve {
            title,
            x: self.x.to_owned(),
            is_log: self.is_log,
            kind,
            lines: Vec::new(),
        };
        let mut times = curve(format!("A fit by {}", self.name), Kind::Rivals);
        let mut parts = [Base::Mean, Base::Gaussian].map(|base| {
            let title = format!("Where the time goes by {}, {base} base", self.name);
            curve(title, Kind::Parts)
        });
        let mut all = Vec::new();
        for &x in &self.sizes {
            eprintln!("  {x} {}", self.x);
            let (train, test) = (self.make)(x)?;
            let taken = self.contest(bench, x, &train, &test)?;
            for one in &taken {
                times.note(&one.name, x, one.seconds());
            }
            for (base, parts) in self.bases(x).into_iter().zip(&mut parts) {
                let seconds = stage::split(bench.rounds, base, &train)?;
                for (name, seconds) in PARTS.into_iter().zip(seconds) {
                    parts.note(name, x, seconds);
                }
            }
            all.push(taken);
        }
        let [mean, gaussian] = parts;
        Ok((all, vec![times, mean, gaussian]))
    }

    fn bases(&self, x: f64) -> Vec<Base> {
        match x <= self.gaussian {
            true => vec![Base::Mean, Base::Gaussian],
            false => vec![Base::Mean],
        }
    }

    fn contest(
        &self,
        bench: &mut Bench,
        x: f64,
        train: &Dataset,
        test: &Dataset,
    ) -> Result<Vec<Taken>> {
        let name = format!("{}-{x}", self.name);
        let peers = self.peers.iter().filter(|peer| x <= peer.most);
        let peers: Vec<&Peer> = peers.collect();
        if !peers.is_empty() {
            hand_over(&bench.peers, &name, train, test)?;
        }
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
        let ours = self.bases(x).into_iter().map(|base| {
            let learner = stage::learner(base);
            let pool = &pool;
            Entry::ours(&format!("gapfit, {base} base"), move || {
                pool.install(|| fit_and_judge(&learner, train, test))
            })
        });
        let peers = peers
            .into_iter()
            .map(|peer| Entry::peer(peer.name, peer.method, &name));
        let entries = ours.chain(peers).collect();
        let taken = bench.rounds.take(&mut bench.peers, entries)?;
        take_back(&bench.peers, &name)?;
        Ok(taken)
    }
}

/// A fit to given parameters, which must reach its gap, and how good it is on test rows.
pub(super) fn fit_and_judge(learner: &Learner, train: &Dataset, test: &Dataset) -> Result<Timed> {
    let start = Instant::now();
    let fitted = learner.fit(train, GIVEN)?;
    let seconds = start.elapsed().as_secs_f64();
    let gap = fitted.outcome.gap;
    ensure!(
        gap <= learner.tol,
        "a gap of {gap}, more than {}",
        learner.tol
    );
    let mut timed = Timed {
        seconds,
        ..Timed::default()
    };
    if test.n_rows() > 0 {
        let start = Instant::now();
        let predictions = fitted.model.predict(test.features())?;
        timed.predict_seconds = Some(start.elapsed().as_secs_f64());
        timed.rmse = Some(Scores::of(test.target(), &predictions, None).rmse);
    }
    Ok(timed)
}

const SIMPLE: Peer = peer("SimpleImputer + Ridge", "simple_ridge", f64::INFINITY);
const BOOSTING: Peer = peer("HistGradientBoosting", "boosting", f64::INFINITY);
const GRAM: Peer = peer("numpy X.T @ X", "gram", f64::INFINITY);

pub(super) const fn peer(name: &'static str, method: &'static str, most: f64) -> Peer {
    Peer { name, method, most }
}

fn alone(train: Dataset) -> Result<(Dataset, Dataset)> {
    let none = train.select(&[]);
    Ok((train, none))
}

/// More columns.
pub(super) fn columns(bench: &mut Bench) -> Result<Part> {
    let rows = bench.size(2000, 500);
    let (widest, gaussian, iterative) = bench.size((200, 50.0, 20.0), (20, 10.0, 5.0));
    let widths = [5, 10, 20, 50, 100, 200].into_iter();
    let widths = widths.filter(|&d| d <= widest).map(f64::from);
    let sweep = Sweep {
        name: "columns",
        x: "columns",
        is_log: true,
        sizes: widths.collect(),
        make: &|d| alone(table(rows, d as usize, RATE)?),
        peers: &[
            SIMPLE,
            peer("IterativeImputer + Ridge", "iterative_ridge", iterative),
            BOOSTING,
            GRAM,
        ],
        gaussian,
    };
    let (_, curves) = sweep.run(bench)?;
    let text = format!(
        "{rows} rows, 30 % of the cells missing at random, so that from 20 columns on nearly every row has a mask of its own. One thread on both sides. The number of \
         unknowns grows with the square of the columns. The Gaussian base stops at {gaussian} columns, IterativeImputer at {iterative}: beyond they take too long for this page."
    );
    let mut part = Part::new("Columns", &text);
    part.curves = curves;
    Ok(part)
}

/// More holes.
pub(super) fn holes(bench: &mut Bench) -> Result<Part> {
    let rows = bench.size(100_000, 2000);
    let sweep = Sweep {
        name: "missing",
        x: "% missing",
        is_log: false,
        sizes: (0..=7).map(|k| 10.0 * f64::from(k)).collect(),
        make: &|percent| alone(table(rows, 10, percent / 100.0)?),
        peers: &[SIMPLE, BOOSTING, GRAM],
        gaussian: f64::INFINITY,
    };
    let (_, curves) = sweep.run(bench)?;
    let text =
        format!("{rows} rows of 10 columns, cells missing at random. One thread on both sides.");
    let mut part = Part::new("Holes", &text);
    part.curves = curves;
    Ok(part)
}

/// More different masks.
pub(super) fn masks(bench: &mut Bench) -> Result<Part> {
    let rows = bench.size(100_000, 1000);
    let sizes = (0..=5).map(|k| 10f64.powi(k));
    let sweep = Sweep {
        name: "masks",
        x: "masks",
        is_log: true,
        sizes: sizes.filter(|&n| n <= rows as f64).collect(),
        make: &|n| alone(with_masks(rows, 20, n as usize)?),
        peers: &[SIMPLE, GRAM],
        gaussian: f64::INFINITY,
    };
    let (_, curves) = sweep.run(bench)?;
    let text = format!(
        "{rows} rows of 20 columns, 30 % of the cells missing, by as many different masks as said, up to one for every row. One thread on both sides."
    );
    let mut part = Part::new("Masks", &text);
    part.curves = curves;
    Ok(part)
}
