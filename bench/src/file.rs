//! Tables of the paper that are not embedded, from a folder that the user names.

use anyhow::Result;
use gapfit::data::Dataset;
use gapfit_io::{Reader, Roles, Supervised, csv};
use std::path::Path;

/// The table in CSV text, with this target and those of the other columns that are used; `path` is
/// for messages.
pub(crate) fn parse(
    text: &str,
    path: &Path,
    target: &str,
    is_used: impl Fn(&str) -> bool,
) -> Result<Dataset> {
    let name = path.display().to_string();
    let mut reader = Reader::new(text.as_bytes(), &name, &csv::Options::default())?;
    let names = reader.columns().iter().map(|column| column.name.clone());
    let ignored: Vec<String> = names
        .filter(|name| name != target && !is_used(name))
        .collect();
    reader.ignore(&ignored, "ignored")?;
    let roles = Roles {
        target: target.to_owned(),
        weight: None,
        folds_by: None,
    };
    Ok(Supervised::read(&mut reader, &roles)?.data)
}
