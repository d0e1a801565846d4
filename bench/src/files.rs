//! How fast tables are read and fitted, beside the libraries that only read them; and how fast rows are
//! predicted.

use crate::report::{Machine, Report, Table};
use crate::sample::median;
use crate::synthetic::{linear, with_holes};
use anyhow::{Context, Result};
use arrow_array::{Array, ArrayRef, Float64Array, RecordBatch};
use gapfit::corrupt::Mechanism;
use gapfit::data::Dataset;
use gapfit::{Evidence, Gathering, Learner, Method, Model, Parameters, Statistics};
use gapfit_io::csv::Options;
use gapfit_io::{Gathered, Kinds, Reader, Roles, Source, Supervised, Swept, Task};
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use serde::Serialize;
use std::fmt::Write as _;
use std::fs::File;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

/// Times reading and fitting CSV and Parquet files against reading alone, and prediction.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Rounds that count.
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) repeats: u32,
    /// Rows of the table.
    #[arg(long, default_value_t = 1_000_000)]
    pub(crate) rows: usize,
}

const WIDTH: usize = 10;
/// Rows per second that prediction is to reach.
pub(crate) const PREDICTIONS: f64 = 5e6;

/// Median seconds of each work.
#[derive(Debug, Serialize)]
pub(crate) struct Speeds {
    machine: Machine,
    rows: usize,
    pub(crate) csv: Pair,
    pub(crate) parquet: Pair,
    predict: f64,
}

/// A peer that reads a file, and we that read it and fit.
#[derive(Debug, Serialize)]
pub(crate) struct Pair {
    pub(crate) peer: f64,
    pub(crate) read: f64,
    pub(crate) read_and_fit: f64,
    pub(crate) gather_and_fit: f64,
    pub(crate) sweep_and_fit: f64,
}

/// Lets all take turns.
pub(crate) fn run(args: &Args) -> Result<Speeds> {
    let one = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    eprintln!("writing tables of {} rows", args.rows);
    let folder = tempfile::Builder::new().prefix("gapfit-bench-").tempdir()?;
    let [text, columns] = ["t.csv", "t.parquet"].map(|name| folder.path().join(name));
    let data = with_holes(
        &linear(args.rows, WIDTH, 4)?,
        &Mechanism::Mcar { rate: 0.3 },
        5,
    )?;
    std::fs::write(&text, csv_text(&data)?)?;
    write_parquet(&columns, std::iter::once(Ok(data.clone())))?;
    let (model, _) = fit(&data)?;
    let mut seconds: [Vec<f64>; 11] = Default::default();
    for round in 0..=args.repeats {
        eprintln!("round {round} of {}", args.repeats);
        let taken = [
            timed(|| parse(&text))?,
            timed(|| read(&text))?,
            timed(|| fit(&read(&text)?))?,
            timed(|| fit(&gather(&text)?))?,
            timed(|| sweep_and_fit(&text))?,
            timed(|| decode(&columns))?,
            timed(|| read(&columns))?,
            timed(|| fit(&read(&columns)?))?,
            timed(|| fit(&gather(&columns)?))?,
            timed(|| sweep_and_fit(&columns))?,
            timed(|| Ok(one.install(|| model.predict(data.features()))?))?,
        ];
        if round > 0 {
            let all = seconds.iter_mut().zip(taken);
            all.for_each(|(seconds, taken)| seconds.push(taken));
        }
    }
    let [medians @ .., predict] = seconds.map(|mut seconds| {
        seconds.sort_by(f64::total_cmp);
        median(&seconds)
    });
    let pair = |medians: &[f64]| Pair {
        peer: medians[0],
        read: medians[1],
        read_and_fit: medians[2],
        gather_and_fit: medians[3],
        sweep_and_fit: medians[4],
    };
    let (csv, parquet) = medians.split_at(medians.len() / 2);
    Ok(Speeds {
        machine: Machine::here(),
        rows: args.rows,
        csv: pair(csv),
        parquet: pair(parquet),
        predict,
    })
}

pub(crate) fn timed<T>(work: impl FnOnce() -> Result<T>) -> Result<f64> {
    let start = Instant::now();
    std::hint::black_box(work()?);
    Ok(start.elapsed().as_secs_f64())
}

/// Six decimals, as a sensor or a database would write them; holes are empty.
fn csv_text(data: &Dataset) -> Result<String> {
    let mut text: String = (0..WIDTH).map(|j| format!("x{j},")).collect();
    text += "y\n";
    for (row, y) in data.features().rows().zip(data.target()) {
        for j in 0..WIDTH {
            if let Some(x) = row.get(j) {
                write!(text, "{x:.6}")?;
            }
            text.push(',');
        }
        writeln!(text, "{y:.6}")?;
    }
    Ok(text)
}

/// Writes tables of the same columns into one file.
pub(crate) fn write_parquet(
    path: &Path,
    parts: impl IntoIterator<Item = Result<Dataset>>,
) -> Result<()> {
    let mut writer = None;
    for part in parts {
        let batch = batch(&part?)?;
        if writer.is_none() {
            let file = File::create(path)?;
            writer = Some(ArrowWriter::try_new(file, batch.schema(), None)?);
        }
        let writer = writer.as_mut().context("made above")?;
        writer.write(&batch)?;
    }
    writer.context("a file needs a table")?.close()?;
    Ok(())
}

