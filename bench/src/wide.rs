//! A table of a thousand columns with holes in all of them: time, memory and error of a fit whose shifts
//! have a support, beside round-robin imputation from as many columns and ridge regression.

use crate::peer::{Peers, Timed, write_features, write_numbers};
use crate::report::{Machine, Report, Table};
use anyhow::{Context, Result, ensure};
use gapfit::data::{Dataset, MaskedMatrix};
use gapfit::eval::Scores;
use gapfit::support::{SupportChoice, SupportRule};
use gapfit::{Learner, Method, Parameters};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::StandardNormal;
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Instant;

/// Fits a table of a thousand columns, beside scikit-learn.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Training rows.
    #[arg(long, default_value_t = 100_000)]
    rows: usize,
    /// Columns, all of them with holes.
    #[arg(long, default_value_t = 1000)]
    columns: usize,
    /// Share of the cells that are missing.
    #[arg(long, default_value_t = 0.05)]
    missing: f64,
    /// Columns that each missing one may shift, and from which the peer imputes.
    #[arg(long, default_value_t = 20)]
    support: usize,
    /// Weight of the penalty.
    #[arg(long, default_value_t = 1e-3)]
    alpha: f64,
    /// How much the learnt imputation may do.
    #[arg(long, default_value_t = 1.0)]
    gamma: f64,
    /// Seed of the table.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// The first round of the peer instead of all ten: a lower bound of its time.
    #[arg(long)]
    one_round: bool,
    /// Does without the peer.
    #[arg(long)]
    no_peers: bool,
    /// Threads of ours; the peer has one.
    #[arg(long, default_value_t = 1)]
    threads: usize,
    /// Python with the peers installed.
    #[arg(long, default_value = concat!(env!("CARGO_MANIFEST_DIR"), "/.venv/bin/python"), hide_default_value = true)]
    python: PathBuf,
}

/// Test rows.
const TEST: usize = 10_000;
/// Columns that share a part.
const GROUP: usize = 25;
/// What we ask of ourselves.
const FASTER: f64 = 20.0;
const BYTES: f64 = 4e9;

/// Both sides.
#[derive(Debug, Serialize)]
pub(crate) struct Wide {
    machine: Machine,
    rows: usize,
    columns: usize,
    missing: f64,
    support: usize,
    threads: usize,
    ours: Ours,
    /// Without what is learnt about holes: mean imputation and ridge regression.
    mean: Ours,
    /// The most memory that the process of ours has had, data included.
    peak_bytes: f64,
    peer: Option<Peer>,
}

/// A fit of ours.
#[derive(Debug, Serialize)]
struct Ours {
    seconds: f64,
    gap: f64,
    iterations: usize,
    rmse: f64,
    /// Rows predicted a second.
    predicted: f64,
}

/// A fit of the peer's.
#[derive(Debug, Serialize)]
struct Peer {
    rounds: usize,
    seconds: f64,
    rmse: Option<f64>,
    versions: BTreeMap<String, String>,
}

/// Fits on both sides.
pub(crate) fn run(args: &Args) -> Result<Wide> {
    ensure!(
        args.rows >= 100 && args.columns >= 2,
        "--rows, --columns: too few"
    );
    eprintln!(
        "making {} + {TEST} rows of {} columns",
        args.rows, args.columns
    );
    let rng = &mut ChaCha8Rng::seed_from_u64(args.seed);
    let weights: Vec<f64> = (0..args.columns)
        .map(|_| rng.sample(StandardNormal))
        .collect();
    let train = table(args.rows, &weights, args.missing, rng)?;
    let test = table(TEST, &weights, args.missing, rng)?;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(args.threads);
    let pool = pool.build()?;
    let fit = |method: &str| -> Result<Ours> {
        eprintln!("fitting {method}");
        let learner = Learner {
            support: SupportChoice::Rule(SupportRule::Top(args.support)),
            ..Learner::new(method.parse::<Method>()?)
        };
        pool.install(|| ours(&learner, args, &train, &test))
    };
    let (ours, mean) = (fit("irr:mean")?, fit("mean")?);
    let peak_bytes = peak_bytes()?;
    let peer = match args.no_peers {
        true => None,
        false => Some(peer(args, &train, &test)?),
    };
    Ok(Wide {
        machine: Machine::here(),
        rows: args.rows,
        columns: args.columns,
        missing: args.missing,
        support: args.support,
        threads: args.threads,
        ours,
        mean,
        peak_bytes,
        peer,
    })
}

/// Normal columns in groups that share a part, a linear target with noise, and holes at random.
fn table(rows: usize, weights: &[f64], missing: f64, rng: &mut ChaCha8Rng) -> Result<Dataset> {
    let mut table = MaskedMatrix::new(weights.len());
    table.reserve(rows);
    let mut target = Vec::with_capacity(rows);
    let size = (weights.len() as f64).sqrt();
    for _ in 0..rows {
        let (mut shared, mut y) = (0.0, 0.0);
        let mut cells = Vec::with_capacity(weights.len());
        for (j, w) in weights.iter().enumerate() {
            if j % GROUP == 0 {
                shared = rng.sample(StandardNormal);
            }
            let own: f64 = rng.sample(StandardNormal);
            let x = 0.8 * shared + 0.6 * own;
            y += w * x / size;
            cells.push((rng.random::<f64>() >= missing).then_some(x));
        }
        table.push_row(cells)?;
        let noise: f64 = rng.sample(StandardNormal);
        target.push(y + 0.1 * noise);
    }
    Ok(Dataset::new(table, target)?)
}

