//! How near the sums come to what the machine can do at most, and fits where every row has a mask of its own.

use super::Bench;
use super::result::{Bar, Contest, Entrant, Part};
use super::shape::{RATE, table, with_masks};
use super::stage::{self, fit};
use super::turn::Entry;
use crate::files::timed;
use crate::peer::Timed;
use anyhow::{Result, ensure};
use faer::linalg::matmul::matmul;
use faer::linalg::matmul::triangular::{BlockStructure, matmul as triangular_matmul};
use faer::{Accum, Mat, Par};
use gapfit::data::Dataset;
use gapfit::{Base, Learner, Method, NormalForm};

/// Share of what the machine can do that the sums are to reach.
const SHARE: f64 = 0.6;
/// Times as long as faer for the same rows, without masks: about the same share.
const FAER: f64 = 1.67;
/// Order of the matrices whose product shows how fast multiplication can be.
const ORDER: usize = 1000;
/// Numbers that are read to see how fast memory is: more than any cache holds.
const NUMBERS: usize = 1 << 25;

/// Reads numbers from memory and does next to nothing with them.
fn bandwidth(numbers: &[f64]) -> Result<Timed> {
    seconds(|| {
        let mut sums = [0.0; 16];
        for chunk in numbers.chunks_exact(16) {
            for (sum, x) in sums.iter_mut().zip(chunk) {
                *sum += x;
            }
        }
        Ok(sums)
    })
}

/// The product of two square matrices on one thread.
fn product(a: &Mat<f64>, into: &mut Mat<f64>) -> Result<Timed> {
    seconds(|| {
        matmul(into.as_mut(), Accum::Replace, a, a, 1.0, Par::Seq);
        Ok(())
    })
}

fn seconds<T>(work: impl FnOnce() -> Result<T>) -> Result<Timed> {
    Ok(Timed {
        seconds: timed(work)?,
        ..Timed::default()
    })
}

fn square() -> (Mat<f64>, Mat<f64>) {
    let a = Mat::from_fn(ORDER, ORDER, |i, j| ((i * 31 + j * 17) % 64) as f64 / 64.0);
    (a, Mat::zeros(ORDER, ORDER))
}

/// Operations of the product.
const PRODUCT: f64 = 2.0 * (ORDER * ORDER * ORDER) as f64;

/// A table that is summed up.
struct Case {
    name: String,
    data: Dataset,
    /// A column for each row: 1, the features with zeros in the holes, the target.
    whole: Mat<f64>,
}

impl Case {
    fn new(name: String, data: Dataset) -> Self {
        let width = data.n_features();
        let (features, target) = (data.features(), data.target());
        let cell = |e: usize, i: usize| match e {
            0 => 1.0,
            e if e <= width => features.get(i, e - 1).unwrap_or(0.0),
            _ => target[i],
        };
        let whole = Mat::from_fn(width + 2, data.n_rows(), cell);
        Self { name, data, whole }
    }

    /// The products of all columns by faer, as if there were no masks.
    fn without_masks(&self, into: &mut Mat<f64>) -> Result<Timed> {
        let part = BlockStructure::Rectangular;
        seconds(|| {
            triangular_matmul(
                into.as_mut(),
                BlockStructure::TriangularLower,
                Accum::Replace,
                &self.whole,
                part,
                self.whole.transpose(),
                part,
                1.0,
                Par::Seq,
            );
            Ok(())
        })
    }

    /// The seconds of the sums and of the products without masks, beside a machine that reads and multiplies so fast.
    fn judge(
        &self,
        seconds: f64,
        without_masks: f64,
        (memory, speed): (f64, f64),
    ) -> ([Bar; 2], Entrant) {
        let (bytes, operations) = self.least_work();
        let (reading, multiplying) = (bytes / memory, operations / speed);
        let (bound, what) = match reading >= multiplying {
            true => (reading, "memory allows"),
            false => (multiplying, "matrix products allow"),
        };
        let work = |what: &str| format!("sums, {}: {what}", self.name);
        let share = work(&format!("share of what {what}"));
        let over = work("over the time of faer, without masks and clipping");
        let bars = [
            Bar::at_least(&share, 100.0 * bound / seconds, 100.0 * SHARE).in_unit(" %"),
            Bar::at_most(&over, seconds / without_masks, FAER),
        ];
        let times = [reading, multiplying, without_masks].map(gapfit_report::number::time);
        let faer = format!("{:.0} %", 100.0 * bound / without_masks);
        let entrant = Entrant {
            name: self.name.clone(),
            value: seconds,
            further: times.into_iter().chain([faer]).collect(),
        };
        (bars, entrant)
    }

    /// Bytes that must be read, and multiplications and additions that must be done: for a row with o observed
    /// features the lower triangle of the products of (1, features, target).
    fn least_work(&self) -> (f64, f64) {
        let rows = self.data.n_rows() as f64;
        let width = self.data.n_features();
        let bytes = 8.0 * rows * (width + width.div_ceil(64) + 1) as f64;
        let operations = self.data.features().rows().map(|row| {
            let order = (row.observed().count() + 2) as f64;
            order * (order + 1.0)
        });
        (bytes, operations.sum())
    }
}

