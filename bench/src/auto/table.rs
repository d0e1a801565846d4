//! The tables: embedded ones with punched holes, others from a folder where it has them.

use crate::file;
use crate::paper::BETA;
use crate::paper::protocol::{TRAIN, scaled, shuffled};
use anyhow::{Context, Result};
use gapfit::corrupt::Mechanism;
use gapfit::data::Dataset;
use gapfit_paper::Embedded;
use std::fs;
use std::path::Path;

/// A table and how its holes come about.
#[derive(Debug)]
pub(super) struct Cell {
    pub(super) set: String,
    data: Dataset,
    /// Absent where the holes are natural.
    mechanism: Option<Mechanism>,
}

/// The hormones of the thyroid table.
const HORMONES: [&str; 5] = ["TSH", "T3", "TT4", "T4U", "FTI"];

impl Cell {
    /// Every cell, and a line for each table that is not there.
    pub(super) fn all(folder: Option<&Path>) -> Result<(Vec<Self>, Vec<String>)> {
        let (mut cells, mut not_run) = (Vec::new(), Vec::new());
        for set in Embedded::REGRESSION {
            cells.extend(Self::punched(set.name(), &scaled(&set.load())?));
        }
        for (set, file) in [("park", "park.csv"), ("thyroid", "thyroid.csv")] {
            let path = folder
                .map(|folder| folder.join(file))
                .filter(|path| path.is_file());
            let Some(path) = path else {
                not_run.push(format!("{set}: not run, no {file} in --data-dir."));
                continue;
            };
            let data = read(&path, set).with_context(|| path.display().to_string())?;
            match set {
                "park" => cells.extend(Self::punched(set, &scaled(&data)?)),
                _ => cells.push(Self {
                    set: set.to_owned(),
                    data,
                    mechanism: None,
                }),
            }
        }
        Ok((cells, not_run))
    }

    /// A complete table with the paper's two kinds of holes.
    fn punched(set: &str, data: &Dataset) -> [Self; 2] {
        let kinds = [
            Mechanism::Independent { beta: BETA },
            Mechanism::Dependent { beta: BETA },
        ];
        kinds.map(|mechanism| Self {
            set: set.to_owned(),
            data: data.clone(),
            mechanism: Some(mechanism),
        })
    }

    pub(super) fn holes(&self) -> &'static str {
        self.mechanism.as_ref().map_or("natural", Mechanism::name)
    }

    /// Fresh holes where they are punched, training rows and test rows.
    pub(super) fn draw(&self, seed: u64) -> Result<(Dataset, Dataset)> {
        let drawn = shuffled(&self.data, self.mechanism.as_ref(), seed);
        let (rows, data) = drawn.with_context(|| self.set.clone())?;
        let (train, test) = rows.split_at(TRAIN);
        Ok((data.select(train), data.select(test)))
    }
}

/// A table of the paper that is not embedded, as the paper used it: park without its second score,
/// thyroid as labels of 1 and -1 from five hormones.
fn read(path: &Path, set: &str) -> Result<Dataset> {
    let text = fs::read_to_string(path)?;
    let text = text
        .replace(",sick-euthyroid", ",1")
        .replace(",negative", ",-1");
    match set {
        "park" => file::parse(&text, path, "motor_UPDRS", |name| name != "total_UPDRS"),
        _ => file::parse(&text, path, "class", |name| HORMONES.contains(&name)),
    }
}
