//! The certified gap over the paper's whole grid, on easy and on degenerate tables.

use crate::synthetic::{linear, with_holes};
use anyhow::Result;
use gapfit::corrupt::Mechanism;
use gapfit::data::Dataset;
use gapfit::{Base, Learner, Method, Parameters};
use rayon::prelude::*;
use std::time::Instant;

/// Prints, for each table, the worst gap over the grid and what it cost.
pub(crate) fn run(only: Option<&str>) -> Result<()> {
    println!("| table | base | unknowns | points | above 1e-8 | worst gap | factorisations mean (max) | evaluations mean (max) | ms/fit |");
    println!("|---|---|---|---|---|---|---|---|---|");
    for (name, data, stride) in tables()? {
        if only.is_some_and(|only| !name.contains(only)) {
            continue;
        }
        for base in [Base::Zero, Base::Mean] {
            row(name, &data, base, stride)?;
        }
    }
    Ok(())
}

fn tables() -> Result<Vec<(&'static str, Dataset, usize)>> {
    let mcar = Mechanism::Mcar { rate: 0.3 };
    let make = |n, d, seed| with_holes(&linear(n, d, seed)?, &mcar, seed + 100);
    Ok(vec![
        ("easy d=2", make(1000, 2, 1)?, 1),
        ("easy d=5", make(1000, 5, 2)?, 1),
        ("easy d=10", make(1000, 10, 3)?, 1),
        ("easy d=20", make(1000, 20, 4)?, 3),
        ("easy d=60", make(1000, 60, 5)?, 11),
        ("degenerate d=10", degenerate(1000, 10, 6)?, 1),
        ("one holey column d=10", one_holey(1000, 10, 7)?, 1),
        ("dependent d=10", with_holes(&linear(1000, 10, 8)?, &Mechanism::Dependent { beta: 0.75 }, 9)?, 1),
        ("fewer rows than unknowns d=15", make(100, 15, 10)?, 1),
    ])
}

/// Duplicated and collinear columns, a constant one, one without a single observed cell.
fn degenerate(n_rows: usize, n_cols: usize, seed: u64) -> Result<Dataset> {
    let data = linear(n_rows, n_cols, seed)?;
    let mut table = gapfit::data::MaskedMatrix::new(n_cols);
    for row in data.features().rows() {
        let x = row.values();
        let mut new = x.to_vec();
        new[1] = x[0];
        new[2] = 2.0 * x[0] - 3.0 * x[3];
        new[4] = 7.0;
        table.push_row(new.into_iter().map(Some))?;
    }
    let holes = Mechanism::Mcar { rate: 0.3 };
    let mut data = with_holes(&data.with_features(table)?, &holes, seed)?;
    let mut table = data.features().clone();
    for i in 0..n_rows {
        table.hide(i, 5);
    }
    data = data.with_features(table)?;
    Ok(data)
}

fn one_holey(n_rows: usize, n_cols: usize, seed: u64) -> Result<Dataset> {
    let data = linear(n_rows, n_cols, seed)?;
    let mut table = data.features().clone();
    for i in (0..n_rows).step_by(3) {
        table.hide(i, 2);
    }
    Ok(data.with_features(table)?)
}

fn row(name: &str, data: &Dataset, base: Base, stride: usize) -> Result<()> {
    let learner = Learner::new(Method::Irr(base));
    let exponents: Vec<i32> = (-12..=10).step_by(stride).collect();
    let points: Vec<_> = exponents
        .iter()
        .flat_map(|&a| exponents.iter().map(move |&g| (2f64.powi(a), 2f64.powi(g))))
        .collect();
    let start = Instant::now();
    let outcomes = points
        .par_iter()
        .map(|&(alpha, gamma)| Ok(learner.fit(data, Parameters { alpha, gamma })?.outcome))
        .collect::<Result<Vec<_>>>()?;
    let seconds = start.elapsed().as_secs_f64() * rayon::current_num_threads() as f64;
    let n = outcomes.len();
    let mean = |f: &dyn Fn(&gapfit::joint::Outcome) -> usize| outcomes.iter().map(f).sum::<usize>() as f64 / n as f64;
    let max = |f: &dyn Fn(&gapfit::joint::Outcome) -> usize| outcomes.iter().map(f).max().unwrap_or(0);
    let missed = outcomes.iter().filter(|o| o.gap > 1e-8).count();
    let worst = outcomes.iter().map(|o| o.gap).fold(0.0, f64::max);
    println!(
        "| {name} | {base} |  | {n} | {missed} | {worst:.1e} | {:.1} ({}) | {:.1} ({}) | {:.2} |",
        mean(&|o| o.factorisations), max(&|o| o.factorisations),
        mean(&|o| o.evaluations), max(&|o| o.evaluations),
        seconds * 1e3 / n as f64,
    );
    Ok(())
}
