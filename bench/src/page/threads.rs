//! One thread and two.

use super::Bench;
use super::result::{Bar, Curve, Kind, Part};
use super::shape::{RATE, table};
use super::stage::{self, GIVEN};
use super::turn::Entry;
use crate::files::{gather, timed, write_parquet};
use crate::peer::Timed;
use anyhow::Result;
use gapfit::data::Dataset;
use gapfit::tune::{self, Search};
use gapfit::{Base, Gathering, Statistics};
use rayon::ThreadPool;
use std::ops::ControlFlow;
use std::path::Path;

/// How many times faster two threads are to be than one.
const FASTER: f64 = 1.7;

/// What is done on one thread and on two, and whether there is a bar.
const WORKS: [(&str, bool); 6] = [
    ("statistics of rows in memory", true),
    ("tuning, mean base", true),
    ("tuning, gaussian base", true),
    ("a fit, gaussian base", false),
    ("prediction", false),
    ("statistics of a Parquet file", false),
];

/// Times every work on one thread and on two.
pub(super) fn measure(bench: &mut Bench) -> Result<Part> {
    let (rows, tuned) = bench.size((1_000_000, 100_000), (20_000, 2000));
    let data = table(rows, 10, RATE)?;
    let small = data.select(&(0..tuned).collect::<Vec<_>>());
    let folder = tempfile::Builder::new().prefix("gapfit-bench-").tempdir()?;
    let file = folder.path().join("t.parquet");
    write_parquet(&file, std::iter::once(Ok(data.clone())))?;
    let model = stage::learner(Base::Gaussian).fit(&data, GIVEN)?.model;
    let pools: [ThreadPool; 2] = [pool(1)?, pool(2)?];
    let work = |k: usize| -> Result<()> {
        match k {
            0 => drop(Statistics::of(&data, Gathering::default())?),
            1 => tune(Base::Mean, &small)?,
            2 => tune(Base::Gaussian, &small)?,
            3 => drop(stage::learner(Base::Gaussian).fit(&data, GIVEN)?),
            4 => drop(model.predict(data.features())?),
            _ => read(&file)?,
        }
        Ok(())
    };
    let mut part = Part::new(
        "Threads",
        &format!(
            "The same work on one thread and on two, with the same result to the bit: {rows} x 10, 30 % of the cells missing, in memory or from a file; tuning, in \
             five folds with the default search, {tuned} x 10. Even on one thread a Parquet file is decoded by one of its own, ahead of who sums up."
        ),
    );
    let mut curve = Curve {
        title: "One thread and two".to_owned(),
        x: "threads".to_owned(),
        is_log: false,
        kind: Kind::Each,
        lines: Vec::new(),
    };
    for (k, (name, has_bar)) in WORKS.into_iter().enumerate() {
        let entry = |pool: &'_ ThreadPool| {
            let seconds = timed(|| pool.install(|| work(k)))?;
            Ok(Timed {
                seconds,
                ..Timed::default()
            })
        };
        let entries = pools
            .iter()
            .map(|pool| Entry::ours(name, move || entry(pool)));
        let taken = bench.rounds.take(&mut bench.peers, entries.collect())?;
        let [one, two] = [0, 1].map(|t| taken[t].seconds());
        curve.note(name, 1.0, one);
        curve.note(name, 2.0, two);
        if has_bar {
            let work = format!("{name}: times faster on two threads");
            part.bars.push(Bar::at_least(&work, one / two, FASTER));
        }
    }
    part.curves.push(curve);
    Ok(part)
}

fn pool(threads: usize) -> Result<ThreadPool> {
    Ok(rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()?)
}

fn tune(base: Base, data: &Dataset) -> Result<()> {
    let go_on = |_, _| ControlFlow::Continue(());
    tune::cross_validate(&stage::learner(base), data, &Search::default(), &go_on)?;
    Ok(())
}

fn read(file: &Path) -> Result<()> {
    gather(file)?;
    Ok(())
}
