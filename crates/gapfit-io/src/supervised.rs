//! A table to learn from: which column is the target, which the weight, and what that demands.

use std::io::Read;

use gapfit::data::{Dataset, MaskedMatrix};

use crate::csv::{Reader, Row};
use crate::error::{Error, Result};

/// Which columns are not features.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Roles {
    /// Name of the target column.
    pub target: String,
    /// Name of the column of row weights.
    pub weight: Option<String>,
}

/// Features, target and weights of the rows that have a target.
///
/// ```
/// use gapfit_io::{Roles, Supervised, csv};
/// let text = "size,price\n,3.5\n2,NA\n";
/// let mut reader = csv::Reader::new(text.as_bytes(), "huts.csv", &csv::Options::default())?;
/// let roles = Roles { target: "price".to_owned(), weight: None };
/// let table = Supervised::read(&mut reader, &roles)?;
/// assert_eq!(table.data.target(), [3.5]);
/// assert_eq!(table.data.target_name(), "price");
/// assert_eq!(table.dropped, 1);
/// # Ok::<_, gapfit_io::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Supervised {
    /// The rows that have a target.
    pub data: Dataset,
    /// The number of rows left out because their target is missing.
    pub dropped: usize,
}

impl Supervised {
    /// The rows of `reader`; all columns that it does not ignore and that have no role are
    /// features. Columns are checked before the first row is read, cells as they come.
    ///
    /// # Errors
    /// Those of [`Reader::next_row`]; [`Error::AbsentColumn`], [`Error::TargetIsWeight`],
    /// [`Error::NoFeatures`], [`Error::HeaderOnly`], [`Error::NoTarget`], and
    /// [`Error::MissingWeight`] or [`Error::NegativeWeight`] in a row that has a target;
    /// [`Error::NoWeight`].
    pub fn read<R: Read>(reader: &mut Reader<R>, roles: &Roles) -> Result<Self> {
        let places = Places::of(reader, roles)?;
        let names = places
            .features
            .iter()
            .map(|&j| reader.columns()[j].name.clone());
        let mut rows = Rows::new(names.collect());
        while let Some(row) = reader.next_row()? {
            if let Err(problem) = rows.push(row, &places) {
                let at = reader.location(Some(problem.line()), places.weight);
                return Err(match problem {
                    BadWeight::Missing { .. } => Error::MissingWeight { at },
                    BadWeight::Negative { got, .. } => Error::NegativeWeight { at, got },
                });
            }
        }
        match (rows.target.len(), rows.dropped) {
            (0, 0) => Err(Error::HeaderOnly {
                file: reader.file().to_owned(),
            }),
            (0, dropped) => Err(Error::NoTarget {
                at: reader.location(None, Some(places.target)),
                rows: dropped,
            }),
            (n_rows, _) if rows.weigh_nothing() => Err(Error::NoWeight {
                at: reader.location(None, places.weight),
                rows: n_rows,
            }),
            _ => Ok(rows.finish(roles)),
        }
    }
}

/// Where target, weight and features stand among the columns that are read.
struct Places {
    target: usize,
    weight: Option<usize>,
    features: Vec<usize>,
}

impl Places {
    fn of<R: Read>(reader: &Reader<R>, roles: &Roles) -> Result<Self> {
        let target = reader.position(&roles.target, "target")?;
        let weight = match &roles.weight {
            Some(name) => Some(reader.position(name, "weight")?),
            None => None,
        };
        if weight == Some(target) {
            let at = reader.location(None, Some(target));
            return Err(Error::TargetIsWeight { at });
        }
        let features: Vec<usize> = (0..reader.columns().len())
            .filter(|&j| j != target && Some(j) != weight)
            .collect();
        if features.is_empty() {
            let file = reader.file().to_owned();
            return Err(Error::NoFeatures { file });
        }
        Ok(Self {
            target,
            weight,
            features,
        })
    }
}

/// The rows collected so far.
struct Rows {
    names: Vec<String>,
    features: MaskedMatrix,
    target: Vec<f64>,
    weights: Vec<f64>,
    dropped: usize,
}

enum BadWeight {
    Missing { line: u64 },
    Negative { line: u64, got: f64 },
}

impl BadWeight {
    fn line(&self) -> u64 {
        match *self {
            Self::Missing { line } | Self::Negative { line, .. } => line,
        }
    }
}

impl Rows {
    fn new(names: Vec<String>) -> Self {
        Self {
            features: MaskedMatrix::new(names.len()),
            names,
            target: Vec::new(),
            weights: Vec::new(),
            dropped: 0,
        }
    }

    fn push(&mut self, row: Row<'_>, places: &Places) -> std::result::Result<(), BadWeight> {
        let Some(target) = row.cells[places.target] else {
            self.dropped += 1;
            return Ok(());
        };
        let line = row.line;
        if let Some(j) = places.weight {
            match row.cells[j] {
                None => return Err(BadWeight::Missing { line }),
                Some(got) if got < 0.0 => return Err(BadWeight::Negative { line, got }),
                Some(weight) => self.weights.push(weight),
            }
        }
        self.target.push(target);
        self.features
            .push_row(places.features.iter().map(|&j| row.cells[j]))
            .expect("the reader gives finite cells, one per column");
        Ok(())
    }

    /// Whether there are weights and all of them are zero.
    fn weigh_nothing(&self) -> bool {
        !self.weights.is_empty() && self.weights.iter().all(|&weight| weight <= 0.0)
    }

    fn finish(self, roles: &Roles) -> Supervised {
        let mut data = Dataset::new(self.features, self.target)
            .and_then(|data| data.with_names(self.names))
            .expect("one finite target per row, one name per column")
            .with_target_name(&roles.target);
        if roles.weight.is_some() {
            data = data
                .with_weights(self.weights)
                .expect("one weight per row, none negative");
        }
        Supervised {
            data,
            dropped: self.dropped,
        }
    }
}
