//! How long the Gaussian base takes where every row has a mask of its own, and the search on top of it.

use crate::report::{Machine, Report, Table};
use anyhow::Result;
use gapfit::data::Dataset;
use gapfit::tune::{self, Search};
use gapfit::{Base, Learner, Method, Parameters};
use gapfit_paper::neumiss::{Hiding, Population};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rayon::ThreadPoolBuilder;
use serde::Serialize;
use std::ops::ControlFlow;
use std::time::Instant;

/// Times the Gaussian base on the linear-Gaussian benchmark.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Numbers of columns.
    #[arg(long, value_delimiter = ',', default_values_t = [10, 20, 50])]
    features: Vec<usize>,
    #[arg(long, default_value_t = 10_000)]
    rows: usize,
    #[arg(long, default_value_t = 1)]
    threads: usize,
    /// Times a small search over both parameters of imputed ridge regression on the zero base as well.
    #[arg(long)]
    search: bool,
}

/// Half of the cells are missing.
const RATE: f64 = 0.5;

/// The fits of every table.
#[derive(Debug, Serialize)]
pub(crate) struct Fits {
    machine: Machine,
    rows: usize,
    threads: usize,
    fits: Vec<Fit>,
}

#[derive(Debug, Serialize)]
struct Fit {
    holes: &'static str,
    features: usize,
    steps: usize,
    status: String,
    /// Of the normal distribution and a plain ridge regression on what it fills in.
    seconds: f64,
    log_likelihood: f64,
    /// Of the search.
    search_seconds: Option<f64>,
}

/// Fits every table.
pub(crate) fn run(args: &Args) -> Result<Fits> {
    let pool = ThreadPoolBuilder::new().num_threads(args.threads).build()?;
    let mut fits = Vec::new();
    for &features in &args.features {
        for hiding in [Hiding::Mcar, Hiding::Gaussian] {
            eprintln!("{features} columns, {}", hiding.name());
            let rng = &mut ChaCha8Rng::seed_from_u64(1);
            let population = Population::draw(features, rng);
            let holes = population.hide(hiding, RATE, rng)?;
            let data = population.sample(args.rows, &holes, rng)?;
            let mut fit = pool.install(|| fit(&data, hiding))?;
            if args.search {
                fit.search_seconds = Some(pool.install(|| search(&data))?);
            }
            fits.push(fit);
        }
    }
    Ok(Fits {
        machine: Machine::here(),
        rows: args.rows,
        threads: args.threads,
        fits,
    })
}

fn fit(data: &Dataset, hiding: Hiding) -> Result<Fit> {
    let learner = Learner::new(Method::Impute(Base::Gaussian));
    let parameters = Parameters {
        alpha: 1e-3,
        gamma: 0.0,
    };
    let start = Instant::now();
    let fitted = learner.fit(data, parameters)?;
    let seconds = start.elapsed().as_secs_f64();
    let of = fitted.gaussian.expect("the base is gaussian");
    Ok(Fit {
        holes: hiding.name(),
        features: data.n_features(),
        steps: of.iterations,
        status: format!("{:?}", of.status),
        seconds,
        log_likelihood: of.log_likelihood,
        search_seconds: None,
    })
}

fn search(data: &Dataset) -> Result<f64> {
    let learner = Learner::new(Method::Irr(Base::Zero));
    let go_on = |_, _| ControlFlow::Continue(());
    let search = Search {
        alphas: vec![-18, -14, -10, -6]
            .into_iter()
            .map(|e| 2f64.powi(e))
            .collect(),
        gammas: vec![0.0, 2f64.powi(-5), 0.25, 2.0],
        folds: 2,
        ..Search::default()
    };
    let start = Instant::now();
    tune::cross_validate(&learner, data, &search, &go_on)?;
    Ok(start.elapsed().as_secs_f64())
}

impl Report for Fits {
    fn markdown(&self) -> String {
        let header = [
            "holes",
            "columns",
            "steps",
            "ended",
            "seconds",
            "log-likelihood",
            "search, seconds",
        ];
        let mut table = Table::new(header);
        for of in &self.fits {
            let search = of.search_seconds.map(|seconds| format!("{seconds:.1}"));
            table.push([
                of.holes.to_owned(),
                of.features.to_string(),
                of.steps.to_string(),
                of.status.clone(),
                format!("{:.2}", of.seconds),
                format!("{:.12}", of.log_likelihood),
                search.unwrap_or_default(),
            ]);
        }
        format!(
            "{}; {} threads. {} rows of the linear-Gaussian benchmark, half of the cells missing.\n\n{table}",
            self.machine, self.threads, self.rows
        )
    }
}
