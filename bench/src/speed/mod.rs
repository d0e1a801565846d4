//! Our times beside the peers', in the same run, as ratios against the bars we set ourselves.
//!
//! Contenders take turns, so that a slow moment of the machine hits all of them; the first round warms
//! caches and does not count.

mod work;

use crate::report::{Machine, Report, Table};
use crate::sample::median;
use anyhow::Result;
use gapfit::Base;
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::PathBuf;
use work::{Work, Workshop};

/// Times fitting and tuning against numpy and scikit-learn.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Rounds that count, at least 5.
    #[arg(long, default_value_t = 7, value_parser = clap::value_parser!(u32).range(5..))]
    repeats: u32,
    /// Python with the peers installed.
    #[arg(long, default_value = concat!(env!("CARGO_MANIFEST_DIR"), "/.venv/bin/python"), hide_default_value = true)]
    python: PathBuf,
}

/// Rows of the table that is fitted, and of the one that is tuned on.
const ROWS: (usize, usize) = (1_000_000, 1000);

const GRAM: Work = Work::Peer("gram");
const SIMPLE: Work = Work::Peer("simple_ridge");
const ITERATIVE: Work = Work::Peer("iterative_ridge");
const IMPUTER: Work = Work::Peer("iterative_impute");
const LBFGS: Work = Work::Peer("lifted_lbfgs");
const NEWTON: Work = Work::Peer("lifted_newton");

/// What we ask of ourselves against a peer.
#[derive(Clone, Copy, Debug)]
enum Bar {
    /// At most this many times its time.
    AtMost(f64),
    /// At least this many times faster.
    Faster(f64),
}

/// The times of all contenders, and how they compare.
#[derive(Debug, Serialize)]
pub(crate) struct Speeds {
    machine: Machine,
    peers: BTreeMap<String, String>,
    repeats: u32,
    times: Vec<Times>,
    ratios: Vec<Ratio>,
}

/// The times of one contender.
#[derive(Debug, Serialize)]
struct Times {
    work: String,
    /// One per round, ascending.
    seconds: Vec<f64>,
    median: f64,
    /// Root mean squared error in the holes, of an imputation.
    rmse: Option<f64>,
}

/// One comparison against a bar.
#[derive(Debug, Serialize)]
struct Ratio {
    work: String,
    peer: String,
    /// Our time over the peer's, or the other way round where the bar asks for speed.
    ratio: f64,
    bar: String,
    met: bool,
}

/// Times every contender.
pub(crate) fn run(args: &Args) -> Result<Speeds> {
    eprintln!("making tables of {} and {} rows", ROWS.0, ROWS.1);
    let mut shop = Workshop::open(ROWS.0, ROWS.1, &args.python)?;
    let clips = [Work::default_clip(), 0.0];
    let fits: Vec<Work> = clips
        .into_iter()
        .flat_map(|clip| [Base::Mean, Base::Zero].map(|base| Work::Fit { base, clip }))
        .collect();
    let tunes: Vec<Work> = clips
        .into_iter()
        .flat_map(|clip| [1, 2].map(|threads| Work::Tune { clip, threads }))
        .collect();
    let classify = [Base::Mean, Base::Gaussian].map(|base| Work::Classify { base });
    let classify = classify.to_vec();
    let mut times = Vec::new();
    let mut ratios = Vec::new();
    let groups = [
        (vec![GRAM, SIMPLE], fits),
        (vec![ITERATIVE], tunes),
        (vec![IMPUTER], vec![Work::Impute]),
        (vec![LBFGS, NEWTON], classify),
    ];
    for (peers, ours) in groups {
        let all: Vec<Work> = peers.iter().chain(&ours).copied().collect();
        let medians = take_turns(&mut shop, &all, args.repeats, &mut times)?;
        let (theirs, medians) = medians.split_at(peers.len());
        for (&work, &seconds) in ours.iter().zip(medians) {
            let against = peers.iter().zip(theirs);
            ratios.extend(against.map(|(&peer, &time)| compare((work, seconds), (peer, time))));
        }
    }
    Ok(Speeds {
        machine: Machine::here(),
        peers: shop.peers().versions()?,
        repeats: args.repeats,
        times,
        ratios,
    })
}

