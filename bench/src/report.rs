//! What a command prints: Markdown for people, JSON for programs, and the machine it was measured on.

use anyhow::Result;
use serde::Serialize;
use std::fmt;
use std::io::{Write, stdout};

/// The result of a command.
pub(crate) trait Report: Serialize {
    /// The report for people.
    fn markdown(&self) -> String;
}

/// Prints the report to stdout.
pub(crate) fn print(report: &impl Report, json: bool) -> Result<()> {
    let text = if json {
        serde_json::to_string_pretty(report)?
    } else {
        report.markdown()
    };
    Ok(writeln!(stdout(), "{}", text.trim_end())?)
}

/// A Markdown table whose source is aligned as well.
#[derive(Debug)]
pub(crate) struct Table {
    /// The header first.
    rows: Vec<Vec<String>>,
}

impl Table {
    pub(crate) fn new<const N: usize>(header: [&str; N]) -> Self {
        Self::with_header(header.map(str::to_owned).to_vec())
    }

    /// A table whose number of columns is known only now.
    pub(crate) fn with_header(header: Vec<String>) -> Self {
        Self { rows: vec![header] }
    }

    pub(crate) fn push<const N: usize>(&mut self, row: [String; N]) {
        self.push_row(row.into());
    }

    pub(crate) fn push_row(&mut self, row: Vec<String>) {
        debug_assert_eq!(row.len(), self.rows[0].len(), "one cell per column");
        self.rows.push(row);
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let length = |row: &Vec<String>, j: usize| row[j].chars().count();
        let widths: Vec<usize> = (0..self.rows[0].len())
            .map(|j| self.rows.iter().map(|row| length(row, j)).max())
            .map(|width| width.unwrap_or(0).max(3))
            .collect();
        for (i, row) in self.rows.iter().enumerate() {
            for (cell, width) in row.iter().zip(&widths) {
                write!(f, "| {cell:width$} ")?;
            }
            writeln!(f, "|")?;
            if i == 0 {
                for width in &widths {
                    write!(f, "|{}", "-".repeat(width + 2))?;
                }
                writeln!(f, "|")?;
            }
        }
        Ok(())
    }
}

/// Where the numbers come from.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Machine {
    /// As the system calls it.
    processor: String,
    /// Threads that can run at once.
    threads: usize,
    /// Memory, in units of 10^9 bytes.
    memory: u64,
    /// Of gapfit.
    version: &'static str,
}

impl Machine {
    /// Some machine.
    #[cfg(test)]
    pub(crate) fn known(processor: &str, threads: usize, memory: u64) -> Self {
        Self {
            processor: processor.to_owned(),
            threads,
            memory,
            version: env!("CARGO_PKG_VERSION"),
        }
    }

    /// This machine.
    pub(crate) fn here() -> Self {
        let about = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let name = about.lines().find(|line| line.starts_with("model name"));
        let name = name.and_then(|line| line.split_once(": "));
        Self {
            processor: name
                .map_or("unknown processor", |(_, name)| name)
                .to_owned(),
            threads: std::thread::available_parallelism().map_or(1, Into::into),
            memory: memory().unwrap_or(0),
            version: env!("CARGO_PKG_VERSION"),
        }
    }
}

/// The memory of the machine in units of 10^9 bytes, as Linux knows it.
fn memory() -> Option<u64> {
    let about = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = about
        .lines()
        .find_map(|line| line.strip_prefix("MemTotal:"))?;
    let kilobytes: u64 = line.trim().strip_suffix(" kB")?.parse().ok()?;
    Some((kilobytes * 1024 + 500_000_000) / 1_000_000_000)
}

impl fmt::Display for Machine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "gapfit {} on {}, {} hardware threads, {} GB",
            self.version, self.processor, self.threads, self.memory
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_line_up_under_a_rule() {
        let mut table = Table::new(["name", "±"]);
        table.push(["a".to_owned(), "12.50".to_owned()]);
        assert_eq!(
            table.to_string(),
            "| name | ±     |\n|------|-------|\n| a    | 12.50 |\n"
        );
    }
}
