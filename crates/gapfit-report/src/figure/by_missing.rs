//! How the error grows with the number of holes.

use super::{Figure, keys};
use crate::chart::{Axes, Dot, Line, Lines};
use crate::number::{counted, short};
use crate::scale::Kind;
use crate::table::{Cell, Table};

/// Rows below which an error is too uncertain for a sentence.
const ENOUGH: usize = 20;

/// The error on held-out rows by the number of columns missing in them.
///
/// ```
/// use gapfit_report::{ByMissing, MissingGroup};
/// let group = |missing, rmse: f64| MissingGroup { missing, rows: 50, rmse: vec![rmse] };
/// let figure = ByMissing { methods: vec!["irr".to_owned()], groups: vec![group(0, 1.0), group(2, 1.5)] }.figure();
/// assert!(figure.caption().contains("1.5 times"));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct ByMissing {
    /// The names of the methods.
    pub methods: Vec<String>,
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
    /// The root mean squared error of each method.
    pub rmse: Vec<f64>,
}

impl ByMissing {
    /// The figure.
    pub fn figure(&self) -> Figure {
        let line = |(m, name): (usize, &String)| Line {
            name: name.clone(),
            colour: m,
            dots: self
                .groups
                .iter()
                .map(|group| dot(name, m, group))
                .collect(),
        };
        let lines = Lines {
            axes: Axes {
                x: "missing columns in a row",
                y: "RMSE on held-out rows",
                x_kind: Kind::Linear,
                y_kind: Kind::Linear,
                whole: true,
            },
            from_zero: true,
            lines: self.methods.iter().enumerate().map(line).collect(),
        };
        Figure {
            id: "by-missing",
            title: "What holes cost".to_owned(),
            caption: self.caption(),
            picture: lines.picture(),
            keys: keys(&self.methods),
            ramp: None,
            table: self.table(),
            is_main: false,
        }
    }

    fn caption(&self) -> String {
        let solid: Vec<&MissingGroup> = self.groups.iter().filter(|g| g.rows >= ENOUGH).collect();
        let (Some(first), Some(last)) = (solid.first(), solid.last()) else {
            return format!(
                "No number of missing columns is met by {ENOUGH} held-out rows or more, so the points say little."
            );
        };
        if first.missing == last.missing {
            return format!(
                "Held-out rows lack {} columns each, but for too few to tell.",
                first.missing
            );
        }
        // times an unknown error is as good as an undefined one
        let growth = |m: usize| last.rmse[m] / first.rmse[m];
        let mut ranked: Vec<usize> = (0..self.methods.len()).collect();
        ranked.retain(|&m| growth(m).is_finite());
        ranked.sort_by(|&a, &b| last.rmse[a].total_cmp(&last.rmse[b]));
        let (Some(&best), Some(&worst)) = (ranked.first(), ranked.last()) else {
            return "On rows that lack least some method makes no error.".to_owned();
        };
        let mut words = format!(
            "From rows that lack {} to rows that lack {}, the error of {} goes from {} to {}, {} times as large.",
            counted(first.missing, "column", "columns"),
            last.missing,
            self.methods[best],
            short(first.rmse[best]),
            short(last.rmse[best]),
            short((100.0 * growth(best)).round() / 100.0)
        );
        if best != worst {
            words += &format!(
                " There it is the smallest; the largest, {}, is that of {}.",
                short(last.rmse[worst]),
                self.methods[worst]
            );
        }
        if solid.len() < self.groups.len() {
            words += &format!(" Points of fewer than {ENOUGH} rows are drawn but not spoken of.");
        }
        words
    }

    fn table(&self) -> Table {
        let head = ["missing columns".to_owned(), "rows".to_owned()];
        let mut table = Table::new(head.into_iter().chain(self.methods.iter().cloned()));
        for group in &self.groups {
            let errors = group.rmse.iter().map(|&rmse| Cell::number(rmse));
            table.push(
                [Cell::count(group.missing), Cell::count(group.rows)]
                    .into_iter()
                    .chain(errors),
            );
        }
        table
    }
}

fn dot(name: &str, method: usize, group: &MissingGroup) -> Dot {
    Dot {
        x: group.missing as f64,
        y: group.rmse[method],
        tip: format!(
            "{name}: RMSE {} on {} that {} {}",
            short(group.rmse[method]),
            counted(group.rows, "row", "rows"),
            if group.rows == 1 { "lacks" } else { "lack" },
            counted(group.missing, "column", "columns")
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_caption_compares_the_ends_that_have_enough_rows() {
        let group = |missing, rows, rmse: [f64; 2]| MissingGroup {
            missing,
            rows,
            rmse: rmse.to_vec(),
        };
        let figure = ByMissing {
            methods: vec!["mean".to_owned(), "irr".to_owned()],
            groups: vec![
                group(0, 100, [1.0, 1.0]),
                group(3, 50, [4.0, 2.0]),
                group(4, 3, [9.0, 9.0]),
            ],
        };
        assert_eq!(
            figure.figure().caption,
            "From rows that lack 0 columns to rows that lack 3, the error of irr goes from 1 to 2, 2 \
             times as large. There it is the smallest; the largest, 4, is that of mean. Points of fewer \
             than 20 rows are drawn but not spoken of."
        );
    }
}
