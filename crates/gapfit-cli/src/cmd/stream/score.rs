//! Scores of predictions that were made before the target was looked at.

use gapfit::loss::Loss;
use gapfit::online::Regret;
use serde::{Deserialize, Serialize};

use crate::text_table::short;

/// Sums over the rows so far.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Score {
    /// Rows with a target.
    pub(super) rows: u64,
    /// Rows without.
    pub(super) unlabelled: u64,
    total: Sums,
    /// Since the last line that was printed.
    recent: Sums,
    cells: u64,
    holes: u64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Sums {
    weight: f64,
    loss: f64,
    /// Weights of wrong classes, or weighted squared errors.
    error: f64,
}

/// One printed line; the last one is the summary.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Line {
    pub(super) rows: u64,
    pub(super) avg_loss: Option<f64>,
    since_last: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) error_rate: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) rmse: Option<f64>,
    /// Share of the cells.
    pub(super) missing: Option<f64>,
    #[serde(flatten)]
    pub(super) regret: Option<RegretLine>,
}

/// What `--regret` adds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(super) struct RegretLine {
    pub(super) regret: f64,
    pub(super) regret_lower: f64,
    pub(super) standard_regret: f64,
    comparator_loss: f64,
    pub(super) bound: f64,
    regret_rows: usize,
}

impl RegretLine {
    /// The regret of a run that had suffered `before` already when the meter was set up.
    pub(super) fn of(regret: &Regret, before: f64) -> Self {
        Self {
            regret: before + regret.regret.upper,
            regret_lower: before + regret.regret.lower,
            standard_regret: before + regret.standard.upper,
            comparator_loss: regret.comparator.objective,
            bound: regret.bound,
            regret_rows: regret.rows,
        }
    }
}

impl Sums {
    fn add(&mut self, other: Self) {
        self.weight += other.weight;
        self.loss += other.loss;
        self.error += other.error;
    }

    fn mean(self, sum: f64) -> Option<f64> {
        (self.weight > 0.0).then(|| sum / self.weight)
    }
}

impl Score {
    /// The sum of the weighted losses.
    pub(super) fn suffered(&self) -> f64 {
        self.total.loss
    }

    /// The mean loss so far.
    pub(super) fn average(&self) -> Option<f64> {
        self.total.mean(self.total.loss)
    }

    /// Counts the cells of a row.
    pub(super) fn see(&mut self, cells: usize, holes: usize) {
        self.cells += cells as u64;
        self.holes += holes as u64;
    }

    /// Counts a prediction and its target; a class on the fence is wrong.
    pub(super) fn add(&mut self, loss: Loss, prediction: f64, target: f64, weight: f64) {
        let error = match loss.is_classification() {
            true => f64::from(u8::from(prediction * target <= 0.0)),
            false => (prediction - target).powi(2).min(f64::MAX),
        };
        let sums = Sums {
            weight,
            loss: weight * loss.value(prediction, target),
            error: weight * error,
        };
        self.rows += 1;
        self.total.add(sums);
        self.recent.add(sums);
    }

    /// The line of this moment; what is recent begins anew.
    pub(super) fn line(&mut self, loss: Loss, regret: Option<RegretLine>) -> Line {
        let line = self.peek(loss, regret);
        self.recent = Sums::default();
        line
    }

    /// The line of this moment.
    pub(super) fn peek(&self, loss: Loss, regret: Option<RegretLine>) -> Line {
        let recent = self.recent;
        let error = self.total.mean(self.total.error);
        let is_class = loss.is_classification();
        Line {
            rows: self.rows,
            avg_loss: self.average(),
            since_last: recent.mean(recent.loss),
            error_rate: error.filter(|_| is_class),
            rmse: error.filter(|_| !is_class).map(f64::sqrt),
            missing: (self.cells > 0).then(|| self.holes as f64 / self.cells as f64),
            regret,
        }
    }
}

impl Line {
    /// The heads of the columns, for this loss.
    pub(super) fn header(loss: Loss, with_regret: bool) -> String {
        let error = match loss.is_classification() {
            true => "error rate",
            false => "rmse",
        };
        let mut heads = vec!["rows", "avg loss", "since last", error, "missing"];
        if with_regret {
            heads.extend(["regret", "bound"]);
        }
        let cells = heads.into_iter().map(str::to_owned);
        aligned(cells)
    }

    /// Loss and error over all rows, in words.
    pub(crate) fn sentence(&self) -> String {
        let error = match (self.error_rate, self.rmse) {
            (Some(rate), _) => format!(", error rate {}", short(rate)),
            (None, Some(rmse)) => format!(", RMSE {}", short(rmse)),
            _ => String::new(),
        };
        match self.avg_loss {
            Some(loss) => format!("loss {}{error} over {} rows", short(loss), self.rows),
            None => "no row with a target yet".to_owned(),
        }
    }

    pub(super) fn text(&self) -> String {
        let number = |value: Option<f64>| value.map_or("-".to_owned(), short);
        let percent = |share: f64| format!("{:.1} %", 100.0 * share);
        let mut cells = vec![
            self.rows.to_string(),
            number(self.avg_loss),
            number(self.since_last),
            number(self.error_rate.or(self.rmse)),
            self.missing.map_or("-".to_owned(), percent),
        ];
        if let Some(regret) = self.regret {
            cells.extend([short(regret.regret), short(regret.bound)]);
        }
        aligned(cells.into_iter())
    }
}

fn aligned(cells: impl Iterator<Item = String>) -> String {
    cells.map(|cell| format!("{cell:>12}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn averages_are_weighted_and_the_recent_ones_begin_anew() {
        let mut score = Score::default();
        score.add(Loss::Squared, 1.0, 3.0, 1.0);
        score.add(Loss::Squared, 0.0, 1.0, 2.0);
        score.see(4, 1);
        let line = score.line(Loss::Squared, None);
        assert_eq!(line.avg_loss, Some(2.0));
        assert_eq!(line.rmse, Some(2f64.sqrt()));
        assert_eq!((line.error_rate, line.missing), (None, Some(0.25)));
        score.add(Loss::Squared, 0.0, 0.5, 1.0);
        let line = score.line(Loss::Squared, None);
        assert_eq!((line.since_last, line.rows), (Some(0.25), 3));
    }

    #[test]
    fn a_prediction_on_the_fence_is_wrong() {
        let mut score = Score::default();
        for (prediction, class) in [(0.0, 1.0), (0.1, 1.0), (-2.0, 1.0), (-0.5, -1.0)] {
            score.add(Loss::Hinge, prediction, class, 1.0);
        }
        assert_eq!(score.line(Loss::Hinge, None).error_rate, Some(0.5));
    }

    #[test]
    fn nothing_seen_is_nothing_claimed() {
        let line = Score::default().line(Loss::Logistic, None);
        assert_eq!(line.avg_loss, None);
        assert!(line.text().contains('-'));
    }
}
