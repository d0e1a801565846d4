//! Whether probabilities are what they say.

use super::{Figure, Shares};
use crate::chart::{Dot, Line};
use crate::number::{counted, percent, told};
use crate::table::{Cell, Table};

/// Rows below which a share is too uncertain to be drawn.
const ENOUGH: usize = 20;

/// Predicted probabilities beside what came, on held-out rows: all of them, and by how much is missing.
///
/// ```
/// use gapfit_report::{Calibration, CalibrationCurve, CalibrationPoint};
/// let point = CalibrationPoint { rows: 50, claimed: 0.75, came: 0.5 };
/// let curve = CalibrationCurve { name: "all rows".to_owned(), rows: 50, error: 0.25, points: vec![point] };
/// let figure = Calibration { method: "irr".to_owned(), of: "sick".to_owned(), curves: vec![curve] }.figure();
/// assert!(figure.caption().contains("off by 25.0 percentage points"));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Calibration {
    /// The method.
    pub method: String,
    /// What the probabilities are of: a class, or the predicted class.
    pub of: String,
    /// The curves; the caption speaks of the first, and says how the others compare.
    pub curves: Vec<CalibrationCurve>,
}

/// The probabilities of some rows.
///
/// See [`Calibration`] for an example.
#[derive(Clone, Debug, PartialEq)]
pub struct CalibrationCurve {
    /// Its name.
    pub name: String,
    /// The number of rows.
    pub rows: usize,
    /// The mean distance of probability and share over the ranges, weighted by their rows.
    pub error: f64,
    /// Ranges of the probability, ascending.
    pub points: Vec<CalibrationPoint>,
}

/// Rows with about the same probability.
///
/// See [`Calibration`] for an example.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CalibrationPoint {
    /// The number of rows.
    pub rows: usize,
    /// The mean of their probabilities.
    pub claimed: f64,
    /// The share of them in which it came.
    pub came: f64,
}

impl CalibrationCurve {
    /// The ranges that have enough rows to be drawn and spoken of.
    fn solid(&self) -> impl Iterator<Item = &CalibrationPoint> {
        self.points.iter().filter(|point| point.rows >= ENOUGH)
    }
}

impl Calibration {
    /// The figure.
    pub fn figure(&self) -> Figure {
        let shares = Shares {
            id: "calibration",
            title: "Whether probabilities are what they say",
            x: &format!("predicted probability of {}", self.of),
            y: "share of rows in which it came",
            lines: self.curves.iter().enumerate().map(line).collect(),
        };
        shares.figure(self.caption(), self.table())
    }

    fn caption(&self) -> String {
        let Some(first) = self.curves.first() else {
            return "No row was held out.".to_owned();
        };
        let mut words = format!(
            "The probabilities that {} gives {} are off by {} percentage points on average over {}.",
            self.method,
            self.of,
            points(first.error),
            counted(first.rows, "held-out row", "held-out rows")
        );
        let gap = |point: &CalibrationPoint| (point.claimed - point.came).abs();
        let widest = first.solid().max_by(|a, b| gap(a).total_cmp(&gap(b)));
        if let Some(widest) = widest {
            words += &format!(
                " The widest gap: of {} with about {}, it came in {}.",
                counted(widest.rows, "row", "rows"),
                percent(widest.claimed),
                percent(widest.came)
            );
        }
        let others = &self.curves[1..];
        let worst = others.iter().max_by(|a, b| a.error.total_cmp(&b.error));
        if let Some(worst) = worst {
            words += &format!(
                " By what is missing, the largest error is {} points ({}).",
                points(worst.error),
                worst.name
            );
        }
        words
            + &format!(
                " On the dashed line, what is claimed with 70 % comes in 70 % of the rows. Ranges of fewer than {ENOUGH} rows are in the table only."
            )
    }

    fn table(&self) -> Table {
        let head = ["curve", "mean probability", "came in", "rows"];
        let mut table = Table::new(head);
        for curve in &self.curves {
            for point in &curve.points {
                table.push([
                    Cell::text(&curve.name),
                    Cell::shown_as(point.claimed, percent(point.claimed)),
                    Cell::shown_as(point.came, percent(point.came)),
                    Cell::count(point.rows),
                ]);
            }
        }
        table
    }
}

/// A share in percentage points.
fn points(share: f64) -> String {
    format!("{:.1}", 100.0 * share)
}

fn line((k, curve): (usize, &CalibrationCurve)) -> Line {
    let dot = |point: &CalibrationPoint| Dot {
        x: point.claimed,
        y: point.came,
        tip: format!(
            "{}: of {} with about {}, it came in {}",
            curve.name,
            counted(point.rows, "row", "rows"),
            told(point.claimed),
            told(point.came)
        ),
    };
    Line {
        name: curve.name.clone(),
        colour: k,
        dots: curve.solid().map(dot).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_caption_tells_the_error_and_the_widest_gap() {
        let point = |rows, claimed, came| CalibrationPoint {
            rows,
            claimed,
            came,
        };
        let curve = |name: &str, error| CalibrationCurve {
            name: name.to_owned(),
            rows: 1100,
            error,
            points: vec![
                point(1000, 0.05, 0.04),
                point(90, 0.75, 0.6),
                point(10, 0.95, 0.1),
            ],
        };
        let calibration = Calibration {
            method: "irr".to_owned(),
            of: "sick".to_owned(),
            curves: vec![
                curve("all rows", 0.021),
                curve("0 missing", 0.01),
                curve("2 or more missing", 0.043),
            ],
        };
        let figure = calibration.figure();
        assert_eq!(
            figure.caption,
            "The probabilities that irr gives sick are off by 2.1 percentage points on average over 1,100 held-out rows. The \
             widest gap: of 90 rows with about 75.0 %, it came in 60.0 %. By what is missing, the largest error is 4.3 \
             points (2 or more missing). On the dashed line, what is claimed with 70 % comes in 70 % of the rows. Ranges \
             of fewer than 20 rows are in the table only."
        );
        assert_eq!(figure.table.len(), 9);
    }
}
