//! Does the base that `irr` chooses for itself hold what it promises: never worse than the best of its
//! simpler rivals by more than a standard error?

mod table;

use crate::report::{Report, Table};
use crate::sample::{mean, paired};
use crate::score;
use anyhow::Result;
use gapfit::data::Dataset;
use gapfit::tune::Tuned;
use gapfit::{Base, Learner, Method};
use serde::Serialize;
use std::path::PathBuf;
use std::time::Instant;
use table::Cell;

/// Compares irr on the base it chooses with every simpler method, honestly tuned.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Draws of rows and holes; at least 2.
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u64).range(2..))]
    trials: u64,
    /// Seed of the first draw; each further one adds 1.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Folder with thyroid.csv and park.csv, which are not embedded.
    #[arg(long, value_name = "DIR")]
    data_dir: Option<PathBuf>,
}

/// The simpler rivals, which `auto` must not be worse than.
fn rivals() -> impl Iterator<Item = Method> {
    let bases = Base::ALL.into_iter().map(Method::Impute);
    bases.chain([Method::Mask, Method::Lifted])
}

/// The errors of every method on every table.
#[derive(Debug, Serialize)]
pub(crate) struct Standings {
    trials: u64,
    seed: u64,
    cells: Vec<Standing>,
    not_run: Vec<String>,
}

/// The errors on one table with one kind of holes.
#[derive(Debug, Serialize)]
struct Standing {
    set: String,
    holes: String,
    /// Test RMSE by trial of each rival.
    rivals: Vec<(String, Vec<f64>)>,
    auto: Vec<f64>,
    /// The base that was chosen in each trial.
    bases: Vec<String>,
    /// What each base would have led to, by trial.
    candidates: Vec<Vec<Candidate>>,
    best_rival: String,
    /// Mean over the trials of the error of `auto` less that of the best rival.
    difference: f64,
    /// The standard error of that mean.
    standard_error: f64,
}

/// `irr` on one base, whether it was chosen or not.
#[derive(Debug, Serialize)]
struct Candidate {
    base: String,
    alpha: f64,
    gamma: f64,
    /// The least root mean squared error in cross-validation.
    cross_validated: f64,
    test: f64,
}

/// Runs all trials.
pub(crate) fn run(args: &Args) -> Result<Standings> {
    let (cells, not_run) = Cell::all(args.data_dir.as_deref())?;
    let mut standings = Vec::new();
    for cell in &cells {
        let start = Instant::now();
        standings.push(Standing::of(cell, args)?);
        let seconds = start.elapsed().as_secs_f64();
        eprintln!("{}, {}: {seconds:.1} s", cell.set, cell.holes());
    }
    Ok(Standings {
        trials: args.trials,
        seed: args.seed,
        cells: standings,
        not_run,
    })
}

impl Standing {
    fn of(cell: &Cell, args: &Args) -> Result<Self> {
        let mut rivals: Vec<_> = rivals().map(|rival| (rival, Vec::new())).collect();
        let (mut auto, mut bases, mut candidates) = (Vec::new(), Vec::new(), Vec::new());
        for trial in 0..args.trials {
            let (train, test) = cell.draw(args.seed + trial)?;
            for (rival, errors) in &mut rivals {
                errors.push(score::tuned(*rival, &train, &test)?.rmse);
            }
            let (base, all) = chosen(&train, &test)?;
            let taken = all.iter().find(|candidate| candidate.base == base);
            auto.push(taken.expect("the chosen base was tried").test);
            bases.push(base);
            candidates.push(all);
        }
        let best = rivals
            .iter()
            .min_by(|a, b| mean(&a.1).total_cmp(&mean(&b.1)));
        let (best_rival, best_errors) = best.expect("there are rivals");
        let (difference, standard_error) = paired(&auto, best_errors);
        Ok(Self {
            set: cell.set.clone(),
            holes: cell.holes().to_owned(),
            best_rival: best_rival.to_string(),
            difference,
            standard_error,
            auto,
            bases,
            candidates,
            rivals: rivals
                .into_iter()
                .map(|(m, e)| (m.to_string(), e))
                .collect(),
        })
    }

    /// Whether `auto` is worse than the best rival by more than a standard error.
    fn is_worse(&self) -> bool {
        self.difference > self.standard_error
    }
}

/// The base that `irr` chooses in the training rows, and what each would have led to.
fn chosen(train: &Dataset, test: &Dataset) -> Result<(String, Vec<Candidate>)> {
    let chosen = score::choose(train)?;
    let candidate = |(base, tuned): &(Base, Tuned)| {
        let parameters = match *base == chosen.base {
            true => chosen.parameters,
            false => tuned.best.parameters,
        };
        let learner = Learner::new(Method::Irr(*base));
        Ok(Candidate {
            base: base.to_string(),
            alpha: parameters.alpha,
            gamma: parameters.gamma,
            cross_validated: tuned.best.rmse,
            test: score::given(&learner, parameters, train, test)?.rmse,
        })
    };
    let candidates = chosen.tuned.iter().map(candidate).collect::<Result<_>>()?;
    Ok((chosen.base.to_string(), candidates))
}

impl Report for Standings {
    fn markdown(&self) -> String {
        let mut header = vec!["set".to_owned(), "holes".to_owned()];
        header.extend(rivals().map(|rival| rival.to_string()));
        header.extend(["irr", "irr - best rival", "chosen bases"].map(str::to_owned));
        let mut table = Table::with_header(header);
        for cell in &self.cells {
            let mut row = vec![cell.set.clone(), cell.holes.clone()];
            row.extend(
                cell.rivals
                    .iter()
                    .map(|(_, errors)| format!("{:.4}", mean(errors))),
            );
            row.push(format!("{:.4}", mean(&cell.auto)));
            let mark = if cell.is_worse() { " (worse)" } else { "" };
            row.push(format!(
                "{:+.4} ± {:.4}{mark}",
                cell.difference, cell.standard_error
            ));
            row.push(cell.bases.join(" "));
            table.push_row(row);
        }
        let worse = self.cells.iter().filter(|cell| cell.is_worse()).count();
        let not_run: String = self
            .not_run
            .iter()
            .map(|line| format!("\n{line}"))
            .collect();
        format!(
            "Test RMSE (target scaled to [-1, 1]), mean over {} draws (seed {}) of 1000 training rows; \
             default preparation, every parameter and the base of irr by cross-validation inside the \
             training rows. The difference to the best rival is paired, ± its standard error.\n\n\
             {table}\nirr is worse than the best rival by more than a standard error in {worse} of {} \
             cells.{not_run}",
            self.trials,
            self.seed,
            self.cells.len()
        )
    }
}
