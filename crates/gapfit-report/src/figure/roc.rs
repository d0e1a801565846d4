//! How well probabilities bring rows into order.

use super::{Figure, Shares};
use crate::chart::{Dot, Line};
use crate::number::{count, percent, told};
use crate::table::{Cell, Table};

/// The share of rows to be found at which the price is told.
const FOUND: f64 = 0.9;

/// ROC curves on held-out rows: of one class by how much is missing, or of several classes.
///
/// ```
/// use gapfit_report::{Roc, RocCurve};
/// let curve = RocCurve {
///     name: "all rows".to_owned(), class: "sick".to_owned(), rows: 40, auc: 0.875,
///     points: vec![(0.0, 0.0), (0.0, 0.5), (0.25, 1.0), (1.0, 1.0)],
/// };
/// let figure = Roc { method: "irr".to_owned(), curves: vec![curve] }.figure();
/// assert!(figure.caption().contains("above one of another class in 87.5 % of all pairs"));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Roc {
    /// The method.
    pub method: String,
    /// The curves; the caption speaks of the first, and says how the others compare.
    pub curves: Vec<RocCurve>,
}

/// A ROC curve.
///
/// See [`Roc`] for an example.
#[derive(Clone, Debug, PartialEq)]
pub struct RocCurve {
    /// Its name.
    pub name: String,
    /// The class that is to be found.
    pub class: String,
    /// The number of rows.
    pub rows: usize,
    /// The area below it.
    pub auc: f64,
    /// Corners from (0, 0) to (1, 1): the share of other rows that are taken for the class, and the share
    /// of its rows that are found.
    pub points: Vec<(f64, f64)>,
}

impl RocCurve {
    /// The share of other rows that are taken for the class where so many of its rows are found.
    fn price(&self, found: f64) -> f64 {
        let mut before = (0.0, 0.0);
        for &(x, y) in &self.points {
            if y >= found {
                let part = if y > before.1 {
                    (found - before.1) / (y - before.1)
                } else {
                    1.0
                };
                return before.0 + part.clamp(0.0, 1.0) * (x - before.0);
            }
            before = (x, y);
        }
        f64::NAN
    }
}

impl Roc {
    /// The figure.
    pub fn figure(&self) -> Figure {
        let shares = Shares {
            id: "roc",
            title: "How well rows are told apart",
            x: "share of other rows taken for the class",
            y: "share of its rows found",
            lines: self.curves.iter().enumerate().map(line).collect(),
        };
        shares.figure(self.caption(), self.table())
    }

    fn caption(&self) -> String {
        let Some(first) = self.curves.first() else {
            return "All rows that were held out have the same class: there is nothing to tell apart.".to_owned();
        };
        let mut words = format!(
            "{} puts a row of {} above one of another class in {} of all pairs (AUC {}).",
            self.method,
            first.class,
            percent(first.auc),
            told(first.auc)
        );
        words += &format!(
            " To find {} of the rows of {}, {} of the others are taken for it.",
            percent(FOUND),
            first.class,
            percent(first.price(FOUND))
        );
        let others = &self.curves[1..];
        let by_auc = |a: &&RocCurve, b: &&RocCurve| a.auc.total_cmp(&b.auc);
        if let (Some(low), Some(high)) =
            (others.iter().min_by(by_auc), others.iter().max_by(by_auc))
        {
            words += &match others.len() {
                1 => format!(" The AUC of {} is {}.", low.name, told(low.auc)),
                _ => format!(
                    " The other AUCs go from {} ({}) to {} ({}).",
                    told(low.auc),
                    low.name,
                    told(high.auc),
                    high.name
                ),
            };
        }
        words + " On the dashed line, a row is found by chance alone."
    }

    fn table(&self) -> Table {
        let price = format!("others taken, to find {}", percent(FOUND));
        let mut table = Table::new(["curve", "class", "rows", "AUC", &price]);
        for curve in &self.curves {
            let share = curve.price(FOUND);
            table.push([
                Cell::text(&curve.name),
                Cell::text(&curve.class),
                Cell::count(curve.rows),
                Cell::number(curve.auc),
                Cell::shown_as(share, percent(share)),
            ]);
        }
        table
    }
}

fn line((k, curve): (usize, &RocCurve)) -> Line {
    let dot = |&(x, y): &(f64, f64)| Dot {
        x,
        y,
        tip: format!(
            "{}: {} of {} found, {} of the others taken for it ({} rows)",
            curve.name,
            percent(y),
            curve.class,
            percent(x),
            count(curve.rows)
        ),
    };
    Line {
        name: curve.name.clone(),
        colour: k,
        dots: curve.points.iter().map(dot).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn curve(name: &str, auc: f64) -> RocCurve {
        RocCurve {
            name: name.to_owned(),
            class: "sick".to_owned(),
            rows: 1000,
            auc,
            points: vec![(0.0, 0.0), (0.1, 0.8), (0.3, 1.0), (1.0, 1.0)],
        }
    }

    #[test]
    fn the_caption_tells_the_auc_and_what_finding_most_rows_costs() {
        let roc = Roc {
            method: "irr".to_owned(),
            curves: vec![
                curve("all rows", 0.91),
                curve("0 missing", 0.95),
                curve("1 missing", 0.85),
            ],
        };
        assert_eq!(
            roc.figure().caption,
            "irr puts a row of sick above one of another class in 91.0 % of all pairs (AUC 0.91). \
             To find 90.0 % of the rows of sick, 20.0 % of the others are taken for it. The other AUCs go from 0.85 \
             (1 missing) to 0.95 (0 missing). On the dashed line, a row is found by chance alone."
        );
        let none = Roc {
            method: "irr".to_owned(),
            curves: vec![],
        };
        assert!(none.figure().caption.contains("nothing to tell apart"));
    }
}
