//! The numbers behind a figure.

use std::fmt::Write;

use crate::markup::escaped;
use crate::number::{count, told};

/// A table; its rows can be sorted by any column.
///
/// ```
/// use gapfit_report::{Cell, Table};
/// let mut table = Table::new(["method", "RMSE"]);
/// table.push([Cell::text("irr"), Cell::number(0.25)]);
/// assert_eq!(table.len(), 1);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    head: Vec<String>,
    rows: Vec<Vec<Cell>>,
}

/// What stands in a table: what is read, and the numbers behind it to the last digit.
///
/// ```
/// use gapfit_report::Cell;
/// assert_eq!(Cell::number(1.0 / 3.0).shown(), "0.3333");
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Cell {
    shown: String,
    value: Option<f64>,
    spread: Option<f64>,
}

impl Cell {
    /// A text.
    pub fn text(text: impl Into<String>) -> Self {
        Self {
            shown: text.into(),
            value: None,
            spread: None,
        }
    }

    /// A number, shown in four digits.
    pub fn number(value: f64) -> Self {
        Self::shown_as(value, told(value))
    }

    /// A whole number.
    pub fn count(value: usize) -> Self {
        Self::shown_as(value as f64, count(value))
    }

    /// A number, shown in some other way.
    pub fn shown_as(value: f64, shown: impl Into<String>) -> Self {
        Self {
            shown: shown.into(),
            value: Some(value),
            spread: None,
        }
    }

    /// A number and how sure it is, shown as `shown`.
    pub fn spread(value: f64, spread: f64, shown: impl Into<String>) -> Self {
        Self {
            spread: Some(spread),
            ..Self::shown_as(value, shown)
        }
    }

    /// What is read.
    pub fn shown(&self) -> &str {
        &self.shown
    }

    /// What is read and what is behind it, outside of a table.
    pub(crate) fn span(&self) -> String {
        let mut html = "<span".to_owned();
        self.write_data(&mut html);
        html + ">" + &escaped(&self.shown) + "</span>"
    }

    fn write(&self, is_head: bool, html: &mut String) {
        html.push_str(if is_head { "<th scope=\"row\"" } else { "<td" });
        self.write_data(html);
        if self.value.is_some() {
            html.push_str(" class=\"n\"");
        }
        html.push('>');
        html.push_str(&escaped(&self.shown));
        html.push_str(if is_head { "</th>" } else { "</td>" });
    }

    fn write_data(&self, html: &mut String) {
        for (name, number) in [("value", self.value), ("spread", self.spread)] {
            if let Some(number) = number.filter(|number| number.is_finite()) {
                write!(html, " data-{name}=\"{number:?}\"").expect("text can be written");
            }
        }
    }
}

impl Table {
    /// A table without rows.
    pub fn new<S: Into<String>>(head: impl IntoIterator<Item = S>) -> Self {
        Self {
            head: head.into_iter().map(Into::into).collect(),
            rows: Vec::new(),
        }
    }

    /// Appends a row; its first cell names it.
    pub fn push(&mut self, row: impl IntoIterator<Item = Cell>) {
        self.rows.push(row.into_iter().collect());
    }

    /// The number of rows.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The table as HTML; `label` says what it is about.
    pub(crate) fn html(&self, label: &str) -> String {
        let label = escaped(label);
        let mut html = format!(
            "<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"{label}, numbers\"><table><thead><tr>"
        );
        let is_number = |column: usize| {
            let mut rows = self.rows.iter();
            rows.any(|row| row.get(column).is_some_and(|cell| cell.value.is_some()))
        };
        for (column, name) in self.head.iter().enumerate() {
            let class = if is_number(column) {
                " class=\"n\""
            } else {
                ""
            };
            let name = escaped(name);
            write!(html, "<th scope=\"col\"{class}>{name}</th>").expect("text can be written");
        }
        html.push_str("</tr></thead><tbody>");
        for row in &self.rows {
            html.push_str("<tr>");
            for (column, cell) in row.iter().enumerate() {
                cell.write(column == 0, &mut html);
            }
            html.push_str("</tr>");
        }
        html.push_str("</tbody></table></div>");
        html
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_there_to_the_last_digit_and_texts_are_harmless() {
        let mut table = Table::new(["<b>", "x"]);
        table.push([
            Cell::text("\"><script>"),
            Cell::spread(0.1 + 0.2, 1e-7, "0.3 ± 0"),
        ]);
        table.push([Cell::count(1234), Cell::number(f64::NAN)]);
        let html = table.html("a \"label\"");
        assert!(html.contains("data-value=\"0.30000000000000004\" data-spread=\"1e-7\""));
        assert!(html.contains("data-value=\"1234.0\" class=\"n\">1,234<"));
        assert!(html.contains("<td class=\"n\">-</td>"));
        assert!(!html.contains("<script") && !html.contains("<b>"));
    }
}
