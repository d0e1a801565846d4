//! The paper's online tasks: which table, which holes, which label, which support.

use crate::file;
use crate::paper::BETA;
use crate::paper::protocol::scaled;
use anyhow::{Context, Result, ensure};
use gapfit::corrupt::Mechanism;
use gapfit::data::{Dataset, MaskedMatrix};
use gapfit::online::Support;
use gapfit_paper::Embedded;
use std::path::Path;

/// The digits that are told from all others.
const DIGITS: [u8; 4] = [2, 3, 4, 6];

/// Features of splice with a smaller correlation are no neighbours.
const CORRELATION: f64 = 0.2;

/// A table of complete rows, scaled to [0, 1], with classes -1 and 1, and what to do with it.
#[derive(Debug)]
pub(super) struct Task {
    pub(super) name: String,
    pub(super) data: Dataset,
    pub(super) mechanism: Mechanism,
    /// Rows of a trial.
    pub(super) n_rows: usize,
    /// The digit, if that is what is recognised.
    pub(super) digit: Option<u8>,
}

impl Task {
    /// Every task; splice as the paper has it where the folder holds it.
    pub(super) fn all(folder: Option<&Path>) -> Result<Vec<Self>> {
        let mut tasks = digits()?;
        tasks.extend(splice(folder)?);
        Ok(tasks)
    }

    /// Which pairs of features may influence each other, for the rows of a trial without a constant.
    pub(super) fn support(&self, holey: &MaskedMatrix) -> Result<Support> {
        Ok(match self.digit {
            Some(_) => Support::grid(8, 8),
            None => Support::correlated(holey, CORRELATION)?,
        })
    }
}

fn digits() -> Result<Vec<Task>> {
    let raw = Embedded::Optdigits.load();
    let images = scaled(&raw)?;
    let task = |digit: u8| {
        let is_digit = |&of: &f64| (of - f64::from(digit)).abs() < 0.5;
        let class = |of| if is_digit(of) { 1.0 } else { -1.0 };
        let classes = raw.target().iter().map(class).collect();
        Ok(Task {
            name: format!("{digit} against all"),
            data: Dataset::new(images.features().clone(), classes)?,
            mechanism: Mechanism::central_pixel_columns(),
            n_rows: 3000,
            digit: Some(digit),
        })
    };
    DIGITS.into_iter().map(task).collect()
}

/// The 1000 rows of the paper from the folder, else the whole set without its few incomplete rows.
fn splice(folder: Option<&Path>) -> Result<[Task; 2]> {
    let data = match folder {
        Some(folder) => {
            let path = folder.join("splice.csv");
            let about = || path.display().to_string();
            let text = std::fs::read_to_string(&path).with_context(about)?;
            file::parse(&text, &path, "label", |_| true)?
        }
        None => complete_rows(&Embedded::Splice.load()),
    };
    let observed = data.features().observed_fraction();
    ensure!(observed >= 1.0, "splice: expected complete rows, got holes");
    let (data, from) = (scaled(&data)?, if folder.is_some() { "" } else { ", UCI" });
    let task = |mechanism: Mechanism| Task {
        name: format!("splice{from}, {}", mechanism.name()),
        data: data.clone(),
        mechanism,
        n_rows: 1000,
        digit: None,
    };
    Ok([
        task(Mechanism::Independent { beta: BETA }),
        task(Mechanism::Dependent { beta: BETA }),
    ])
}

fn complete_rows(data: &Dataset) -> Dataset {
    let rows = data.features().rows().enumerate();
    let complete = rows.filter(|(_, row)| row.observed().missing().next().is_none());
    data.select(&complete.map(|(i, _)| i).collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tasks_are_complete_tables_of_two_classes_in_the_unit_interval() {
        let tasks = Task::all(None).unwrap();
        assert_eq!(tasks.len(), 6);
        for task in tasks {
            assert!(task.data.n_rows() >= task.n_rows);
            assert!(task.data.features().observed_fraction() >= 1.0);
            for (row, class) in task.data.features().rows().zip(task.data.target()) {
                assert!(row.values().iter().all(|x| (0.0..=1.0).contains(x)));
                assert!((class.abs() - 1.0).abs() < 1e-15);
            }
        }
    }
}
