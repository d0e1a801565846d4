//! The league table of `compare`: scores of each method over the folds, ranked.

use gapfit_figures::{Metric, Scores};
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

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
    #[serde(serialize_with = "key")]
    pub(super) metric: Metric,
    pub(super) best: String,
    pub(super) methods: Vec<Standing>,
}

fn key<S: Serializer>(metric: &Metric, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(metric.key())
}

/// One line of the league table: means and standard deviations over the folds.
#[derive(Debug, Serialize)]
pub(super) struct Standing {
    pub(super) name: String,
    #[serde(flatten)]
    pub(super) spreads: Spreads,
    pub(super) seconds: f64,
    /// The score by the metric of the league minus that of the best, in the same fold.
    pub(super) difference: f64,
    /// Standard error of `difference` over the folds.
    pub(super) difference_se: f64,
    pub(super) reference: bool,
}

/// Mean and standard deviation by each metric.
#[derive(Debug)]
pub(super) struct Spreads(pub(super) Vec<(Metric, f64, f64)>);

impl Serialize for Spreads {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(2 * self.0.len()))?;
        for (metric, mean, deviation) in &self.0 {
            map.serialize_entry(metric.key(), mean)?;
            map.serialize_entry(&format!("{}_sd", metric.key()), deviation)?;
        }
        map.end()
    }
}

impl Spreads {
    /// The mean by this metric; NaN where there is none.
    fn mean(&self, metric: Metric) -> f64 {
        let found = self.0.iter().find(|(own, ..)| *own == metric);
        found.map_or(f64::NAN, |&(_, mean, _)| mean)
    }
}

impl League {
    /// Ranks the entries by the mean of `metric`.
    ///
    /// At least one entry must not be a reference, and all must have the same folds.
    pub(super) fn new(mut entries: Vec<Entry>, metric: Metric) -> Self {
        let rank = |entry: &Entry| {
            let mean = mean(&entry.values(metric));
            if metric.is_gain() { -mean } else { mean }
        };
        entries.sort_by(|a, b| rank(a).total_cmp(&rank(b)));
        let best = entries.iter().find(|entry| !entry.is_reference);
        let best = best.expect("some method is no reference").clone();
        let standing = |entry: &Entry| entry.standing(&best, metric);
        Self {
            folds: best.folds.len(),
            metric,
            methods: entries.iter().map(standing).collect(),
            best: best.name,
        }
    }

    /// The line of the best method.
    pub(super) fn winner(&self) -> &Standing {
        let best = self.methods.iter().find(|line| line.name == self.best);
        best.expect("the best is among the methods")
    }

    /// The decimals of a score in tables.
    fn decimals(&self, metric: Metric) -> usize {
        match metric.has_unit() {
            true => decimals(self.winner().spreads.mean(metric)),
            false => 4,
        }
    }

    /// The table for people; the best is marked `*`.
    pub(super) fn table(&self) -> TextTable {
        let metrics = self.winner().spreads.0.iter().map(|(metric, ..)| *metric);
        let names = metrics.map(|metric| metric.name().to_owned());
        let last = [
            "seconds".to_owned(),
            format!("{} - best", self.metric.name()),
        ];
        let mut table = TextTable::new(
            std::iter::once("  method".to_owned())
                .chain(names)
                .chain(last),
        );
        for line in &self.methods {
            let mark = if line.name == self.best { '*' } else { ' ' };
            let note = if line.reference { " (no holes)" } else { "" };
            let difference = match line.name == self.best {
                true => String::new(),
                false => spread(
                    line.difference,
                    line.difference_se,
                    self.decimals(self.metric),
                ),
            };
            let score = |&(metric, mean, deviation): &(Metric, f64, f64)| {
                spread(mean, deviation, self.decimals(metric))
            };
            table.push(
                std::iter::once(format!("{mark} {}{note}", line.name))
                    .chain(line.spreads.0.iter().map(score))
                    .chain([format!("{:.2}", line.seconds), difference]),
            );
        }
        table
    }
}

impl Entry {
    fn values(&self, metric: Metric) -> Vec<f64> {
        self.folds.iter().map(|scores| scores.get(metric)).collect()
    }

    fn standing(&self, best: &Self, metric: Metric) -> Standing {
        let (own, of_best) = (self.values(metric), best.values(metric));
        let pairs = own.iter().zip(of_best);
        let differences: Vec<f64> = pairs.map(|(own, best)| own - best).collect();
        let metrics = self.folds.first().into_iter().flat_map(Scores::iter);
        let spread = |(metric, _): (Metric, f64)| {
            let values = self.values(metric);
            (metric, mean(&values), deviation(&values))
        };
        // how well probabilities are calibrated is a matter of all rows, not of a fold
        let shown = metrics.filter(|(metric, _)| *metric != Metric::CalibrationError);
        Standing {
            name: self.name.clone(),
            spreads: Spreads(shown.map(spread).collect()),
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
        let scores = |&rmse: &f64| {
            Scores::of_numbers(gapfit::eval::Scores {
                rmse,
                mae: rmse / 2.0,
                r2: 0.5 - rmse / 100.0,
            })
        };
        Entry {
            name: name.to_owned(),
            is_reference: name == "complete",
            folds: rmse.iter().map(scores).collect(),
            seconds: vec![0.5; rmse.len()],
        }
    }

    fn league(metric: Metric) -> League {
        let entries = vec![
            entry("mean", &[3.0, 5.0]),
            entry("complete", &[1.0, 1.0]),
            entry("irr", &[2.0, 3.0]),
        ];
        League::new(entries, metric)
    }

    #[test]
    fn methods_are_ranked_and_a_reference_is_never_the_best() {
        for metric in [Metric::Rmse, Metric::R2] {
            let league = league(metric);
            let names: Vec<_> = league
                .methods
                .iter()
                .map(|line| line.name.as_str())
                .collect();
            assert_eq!(names, ["complete", "irr", "mean"], "{metric:?}");
            assert_eq!((league.best.as_str(), league.folds), ("irr", 2));
        }
    }

    #[test]
    fn differences_are_paired_by_fold() {
        let league = league(Metric::Rmse);
        let mean = &league.methods[2];
        assert!((mean.spreads.mean(Metric::Rmse) - 4.0).abs() < 1e-15);
        assert!((mean.spreads.0[0].2 - 2f64.sqrt()).abs() < 1e-15);
        assert!((mean.difference - 1.5).abs() < 1e-15);
        assert!((mean.difference_se - 0.5).abs() < 1e-15);
        assert!(league.methods[1].difference.abs() < 1e-15);
        let by_r2 = super::tests::league(Metric::R2);
        assert!((by_r2.methods[2].difference + 0.015).abs() < 1e-15);
    }

    #[test]
    fn the_table_marks_the_best_and_the_reference() {
        let text = league(Metric::Rmse).table().to_string();
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
