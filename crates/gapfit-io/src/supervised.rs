//! A table to learn from: which column is the target, which the weight, which decides the folds, and
//! what that demands.

use gapfit::data::{Dataset, MaskedMatrix};
use gapfit::tune::Folding;

use crate::error::{Error, Result};
use crate::label::{BadLabel, FoldsBy, Labels};
use crate::reader::{Cell, Place, Reader, Reading, Row};

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
/// use gapfit_io::{Reader, Roles, Supervised, csv};
/// let text = "size,price\n,3.5\n2,NA\n";
/// let mut reader = Reader::new(text.as_bytes(), "huts.csv", &csv::Options::default())?;
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
    /// [`Error::NoFeatures`], [`Error::HeaderOnly`], [`Error::NoRows`], [`Error::NoTarget`], and
    /// [`Error::Incomplete`], [`Error::NegativeWeight`] or [`Error::NotTime`] in a row that has a
    /// target; [`Error::NoWeight`].
    pub fn read(reader: &mut Reader, roles: &Roles) -> Result<Self> {
        let places = Places::of(reader, roles)?;
        let names = places
            .features
            .iter()
            .map(|&j| reader.columns()[j].name.clone());
        let mut rows = Rows::new(names.collect(), roles);
        while let Some(row) = reader.next_row()? {
            let place = row.place;
            if let Err(fault) = rows.push(row, &places) {
                return Err(fault.at(place, reader, &places));
            }
        }
        match (rows.target.len(), rows.dropped) {
            (0, 0) => Err(reader.no_rows()),
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
    label: Option<usize>,
    features: Vec<usize>,
}

impl Places {
    /// The places; columns are read as their roles demand.
    fn of(reader: &mut Reader, roles: &Roles) -> Result<Self> {
        reader.check_roles(roles.named())?;
        let place = |name: &Option<&str>, role| name.map(|n| reader.position(n, role)).transpose();
        let target = reader.position(&roles.target, "target")?;
        let weight = place(&roles.weight.as_deref(), "weight")?;
        let by = roles.folds_by.as_ref();
        let label = place(&by.map(FoldsBy::column), by.map_or("", FoldsBy::role))?;
        let features: Vec<usize> = (0..reader.columns().len())
            .filter(|&j| ![Some(target), weight, label].contains(&Some(j)))
            .collect();
        for j in 0..reader.columns().len() {
            let is_label = Some(j) == label;
            reader.read_as(
                j,
                if is_label {
                    Reading::Text
                } else {
                    Reading::Number
                },
            );
        }
        if features.is_empty() {
            let file = reader.file().to_owned();
            return Err(Error::NoFeatures { file });
        }
        Ok(Self {
            target,
            weight,
            label,
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
    fn at(self, place: Place, reader: &Reader, places: &Places) -> Error {
        let weight = || reader.location(Some(place), places.weight);
        let aside = || reader.location(Some(place), places.label);
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
        let Some(target) = row.number(places.target) else {
            self.dropped += 1;
            return Ok(());
        };
        if let Some(j) = places.weight {
            match row.number(j) {
                None => return Err(Fault::MissingWeight),
                Some(got) if got < 0.0 => return Err(Fault::NegativeWeight(got)),
                Some(weight) => self.weights.push(weight),
            }
        }
        let label = places.label.and_then(|j| match row.cell(j) {
            Cell::Text(text) => Some(text.as_bytes()),
            _ => None,
        });
        self.labels.push(label).map_err(Fault::Label)?;
        self.target.push(target);
        self.features
            .push_row(places.features.iter().map(|&j| row.number(j)))
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
