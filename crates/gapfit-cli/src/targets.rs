//! One target or several: what `--target` names, and what is said of each.

use std::io::Write;

use anyhow::Result;
use gapfit_io::Reader;
use serde::Serialize;

use crate::text_table::TextTable;

/// The columns that `--target` names: the one that is called so, otherwise those of a list with commas; the
/// first, and the others.
pub(crate) fn named(given: &str, reader: &Reader) -> (String, Vec<String>) {
    let is_column = reader.columns().iter().any(|column| column.name == given);
    let mut names = given.split(',').map(str::to_owned);
    match names.next() {
        Some(first) if !is_column => (first, names.collect()),
        _ => (given.to_owned(), Vec::new()),
    }
}

/// What JSON says of each target: of one as it is, of several in a list.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(crate) enum Each<T> {
    One(T),
    Several { targets: Vec<Named<T>> },
}

/// What is said of one of several targets.
#[derive(Debug, Serialize)]
pub(crate) struct Named<T> {
    target: String,
    #[serde(flatten)]
    said: T,
}

impl<T> Each<T> {
    /// What is said of the targets of these names, in their order.
    pub(crate) fn new<'a>(names: impl Iterator<Item = &'a str>, mut said: Vec<T>) -> Self {
        match said.pop() {
            Some(only) if said.is_empty() => Self::One(only),
            last => {
                let said = said.into_iter().chain(last).zip(names);
                let named = |(said, name): (T, &str)| Named {
                    target: name.to_owned(),
                    said,
                };
                Self::Several {
                    targets: said.map(named).collect(),
                }
            }
        }
    }
}

/// Writes the tables of targets of these names, each under its name where there are several.
pub(crate) fn write_tables<'a>(
    names: impl Iterator<Item = &'a str>,
    tables: impl ExactSizeIterator<Item = TextTable>,
    out: &mut dyn Write,
) -> Result<()> {
    let n_tables = tables.len();
    for (t, (name, table)) in names.zip(tables).enumerate() {
        if n_tables > 1 {
            let space = if t > 0 { "\n" } else { "" };
            writeln!(out, "{space}{name}")?;
        }
        write!(out, "{table}")?;
    }
    Ok(())
}
