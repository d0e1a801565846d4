//! What an experiment came to: a row per cell, method and tuning, beside the paper's figure.

mod sample;
mod verdict;

pub use sample::{deviation, mean, paired, standard_error};
pub use verdict::{Verdict, verdicts};

use crate::experiment::{Experiment, Metric};
use crate::trial::{Finding, Grid, Tuning, Value};
use serde::Serialize;
use std::collections::BTreeMap;

/// An experiment and its rows.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The experiment.
    pub experiment: Experiment,
    /// Its rows, in the order of its cells.
    pub rows: Vec<Row>,
}

/// One line of `results.json`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// Name of the experiment.
    pub experiment: String,
    /// Name of the cell.
    pub cell: String,
    /// Place on the horizontal axis, where there is one.
    pub x: Option<f64>,
    /// Name of the method; absent in a row that says why a cell was not run.
    pub method: Option<String>,
    /// How its parameters were chosen.
    pub tuning: Option<Tuning>,
    /// The parameters, where they were chosen over all trials.
    pub setting: Option<String>,
    /// Mean over the trials.
    pub mean: Option<f64>,
    /// Sample standard deviation over the trials; absent for a single one.
    pub sd: Option<f64>,
    /// The paper's figure.
    pub paper: Option<Published>,
    /// The figure of each trial.
    pub trials: Vec<f64>,
    /// Why the cell was not run.
    pub not_run: Option<String>,
}

/// The paper's figure, and ours against it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Published {
    /// Its mean.
    pub mean: f64,
    /// Its standard deviation.
    pub sd: f64,
    /// Our mean less its mean, in combined standard deviations.
    pub difference: f64,
    /// What to think of the difference.
    pub mark: Mark,
}

/// Our figure against the paper's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Mark {
    /// Better by more than a combined standard deviation.
    Better,
    /// Within a combined standard deviation.
    Equal,
    /// Worse by more than a combined standard deviation.
    Worse,
    /// Off by more than that, where neither direction is good.
    Different,
}

impl Mark {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Better => "better",
            Self::Equal => "equal",
            Self::Worse => "worse",
            Self::Different => "different",
        }
    }
}

impl Published {
    fn new(metric: Metric, trials: &[f64], [paper, paper_sd]: [f64; 2]) -> Self {
        let sd = if trials.len() > 1 {
            deviation(trials)
        } else {
            0.0
        };
        // Not below half a unit of the last digit that the paper prints.
        let digit = if metric == Metric::Fraction {
            0.005
        } else {
            0.0005
        };
        let difference = (mean(trials) - paper) / sd.hypot(paper_sd).max(digit);
        let mark = match metric {
            // A figure that rounds to the paper's is one digit off at most, but for rounding of our own.
            _ if difference.abs() <= 1.0 + 1e-9 => Mark::Equal,
            Metric::Fraction | Metric::Theory => Mark::Different,
            Metric::Explained if difference > 0.0 => Mark::Better,
            Metric::Rmse | Metric::Mistakes if difference < 0.0 => Mark::Better,
            _ => Mark::Worse,
        };
        Self {
            mean: paper,
            sd: paper_sd,
            difference,
            mark,
        }
    }
}

/// The rows of an experiment from what its trials found; `findings` and `not_run` come with their cells.
pub(crate) fn summarise(
    experiment: &Experiment,
    findings: &[(usize, Finding)],
    not_run: &[(usize, String)],
) -> Outcome {
    let mut rows = Vec::new();
    for cell in 0..experiment.n_cells() {
        if let Some((_, reason)) = not_run.iter().find(|(of, _)| *of == cell) {
            rows.push(absent(experiment, cell, reason));
            continue;
        }
        let of_cell = findings.iter().filter(|(of, _)| *of == cell);
        let trials: Vec<&Finding> = of_cell.map(|(_, finding)| finding).collect();
        rows.extend(rows_of(experiment, cell, &trials));
    }
    Outcome {
        experiment: experiment.clone(),
        rows,
    }
}

fn absent(experiment: &Experiment, cell: usize, reason: &str) -> Row {
    Row {
        experiment: experiment.name.clone(),
        cell: experiment.cell_name(cell),
        x: None,
        method: None,
        tuning: None,
        setting: None,
        mean: None,
        sd: None,
        paper: None,
        trials: Vec::new(),
        not_run: Some(format!("not run: {reason}")),
    }
}

