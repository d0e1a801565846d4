//! What is timed, on our side and on the peers'.

use crate::peer::{Peers, write_features, write_numbers};
use crate::synthetic::{linear, logistic, with_holes};
use anyhow::{Result, ensure};
use gapfit::corrupt::Mechanism;
use gapfit::data::Dataset;
use gapfit::loss::Loss;
use gapfit::prepare::Preparation;
use gapfit::tune::{self, Search};
use gapfit::{Base, Learner, Method, Parameters};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::fmt;
use std::ops::ControlFlow;
use std::path::Path;
use std::time::Instant;

/// Columns of both tables.
const WIDTH: usize = 10;

/// Rows of the large table that are imputed or classified, as `peers.py` has it.
const IMPUTED: usize = 100_000;

/// One piece of work.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Work {
    /// A peer's task, by its name in `peers.py`.
    Peer(&'static str),
    /// One fit of the large table with given parameters, on one thread.
    Fit { base: Base, clip: f64 },
    /// Choosing both parameters on the small table, and the fit with them.
    Tune { clip: f64, threads: usize },
    /// Fitting the Gaussian base and filling the holes, on the first rows of the large table.
    Impute,
    /// One fit of two classes to the same rows with given parameters, on one thread.
    Classify { base: Base },
}

impl Work {
    /// Cells are cut at this quantile unless the work says otherwise.
    pub(crate) fn default_clip() -> f64 {
        Preparation::default().clip
    }
}

impl fmt::Display for Work {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Peer("gram") => f.write_str("numpy X.T @ X"),
            Self::Peer("simple_ridge") => f.write_str("SimpleImputer + Ridge"),
            Self::Peer("iterative_ridge") => f.write_str("IterativeImputer + Ridge"),
            Self::Peer("iterative_impute") => f.write_str("IterativeImputer"),
            Self::Peer("lifted_lbfgs") => f.write_str("LogisticRegression, lbfgs"),
            Self::Peer("lifted_newton") => f.write_str("LogisticRegression, newton-cholesky"),
            Self::Peer(task) => f.write_str(task),
            Self::Impute => f.write_str("Gaussian base"),
            Self::Classify { base } => write!(f, "imputed logistic, {base} base"),
            Self::Fit { base, clip } => write!(f, "fit, {base} base, clip {clip}"),
            Self::Tune { clip, threads } => {
                let plural = if *threads == 1 { "" } else { "s" };
                write!(f, "tune, zero base, clip {clip}, {threads} thread{plural}")
            }
        }
    }
}

/// The tables and the peers.
#[derive(Debug)]
pub(crate) struct Workshop {
    large: Dataset,
    small: Dataset,
    /// The rows to impute, with holes and without.
    imputed: (Dataset, Dataset),
    /// The same with holes, and two classes instead of the target.
    classes: Dataset,
    peers: Peers,
}

impl Workshop {
    /// Makes the tables, writes them for the peers and starts those.
    pub(crate) fn open(large: usize, small: usize, python: &Path) -> Result<Self> {
        let mcar = Mechanism::Mcar { rate: 0.3 };
        let folder = tempfile::Builder::new().prefix("gapfit-bench-").tempdir()?;
        let path = |name: &str| folder.path().join(format!("{name}.f64"));
        let complete = linear(large, WIDTH, 1)?;
        write_features(&path("complete"), &complete)?;
        let large = with_holes(&complete, &mcar, 2)?;
        write_features(&path("holes"), &large)?;
        write_numbers(&path("target"), large.target().iter().copied())?;
        let small = with_holes(&linear(small, WIDTH, 3)?, &mcar, 4)?;
        write_features(&path("small_holes"), &small)?;
        write_numbers(&path("small_target"), small.target().iter().copied())?;
        let rows: Vec<usize> = (0..IMPUTED.min(large.n_rows())).collect();
        let imputed = (large.select(&rows), complete.select(&rows));
        let classes = logistic(&imputed.0, &mut ChaCha8Rng::seed_from_u64(5))?;
        write_numbers(&path("classes"), classes.target().iter().copied())?;
        let peers = Peers::start(python, folder)?;
        Ok(Self {
            large,
            small,
            imputed,
            classes,
            peers,
        })
    }

    pub(crate) fn peers(&mut self) -> &mut Peers {
        &mut self.peers
    }

    /// The seconds that one run of the work takes, and the error of an imputation.
    pub(crate) fn run(&mut self, work: Work) -> Result<(f64, Option<f64>)> {
        let seconds = match work {
            Work::Peer(task) => {
                let timed = self.peers.run(task)?;
                return Ok((timed.seconds, timed.rmse));
            }
            Work::Impute => return self.impute(),
            Work::Fit { base, clip } => fit(&learner(base, clip), &self.large)?,
            Work::Classify { base } => {
                let learner = Learner {
                    loss: Loss::Logistic,
                    ..learner(base, Work::default_clip())
                };
                fit(&learner, &self.classes)?
            }
            Work::Tune { clip, threads } => self.tune(clip, threads)?,
        };
        Ok((seconds, None))
    }

    fn impute(&self) -> Result<(f64, Option<f64>)> {
        let (holey, complete) = &self.imputed;
        let learner = Learner::new(Method::Impute(Base::Gaussian));
        let parameters = Parameters {
            alpha: 1e-3,
            gamma: 0.0,
        };
        let pool = pool(1)?;
        let start = Instant::now();
        let filled = pool.install(|| {
            let model = learner.fit(holey, parameters)?.model;
            model.fill(holey.features())
        })?;
        let seconds = start.elapsed().as_secs_f64();
        let (mut sum, mut n_holes) = (0.0, 0);
        let rows = filled.rows().zip(complete.features().rows());
        for (row, (filled, complete)) in holey.features().rows().zip(rows) {
            for j in row.observed().missing() {
                sum += (filled.values()[j] - complete.values()[j]).powi(2);
                n_holes += 1;
            }
        }
        Ok((seconds, Some((sum / f64::from(n_holes)).sqrt())))
    }

    fn tune(&self, clip: f64, threads: usize) -> Result<f64> {
        let learner = learner(Base::Zero, clip);
        let search = Search::paper();
        let pool = pool(threads)?;
        let start = Instant::now();
        pool.install(|| {
            let go_on = |_, _| ControlFlow::Continue(());
            let tuned = tune::cross_validate(&learner, &self.small, &search, &go_on)?;
            learner.fit(&self.small, tuned.best.parameters)
        })?;
        Ok(start.elapsed().as_secs_f64())
    }
}

/// The seconds of one fit on one thread.
fn fit(learner: &Learner, data: &Dataset) -> Result<f64> {
    let parameters = Parameters {
        alpha: 1e-3,
        gamma: 1.0,
    };
    let pool = pool(1)?;
    let start = Instant::now();
    let fitted = pool.install(|| learner.fit(data, parameters))?;
    let seconds = start.elapsed().as_secs_f64();
    let gap = fitted.outcome.gap;
    ensure!(
        gap <= learner.tol,
        "fit: expected a gap of at most {}, got {gap}",
        learner.tol
    );
    Ok(seconds)
}

fn learner(base: Base, clip: f64) -> Learner {
    let mut learner = Learner::new(Method::Irr(base));
    learner.preparation.clip = clip;
    learner
}

fn pool(threads: usize) -> Result<ThreadPool> {
    Ok(ThreadPoolBuilder::new().num_threads(threads).build()?)
}
