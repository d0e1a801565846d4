//! How the error grows with the number of holes.

use super::{Figure, keys};
use crate::chart::{Axes, Dot, Line, Lines};
use crate::number::{counted, told};
use crate::scale::Kind;
use crate::table::{Cell, Table};

/// Rows below which an error is too uncertain to be drawn.
const ENOUGH: usize = 20;

/// The error on held-out rows by the number of columns missing in them.
///
/// ```
/// use gapfit_report::{ByMissing, MissingGroup};
/// let group = |missing, error: f64| MissingGroup { missing, rows: 50, errors: vec![error] };
/// let figure = ByMissing {
///     error: "RMSE".to_owned(), methods: vec!["irr".to_owned()], told: 0, groups: vec![group(0, 1.0), group(2, 1.5)],
/// }.figure();
/// assert!(figure.caption().contains("1.50 times"));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct ByMissing {
    /// What the error is.
    pub error: String,
    /// The names of the methods.
    pub methods: Vec<String>,
    /// The one that the caption speaks of.
    pub told: usize,
    /// Rows with equally many missing columns, ascending.
    pub groups: Vec<MissingGroup>,
}

/// Rows with equally many missing columns.
///
/// See [`ByMissing`] for an example.
#[derive(Clone, Debug, PartialEq)]
pub struct MissingGroup {
    /// How many columns are missing.
    pub missing: usize,
    /// The number of rows.
    pub rows: usize,
    /// The error of each method.
    pub errors: Vec<f64>,
}

impl ByMissing {
    /// The figure.
    pub fn figure(&self) -> Figure {
        let solid = self.solid();
        let line = |(m, name): (usize, &String)| Line {
            name: name.clone(),
            colour: m,
            dots: solid.iter().map(|group| self.dot(m, group)).collect(),
        };
        let lines = Lines {
            axes: Axes {
                x: "missing columns in a row",
                y: &format!("{} on held-out rows", self.error),
                x_kind: Kind::Linear,
                y_kind: Kind::Linear,
                whole: true,
            },
            from_zero: false,
            has_diagonal: false,
            lines: self.methods.iter().enumerate().map(line).collect(),
        };
        Figure {
            id: "by-missing".into(),
            title: "What holes cost".to_owned(),
            caption: self.caption(),
            picture: lines.picture(),
            keys: keys(&self.methods),
            ramp: None,
            table: self.table(),
            is_main: false,
        }
    }

    /// The groups that have enough rows to be drawn and spoken of.
    fn solid(&self) -> Vec<&MissingGroup> {
        let groups = self.groups.iter();
        groups.filter(|group| group.rows >= ENOUGH).collect()
    }

    fn caption(&self) -> String {
        let solid = self.solid();
        let [first, .., last] = &solid[..] else {
            return format!(
                "There are no two numbers of missing columns that {ENOUGH} held-out rows or more have; the table has what there is."
            );
        };
        let (from, to) = (first.errors[self.told], last.errors[self.told]);
        let growth = match to / from {
            growth if growth >= 1.005 => format!("{growth:.2} times as large"),
            _ => "no larger".to_owned(),
        };
        let mut words = format!(
            "From rows that lack {} to rows that lack {}, the {} of {} goes from {} to {}, {growth}.",
            counted(first.missing, "column", "columns"),
            last.missing,
            self.error,
            self.methods[self.told],
            told(from),
            told(to)
        );
        let largest =
            (0..self.methods.len()).max_by(|&a, &b| last.errors[a].total_cmp(&last.errors[b]));
        if let Some(largest) = largest.filter(|&m| m != self.told) {
            words += &format!(
                " The largest there, {}, is that of {}.",
                told(last.errors[largest]),
                self.methods[largest]
            );
        }
        if solid.len() < self.groups.len() {
            words += &format!(" Points of fewer than {ENOUGH} rows are in the table only.");
        }
        words
    }

    fn table(&self) -> Table {
        let head = ["missing columns".to_owned(), "rows".to_owned()];
        let mut table = Table::new(head.into_iter().chain(self.methods.iter().cloned()));
        for group in &self.groups {
            let errors = group.errors.iter().map(|&error| Cell::number(error));
            table.push(
                [Cell::count(group.missing), Cell::count(group.rows)]
                    .into_iter()
                    .chain(errors),
            );
        }
        table
    }

    fn dot(&self, method: usize, group: &MissingGroup) -> Dot {
        Dot {
            x: group.missing as f64,
            y: group.errors[method],
            tip: format!(
                "{}: {} {} on {} that {} {}",
                self.methods[method],
                self.error,
                told(group.errors[method]),
                counted(group.rows, "row", "rows"),
                if group.rows == 1 { "lacks" } else { "lack" },
                counted(group.missing, "column", "columns")
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_caption_compares_the_ends_that_have_enough_rows() {
        let group = |missing, rows, errors: [f64; 2]| MissingGroup {
            missing,
            rows,
            errors: errors.to_vec(),
        };
        let figure = ByMissing {
            error: "RMSE".to_owned(),
            methods: vec!["mean".to_owned(), "irr".to_owned()],
            told: 1,
            groups: vec![
                group(0, 100, [1.0, 1.0]),
                group(3, 50, [4.0, 2.0]),
                group(4, 3, [9.0, 9.0]),
            ],
        };
        assert_eq!(
            figure.figure().caption,
            "From rows that lack 0 columns to rows that lack 3, the RMSE of irr goes from 1 to 2, \
             2.00 times as large. The largest there, 4, is that of mean. Points of fewer than 20 rows are \
             in the table only."
        );
    }
}
