//! The certified gap over the paper's whole grid, on easy and on degenerate tables.
//!
//! Every point is a cold fit with default settings, as a user's would be; nothing is warm-started.

mod table;

use crate::report::{Machine, Report, Table};
use anyhow::{Result, ensure};
use gapfit::data::Dataset;
use gapfit::joint::Outcome;
use gapfit::{Base, Learner, Method, Parameters};
use rayon::prelude::*;
use serde::Serialize;
use std::collections::BTreeMap;
use std::time::Instant;
use table::Recipe;

/// The relative gap that must be certified everywhere.
const BAR: f64 = 1e-8;

/// Certifies the gap over the grid 2^-12 to 2^10 in both parameters.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Kind, width or name of the tables to fit: `degenerate`, `d=10`, `easy d=10` [default: all].
    name: Option<String>,
}

/// The gaps of all tables.
#[derive(Debug, Serialize)]
pub(crate) struct Gaps {
    machine: Machine,
    lines: Vec<Line>,
}

/// The gaps of one table with one base.
#[derive(Debug, Serialize)]
struct Line {
    table: String,
    base: String,
    rows: usize,
    unknowns: usize,
    points_per_axis: usize,
    above_bar: usize,
    worst_gap: f64,
    worst_alpha: f64,
    worst_gamma: f64,
    status: BTreeMap<String, usize>,
    factorisations: Count,
    evaluations: Count,
    ms_per_fit: f64,
}

/// A count over all fits of a table.
#[derive(Debug, Serialize)]
struct Count {
    mean: f64,
    max: usize,
}

impl Count {
    fn of(outcomes: &[Outcome], count: impl Fn(&Outcome) -> usize) -> Self {
        let counts: Vec<_> = outcomes.iter().map(count).collect();
        Self {
            mean: counts.iter().sum::<usize>() as f64 / counts.len() as f64,
            max: counts.into_iter().max().unwrap_or(0),
        }
    }

    fn text(&self) -> String {
        format!("{:.1} ({})", self.mean, self.max)
    }
}

/// Fits the tables asked for.
pub(crate) fn run(args: &Args) -> Result<Gaps> {
    let name = args.name.as_deref();
    let is_wanted = |recipe: &Recipe| name.is_none_or(|name| recipe.matches(name));
    let mut lines = Vec::new();
    for recipe in Recipe::all().filter(is_wanted) {
        let data = recipe.make()?;
        for base in [Base::Zero, Base::Mean] {
            let line = measure(recipe, &data, base)?;
            eprintln!(
                "{recipe}, {base}: worst gap {:.1e}, {:.2} ms a fit",
                line.worst_gap, line.ms_per_fit
            );
            lines.push(line);
        }
    }
    ensure!(
        !lines.is_empty(),
        "name: expected a kind, width or name of tables such as 'easy d=10', got '{}'",
        name.unwrap_or_default()
    );
    let machine = Machine::here();
    Ok(Gaps { machine, lines })
}

fn measure(recipe: Recipe, data: &Dataset, base: Base) -> Result<Line> {
    let learner = Learner::new(Method::Irr(base));
    let points = grid(recipe.points_per_axis());
    let start = Instant::now();
    let outcomes = points
        .par_iter()
        .map(|&point| Ok(learner.fit(data, point)?.outcome))
        .collect::<Result<Vec<_>>>()?;
    let seconds = start.elapsed().as_secs_f64() * rayon::current_num_threads() as f64;
    let fits = outcomes.iter().zip(&points);
    let (worst, at) = fits
        .max_by(|a, b| a.0.gap.total_cmp(&b.0.gap))
        .expect("a grid has points");
    let mut status = BTreeMap::new();
    for outcome in &outcomes {
        *status.entry(outcome.status.to_string()).or_default() += 1;
    }
    Ok(Line {
        table: recipe.to_string(),
        base: base.to_string(),
        rows: data.n_rows(),
        unknowns: unknowns(data),
        points_per_axis: recipe.points_per_axis(),
        // a gap that is no number is above every bar
        above_bar: outcomes
            .iter()
            .filter(|o| o.gap.is_nan() || o.gap > BAR)
            .count(),
        worst_gap: worst.gap,
        worst_alpha: at.alpha,
        worst_gamma: at.gamma,
        status,
        factorisations: Count::of(&outcomes, |o| o.factorisations),
        evaluations: Count::of(&outcomes, |o| o.evaluations),
        ms_per_fit: seconds * 1e3 / outcomes.len() as f64,
    })
}

/// Powers of two from 2^-12 to 2^10 in both parameters, both ends among them.
fn grid(per_axis: usize) -> Vec<Parameters> {
    let axis: Vec<f64> = (0..per_axis)
        .map(|i| (22.0 * i as f64 / (per_axis - 1) as f64).round() as i32)
        .map(|step| 2f64.powi(step - 12))
        .collect();
    let along = |&alpha: &f64| axis.iter().map(move |&gamma| Parameters { alpha, gamma });
    axis.iter().flat_map(along).collect()
}

/// One weight per column with an observed cell and for the constant, and as many shifts for each of
/// those columns that has a hole.
fn unknowns(data: &Dataset) -> usize {
    let counts: Vec<usize> = (0..data.n_features())
        .map(|j| {
            data.features()
                .rows()
                .filter(|row| row.get(j).is_some())
                .count()
        })
        .filter(|&observed| observed > 0)
        .collect();
    let holey = counts.iter().filter(|&&observed| observed < data.n_rows());
    (counts.len() + 1) * (holey.count() + 1)
}

impl Line {
    const HEADER: [&str; 12] = [
        "table",
        "base",
        "rows",
        "unknowns",
        "grid",
        "above 1e-8",
        "worst gap",
        "at alpha, gamma",
        "status",
        "factorisations mean (max)",
        "evaluations mean (max)",
        "ms/fit",
    ];

    fn cells(&self) -> [String; 12] {
        let status = self.status.iter().map(|(name, n)| format!("{n} {name}"));
        let (alpha, gamma) = (self.worst_alpha.log2(), self.worst_gamma.log2());
        [
            self.table.clone(),
            self.base.clone(),
            self.rows.to_string(),
            self.unknowns.to_string(),
            format!("{0} x {0}", self.points_per_axis),
            self.above_bar.to_string(),
            format!("{:.2e}", self.worst_gap),
            format!("2^{alpha}, 2^{gamma}"),
            status.collect::<Vec<_>>().join(", "),
            self.factorisations.text(),
            self.evaluations.text(),
            format!("{:.2}", self.ms_per_fit),
        ]
    }
}

impl Report for Gaps {
    fn markdown(&self) -> String {
        let mut table = Table::new(Line::HEADER);
        let (mut above, mut points) = (0, 0);
        for line in &self.lines {
            table.push(line.cells());
            above += line.above_bar;
            points += line.points_per_axis.pow(2);
        }
        format!(
            "{}. Cold fits, default settings; ms/fit is the time of one thread, preparation included.\n\n\
             {table}\n{above} of {points} fits are above a certified relative gap of {BAR:.0e}.",
            self.machine
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_coarse_grid_keeps_the_corners_and_lies_on_the_fine_one() {
        let fine = grid(23);
        assert_eq!(fine.len(), 23 * 23);
        for n in [3, 5, 12] {
            let coarse = grid(n);
            assert_eq!((coarse[0], coarse[n * n - 1]), (fine[0], fine[528]));
            assert!(coarse.iter().all(|point| fine.contains(point)));
        }
    }
}
