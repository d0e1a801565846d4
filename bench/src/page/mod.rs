//! The benchmark page: every bar and every growth curve, with peers in the same run, as Markdown and as one
//! page of HTML.

mod big;
mod contest;
mod growth;
mod housing;
mod peak;
mod program;
mod render;
mod result;
mod roof;
mod shape;
mod stage;
mod threads;
mod turn;

use crate::files;
use crate::online::rival;
use crate::peer::Peers;
use crate::report::{Machine, Report};
use anyhow::{Context, Result};
use result::{Bar, Part, Results};
use std::path::{Path, PathBuf};
use turn::Rounds;

/// Measures everything against every peer, and writes docs/benchmarks.md, .html and pictures.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Parts to measure, in place of all.
    #[arg(value_parser = NAMES)]
    parts: Vec<String>,
    /// Small tables and one round, to see whether everything works; its numbers mean little.
    #[arg(long)]
    quick: bool,
    /// Rounds that count, at least 5.
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(5..))]
    rounds: u32,
    /// Folder of what is written [default: docs, with --quick target].
    #[arg(long)]
    out: Option<PathBuf>,
    /// Python with the peers installed.
    #[arg(long, default_value = concat!(env!("CARGO_MANIFEST_DIR"), "/.venv/bin/python"), hide_default_value = true)]
    python: PathBuf,
}

/// Who measures: how often, at which sizes, against whom.
#[derive(Debug)]
struct Bench {
    quick: bool,
    rounds: Rounds,
    python: PathBuf,
    peers: Peers,
}

impl Bench {
    /// A size, or a smaller one for a quick look.
    fn size<T>(&self, full: T, quick: T) -> T {
        if self.quick { quick } else { full }
    }

    /// The command `gapfit`, which `bench/run` builds.
    fn gapfit() -> Result<PathBuf> {
        Ok(std::env::current_exe()?.with_file_name("gapfit"))
    }
}

type Measure = fn(&mut Bench) -> Result<Part>;

const PARTS: [(&str, Measure); 12] = [
    ("rows", contest::measure),
    ("columns", growth::columns),
    ("holes", growth::holes),
    ("masks", growth::masks),
    ("threads", threads::measure),
    ("gram", roof::gram),
    ("own-masks", roof::own_masks),
    ("big", big::measure),
    ("files", files),
    ("tuned", housing::measure),
    ("stream", stream),
    ("program", program::measure),
];
const NAMES: [&str; PARTS.len()] = {
    let mut names = [""; PARTS.len()];
    let mut k = 0;
    while k < names.len() {
        names[k] = PARTS[k].0;
        k += 1;
    }
    names
};

/// Measures, and writes the page.
pub(crate) fn run(args: &Args) -> Result<Results> {
    let folder = tempfile::Builder::new().prefix("gapfit-bench-").tempdir()?;
    let mut bench = Bench {
        quick: args.quick,
        rounds: Rounds::new(args.rounds, args.quick),
        python: args.python.clone(),
        peers: Peers::start(&args.python, folder)?,
    };
    let mut results = Results {
        machine: Machine::here(),
        peers: bench.peers.versions()?,
        rounds: bench.rounds.count(),
        quick: args.quick,
        parts: Vec::new(),
    };
    for (name, measure) in PARTS {
        if args.parts.is_empty() || args.parts.iter().any(|part| part == name) {
            let start = std::time::Instant::now();
            eprintln!("{name}");
            results.parts.push(measure(&mut bench).context(name)?);
            eprintln!("{name}: {:.0} s", start.elapsed().as_secs_f64());
        }
    }
    write(&results, &args.folder())?;
    Ok(results)
}

impl Args {
    fn folder(&self) -> PathBuf {
        let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."));
        let usual = match self.quick {
            true => root.join("target"),
            false => root.join("docs"),
        };
        self.out.clone().unwrap_or(usual)
    }
}

/// Writes benchmarks.md, benchmarks.html, and the pictures into a folder beside them.
fn write(results: &Results, folder: &Path) -> Result<()> {
    let pictures = folder.join("benchmarks");
    std::fs::create_dir_all(&pictures)?;
    let page = render::page(results);
    for figure in page.figures() {
        let file = pictures.join(format!("{}.svg", figure.id()));
        std::fs::write(&file, figure.svg())?;
    }
    std::fs::write(folder.join("benchmarks.md"), results.markdown())?;
    std::fs::write(folder.join("benchmarks.html"), page.html())?;
    eprintln!("wrote {}", folder.join("benchmarks.html").display());
    Ok(())
}

/// What `bench/run files` measures.
fn files(bench: &mut Bench) -> Result<Part> {
    let rows = bench.size(1_000_000, 50_000);
    let args = files::Args {
        repeats: bench.rounds.count(),
        rows,
    };
    let speeds = files::run(&args)?;
    let mut part = Part::new(
        "Reading and predicting",
        "As `bench/run files`: a table of 10 columns, 30 % of the cells missing, read from a file and fitted on all threads, as rows, as sums that can be added up, or in one pass as `gapfit fit` does with given parameters, beside \
         the crates that only read it, on one. The crates make arrays, gapfit a model.",
    );
    for (format, peer, pair) in [
        ("CSV", "csv crate", &speeds.csv),
        ("Parquet", "parquet crate", &speeds.parquet),
    ] {
        let works = [
            (format!("{peer}, reading alone"), pair.peer),
            ("gapfit, reading alone".to_owned(), pair.read),
            ("gapfit, rows and a fit".to_owned(), pair.read_and_fit),
            ("gapfit, sums and a fit".to_owned(), pair.gather_and_fit),
            ("gapfit, one pass and a fit".to_owned(), pair.sweep_and_fit),
        ];
        part.race(&format!("{format}, {rows} rows"), works);
        let work = format!("{format} to a fit in one pass, over the {peer} reading it");
        let bar = Bar::at_most(&work, pair.sweep_and_fit / pair.peer, 2.0);
        part.bars.push(bar);
    }
    let (speed, bar) = (speeds.predicted() / 1e6, files::PREDICTIONS / 1e6);
    let bar = Bar::at_least("rows predicted a second, one thread, millions", speed, bar);
    part.bars.push(bar);
    Ok(part)
}

/// What `bench/run online` measures against others.
fn stream(bench: &mut Bench) -> Result<Part> {
    let standings = rival::measure(&bench.python, bench.rounds.count())?;
    let mut part = Part::new(
        "Streams",
        "As `bench/run online`: rows of 64 features, a tenth of the cells missing, predicted and learnt one by one on one thread. Vowpal Wabbit learns the \
         same model, values times indicators of holes; river, behind Python, plain logistic regression, which knows nothing of holes.",
    );
    let mut works = Vec::new();
    for duel in &standings.duels {
        let (ours, theirs) = (duel.ours.median(), duel.theirs.median());
        let name = format!("gapfit, {}", duel.steps);
        if works.iter().all(|(known, _)| *known != name) {
            works.push((name, 1.0 / ours));
        }
        let theirs_name = format!("{}, beside {}", duel.source, duel.steps);
        works.push((theirs_name, 1.0 / theirs));
        if let Some(bar) = duel.bar {
            let work = format!("stream, {}: times faster than {}", duel.steps, duel.source);
            part.bars.push(Bar::at_least(&work, ours / theirs, bar));
        }
    }
    part.race("A row of a stream", works);
    Ok(part)
}

impl Report for Results {
    fn markdown(&self) -> String {
        render::markdown(self)
    }
}
