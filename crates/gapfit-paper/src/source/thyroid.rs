//! Sick-euthyroid: 1 for ill, -1 for well, from five of the measurements.

use super::file::{Folder, number};
use super::park::finish;
use super::unexpected;
use crate::Result;
use gapfit::data::{Dataset, MaskedMatrix};

/// The columns of UCI's file, which has no header.
const UCI: [&str; 26] = [
    "class",
    "age",
    "sex",
    "on_thyroxine",
    "query_on_thyroxine",
    "on_antithyroid_medication",
    "thyroid_surgery",
    "query_hypothyroid",
    "query_hyperthyroid",
    "pregnant",
    "sick",
    "tumor",
    "lithium",
    "goitre",
    "TSH_measured",
    "TSH",
    "T3_measured",
    "T3",
    "TT4_measured",
    "TT4",
    "T4U_measured",
    "T4U",
    "FTI_measured",
    "FTI",
    "TBG_measured",
    "TBG",
];

pub(super) fn read(folder: &Folder<'_>, features: &[&str]) -> Result<Dataset> {
    let text = folder.read(&["thyroid.csv", "sick-euthyroid.data"])?;
    let mut records = text.records();
    let header = match text.name.as_str() {
        "thyroid.csv" => records.next().map_or(Vec::new(), |(_, header)| header),
        _ => UCI.to_vec(),
    };
    let place_of = |name: &&str| {
        let place = header.iter().position(|of| of == name);
        let expected = format!("a header with {name}");
        place.ok_or_else(|| unexpected(&text.name, &expected, "none"))
    };
    let places = features.iter().map(place_of).collect::<Result<Vec<_>>>()?;
    let class_at = place_of(&"class")?;
    let (mut table, mut target) = (MaskedMatrix::new(features.len()), Vec::new());
    for (place, cells) in records {
        if cells.len() != header.len() {
            let expected = format!("{} cells", header.len());
            return Err(unexpected(place, &expected, cells.len().to_string()));
        }
        let row = places.iter().map(|&j| match cells[j] {
            "M" => Ok(Some(0.0)),
            "F" => Ok(Some(1.0)),
            cell => number(&place, cell),
        });
        table.push_row(row.collect::<Result<Vec<_>>>()?)?;
        target.push(match cells[class_at] {
            "sick-euthyroid" => 1.0,
            "negative" => -1.0,
            other => {
                let got = format!("'{}'", other.chars().take(40).collect::<String>());
                return Err(unexpected(place, "sick-euthyroid or negative", got));
            }
        });
    }
    finish(&text, table, target)
}
