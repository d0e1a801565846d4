//! Whether more rows would help.

use super::{Figure, keys};
use crate::chart::{Axes, Dot, Line, Lines};
use crate::number::{count, percent, told};
use crate::scale::Kind;
use crate::table::{Cell, Table};

/// A gain below this share is no longer worth a word of hope.
const FLAT: f64 = 0.01;

/// The error on held-out rows after learning from more and more rows.
///
/// ```
/// use gapfit_report::{LearningCurve, LearningPoint};
/// let point = |rows, error: f64| LearningPoint { rows, errors: vec![error] };
/// let curve = LearningCurve {
///     error: "RMSE".to_owned(), methods: vec!["irr".to_owned()], told: 0, points: vec![point(100, 2.0), point(200, 1.0)],
/// };
/// assert!(curve.figure().caption().contains("more rows are likely to help"));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct LearningCurve {
    /// What the error is.
    pub error: String,
    /// The names of the methods.
    pub methods: Vec<String>,
    /// The one that the caption speaks of.
    pub told: usize,
    /// Ascending in the number of rows.
    pub points: Vec<LearningPoint>,
}

/// The errors after learning from so many rows.
///
/// See [`LearningCurve`] for an example.
#[derive(Clone, Debug, PartialEq)]
pub struct LearningPoint {
    /// The number of training rows, averaged over the folds.
    pub rows: usize,
    /// The error of each method, averaged over the folds.
    pub errors: Vec<f64>,
}

impl LearningCurve {
    /// The figure.
    pub fn figure(&self) -> Figure {
        let line = |(m, name): (usize, &String)| Line {
            name: name.clone(),
            colour: m,
            dots: self.points.iter().map(|point| self.dot(m, point)).collect(),
        };
        let lines = Lines {
            axes: Axes {
                x: "training rows",
                y: &format!("{} on held-out rows", self.error),
                x_kind: Kind::Log,
                y_kind: Kind::Linear,
                whole: true,
            },
            from_zero: false,
            has_diagonal: false,
            lines: self.methods.iter().enumerate().map(line).collect(),
        };
        Figure {
            id: "learning".into(),
            title: "What more rows bring".to_owned(),
            caption: self.caption(),
            picture: lines.picture(),
            keys: keys(&self.methods),
            ramp: None,
            table: self.table(),
            is_main: false,
        }
    }

    fn caption(&self) -> String {
        let [.., before, last] = &self.points[..] else {
            return "There are too few rows to learn from fewer.".to_owned();
        };
        let gain = 1.0 - last.errors[self.told] / before.errors[self.told];
        let verdict = match gain {
            gain if gain >= FLAT => {
                format!("{} less, so more rows are likely to help", percent(gain))
            }
            gain if gain > -FLAT => "so more rows will hardly help".to_owned(),
            _ => "which is no steady gain".to_owned(),
        };
        format!(
            "From {} to {} training rows, the {} of {} goes from {} to {}, {verdict}. Parameters are those \
             tuned on all training rows; the rows of smaller samples are drawn at random.",
            count(before.rows),
            count(last.rows),
            self.error,
            self.methods[self.told],
            told(before.errors[self.told]),
            told(last.errors[self.told])
        )
    }

    fn table(&self) -> Table {
        let head = ["training rows".to_owned()];
        let mut table = Table::new(head.into_iter().chain(self.methods.iter().cloned()));
        for point in &self.points {
            let errors = point.errors.iter().map(|&error| Cell::number(error));
            table.push([Cell::count(point.rows)].into_iter().chain(errors));
        }
        table
    }

    fn dot(&self, method: usize, point: &LearningPoint) -> Dot {
        Dot {
            x: point.rows as f64,
            y: point.errors[method],
            tip: format!(
                "{}: {} {} after {} rows",
                self.methods[method],
                self.error,
                told(point.errors[method]),
                count(point.rows)
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_caption_says_whether_the_curve_is_flat() {
        let caption = |errors: [f64; 2]| {
            let point = |rows, error| LearningPoint {
                rows,
                errors: vec![9.0, error],
            };
            let curve = LearningCurve {
                error: "RMSE".to_owned(),
                methods: vec!["mean".to_owned(), "irr".to_owned()],
                told: 1,
                points: vec![point(1000, errors[0]), point(2000, errors[1])],
            };
            curve.figure().caption
        };
        assert!(caption([4.0, 3.0]).starts_with(
            "From 1,000 to 2,000 training rows, the RMSE of irr goes from 4 to 3, 25.0 % less, so more rows are likely to help."
        ));
        assert!(caption([3.001, 3.0]).contains("will hardly help"));
        assert!(caption([2.0, 3.0]).contains("no steady gain"));
    }
}
