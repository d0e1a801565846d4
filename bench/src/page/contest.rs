//! Fits with given parameters against every peer, by number of rows; and predictions.

use super::Bench;
use super::growth::{Sweep, peer};
use super::result::{Bar, Contest, Entrant, Part};
use super::shape::{RATE, tables};
use super::turn::Taken;
use anyhow::{Context, Result};
use gapfit_report::number::time;

const MEAN: &str = "gapfit, mean base";
const GAUSSIAN: &str = "gapfit, gaussian base";
const SIMPLE: &str = "SimpleImputer + Ridge";
const ITERATIVE: &str = "IterativeImputer + Ridge";
const NEAREST: &str = "KNNImputer + Ridge";
const BOOSTING: &str = "HistGradientBoosting";
const GRAM: &str = "numpy X.T @ X";

/// An error that is larger by no more than a thousandth is not worse: what test rows are drawn makes as much.
const AS_GOOD: f64 = 1.001;

/// Times fits of more and more rows.
pub(super) fn measure(bench: &mut Bench) -> Result<Part> {
    let (middle, large, largest) = bench.size((1e5, 1e6, 1e7), (1e3, 1e4, 1e4));
    let n_test = bench.size(10_000, 1000);
    let sizes = (3..=7).map(|k| 10f64.powi(k));
    let sweep = Sweep {
        name: "rows",
        x: "rows",
        is_log: true,
        sizes: sizes.filter(|&n| n <= largest).collect(),
        make: &|n| tables((n as usize, n_test), 10, RATE),
        peers: &[
            peer(SIMPLE, "simple_ridge", large),
            peer(ITERATIVE, "iterative_ridge", middle),
            peer(NEAREST, "knn_ridge", 1e3),
            peer(BOOSTING, "boosting", middle),
            peer(GRAM, "gram", f64::INFINITY),
        ],
        gaussian: f64::INFINITY,
    };
    let sizes = sweep.sizes.clone();
    let (taken, curves) = sweep.run(bench)?;
    let at = |size: f64| {
        let k = sizes.iter().position(|&n| (n - size).abs() < 0.5);
        k.map(|k| &taken[k]).context("a size that was measured")
    };
    let text = format!(
        "Tables of 10 normal columns that share a part, a linear target with noise, 30 % of the cells missing at random; alpha 0.001 and gamma 1 given, the peers' \
         ridge with the same alpha, imputers and trees as they come. In memory, one thread on both sides; errors on {n_test} test rows with holes. KNNImputer \
         is given 1000 rows only, IterativeImputer and HistGradientBoosting {middle}, SimpleImputer {large}: beyond they take too long for this page. `X.T @ X`, with zeros in the \
         holes, is the floor for whoever reads a table once. The target is linear, which suits linear models and not trees; for other data see *Tuned fits*."
    );
    let mut part = Part::new("Rows", &text);
    for size in [1e3, middle, large] {
        if part.races.iter().all(|race| race.title != fit_title(size)) {
            part.races.push(fits(size, at(size)?));
        }
    }
    part.races.push(predictions(n_test, middle, at(middle)?));
    part.bars = bars((middle, at(middle)?), (large, at(large)?))?;
    part.curves = curves;
    Ok(part)
}

fn fit_title(size: f64) -> String {
    format!("A fit of {size} x 10")
}

fn fits(size: f64, taken: &[Taken]) -> Contest {
    let entrant = |taken: &Taken| Entrant {
        name: taken.name.clone(),
        value: taken.seconds(),
        further: vec![rmse(taken)],
    };
    Contest {
        title: fit_title(size),
        unit: "seconds",
        columns: vec!["RMSE on test rows".to_owned()],
        entrants: taken.iter().map(entrant).collect(),
    }
}

fn rmse(taken: &Taken) -> String {
    let rmse = taken.last().rmse;
    rmse.map_or(String::new(), |rmse| format!("{rmse:.4}"))
}

fn predictions(n_test: usize, size: f64, taken: &[Taken]) -> Contest {
    let entrant = |taken: &Taken| {
        let value = taken.predict_seconds()?;
        Some(Entrant {
            name: taken.name.clone(),
            value,
            further: vec![time(value / n_test as f64)],
        })
    };
    Contest {
        title: format!("Predicting {n_test} rows by models of {size} x 10"),
        unit: "seconds",
        columns: vec!["a row".to_owned()],
        entrants: taken.iter().filter_map(entrant).collect(),
    }
}

fn bars(middle: (f64, &Vec<Taken>), large: (f64, &Vec<Taken>)) -> Result<Vec<Bar>> {
    let find = |all: &[Taken], name: &str| {
        let found = all.iter().find(|taken| taken.name == name);
        found.cloned().with_context(|| name.to_owned())
    };
    let mut bars = Vec::new();
    for ((size, all), ours, theirs, faster, has_error) in [
        (middle, GAUSSIAN, ITERATIVE, 100.0, true),
        (large, MEAN, SIMPLE, 10.0, true),
        (middle, GAUSSIAN, BOOSTING, 20.0, false),
    ] {
        let (fit, peer) = (find(all, ours)?, find(all, theirs)?);
        let what = format!("{size} x 10, {}", ours.trim_start_matches("gapfit, "));
        let work = format!("fit, {what}: times faster than {theirs}");
        let ratio = peer.seconds() / fit.seconds();
        bars.push(Bar::at_least(&work, ratio, faster));
        if has_error {
            let error = |of: &Taken| of.last().rmse.context("an error on test rows");
            let work = format!("test error, {what}: over that of {theirs}");
            bars.push(Bar::at_most(&work, error(&fit)? / error(&peer)?, AS_GOOD));
        }
    }
    let (fit, floor) = (find(large.1, MEAN)?, find(large.1, GRAM)?);
    let work = format!("fit, {} x 10, mean base: over the time of {GRAM}", large.0);
    bars.push(Bar::at_most(&work, fit.seconds() / floor.seconds(), 3.0));
    Ok(bars)
}
