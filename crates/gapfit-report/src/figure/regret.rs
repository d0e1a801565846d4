//! How far a learner is from the best in hindsight.

use super::{Figure, keys};
use crate::chart::{Axes, Dot, Line, Lines};
use crate::number::{count, percent, told};
use crate::scale::Kind;
use crate::table::{Cell, Table};

/// The regret of a stream beside its bound.
///
/// ```
/// use gapfit_report::{RegretCurve, RegretPoint};
/// let point = |rows, regret, bound| RegretPoint { rows, regret, lower: regret, standard: regret, bound };
/// let curve = RegretCurve { points: vec![point(1, 0.5, 10.0), point(2, 1.0, 20.0)] };
/// assert!(curve.figure().caption().contains("5.0 % of what Theorem 1 allows"));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct RegretCurve {
    /// In the order of the stream.
    pub points: Vec<RegretPoint>,
}

/// The regret after some rows.
///
/// See [`RegretCurve`] for an example.
#[derive(Clone, Debug, PartialEq)]
pub struct RegretPoint {
    /// The number of rows.
    pub rows: usize,
    /// Loss suffered beyond that of the best mask-dependent weights in hindsight, at most.
    pub regret: f64,
    /// The same, at least.
    pub lower: f64,
    /// The same against the best fixed weights.
    pub standard: f64,
    /// What Theorem 1 of the paper allows.
    pub bound: f64,
}

impl RegretCurve {
    /// The figure.
    pub fn figure(&self) -> Figure {
        let names = ["regret", "against fixed weights", "bound"].map(str::to_owned);
        let values = |point: &RegretPoint| [point.regret, point.standard, point.bound];
        let line = |(colour, name): (usize, &String)| Line {
            name: name.clone(),
            colour,
            dots: self
                .points
                .iter()
                .map(|point| dot(name, values(point)[colour], point.rows))
                .collect(),
        };
        // far below its bound a regret is seen by orders of magnitude only
        let is_positive = |point: &RegretPoint| values(point).iter().all(|value| *value > 0.0);
        let y_kind = match self.points.iter().all(is_positive) {
            true => Kind::Log,
            false => Kind::Linear,
        };
        let lines = Lines {
            axes: Axes {
                x: "rows",
                y: "loss beyond that of the best in hindsight",
                x_kind: Kind::Log,
                y_kind,
                whole: true,
            },
            from_zero: y_kind == Kind::Linear,
            has_diagonal: false,
            lines: names.iter().enumerate().map(line).collect(),
        };
        Figure {
            id: "regret".into(),
            title: "Regret and its bound".to_owned(),
            caption: self.caption(),
            picture: lines.picture(),
            keys: keys(&names),
            ramp: None,
            table: self.table(),
            is_main: true,
        }
    }

    fn caption(&self) -> String {
        let Some(last) = self.points.last() else {
            return "Nothing was measured.".to_owned();
        };
        let width = last.regret - last.lower;
        format!(
            "After {} rows the learner has lost {} more than the best weights in hindsight that may depend on what is \
             missing (certified to {}): {} a row, and {} of what Theorem 1 allows, {}. Against the best fixed weights it is {}.",
            count(last.rows),
            told(last.regret),
            told(width),
            told(last.regret / last.rows.max(1) as f64),
            percent(last.regret / last.bound),
            told(last.bound),
            told(last.standard)
        )
    }

    fn table(&self) -> Table {
        let head = [
            "rows",
            "regret",
            "at least",
            "against fixed weights",
            "bound",
        ];
        let mut table = Table::new(head);
        for point in &self.points {
            let numbers = [point.regret, point.lower, point.standard, point.bound];
            let cells = numbers.into_iter().map(Cell::number);
            table.push([Cell::count(point.rows)].into_iter().chain(cells));
        }
        table
    }
}

fn dot(name: &str, value: f64, rows: usize) -> Dot {
    Dot {
        x: rows as f64,
        y: value,
        tip: format!("after {} rows, {name}: {}", count(rows), told(value)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_caption_puts_the_regret_beside_its_bound() {
        let point = RegretPoint {
            rows: 1000,
            regret: 20.0,
            lower: 19.5,
            standard: -3.0,
            bound: 80.0,
        };
        let caption = RegretCurve {
            points: vec![point],
        }
        .figure()
        .caption;
        assert_eq!(
            caption,
            "After 1,000 rows the learner has lost 20 more than the best weights in hindsight that may \
             depend on what is missing (certified to 0.5): 0.02 a row, and 25.0 % of what Theorem 1 \
             allows, 80. Against the best fixed weights it is -3."
        );
    }
}
