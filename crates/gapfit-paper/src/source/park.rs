//! Parkinson's telemonitoring: every column but the two scores, of which one is the target.

use super::file::{Folder, Text, number};
use super::unexpected;
use crate::Result;
use gapfit::data::{Dataset, MaskedMatrix};

/// The scores.
pub(super) const MOTOR: &str = "motor_UPDRS";
pub(super) const TOTAL: &str = "total_UPDRS";

/// The table with one of the scores as target.
pub(super) fn read(folder: &Folder<'_>, score: &str) -> Result<Dataset> {
    let text = folder.read(&["park.csv", "parkinsons_updrs.data"])?;
    let mut records = text.records();
    let header = records.next().map_or(Vec::new(), |(_, header)| header);
    let Some(target_at) = header.iter().position(|name| *name == score) else {
        let expected = format!("a header with {score}");
        return Err(unexpected(&text.name, &expected, "none"));
    };
    let is_feature = |j: &usize| ![MOTOR, TOTAL].contains(&header[*j]);
    let features: Vec<usize> = (0..header.len()).filter(is_feature).collect();
    let (mut table, mut target) = (MaskedMatrix::new(features.len()), Vec::new());
    for (place, cells) in records {
        if cells.len() != header.len() {
            let expected = format!("{} cells", header.len());
            return Err(unexpected(place, &expected, cells.len().to_string()));
        }
        let cell = |j: usize| {
            number(&place, cells[j])?.ok_or_else(|| unexpected(&place, "a number", "a hole"))
        };
        let row = features.iter().map(|&j| cell(j).map(Some));
        table.push_row(row.collect::<Result<Vec<_>>>()?)?;
        target.push(cell(target_at)?);
    }
    finish(&text, table, target)
}

/// The table, if it has a row.
pub(super) fn finish(text: &Text, table: MaskedMatrix, target: Vec<f64>) -> Result<Dataset> {
    if target.is_empty() {
        return Err(unexpected(&text.name, "rows below the header", "none"));
    }
    Ok(Dataset::new(table, target)?)
}
