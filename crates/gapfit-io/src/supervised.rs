//! A table to learn from: which column is the target, which the weight, which decides the folds, and
//! what that demands.

use std::io::Read;

use gapfit::data::{Dataset, MaskedMatrix};
use gapfit::tune::Folding;

use crate::csv::{Reader, Row};
use crate::error::{Error, Result};
use crate::label::{BadLabel, FoldsBy, Labels};

/// Which columns are not features.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Roles {
    /// Name of the target column.
    pub target: String,
    /// Name of the column of row weights.
    pub weight: Option<String>,
    /// The column of groups or times.
    pub folds_by: Option<FoldsBy>,
}

impl Roles {
    /// What each named column is for.
    fn named(&self) -> impl Iterator<Item = (&'static str, &str)> + Clone {
        let weight = self.weight.iter().map(|name| ("weight", name.as_str()));
        let by = self.folds_by.iter().map(|by| (by.role(), by.column()));
        [("target", self.target.as_str())]
            .into_iter()
            .chain(weight)
            .chain(by)
    }
}

/// Features, target, weights and folding of the rows that have a target.
///
/// ```
/// use gapfit_io::{Roles, Supervised, csv};
/// let text = "size,price\n,3.5\n2,NA\n";
/// let mut reader = csv::Reader::new(text.as_bytes(), "huts.csv", &csv::Options::default())?;
/// let roles = Roles { target: "price".to_owned(), weight: None, folds_by: None };
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
    /// Their groups or times; shuffled where there is no such column.
    pub folding: Folding,
    /// The number of rows left out because their target is missing.
    pub dropped: usize,
}

impl Supervised {
    /// The rows of `reader`; all columns that it does not ignore and that have no role are
    /// features. Columns are checked before the first row is read, cells as they come.
    ///
    /// # Errors
    /// Those of [`Reader::next_row`]; [`Error::AbsentColumn`], [`Error::SharedColumn`],
    /// [`Error::NoFeatures`], [`Error::HeaderOnly`], [`Error::NoTarget`], and
    /// [`Error::Incomplete`], [`Error::NegativeWeight`] or [`Error::NotTime`] in a row that has a
    /// target; [`Error::NoWeight`].
    pub fn read<R: Read>(reader: &mut Reader<R>, roles: &Roles) -> Result<Self> {
        let places = Places::of(reader, roles)?;
        let names = places
            .features
            .iter()
            .map(|&j| reader.columns()[j].name.clone());
        let mut rows = Rows::new(names.collect(), roles);
        while let Some(row) = reader.next_row()? {
            let line = row.line;
            if let Err(fault) = rows.push(row, &places) {
                return Err(fault.at(line, reader, &places));
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
    /// The places after the column of groups or times was set aside.
    fn of<R: Read>(reader: &mut Reader<R>, roles: &Roles) -> Result<Self> {
        reader.check_roles(roles.named())?;
        if let Some(by) = &roles.folds_by {
            reader.set_aside(by.column(), by.role())?;
        }
        let target = reader.position(&roles.target, "target")?;
        let weight = match &roles.weight {
            Some(name) => Some(reader.position(name, "weight")?),
            None => None,
        };
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
    labels: Labels,
    dropped: usize,
}

/// What is wrong with a row.
enum Fault {
    MissingWeight,
    NegativeWeight(f64),
    Label(BadLabel),
}

impl Fault {
    /// The error that says where.
    fn at<R: Read>(self, line: u64, reader: &Reader<R>, places: &Places) -> Error {
        let weight = || reader.location(Some(line), places.weight);
        let aside = || reader.location_aside(line);
        match self {
            Self::MissingWeight => Error::Incomplete {
                at: weight(),
                role: "weight",
            },
            Self::NegativeWeight(got) => Error::NegativeWeight { at: weight(), got },
            Self::Label(BadLabel::Missing(role)) => Error::Incomplete { at: aside(), role },
            Self::Label(BadLabel::NotTime { expected, got }) => Error::NotTime {
                at: aside(),
                expected,
                got,
            },
        }
    }
}

impl Rows {
    fn new(names: Vec<String>, roles: &Roles) -> Self {
        Self {
            features: MaskedMatrix::new(names.len()),
            names,
            target: Vec::new(),
            weights: Vec::new(),
            labels: Labels::new(roles.folds_by.as_ref()),
            dropped: 0,
        }
    }

    fn push(&mut self, row: Row<'_>, places: &Places) -> std::result::Result<(), Fault> {
        let Some(target) = row.cells[places.target] else {
            self.dropped += 1;
            return Ok(());
        };
        if let Some(j) = places.weight {
            match row.cells[j] {
                None => return Err(Fault::MissingWeight),
                Some(got) if got < 0.0 => return Err(Fault::NegativeWeight(got)),
                Some(weight) => self.weights.push(weight),
            }
        }
        self.labels.push(row.text).map_err(Fault::Label)?;
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
            folding: self.labels.finish(),
            dropped: self.dropped,
        }
    }
}