/// The rows of one cell: methods in the order in which a trial has them, the paper's tuning first.
fn rows_of(experiment: &Experiment, cell: usize, trials: &[&Finding]) -> Vec<Row> {
    let Some(first) = trials.first() else {
        return Vec::new();
    };
    let trials: Vec<&Finding> = trials
        .iter()
        .copied()
        .filter(|of| of.is_like(first))
        .collect();
    let mut rows = Vec::new();
    for (g, grid) in first.grids.iter().enumerate() {
        let grids: Vec<&Grid> = trials.iter().map(|trial| &trial.grids[g]).collect();
        let best = best_setting(&grids);
        for (at, &x) in grid.xs.iter().enumerate() {
            let values = grids.iter().map(|grid| grid.values[best][at]).collect();
            let row = row(experiment, cell, (x, &grid.method, Tuning::Paper), values);
            let setting = Some(grid.settings[best].clone());
            rows.push(Row { setting, ..row });
        }
    }
    for (
        v,
        Value {
            x, method, tuning, ..
        },
    ) in first.values.iter().enumerate()
    {
        let values = trials.iter().map(|trial| trial.values[v].value).collect();
        rows.push(row(experiment, cell, (*x, method, *tuning), values));
    }
    let order = order(first);
    rows.sort_by_key(|row| order[row.method.as_deref().unwrap_or_default()]);
    rows
}

/// The place of each method in a trial; the complete table and what is not a method come last.
fn order(finding: &Finding) -> BTreeMap<&str, usize> {
    let mut order = BTreeMap::new();
    let grids = finding.grids.iter().map(|grid| grid.method.as_str());
    let values = finding.values.iter().map(|value| value.method.as_str());
    for method in grids.chain(values) {
        let last = match method {
            "complete" => 1000,
            "F" => 2000,
            _ => 0,
        };
        let next = order.len() + last;
        order.entry(method).or_insert(next);
    }
    order
}

/// The point of the grid with the least mean over the trials at the last place; the first of equals.
fn best_setting(grids: &[&Grid]) -> usize {
    let at = |setting: usize| {
        let last = grids.iter().map(|grid| grid.values[setting].last());
        last.flatten().sum::<f64>()
    };
    let settings = 0..grids[0].settings.len();
    let best = settings.min_by(|&a, &b| at(a).total_cmp(&at(b)));
    best.expect("a grid has points")
}

fn row(
    experiment: &Experiment,
    cell: usize,
    (x, method, tuning): (Option<f64>, &str, Tuning),
    trials: Vec<f64>,
) -> Row {
    let published = experiment.drawn(cell).and_then(|of| of.paper.get(method));
    let paper = published.map(|&paper| Published::new(experiment.metric, &trials, paper));
    Row {
        experiment: experiment.name.clone(),
        cell: experiment.cell_name(cell),
        x,
        method: Some(method.to_owned()),
        tuning: Some(tuning),
        setting: None,
        mean: Some(mean(&trials)),
        sd: (trials.len() > 1).then(|| deviation(&trials)),
        paper,
        trials,
        not_run: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_difference_counts_both_standard_deviations() {
        let paper = Published::new(Metric::Rmse, &[0.9, 1.0, 1.1], [1.5, 0.1]);
        assert!((paper.difference + 0.5 / 0.02f64.sqrt()).abs() < 1e-9);
        assert_eq!(paper.mark, Mark::Better);
        let of = |metric, mean| Published::new(metric, &[mean], [1.0, 0.0]).mark;
        assert_eq!(of(Metric::Rmse, 1.001), Mark::Worse);
        assert_eq!(of(Metric::Rmse, 1.0004), Mark::Equal);
        assert_eq!(of(Metric::Explained, 1.1), Mark::Better);
        assert_eq!(of(Metric::Fraction, 0.9), Mark::Different);
    }

    #[test]
    fn one_setting_is_chosen_for_all_trials_by_the_last_place() {
        let grid = |values: [[f64; 2]; 2]| Grid {
            method: "m".to_owned(),
            settings: vec!["a".to_owned(), "b".to_owned()],
            xs: vec![Some(1.0), Some(2.0)],
            values: values.map(|of| of.to_vec()).to_vec(),
        };
        let (one, two) = (
            grid([[0.0, 3.0], [9.0, 2.0]]),
            grid([[0.0, 1.0], [9.0, 1.5]]),
        );
        assert_eq!(best_setting(&[&one, &two]), 1);
        assert_eq!(best_setting(&[&two]), 0);
    }
}
