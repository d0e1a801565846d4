//! What was promised of the figures, and whether it holds.

use super::{Mark, Outcome, Row, mean, paired, standard_error};
use crate::experiment::{Metric, Work};
use crate::trial::Tuning;
use serde::Serialize;

/// A promise, and whether it holds in every cell that was run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Verdict {
    /// What was promised.
    pub promise: String,
    /// In how many cells it was looked at.
    pub n_cells: usize,
    /// The cells in which it does not hold, with figures.
    pub broken: Vec<String>,
}

/// Every promise about the experiments that were run.
pub fn verdicts(outcomes: &[Outcome]) -> Vec<Verdict> {
    let all = [
        irr_is_as_good_as_the_paper,
        auto_is_within_the_error_of_the_best,
        auto_is_within_the_error_of_the_difference,
        auto_explains_as_much_as_possible,
        auto_hears_self_masking,
        regret_is_below_its_bound,
        cutting_planes_enclose_the_optimum,
    ];
    let found = all.into_iter().map(|verdict| verdict(outcomes));
    found.filter(|verdict| verdict.n_cells > 0).collect()
}

impl Verdict {
    fn new(promise: &str, cells: Vec<(String, bool, String)>) -> Self {
        Self {
            promise: promise.to_owned(),
            n_cells: cells.len(),
            broken: cells
                .into_iter()
                .filter(|(_, holds, _)| !holds)
                .map(|(cell, _, figures)| format!("{cell}: {figures}"))
                .collect(),
        }
    }
}

fn place(row: &Row) -> String {
    let x = row.x.map_or(String::new(), |x| format!(", {x}"));
    format!("{} {}{x}", row.experiment, row.cell)
}

fn irr_is_as_good_as_the_paper(outcomes: &[Outcome]) -> Verdict {
    let judged = outcomes.iter().filter(|of| !of.experiment.is_tried);
    let rows = judged.flat_map(|of| &of.rows);
    let irr = rows.filter(|row| row.is(("irr", Tuning::Paper)));
    let cells = irr.filter_map(|row| {
        let paper = row.paper?;
        let figures = format!(
            "{:.3} against {:.3} ± {:.3}, {:+.1} combined standard deviations",
            row.mean?, paper.mean, paper.sd, paper.difference
        );
        Some((place(row), paper.mark != Mark::Worse, figures))
    });
    Verdict::new(
        "imputed ridge regression, tuned as in the paper, is not worse than the paper's figure by more than one combined standard deviation",
        cells.collect(),
    )
}

/// `auto`, honestly tuned, and the best of its rivals in each cell. Only cells of tables: a figure of the
/// paper has no columns to be the best of.
fn auto_and_best(outcomes: &[Outcome]) -> Vec<(&Row, &Row)> {
    let is_table = |of: &&Outcome| {
        let is_batch = matches!(of.experiment.work, Work::Batch { .. });
        is_batch && of.experiment.chart.is_none() && !of.experiment.is_tried
    };
    let mut cells = Vec::new();
    for outcome in outcomes.iter().filter(is_table) {
        let is_auto = |row: &&Row| row.is(("auto", Tuning::Honest)) && row.trials.len() > 1;
        for auto in outcome.rows.iter().filter(is_auto) {
            let is_rival = |row: &&Row| {
                row.cell == auto.cell
                    && row.tuning == Some(Tuning::Honest)
                    && !["auto", "complete"].contains(&row.method.as_deref().unwrap_or_default())
            };
            let rivals = outcome.rows.iter().filter(is_rival);
            let best = rivals.min_by(|a, b| mean(&a.trials).total_cmp(&mean(&b.trials)));
            cells.extend(best.map(|best| (auto, best)));
        }
    }
    cells
}

/// As the rule of one standard error has it: that of the best column's mean.
fn auto_is_within_the_error_of_the_best(outcomes: &[Outcome]) -> Verdict {
    let cells = auto_and_best(outcomes).into_iter().map(|(auto, best)| {
        let behind = mean(&auto.trials) - mean(&best.trials);
        let error = standard_error(&best.trials);
        let figures = format!(
            "{:.4} against {:.4} ± {error:.4} of {}",
            mean(&auto.trials),
            mean(&best.trials),
            best.method.as_deref().unwrap_or_default(),
        );
        (place(auto), behind <= error, figures)
    });
    Verdict::new(
        "irr on the base it chooses, honestly tuned, is the best of the honestly tuned columns or within one standard error of the best column's mean",
        cells.collect(),
    )
}

/// The same with what the trials share taken out, which is to ask for more.
fn auto_is_within_the_error_of_the_difference(outcomes: &[Outcome]) -> Verdict {
    let cells = auto_and_best(outcomes).into_iter().map(|(auto, best)| {
        let (difference, error) = paired(&auto.trials, &best.trials);
        let pairs = auto.trials.iter().zip(&best.trials);
        let behind = pairs.filter(|(auto, best)| auto > best).count();
        let figures = format!(
            "{difference:+.4} ± {error:.4} to {}, behind in {behind} of {} trials",
            best.method.as_deref().unwrap_or_default(),
            auto.trials.len()
        );
        (place(auto), difference <= error, figures)
    });
    Verdict::new(
        "the same, trial by trial, which is stricter: it is the best, or its mean difference to the best column in the same trials is within one standard error of that difference",
        cells.collect(),
    )
}

