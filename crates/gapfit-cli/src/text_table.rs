//! A table for people: aligned columns of text.

use std::fmt;

pub(crate) use gapfit_report::number::{decimals, fixed, short};

/// Rows of text under a header; the first column is aligned left, the others right.
#[derive(Debug)]
pub(crate) struct TextTable {
    rows: Vec<Vec<String>>,
}

impl TextTable {
    pub(crate) fn new<S: Into<String>>(header: impl IntoIterator<Item = S>) -> Self {
        let header = header.into_iter().map(Into::into).collect();
        Self { rows: vec![header] }
    }

    pub(crate) fn push<S: Into<String>>(&mut self, row: impl IntoIterator<Item = S>) {
        self.rows.push(row.into_iter().map(Into::into).collect());
    }

    /// The table in Markdown.
    pub(crate) fn markdown(&self) -> String {
        let cell = |cell: &String| cell.replace('|', "\\|").replace(['\n', '\r'], " ");
        let line = |row: &Vec<String>| {
            let cells: Vec<String> = row.iter().map(cell).collect();
            format!("| {} |\n", cells.join(" | "))
        };
        let rule = format!("|---|{}\n", "---:|".repeat(self.rows[0].len() - 1));
        let rows: String = self.rows[1..].iter().map(line).collect();
        format!("\n{}{rule}{rows}", line(&self.rows[0]))
    }
}

impl fmt::Display for TextTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let length =
            |row: &Vec<String>, j: usize| row.get(j).map_or(0, |cell| cell.chars().count());
        let width = |j: usize| {
            self.rows
                .iter()
                .map(|row| length(row, j))
                .max()
                .unwrap_or(0)
        };
        let widths: Vec<usize> = (0..self.rows[0].len()).map(width).collect();
        for row in &self.rows {
            let mut line = String::new();
            for (j, (cell, &width)) in row.iter().zip(&widths).enumerate() {
                // by hand: the widths of format! end at 65535
                let blanks = " ".repeat(width - cell.chars().count());
                line += &match j {
                    0 => format!("{cell}{blanks}"),
                    _ => format!("  {blanks}{cell}"),
                };
            }
            writeln!(f, "{}", line.trim_end())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_line_up_and_lines_have_no_trailing_blanks() {
        let mut table = TextTable::new(["method", "RMSE ±", ""]);
        table.push(["a", "1", ""]);
        table.push(["longer name", "12.50", "x"]);
        assert_eq!(
            table.to_string(),
            "method       RMSE ±\na                 1\nlonger name   12.50  x\n"
        );
    }

    #[test]
    fn a_cell_may_be_of_any_length() {
        let mut table = TextTable::new(["a", "b"]);
        table.push(["x".repeat(70_000), "1".to_owned()]);
        assert_eq!(table.to_string().len(), 2 * 70_004);
    }

    #[test]
    fn markdown_escapes_what_would_end_a_cell() {
        let mut table = TextTable::new(["a", "b"]);
        table.push(["x|y", "1"]);
        assert_eq!(table.markdown(), "\n| a | b |\n|---|---:|\n| x\\|y | 1 |\n");
    }
}
