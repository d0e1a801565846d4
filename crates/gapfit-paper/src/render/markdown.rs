//! The document as Markdown, its charts as files beside it.

use super::{Block, Document, Table};

impl Document {
    /// The document as Markdown; charts are taken from `folder`.
    pub fn markdown(&self, folder: &str) -> String {
        let blocks: Vec<String> = self
            .blocks
            .iter()
            .map(|block| part(block, folder))
            .collect();
        format!("# {}\n\n{}", self.title, blocks.join("\n"))
    }
}

fn part(block: &Block, folder: &str) -> String {
    match block {
        Block::Heading(text) => format!("## {text}\n"),
        Block::Text(text) => format!("{text}\n"),
        Block::List(points) => points.iter().map(|point| format!("* {point}\n")).collect(),
        Block::Table(table) => table.markdown(),
        Block::Figure(name, chart) => format!("![{}]({folder}/{name})\n", chart.title),
    }
}

impl Table {
    /// The table, its source aligned as well.
    fn markdown(&self) -> String {
        let escaped = |cell: &String| cell.replace('|', "\\|").replace(['\n', '\r'], " ");
        let all = [&self.header].into_iter().chain(&self.rows);
        let all: Vec<Vec<String>> = all.map(|row| row.iter().map(escaped).collect()).collect();
        let length = |row: &Vec<String>, j: usize| row[j].chars().count();
        let width = |j: usize| {
            all.iter()
                .map(|row| length(row, j))
                .max()
                .unwrap_or(0)
                .max(3)
        };
        let widths: Vec<usize> = (0..self.header.len()).map(width).collect();
        let mut text = String::new();
        for (i, row) in all.iter().enumerate() {
            for (cell, width) in row.iter().zip(&widths) {
                text += &format!("| {cell:width$} ");
            }
            text += "|\n";
            if i == 0 {
                let rules = widths
                    .iter()
                    .map(|width| format!("|{}", "-".repeat(width + 2)));
                text += &(rules.collect::<String>() + "|\n");
            }
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_line_up_under_a_rule() {
        let table = Table {
            header: vec!["name".to_owned(), "±".to_owned()],
            rows: vec![vec!["a|b".to_owned(), "12.50".to_owned()]],
        };
        assert_eq!(
            table.markdown(),
            "| name | ±     |\n|------|-------|\n| a\\|b | 12.50 |\n"
        );
    }
}