/// Sums by mask beside the bandwidth of memory and the speed of matrix products.
pub(super) fn gram(bench: &mut Bench) -> Result<Part> {
    let shrink = bench.size(1, 50);
    let cases = [(10, 1_000_000, 0), (50, 200_000, 100), (100, 100_000, 100)];
    let case = |(width, rows, masks): (usize, usize, usize)| {
        let rows = rows / shrink;
        let (data, masks) = match masks {
            0 => (table(rows, width, RATE)?, "all masks".to_owned()),
            n => (with_masks(rows, width, n)?, format!("{n} masks")),
        };
        Ok(Case::new(format!("{rows} x {width}, {masks}"), data))
    };
    let cases: Vec<Case> = cases.into_iter().map(case).collect::<Result<_>>()?;
    let numbers: Vec<f64> = (0..NUMBERS).map(|i| (i % 64) as f64).collect();
    let (a, mut b) = square();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    // plain ridge regression on means: what comes after the sums is quick
    let learner = Learner::new(Method::Impute(Base::Mean));
    let mut entries = vec![
        Entry::ours("reading memory", || bandwidth(&numbers)),
        Entry::ours("matrix product", || product(&a, &mut b)),
    ];
    for case in &cases {
        let (learner, pool) = (&learner, &pool);
        let mut products = Mat::zeros(case.whole.nrows(), case.whole.nrows());
        let name = format!("{}, faer without masks", case.name);
        entries.push(Entry::ours(&name, move || {
            case.without_masks(&mut products)
        }));
        entries.push(Entry::ours(&case.name, move || {
            let (_, stages) = pool.install(|| fit(learner, &case.data, NormalForm::Cheaper))?;
            Ok(Timed {
                seconds: stages[1],
                ..Timed::default()
            })
        }));
    }
    let taken = bench.rounds.take(&mut bench.peers, entries)?;
    let memory = 8.0 * NUMBERS as f64 / taken[0].fastest();
    let speed = PRODUCT / taken[1].fastest();
    let mut part = Part::new(
        "Sums against the machine",
        &format!(
            "From rows in memory to the sums of their products by mask, on one thread: finding the masks, clipping and summing. Memory gives {:.1} GB/s to a loop that adds \
             numbers up, faer's matrix product of order {ORDER} does {:.1} GFLOP/s, both in their fastest round; a table must be read once, and a row with o observed features needs (o + 2)(o + 3) operations. \
             Which of the two takes longer bounds what is possible, though not for small matrices: beside it what faer takes for the products in one piece, of rows (1, features, target) with zeros \
             in the holes that are made beforehand: no masks, no clipping, no units, twice the products.",
            memory / 1e9,
            speed / 1e9
        ),
    );
    let mut entrants = Vec::new();
    for (case, taken) in cases.iter().zip(taken[2..].chunks_exact(2)) {
        let [without_masks, taken] = taken else {
            unreachable!("two of each case");
        };
        let (bars, entrant) = case.judge(taken.seconds(), without_masks.seconds(), (memory, speed));
        part.bars.extend(bars);
        entrants.push(entrant);
    }
    part.races.push(Contest {
        title: "Sums by mask".to_owned(),
        unit: "seconds",
        columns: [
            "reading alone",
            "multiplying alone",
            "faer without masks",
            "its share of what is possible",
        ]
        .map(str::to_owned)
        .to_vec(),
        entrants,
    });
    Ok(part)
}

/// Fits where every row has a mask of its own.
pub(super) fn own_masks(bench: &mut Bench) -> Result<Part> {
    let (rows, width) = (bench.size(10_000, 300), 50);
    let data = table(rows, width, 0.5)?;
    let learner = stage::learner(Base::Mean);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    let (a, mut b) = square();
    let forms = [
        ("gapfit, as it chooses", NormalForm::Cheaper),
        ("gapfit, normal equations formed", NormalForm::Dense),
        ("gapfit, matrix-free", NormalForm::MatrixFree),
    ];
    let mut entries = vec![Entry::ours("matrix product", || product(&a, &mut b))];
    for (name, form) in forms {
        let (learner, pool, data) = (&learner, &pool, &data);
        entries.push(Entry::ours(name, move || {
            let (fitted, stages) = pool.install(|| fit(learner, data, form))?;
            ensure!(fitted.outcome.gap <= learner.tol, "{:?}", fitted.outcome);
            Ok(Timed {
                seconds: stage::total(stages),
                ..Timed::default()
            })
        }));
    }
    let taken = bench.rounds.take(&mut bench.peers, entries)?;
    let speed = PRODUCT / taken[0].fastest();
    let formed = 2.0 * rows as f64 * (width as f64).powi(4) / 4.0 / speed;
    let mut part = Part::new(
        "Every row its own mask",
        &format!(
            "{rows} x {width}, half of the cells missing, mean base, given parameters, one thread. The normal equations need at most T d^4/4 multiplications with additions, which \
             at the speed of faer's matrix product ({:.1} GFLOP/s) take {}; the matrix-free way needs none of them. The fit chooses by itself.",
            speed / 1e9,
            gapfit_report::number::time(formed)
        ),
    );
    let seconds = |k: usize| taken[k].seconds();
    let least = formed.min(seconds(3));
    let work = format!(
        "fit, {rows} x {width}, own masks: over the lower of T d^4/4 at product speed and matrix-free"
    );
    part.bars.push(Bar::at_most(&work, seconds(1) / least, 2.0));
    let works = taken[1..].iter().map(|of| (of.name.clone(), of.seconds()));
    let bound = ("T d^4/4 at the speed of products".to_owned(), formed);
    part.race(
        "A fit where every row has its own mask",
        works.chain([bound]),
    );
    Ok(part)
}