/// Runs the contenders in turns; returns their median seconds and appends all of them to `times`.
fn take_turns(
    shop: &mut Workshop,
    all: &[Work],
    repeats: u32,
    times: &mut Vec<Times>,
) -> Result<Vec<f64>> {
    let mut seconds = vec![(Vec::new(), None); all.len()];
    for round in 0..=repeats {
        eprintln!("round {round} of {repeats}: {} contenders", all.len());
        for (&work, seconds) in all.iter().zip(&mut seconds) {
            let (took, rmse) = shop.run(work)?;
            if round > 0 {
                seconds.0.push(took);
            }
            seconds.1 = rmse;
        }
    }
    let new = all.iter().zip(seconds).map(|(work, (mut seconds, rmse))| {
        seconds.sort_by(f64::total_cmp);
        Times {
            work: work.to_string(),
            median: median(&seconds),
            seconds,
            rmse,
        }
    });
    let from = times.len();
    times.extend(new);
    Ok(times[from..].iter().map(|times| times.median).collect())
}

fn bar(peer: Work) -> Bar {
    match peer {
        SIMPLE => Bar::Faster(10.0),
        IMPUTER => Bar::Faster(20.0),
        ITERATIVE => Bar::AtMost(5.0),
        _ => Bar::AtMost(3.0),
    }
}

fn compare((work, ours): (Work, f64), (peer, theirs): (Work, f64)) -> Ratio {
    let (ratio, bar, met) = match bar(peer) {
        Bar::AtMost(limit) => (
            ours / theirs,
            format!("at most {limit} x its time"),
            ours <= limit * theirs,
        ),
        Bar::Faster(limit) => (
            theirs / ours,
            format!("at least {limit} x faster"),
            theirs >= limit * ours,
        ),
    };
    Ratio {
        work: work.to_string(),
        peer: peer.to_string(),
        ratio,
        bar,
        met,
    }
}

impl Report for Speeds {
    fn markdown(&self) -> String {
        let mut times = Table::new(["work", "median ms", "fastest", "slowest", "RMSE in holes"]);
        for of in &self.times {
            let ms = |seconds: f64| format!("{:.1}", 1e3 * seconds);
            let slowest = of.seconds[of.seconds.len() - 1];
            times.push([
                of.work.clone(),
                ms(of.median),
                ms(of.seconds[0]),
                ms(slowest),
                of.rmse.map_or(String::new(), |rmse| format!("{rmse:.4}")),
            ]);
        }
        let mut ratios = Table::new(["work", "against", "ratio", "bar", "met"]);
        for of in &self.ratios {
            ratios.push([
                of.work.clone(),
                of.peer.clone(),
                format!("{:.2}", of.ratio),
                of.bar.clone(),
                if of.met { "yes" } else { "NO" }.to_owned(),
            ]);
        }
        let versions = self.peers.iter().map(|(name, v)| format!("{name} {v}"));
        format!(
            "{}; {}. One thread on both sides unless said; medians of {} alternating runs after one that \
             does not count.\n\nfit: {} x 10, 30 % missing, alpha and gamma given; \
             tune: {} x 10, 23 x 23 grid, 5 folds, final fit included; \
             imputation: 100000 x 10, fit and fill; classes: 100000 x 10, alpha and gamma given, \
             the peers' features lifted beforehand.\n\n{ratios}\n{times}",
            self.machine,
            versions.collect::<Vec<_>>().join(", "),
            self.repeats,
            ROWS.0,
            ROWS.1,
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_are_met_on_the_right_side() {
        let fit = Work::Fit {
            base: Base::Mean,
            clip: 0.0,
        };
        assert!(compare((fit, 2.9), (GRAM, 1.0)).met);
        assert!(!compare((fit, 3.1), (GRAM, 1.0)).met);
        assert!(compare((fit, 0.09), (SIMPLE, 1.0)).met);
        assert!(!compare((fit, 0.11), (SIMPLE, 1.0)).met);
    }
}
