//! Where filled tables go: into one, or into a folder.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhow::Result;

use crate::args::Usage;
use crate::output::Output;
use crate::tables::Tables;

/// One output for all tables, or one for each.
pub(super) enum Places {
    One(Output),
    Each(Vec<Output>),
}

impl Places {
    /// Those at `path`: in it, if it is a folder.
    pub(super) fn new(path: &Path, tables: &Tables) -> Result<Self> {
        if !path.is_dir() || tables.is_stdin() {
            return Ok(Self::One(Output::new(path)?));
        }
        let files: Vec<PathBuf> = tables.paths().into_iter().map(file_name).collect();
        let mut names = BTreeSet::new();
        if let Some(twice) = files.iter().find(|file| !names.insert(*file)) {
            return Err(Usage(format!(
                "--output: expected tables of different names for a folder, got two for {}",
                path.join(twice).display()
            ))
            .into());
        }
        let outputs = files.iter().map(|file| Output::new(&path.join(file)));
        outputs.collect::<Result<_>>().map(Self::Each)
    }

    /// Refuses to replace an input, and standard output where that has the JSON.
    pub(super) fn check(&self, inputs: &[&Path], is_json: bool) -> Result<(), Usage> {
        let outputs = match self {
            Self::One(output) => std::slice::from_ref(output),
            Self::Each(outputs) => outputs,
        };
        outputs.iter().try_for_each(|output| {
            output.check_beside_json(is_json)?;
            output.check_keeps(inputs)
        })
    }
}

/// The name of a table once it is filled: delimited text is so again, everything else becomes it.
fn file_name(table: &Path) -> PathBuf {
    let name = PathBuf::from(table.file_name().unwrap_or(table.as_os_str()));
    let unpacked = match name.extension() {
        Some(end) if end.eq_ignore_ascii_case("gz") => name.with_extension(""),
        _ => name,
    };
    let is_text = |end: &std::ffi::OsStr| {
        let kept = ["csv", "tsv", "txt", "tab", "dat"];
        kept.iter().any(|other| end.eq_ignore_ascii_case(other))
    };
    match unpacked.extension().is_some_and(is_text) {
        true => unpacked,
        false => unpacked.with_extension("csv"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_keeps_its_name_and_everything_else_becomes_csv() {
        for (table, expected) in [
            ("a/b.csv", "b.csv"),
            ("b.TSV", "b.TSV"),
            ("b.csv.gz", "b.csv"),
            ("b.ndjson.gz", "b.csv"),
            ("part-1.parquet", "part-1.csv"),
            ("plain", "plain.csv"),
        ] {
            assert_eq!(file_name(Path::new(table)), PathBuf::from(expected));
        }
    }
}
