//! A file that need not fit into memory.

use super::result::{Bar, Contest, Entrant, Part};
use super::shape::{RATE, hand_over, take_back};
use super::turn::{Rounds, Taken};
use super::{Bench, peak};
use crate::files::{decode, timed, write_parquet};
use crate::peer::Timed;
use crate::synthetic::{Linear, with_holes};
use anyhow::Result;
use gapfit::corrupt::Mechanism;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

const WIDTH: usize = 10;
/// Megabytes that may be used at most.
const MEGABYTES: f64 = 500.0;
/// Ten times the rows may take this many times the memory, and it is called flat.
const FLAT: f64 = 1.2;

/// What is done with a file.
#[derive(Clone, Copy, Debug)]
enum Work {
    /// Decoding it, in this process.
    Decode,
    /// `gapfit stats`, then `gapfit fit --from-stats`.
    Sums,
    /// `gapfit fit`.
    Fit,
}

const WORKS: [(&str, Work); 3] = [
    ("parquet crate, decoding alone", Work::Decode),
    ("gapfit stats, fit --from-stats", Work::Sums),
    ("gapfit fit", Work::Fit),
];

/// Fits files of two sizes.
pub(super) fn measure(bench: &mut Bench) -> Result<Part> {
    let rows = bench.size(10_000_000, 100_000);
    let folder = tempfile::Builder::new().prefix("gapfit-bench-").tempdir()?;
    let mut part = Part::new(
        "Files larger than memory",
        &format!(
            "Parquet files of {rows} rows and of a tenth of them, {WIDTH} columns, 30 % of the cells missing, with the writer's defaults: imputed ridge regression on the mean base with given \
             parameters, by the command, started and ended, on all threads; beside it the parquet crate, which only decodes the file, on one. Memory is the most that the \
             system gave the process, the median of the rounds; memory is flat if ten times the rows take at most {FLAT} times as much. The peers are processes that load the smaller table from a plain file of numbers and fit it."
        ),
    );
    let mut taken = Vec::new();
    for (name, n) in [("small", rows / 10), ("large", rows)] {
        eprintln!("  {n} rows");
        let file = folder.path().join(format!("{name}.parquet"));
        write(&file, n, rows / 10)?;
        taken.push(bench.compare(&file)?);
        part.race(
            &format!("A Parquet file of {n} x {WIDTH}"),
            taken[taken.len() - 1]
                .iter()
                .map(|of| (of.name.clone(), of.seconds())),
        );
    }
    part.races.push(memory(bench, rows / 10, &taken)?);
    let [small, large] = &taken[..] else {
        return Ok(part);
    };
    for k in [1, 2] {
        let name = &large[k].name;
        let over = large[k].seconds() / large[0].seconds();
        let grown = large[k].megabytes() / small[k].megabytes();
        let work = |what: &str| format!("{name}, {rows} x {WIDTH}: {what}");
        let most = Bar::at_most(&work("peak memory"), large[k].megabytes(), MEGABYTES);
        part.bars.extend([
            most.in_unit(" MB"),
            Bar::at_most(&work("peak memory over that of a tenth"), grown, FLAT),
            Bar::at_most(&work("time over decoding alone"), over, 2.0),
        ]);
    }
    Ok(part)
}

/// Writes so many rows, a part at a time.
fn write(file: &Path, rows: usize, at_once: usize) -> Result<()> {
    let mut source = Linear::new(WIDTH, 1);
    let parts = (0..rows / at_once).map(|k| {
        let mechanism = Mechanism::Mcar { rate: RATE };
        with_holes(&source.rows(at_once)?, &mechanism, 10 + k as u64)
    });
    write_parquet(file, parts)
}

impl Bench {
    /// All works on a file, in turns.
    fn compare(&mut self, file: &Path) -> Result<Vec<Taken>> {
        let gapfit = Self::gapfit()?;
        let (rounds, bench): (Rounds, &Self) = (self.rounds, self);
        let mut results = Vec::new();
        for round in rounds.each() {
            for k in round.order(WORKS.len()) {
                results.push((k, round.counts, bench.work(WORKS[k].1, &gapfit, file)?));
            }
        }
        let of = |(k, (name, _)): (usize, (&str, Work))| {
            let mine = results.iter().filter(|(of, counts, _)| *of == k && *counts);
            Taken::new(name, mine.map(|result| result.2).collect())
        };
        Ok(WORKS.into_iter().enumerate().map(of).collect())
    }

    fn work(&self, work: Work, gapfit: &Path, file: &Path) -> Result<Timed> {
        let out = |name: &str| -> PathBuf { file.with_extension(name) };
        let (stats, model) = (out("gapstats"), out("gapfit"));
        let command = |rest: &[&OsStr]| peak::run(self, &[&[gapfit.as_os_str()], rest].concat());
        let given: Vec<&OsStr> = [
            "--target", "y", "--alpha", "0.001", "--gamma", "1", "--quiet",
        ]
        .map(OsStr::new)
        .to_vec();
        let onto = [OsStr::new("-o"), model.as_os_str()];
        match work {
            Work::Decode => Ok(Timed {
                seconds: timed(|| decode(file))?,
                ..Timed::default()
            }),
            Work::Sums => {
                let first = ["stats", "--target", "y", "--no-tuning", "--quiet", "-o"];
                let first = first.map(OsStr::new);
                let summed =
                    command(&[&first[..], &[stats.as_os_str(), file.as_os_str()]].concat())?;
                let second = ["fit", "--from-stats"].map(OsStr::new);
                let second = [&second[..], &[stats.as_os_str()], &given, &onto].concat();
                Ok(peak::both(summed, command(&second)?))
            }
            Work::Fit => {
                let first = [
                    OsStr::new("fit"),
                    file.as_os_str(),
                    OsStr::new("--no-calibration"),
                ];
                command(&[&first[..], &given, &onto].concat())
            }
        }
    }
}

/// The memory of all who fit the smaller table.
fn memory(bench: &mut Bench, rows: usize, taken: &[Vec<Taken>]) -> Result<Contest> {
    let data = Linear::new(WIDTH, 1).rows(rows)?;
    let data = with_holes(&data, &Mechanism::Mcar { rate: RATE }, 10)?;
    hand_over(&bench.peers, "big", &data, &data.select(&[]))?;
    let folder = bench.peers.path("");
    let script = OsStr::new(concat!(env!("CARGO_MANIFEST_DIR"), "/contest.py"));
    let mut all: Vec<Taken> = taken[0][1..].to_vec();
    for (name, method) in [
        ("SimpleImputer + Ridge, from numbers", "simple_ridge"),
        ("HistGradientBoosting, from numbers", "boosting"),
    ] {
        let (python, method) = (bench.python.clone(), OsStr::new(method));
        let command = [
            python.as_os_str(),
            script,
            folder.as_os_str(),
            method,
            OsStr::new("big"),
        ];
        // theirs does not wobble: once is enough
        all.push(Taken::new(name, vec![peak::run(bench, &command)?]));
    }
    take_back(&bench.peers, "big")?;
    let entrant = |taken: &Taken| Entrant {
        name: taken.name.clone(),
        value: taken.megabytes(),
        further: Vec::new(),
    };
    Ok(Contest {
        title: format!("Memory of a fit of {rows} x {WIDTH}"),
        unit: "MB",
        columns: Vec::new(),
        entrants: all.iter().map(entrant).collect(),
    })
}