fn batch(data: &Dataset) -> Result<RecordBatch> {
    let feature = |j: usize| -> ArrayRef {
        let cells = data.features().rows().map(move |row| row.get(j));
        Arc::new(cells.collect::<Float64Array>())
    };
    let mut columns: Vec<(String, ArrayRef)> = (0..data.n_features())
        .map(|j| (format!("x{j}"), feature(j)))
        .collect();
    let target = Float64Array::from(data.target().to_vec());
    columns.push(("y".to_owned(), Arc::new(target)));
    Ok(RecordBatch::try_from_iter(columns)?)
}

/// What the `csv` crate needs to make columns of numbers of the file.
fn parse(file: &Path) -> Result<Vec<Vec<f64>>> {
    let mut reader = csv::Reader::from_path(file)?;
    let mut columns = vec![Vec::new(); WIDTH + 1];
    let mut record = csv::StringRecord::new();
    while reader.read_record(&mut record)? {
        for (column, cell) in columns.iter_mut().zip(&record) {
            column.push(match cell {
                "" => f64::NAN,
                cell => cell.parse()?,
            });
        }
    }
    Ok(columns)
}

/// What the `parquet` crate needs to make Arrow arrays of the file.
pub(crate) fn decode(file: &Path) -> Result<usize> {
    let builder = ParquetRecordBatchReaderBuilder::try_new(File::open(file)?)?;
    let mut holes = 0;
    for batch in builder.build()? {
        holes += batch?
            .columns()
            .iter()
            .map(|c| c.null_count())
            .sum::<usize>();
    }
    Ok(holes)
}

fn open(file: &Path) -> gapfit_io::Result<Reader> {
    Reader::open(&Source::from(file), &Options::default())
}

fn roles() -> Roles {
    Roles {
        target: "y".to_owned(),
        further_targets: Vec::new(),
        weight: None,
        folds_by: None,
        task: Task::Auto,
    }
}

pub(crate) fn read(file: &Path) -> Result<Dataset> {
    Ok(Supervised::read(&mut open(file)?, &roles())?.data)
}

/// Sums instead of rows, made while the file is read.
pub(crate) fn gather(file: &Path) -> Result<Statistics> {
    let gathering = Gathering {
        is_blocked: false,
        ..Gathering::default()
    };
    let gathered = Gathered::read(1, |_| open(file), &roles(), &Kinds::default(), gathering)?;
    Ok(gathered.statistics)
}

const PARAMETERS: Parameters = Parameters {
    alpha: 1e-3,
    gamma: 1.0,
};

/// As `gapfit fit` does with given parameters: rows are summed as they are read.
fn sweep_and_fit(file: &Path) -> Result<Model> {
    let learner = Learner::new(Method::default());
    let clip = learner.preparation.clip;
    let swept = Swept::read(&mut open(file)?, &roles(), &Kinds::default(), clip)?;
    let swept = swept.context("one pass over the rows is enough")?;
    Ok(learner.fit_sweep(&swept.sweep, PARAMETERS)?.model)
}

/// The model and its error on the rows it was fitted to.
fn fit<'a>(data: impl Into<Evidence<'a>>) -> Result<(Model, f64)> {
    let fitted = Learner::new(Method::default()).fit(data, PARAMETERS)?;
    let rmse = fitted.model.training().rmse;
    Ok((fitted.model, rmse))
}

impl Speeds {
    /// Rows predicted a second on one thread.
    pub(crate) fn predicted(&self) -> f64 {
        self.rows as f64 / self.predict
    }
}

impl Report for Speeds {
    fn markdown(&self) -> String {
        let mut table = Table::new(["work", "seconds", "ratio", "bar", "met"]);
        let mut line = |work: &str, seconds: f64, ratio: String, bar: &str, met: Option<bool>| {
            let met = met.map_or("", |met| if met { "yes" } else { "NO" });
            let seconds = format!("{seconds:.3}");
            table.push([
                work.to_owned(),
                seconds,
                ratio,
                bar.to_owned(),
                met.to_owned(),
            ]);
        };
        for (format, peer, pair) in [
            ("CSV", "csv crate, cells to columns of f64", &self.csv),
            ("Parquet", "parquet crate, to Arrow arrays", &self.parquet),
        ] {
            let ratio = |seconds: f64| format!("{:.2}", seconds / pair.peer);
            line(peer, pair.peer, ratio(pair.peer), "", None);
            let read = format!("gapfit, reading {format}");
            line(&read, pair.read, ratio(pair.read), "", None);
            for (how, seconds) in [
                ("a table", pair.read_and_fit),
                ("statistics", pair.gather_and_fit),
            ] {
                let both = format!("gapfit, reading {format} into {how} and fitting");
                line(&both, seconds, ratio(seconds), "", None);
            }
            let (both, seconds) = (
                "gapfit, reading and fitting in one pass",
                pair.sweep_and_fit,
            );
            let is_met = seconds <= 2.0 * pair.peer;
            line(both, seconds, ratio(seconds), "at most 2", Some(is_met));
        }
        let speed = self.predicted();
        let (ratio, bar) = (
            format!("{:.1} M rows/s", speed / 1e6),
            "at least 5 M rows/s",
        );
        let met = Some(speed >= PREDICTIONS);
        line(
            "gapfit, predicting on one thread",
            self.predict,
            ratio,
            bar,
            met,
        );
        format!(
            "{}\n\n{} rows, {WIDTH} columns, 30 % of the cells missing, mean base.\n\n{table}",
            self.machine, self.rows
        )
    }
}
