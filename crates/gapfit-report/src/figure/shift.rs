//! How the weights change when a column is missing.

use super::{Figure, Ramp};
use crate::chart::{Grid, Tile};
use crate::colour::side;
use crate::number::told;
use crate::table::{Cell, Table};

/// Rows and columns of the picture, and of the table.
const SHOWN: usize = 20;

/// For each column that may be missing, by how much the weight of each feature changes then. Weights
/// are per scale unit of their feature, so that they can be compared.
///
/// ```
/// use gapfit_report::Shifts;
/// let names = || vec!["a".to_owned(), "b".to_owned()];
/// let shifts = vec![vec![-1.0, 0.5], vec![0.0, -0.25]];
/// let figure = Shifts { method: "irr".to_owned(), missing: names(), features: names(), shifts }.figure();
/// assert!(figure.caption().contains("When a is missing, the weight of b changes most, by +0.5"));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Shifts {
    /// The method.
    pub method: String,
    /// The columns that may be missing.
    pub missing: Vec<String>,
    /// The features that have weights.
    pub features: Vec<String>,
    /// The change of each weight, by column that is missing.
    pub shifts: Vec<Vec<f64>>,
}

impl Shifts {
    /// The figure.
    pub fn figure(&self) -> Figure {
        let rows = largest(self.missing.len(), |k| {
            self.shifts[k]
                .iter()
                .fold(0.0, |most: f64, s| most.max(s.abs()))
        });
        let columns = largest(self.features.len(), |j| {
            self.shifts
                .iter()
                .fold(0.0, |most: f64, row| most.max(row[j].abs()))
        });
        let most = rows
            .iter()
            .flat_map(|&k| columns.iter().map(move |&j| (k, j)));
        let most = most.fold(0.0, |most: f64, (k, j)| most.max(self.shifts[k][j].abs()));
        let unit = if most > 0.0 { most } else { 1.0 };
        let tiles = rows.iter().enumerate().flat_map(|(row, &k)| {
            columns.iter().enumerate().map(move |(column, &j)| Tile {
                row,
                column,
                class: format!("d{}", side(self.shifts[k][j] / unit)),
                tip: self.tip(k, j),
                is_marked: false,
            })
        });
        let named = |names: &[String], picked: &[usize]| -> Vec<String> {
            picked.iter().map(|&k| names[k].clone()).collect()
        };
        let grid = Grid {
            rows: named(&self.missing, &rows),
            columns: named(&self.features, &columns),
            about: ("missing", "change of the weight of"),
            tiles: tiles.collect(),
        };
        Figure {
            id: "shifts".into(),
            title: "How weights shift when a column is missing".to_owned(),
            caption: self.caption(&rows, &columns),
            picture: grid.picture(),
            keys: Vec::new(),
            ramp: Some(Ramp {
                has_sides: true,
                low: told(-unit),
                high: format!("+{}", told(unit)),
            }),
            table: self.table(&rows, &columns),
            is_main: false,
        }
    }

    fn tip(&self, k: usize, j: usize) -> String {
        let shift = self.shifts[k][j];
        format!(
            "{} missing: weight of {} {}",
            self.missing[k],
            self.features[j],
            signed(shift)
        )
    }

    fn caption(&self, rows: &[usize], columns: &[usize]) -> String {
        // the weight of a missing column's own features multiplies what was filled in: another story
        let is_other = |k: usize, j: usize| !is_of(&self.features[j], &self.missing[k]);
        let pairs =
            (0..self.missing.len()).flat_map(|k| (0..self.features.len()).map(move |j| (k, j)));
        let size = |&(k, j): &(usize, usize)| self.shifts[k][j].abs();
        let most = pairs
            .filter(|&(k, j)| is_other(k, j))
            .max_by(|a, b| size(a).total_cmp(&size(b)));
        let mut words = match most.filter(|at| size(at) > 0.0) {
            None => format!(
                "The weights of {} stay as they are whatever is missing.",
                self.method
            ),
            Some((k, j)) => format!(
                "When {} is missing, the weight of {} changes most, by {}.",
                self.missing[k],
                self.features[j],
                signed(self.shifts[k][j])
            ),
        };
        words += " Rows are columns that may be missing, tiles the change of a weight of the model, per \
                  scale unit of its feature; where a column meets itself, the weight is that of the value filled in.";
        if rows.len() < self.missing.len() || columns.len() < self.features.len() {
            words += &format!(" Shown are those that change most, at most {SHOWN} to a side.");
        }
        words
    }

    fn table(&self, rows: &[usize], columns: &[usize]) -> Table {
        let names = columns.iter().map(|&j| self.features[j].clone());
        let mut table = Table::new(["missing".to_owned()].into_iter().chain(names));
        for &k in rows {
            let shifts = columns.iter().map(|&j| Cell::number(self.shifts[k][j]));
            table.push([Cell::text(&self.missing[k])].into_iter().chain(shifts));
        }
        table
    }
}

/// Whether a feature is made from this column: its number, or one of its categories.
fn is_of(feature: &str, column: &str) -> bool {
    let rest = feature.strip_prefix(column);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('='))
}

/// The numbers below `n` of largest size, in order; as many as are shown.
fn largest(n: usize, size: impl Fn(usize) -> f64) -> Vec<usize> {
    let mut numbers: Vec<usize> = (0..n).collect();
    numbers.sort_by(|&a, &b| size(b).total_cmp(&size(a)));
    numbers.truncate(SHOWN);
    numbers.sort_unstable();
    numbers
}

fn signed(shift: f64) -> String {
    let sign = if shift >= 0.0 { "+" } else { "" };
    format!("{sign}{}", told(shift))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_caption_leaves_out_what_a_column_does_to_itself() {
        let shifts = Shifts {
            method: "irr".to_owned(),
            missing: vec!["a".to_owned(), "c".to_owned()],
            features: ["a", "b", "c=x"].map(str::to_owned).to_vec(),
            shifts: vec![vec![-9.0, 2.0, 1.0], vec![0.0, -3.0, -5.0]],
        };
        let figure = shifts.figure();
        assert!(
            figure
                .caption
                .starts_with("When c is missing, the weight of b changes most, by -3."),
            "{}",
            figure.caption
        );
        assert_eq!(figure.picture.body.matches("<title>").count(), 6);
    }

    #[test]
    fn a_wide_model_shows_what_changes_most() {
        let names = || (0..50).map(|j| format!("x{j}")).collect::<Vec<_>>();
        let shifts = Shifts {
            method: "irr".to_owned(),
            missing: names(),
            features: names(),
            shifts: (0..50).map(|k| vec![f64::from(k); 50]).collect(),
        };
        let figure = shifts.figure();
        assert_eq!(figure.table.len(), SHOWN);
        assert!(figure.picture.body.contains(">x49<"));
        assert!(figure.caption.contains("at most 20 to a side"));
    }
}