/// The difference of two methods in each cell of the linear-Gaussian benchmark.
fn explained(outcomes: &[Outcome], one: &str, other: &str) -> Vec<(String, f64)> {
    let mut cells = Vec::new();
    let is_explained = |of: &&Outcome| of.experiment.metric == Metric::Explained;
    for outcome in outcomes.iter().filter(is_explained) {
        for row in outcome
            .rows
            .iter()
            .filter(|row| row.method.as_deref() == Some(one))
        {
            let is_other = |of: &&Row| of.cell == row.cell && of.method.as_deref() == Some(other);
            if let Some(other) = outcome.rows.iter().find(is_other) {
                cells.push((row.cell.clone(), mean(&row.trials) - mean(&other.trials)));
            }
        }
    }
    cells
}

fn auto_explains_as_much_as_possible(outcomes: &[Outcome]) -> Verdict {
    let is_meant = |cell: &str| !cell.contains("self-masking") && !cell.ends_with("d = 50");
    let cells = explained(outcomes, "auto", "Bayes").into_iter();
    let cells = cells.filter(|(cell, _)| is_meant(cell));
    Verdict::new(
        "where holes say nothing (MCAR, MAR), irr explains as much as the best possible predictor within .01 of R², for d = 10 and 20",
        cells
            .map(|(cell, off)| (cell, off >= -0.01, format!("{off:+.4}")))
            .collect(),
    )
}

fn auto_hears_self_masking(outcomes: &[Outcome]) -> Verdict {
    let cells = explained(outcomes, "auto", "mean + mask").into_iter();
    let cells = cells.filter(|(cell, _)| cell.contains("self-masking"));
    Verdict::new(
        "where values hide themselves, irr explains at least .05 more than mean imputation with mask indicators",
        cells
            .map(|(cell, off)| (cell, off >= 0.05, format!("{off:+.4}")))
            .collect(),
    )
}

fn regret_is_below_its_bound(outcomes: &[Outcome]) -> Verdict {
    let mut cells = Vec::new();
    let is_regret = |of: &&Outcome| matches!(of.experiment.work, Work::Regret { .. });
    for outcome in outcomes.iter().filter(is_regret) {
        let of = |row: &&Row| row.is(("measured", Tuning::None));
        for measured in outcome.rows.iter().filter(of) {
            let bound = outcome
                .rows
                .iter()
                .find(|row| row.is(("3RG", Tuning::None)) && row.x == measured.x);
            let Some(bound) = bound else { continue };
            let holds = measured
                .trials
                .iter()
                .zip(&bound.trials)
                .all(|(a, b)| a <= b);
            cells.push((place(measured), holds, "above".to_owned()));
        }
    }
    Verdict::new(
        "measured regret is below the bound of Theorem 1 in every trial",
        cells,
    )
}

/// Both bounds are relative to the exact optimum, which is certified to 1e-8.
fn cutting_planes_enclose_the_optimum(outcomes: &[Outcome]) -> Verdict {
    let is_program = |of: &&Outcome| matches!(of.experiment.work, Work::Program { .. });
    let rows = outcomes.iter().filter(is_program).flat_map(|of| &of.rows);
    let cells = rows.filter_map(|row| {
        let (off, method) = (row.mean?, row.method.as_deref()?);
        let holds = match method {
            "cutting planes, upper bound - 1" => off >= -1e-7,
            "cutting planes, lower bound - 1" => off <= 1e-7,
            "semidefinite program - 1" => off.abs() <= 1e-5,
            _ => return None,
        };
        Some((place(row), holds, format!("{method}: {off:.1e}")))
    });
    Verdict::new(
        "the paper's own solvers agree with the exact one: cutting planes enclose its optimum, and the semidefinite program, where it was run, has it within 1e-5",
        cells.collect(),
    )
}

impl Row {
    /// Whether it is the row of this method and tuning.
    fn is(&self, (method, tuning): (&str, Tuning)) -> bool {
        self.method.as_deref() == Some(method) && self.tuning == Some(tuning)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::Experiment;

    fn row(method: &str, tuning: Tuning, trials: [f64; 2]) -> Row {
        Row {
            experiment: "table3".to_owned(),
            cell: "A".to_owned(),
            x: None,
            method: Some(method.to_owned()),
            tuning: Some(tuning),
            setting: None,
            mean: Some(mean(&trials)),
            sd: None,
            paper: None,
            trials: trials.to_vec(),
            not_run: None,
        }
    }

    #[test]
    fn the_error_of_a_mean_forgives_what_that_of_a_difference_does_not() {
        let outcomes = |auto: [f64; 2]| {
            let experiment = Experiment::select("table3").unwrap().remove(0);
            let rows = vec![
                row("mean", Tuning::Honest, [3.0, 3.0]),
                row("gaussian", Tuning::Honest, [1.0, 1.2]),
                row("irr", Tuning::Paper, [0.5, 0.5]),
                row("complete", Tuning::Honest, [0.1, 0.1]),
                row("auto", Tuning::Honest, auto),
            ];
            [Outcome { experiment, rows }]
        };
        let broken = |auto| {
            let outcomes = outcomes(auto);
            let verdicts = [
                auto_is_within_the_error_of_the_best(&outcomes),
                auto_is_within_the_error_of_the_difference(&outcomes),
            ];
            verdicts.map(|verdict| (verdict.n_cells, verdict.broken.len()))
        };
        // The standard error of 1.0 and 1.2 is 0.1.
        assert_eq!(broken([0.9, 1.1]), [(1, 0), (1, 0)]);
        assert_eq!(broken([1.05, 1.26]), [(1, 0), (1, 1)]);
        assert_eq!(broken([1.15, 1.36]), [(1, 1), (1, 1)]);
        assert_eq!(broken([0.9, 1.4]), [(1, 0), (1, 0)]);
    }
}
