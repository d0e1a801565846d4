//! How fast `gapfit stream` reads and learns a CSV file, beside the `csv` crate that only reads it.

use crate::report::{Machine, Report, Table};
use crate::sample::median;
use anyhow::{Context, Result, ensure};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde::Serialize;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

/// Times `gapfit stream` on a CSV file against parsing it into numbers.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Rounds that count.
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..))]
    repeats: u32,
}

const ROWS: usize = 200_000;
const WIDTH: usize = 64;

/// Steps that are timed; the bar is on the first.
const STEPS: [&str; 4] = ["eta=0.01", "coin", "adagrad", "auto"];

/// Rows per second.
#[derive(Debug, Serialize)]
pub(crate) struct Speeds {
    machine: Machine,
    parsing: f64,
    streaming: Vec<(String, f64)>,
}

/// Lets both sides take turns.
pub(crate) fn run(args: &Args) -> Result<Speeds> {
    let folder = tempfile::Builder::new().prefix("gapfit-bench-").tempdir()?;
    let file = folder.path().join("stream.csv");
    std::fs::write(&file, table()?)?;
    let gapfit = std::env::current_exe()?.with_file_name("gapfit");
    let (mut parsing, mut streaming) = (Vec::new(), vec![Vec::new(); STEPS.len()]);
    for round in 0..=args.repeats {
        eprintln!("round {round} of {}", args.repeats);
        let start = Instant::now();
        parse(&file)?;
        let parsed = start.elapsed();
        for (seconds, step) in streaming.iter_mut().zip(STEPS) {
            // The slow one needs no repetition.
            if step == "auto" && round > 1 {
                continue;
            }
            let start = Instant::now();
            learn(&gapfit, &file, step)?;
            if round > 0 {
                seconds.push(start.elapsed().as_secs_f64());
            }
        }
        if round > 0 {
            parsing.push(parsed.as_secs_f64());
        }
    }
    let speed = |seconds: &[f64]| {
        let mut ascending = seconds.to_vec();
        ascending.sort_by(f64::total_cmp);
        ROWS as f64 / median(&ascending)
    };
    let names = STEPS.iter().map(|&step| step.to_owned());
    Ok(Speeds {
        machine: Machine::here(),
        parsing: speed(&parsing),
        streaming: names.zip(streaming.iter().map(|s| speed(s))).collect(),
    })
}

/// Numbers of ten digits, a tenth of the cells empty, a target of two classes.
fn table() -> Result<String> {
    let rng = &mut ChaCha8Rng::seed_from_u64(9);
    let mut text: String = (0..WIDTH).map(|j| format!("x{j},")).collect();
    text += "y\n";
    for _ in 0..ROWS {
        let mut sum = 0.0;
        for _ in 0..WIDTH {
            let x = 2.0 * rng.random::<f64>() - 1.0;
            sum += x;
            if rng.random::<f64>() >= 0.1 {
                write!(text, "{x:.10}")?;
            }
            text.push(',');
        }
        text += if sum > 0.0 { "1\n" } else { "-1\n" };
    }
    Ok(text)
}

/// What the `csv` crate needs to make numbers of the file.
fn parse(file: &Path) -> Result<f64> {
    let mut reader = csv::Reader::from_path(file)?;
    let (mut record, mut sum) = (csv::StringRecord::new(), 0.0);
    while reader.read_record(&mut record)? {
        for cell in record.iter().filter(|cell| !cell.is_empty()) {
            sum += cell.parse::<f64>()?;
        }
    }
    Ok(std::hint::black_box(sum))
}

fn learn(gapfit: &PathBuf, file: &Path, step: &str) -> Result<()> {
    let status = Command::new(gapfit)
        .args([
            "stream", "--target", "y", "--loss", "logistic", "--quiet", "--step", step,
        ])
        .arg(file)
        .stdout(Stdio::null())
        .status()
        .with_context(|| {
            format!(
                "{}: expected the command, run by bench/run",
                gapfit.display()
            )
        })?;
    ensure!(status.success(), "gapfit stream: {status}");
    Ok(())
}

impl Report for Speeds {
    fn markdown(&self) -> String {
        let mut table = Table::new(["work", "rows/s, thousands", "of parsing", "bar", "met"]);
        let thousands = |speed: f64| format!("{:.0}", speed / 1e3);
        table.push([
            "csv crate, cells to f64".to_owned(),
            thousands(self.parsing),
            "1.00".to_owned(),
            String::new(),
            String::new(),
        ]);
        for (i, (step, speed)) in self.streaming.iter().enumerate() {
            let ratio = speed / self.parsing;
            let verdict = if ratio >= 0.5 { "yes" } else { "NO" };
            let [bar, met] = match i {
                0 => ["at least 0.5", verdict],
                _ => ["", ""],
            };
            table.push([
                format!("gapfit stream --step {step}"),
                thousands(*speed),
                format!("{ratio:.2}"),
                bar.to_owned(),
                met.to_owned(),
            ]);
        }
        format!(
            "{}. {ROWS} rows of {WIDTH} columns with ten digits, a tenth of the cells empty, from a file; the \
             whole command, started and ended, medians.\n\n{table}",
            self.machine
        )
    }
}
