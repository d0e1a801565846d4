//! The league table of `compare`: scores of each method over the folds, ranked.

use gapfit::eval::Scores;
use serde::Serialize;

use crate::text_table::{TextTable, decimals, fixed};

/// How one method did in each fold.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub(super) name: String,
    /// Shown for orientation, never the best: it has seen what the others cannot.
    pub(super) is_reference: bool,
    /// Scores on the held-out rows, fold by fold.
    pub(super) folds: Vec<Scores>,
    /// Seconds of tuning and fit, fold by fold.
    pub(super) seconds: Vec<f64>,
}

/// The entries, best first, with the differences to the best.
#[derive(Debug, Serialize)]
pub(super) struct League {
    pub(super) folds: usize,
    pub(super) metric: &'static str,
    pub(super) best: String,
    pub(super) methods: Vec<Standing>,
}

/// One line of the league table: means and standard deviations over the folds.
#[derive(Debug, Serialize)]
pub(super) struct Standing {
    pub(super) name: String,
    pub(super) rmse: f64,
    pub(super) rmse_sd: f64,
    pub(super) mae: f64,
    pub(super) mae_sd: f64,
    pub(super) r2: f64,
    pub(super) r2_sd: f64,
    pub(super) seconds: f64,
    /// RMSE minus that of the best, in the same fold.
    pub(super) difference: f64,
    /// Standard error of `difference` over the folds.
    pub(super) difference_se: f64,
    pub(super) reference: bool,
}

impl League {
    /// Ranks the entries by mean RMSE.
    ///
    /// At least one entry must not be a reference, and all must have the same folds.
    pub(super) fn new(mut entries: Vec<Entry>) -> Self {
        let rmse = |entry: &Entry| mean(&entry.values(|s| s.rmse));
        entries.sort_by(|a, b| rmse(a).total_cmp(&rmse(b)));
        let best = entries.iter().find(|entry| !entry.is_reference);
        let best = best.expect("some method is no reference").clone();
        Self {
            folds: best.folds.len(),
            metric: "rmse",
            methods: entries.iter().map(|entry| entry.standing(&best)).collect(),
            best: best.name,
        }
    }

    /// The table for people; the best is marked `*`.
    pub(super) fn table(&self) -> TextTable {
        let header = ["  method", "RMSE", "MAE", "R²", "seconds", "RMSE - best"];
        let mut table = TextTable::new(header);
        let best = self.methods.iter().find(|line| line.name == self.best);
        let best = best.expect("the best is among the methods");
        let (rmse, mae) = (decimals(best.rmse), decimals(best.mae));
        for line in &self.methods {
            let mark = if line.name == self.best { '*' } else { ' ' };
            let note = if line.reference { " (no holes)" } else { "" };
            let difference = match line.name == self.best {
                true => String::new(),
                false => spread(line.difference, line.difference_se, rmse),
            };
            table.push([
                format!("{mark} {}{note}", line.name),
                spread(line.rmse, line.rmse_sd, rmse),
                spread(line.mae, line.mae_sd, mae),
                spread(line.r2, line.r2_sd, 4),
                format!("{:.2}", line.seconds),
                difference,
            ]);
        }
        table
    }
}

impl Entry {
    fn values(&self, of: impl Fn(&Scores) -> f64) -> Vec<f64> {
        self.folds.iter().map(of).collect()
    }

    fn standing(&self, best: &Self) -> Standing {
        let (rmse, mae) = (self.values(|s| s.rmse), self.values(|s| s.mae));
        let r2 = self.values(|s| s.r2);
        let pairs = rmse.iter().zip(best.values(|s| s.rmse));
        let differences: Vec<f64> = pairs.map(|(own, best)| own - best).collect();
        Standing {
            name: self.name.clone(),
            rmse: mean(&rmse),
            rmse_sd: deviation(&rmse),
            mae: mean(&mae),
            mae_sd: deviation(&mae),
            r2: mean(&r2),
            r2_sd: deviation(&r2),
            seconds: mean(&self.seconds),
            difference: mean(&differences),
            difference_se: deviation(&differences) / (differences.len() as f64).sqrt(),
            reference: self.is_reference,
        }
    }
}

fn spread(mean: f64, deviation: f64, decimals: usize) -> String {
    if mean.is_nan() {
        return fixed(mean, decimals);
    }
    format!("{} ± {}", fixed(mean, decimals), fixed(deviation, decimals))
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// The sample standard deviation.
fn deviation(values: &[f64]) -> f64 {
    let mean = mean(values);
    let squares: f64 = values.iter().map(|v| (v - mean).powi(2)).sum();
    (squares / (values.len() as f64 - 1.0)).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(name: &str, rmse: &[f64]) -> Entry {
        let scores = |&rmse: &f64| Scores {
            rmse,
            mae: rmse / 2.0,
            r2: 0.5,
        };
        Entry {
            name: name.to_owned(),
            is_reference: name == "complete",
            folds: rmse.iter().map(scores).collect(),
            seconds: vec![0.5; rmse.len()],
        }
    }

    fn league() -> League {
        League::new(vec![
            entry("mean", &[3.0, 5.0]),
            entry("complete", &[1.0, 1.0]),
            entry("irr", &[2.0, 3.0]),
        ])
    }

    #[test]
    fn methods_are_ranked_and_a_reference_is_never_the_best() {
        let league = league();
        let names: Vec<_> = league
            .methods
            .iter()
            .map(|line| line.name.as_str())
            .collect();
        assert_eq!(names, ["complete", "irr", "mean"]);
        assert_eq!((league.best.as_str(), league.folds), ("irr", 2));
    }

    #[test]
    fn differences_are_paired_by_fold() {
        let league = league();
        let mean = &league.methods[2];
        assert!((mean.rmse - 4.0).abs() < 1e-15);
        assert!((mean.rmse_sd - 2f64.sqrt()).abs() < 1e-15);
        assert!((mean.difference - 1.5).abs() < 1e-15);
        assert!((mean.difference_se - 0.5).abs() < 1e-15);
        assert!(league.methods[1].difference.abs() < 1e-15);
    }

    #[test]
    fn the_table_marks_the_best_and_the_reference() {
        let text = league().table().to_string();
        let lines: Vec<_> = text.lines().collect();
        assert!(
            lines[1].starts_with("  complete (no holes)  1.000 ± 0.000"),
            "{text}"
        );
        assert!(
            lines[2].starts_with("* irr                  2.500 ± 0.707"),
            "{text}"
        );
        assert!(lines[3].ends_with("0.50   1.500 ± 0.500"), "{text}");
    }
}
