//! What goes missing together.

use super::{Figure, listed};
use crate::chart::{Bar, bars};
use crate::markup::clipped;
use crate::number::{count, counted, percent};
use crate::table::{Cell, Table};

/// Patterns that get a bar.
const SHOWN: usize = 14;

/// The commonest combinations of missing columns.
///
/// ```
/// use gapfit_report::{Pattern, Patterns};
/// let pattern = |missing: &[&str], rows| Pattern { missing: missing.iter().map(|&c| c.to_owned()).collect(), rows };
/// let patterns = Patterns { n_rows: 10, n_patterns: 2, commonest: vec![pattern(&[], 7), pattern(&["a"], 3)] };
/// assert!(patterns.figure().caption().contains("70.0 % of the rows are complete"));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Patterns {
    /// The number of rows.
    pub n_rows: usize,
    /// The number of different combinations.
    pub n_patterns: usize,
    /// The commonest, in falling order.
    pub commonest: Vec<Pattern>,
}

/// A combination of missing columns.
///
/// See [`Patterns`] for an example.
#[derive(Clone, Debug, PartialEq)]
pub struct Pattern {
    /// The columns that are missing.
    pub missing: Vec<String>,
    /// The number of rows that lack exactly these.
    pub rows: usize,
}

impl Pattern {
    fn name(&self) -> String {
        match &self.missing[..] {
            [] => "nothing missing".to_owned(),
            missing => missing.join(", "),
        }
    }

    /// The name beside its bar.
    fn short_name(&self) -> String {
        match &self.missing[..] {
            [] => "nothing".to_owned(),
            [one] => one.clone(),
            [one, two] => format!("{}, {}", clipped(one, 8), clipped(two, 8)),
            [one, rest @ ..] => format!("{} + {} more", clipped(one, 9), rest.len()),
        }
    }
}

impl Patterns {
    /// The figure.
    pub fn figure(&self) -> Figure {
        let bar = |pattern: &Pattern| Bar {
            name: pattern.short_name(),
            value: pattern.rows as f64,
            spread: 0.0,
            tip: format!(
                "missing: {}; {}, {}",
                listed(&pattern.missing),
                counted(pattern.rows, "row", "rows"),
                percent(self.share(pattern))
            ),
        };
        let shown: Vec<Bar> = self.commonest.iter().take(SHOWN).map(bar).collect();
        Figure {
            id: "patterns".into(),
            title: "What goes missing together".to_owned(),
            caption: self.caption(),
            picture: bars("rows", &shown),
            keys: Vec::new(),
            ramp: None,
            table: self.table(),
            is_main: false,
        }
    }

    fn share(&self, pattern: &Pattern) -> f64 {
        pattern.rows as f64 / self.n_rows.max(1) as f64
    }

    fn caption(&self) -> String {
        let mut words = match self.n_patterns {
            1 => "All rows lack the same columns.".to_owned(),
            n => format!(
                "The rows lack their columns in {} different combinations.",
                count(n)
            ),
        };
        let complete = self.commonest.iter().find(|p| p.missing.is_empty());
        if let Some(complete) = complete {
            words += &format!(
                " {} of the rows are complete.",
                percent(self.share(complete))
            );
        }
        let holey = self.commonest.iter().find(|p| !p.missing.is_empty());
        if let Some(holey) = holey {
            let told = match holey.missing.len() {
                0..=6 => listed(&holey.missing),
                n => format!("{}, {} in all", listed(&holey.missing[..5]), n),
            };
            words += &format!(
                " The commonest combination with a hole lacks {told}: {}, {}.",
                counted(holey.rows, "row", "rows"),
                percent(self.share(holey))
            );
        }
        let shown = self.commonest.len().min(SHOWN);
        if shown < self.n_patterns {
            let rows: usize = self.commonest[..shown].iter().map(|p| p.rows).sum();
            words += &format!(
                " Bars show the {shown} commonest, which {} of the rows have.",
                percent(rows as f64 / self.n_rows.max(1) as f64)
            );
        }
        words
    }

    fn table(&self) -> Table {
        let mut table = Table::new(["missing", "columns", "rows", "share"]);
        for pattern in &self.commonest {
            table.push([
                Cell::text(pattern.name()),
                Cell::count(pattern.missing.len()),
                Cell::count(pattern.rows),
                Cell::shown_as(self.share(pattern), percent(self.share(pattern))),
            ]);
        }
        table
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_caption_names_the_commonest_combination_with_a_hole() {
        let pattern = |missing: &[&str], rows| Pattern {
            missing: missing.iter().map(|&name| name.to_owned()).collect(),
            rows,
        };
        let patterns = Patterns {
            n_rows: 8,
            n_patterns: 20,
            commonest: vec![pattern(&[], 4), pattern(&["a", "b"], 2)],
        };
        assert_eq!(
            patterns.figure().caption,
            "The rows lack their columns in 20 different combinations. 50.0 % of the rows are complete. \
             The commonest combination with a hole lacks a and b: 2 rows, 25.0 %. Bars show the 2 \
             commonest, which 75.0 % of the rows have."
        );
    }
}