fn ours(learner: &Learner, args: &Args, train: &Dataset, test: &Dataset) -> Result<Ours> {
    let parameters = Parameters {
        alpha: args.alpha,
        gamma: args.gamma,
    };
    let start = Instant::now();
    let fitted = learner.fit(train, parameters)?;
    let seconds = start.elapsed().as_secs_f64();
    let outcome = fitted.outcome;
    ensure!(
        outcome.gap <= learner.tol,
        "{}: missed its gap: {outcome:?}",
        learner.method
    );
    let start = Instant::now();
    let predictions = fitted.model.predict(test.features())?;
    let predicted = TEST as f64 / start.elapsed().as_secs_f64();
    Ok(Ours {
        seconds,
        gap: outcome.gap,
        iterations: outcome.iterations,
        rmse: Scores::of(test.target(), &predictions, None).rmse,
        predicted,
    })
}

/// The most memory that this process has had, as Linux knows it.
fn peak_bytes() -> Result<f64> {
    let status = std::fs::read_to_string("/proc/self/status").context("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|line| line.trim().strip_suffix(" kB"));
    let kilobytes: f64 = kilobytes
        .context("VmHWM: expected a number of kB")?
        .trim()
        .parse()?;
    Ok(1024.0 * kilobytes)
}

fn peer(args: &Args, train: &Dataset, test: &Dataset) -> Result<Peer> {
    eprintln!("handing the table over");
    let folder = tempfile::tempdir()?;
    for (name, data) in [("wide", train), ("wide_test", test)] {
        write_features(&folder.path().join(format!("{name}.f64")), data)?;
        let target = folder.path().join(format!("{name}_target.f64"));
        write_numbers(&target, data.target().iter().copied())?;
    }
    let settings = [args.support as f64, args.alpha * args.rows as f64];
    write_numbers(
        &folder.path().join("wide_settings.f64"),
        settings.into_iter(),
    )?;
    let mut peers = Peers::start(&args.python, folder)?;
    let (task, rounds) = match args.one_round {
        true => ("wide_one_round", 1),
        false => ("wide_all_rounds", 10),
    };
    eprintln!(
        "the peer: {rounds} round{}",
        if rounds == 1 { "" } else { "s" }
    );
    let Timed { seconds, rmse, .. } = peers.run(task)?;
    Ok(Peer {
        rounds,
        seconds,
        rmse,
        versions: peers.versions()?,
    })
}

impl Report for Wide {
    fn markdown(&self) -> String {
        let mut fits = Table::new([
            "fit",
            "seconds",
            "RMSE on test rows",
            "gap",
            "steps",
            "rows predicted a second",
        ]);
        for (name, fit) in [("irr:mean", &self.ours), ("mean", &self.mean)] {
            fits.push([
                format!("gapfit {name}"),
                format!("{:.1}", fit.seconds),
                format!("{:.4}", fit.rmse),
                format!("{:.1e}", fit.gap),
                fit.iterations.to_string(),
                format!("{:.0}", fit.predicted),
            ]);
        }
        let mut bars = Table::new(["what", "got", "bar", "met"]);
        let yes = |met: bool| if met { "yes" } else { "NO" }.to_owned();
        bars.push([
            "memory, data included".to_owned(),
            format!("{:.2} GB", self.peak_bytes / 1e9),
            "at most 4 GB".to_owned(),
            yes(self.peak_bytes <= BYTES),
        ]);
        let mut versions = String::new();
        if let Some(peer) = &self.peer {
            let name = format!("IterativeImputer, {} of 10 rounds, + Ridge", peer.rounds);
            fits.push([
                name.clone(),
                format!("{:.1}", peer.seconds),
                peer.rmse.map_or(String::new(), |rmse| format!("{rmse:.4}")),
                String::new(),
                String::new(),
                String::new(),
            ]);
            let ratio = peer.seconds / self.ours.seconds;
            bars.push([
                format!("times faster than {name}"),
                format!("{ratio:.1}"),
                format!("at least {FASTER}"),
                yes(ratio >= FASTER),
            ]);
            let all = peer.versions.iter().map(|(name, v)| format!("{name} {v}"));
            versions = format!("; {}", all.collect::<Vec<_>>().join(", "));
        }
        format!(
            "{}{versions}. {} x {}, {:.0} % missing, {} columns for each; {} thread{} of ours, one of the peer's.\n\n{bars}\n{fits}",
            self.machine,
            self.rows,
            self.columns,
            100.0 * self.missing,
            self.support,
            self.threads,
            if self.threads == 1 { "" } else { "s" },
        )
    }
}
