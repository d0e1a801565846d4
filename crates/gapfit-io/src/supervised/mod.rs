//! A table to learn from: which column is the target, which the weight, which decides the folds, and
//! what that demands.

mod contents;
mod files;
mod gather;
mod outside;
mod rows;
mod sweep;

pub use contents::Contents;
pub use gather::Gathered;
pub use outside::Outside;
pub use sweep::Swept;

use gapfit::data::{Dataset, MaskedMatrix, Schema};
use gapfit::tune::Folding;

use crate::columns::{Encoder, Guesses, Kinds};
use crate::error::{Error, Result};
use crate::label::FoldsBy;
use crate::reader::Reader;
use crate::task::Task;
use rows::{Features, Places, Rows};

/// Which columns are not features.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Roles {
    /// Name of the target column.
    pub target: String,
    /// Names of further targets, if there are several; all are numbers then, whatever the task.
    pub further_targets: Vec<String>,
    /// Name of the column of row weights.
    pub weight: Option<String>,
    /// The column of groups or times.
    pub folds_by: Option<FoldsBy>,
    /// What the target is.
    pub task: Task,
}

impl Roles {
    /// What each named column is for.
    fn named(&self) -> impl Iterator<Item = (&'static str, &str)> + Clone {
        let weight = self.weight.iter().map(|name| ("weight", name.as_str()));
        let by = self.folds_by.iter().map(|by| (by.role(), by.column()));
        let targets = self.targets().map(|name| ("target", name));
        targets.chain(weight).chain(by)
    }

    /// The names of all targets.
    pub fn targets(&self) -> impl Iterator<Item = &str> + Clone {
        std::iter::once(&self.target)
            .chain(&self.further_targets)
            .map(String::as_str)
    }

    /// What the targets are.
    fn task(&self) -> &Task {
        match self.further_targets.is_empty() {
            true => &self.task,
            false => &Task::Regression,
        }
    }
}

/// Features, target, weights and folding of the rows that have a target, of several all of them.
///
/// ```
/// use gapfit_io::{Reader, Roles, Supervised, Task, csv};
/// let text = "size,price\n,3.5\n2,NA\n";
/// let mut reader = Reader::new(text.as_bytes(), "huts.csv", &csv::Options::default())?;
/// let roles = Roles {
///     target: "price".to_owned(),
///     further_targets: vec![],
///     weight: None,
///     folds_by: None,
///     task: Task::Auto,
/// };
/// let table = Supervised::read(&mut reader, &roles)?;
/// assert_eq!(table.data.target(), [3.5]);
/// assert_eq!(table.data.target_name(), "price");
/// assert_eq!(table.dropped, 1);
/// # Ok::<_, gapfit_io::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Supervised {
    /// The rows that have a target, with the columns behind their features; with classes, where the target
    /// has those.
    pub data: Dataset,
    /// Their groups or times; shuffled where there is no such column.
    pub folding: Folding,
    /// The number of rows left out because their target, or one of them, is missing.
    pub dropped: usize,
    /// Columns with levels that the given schema does not know, and how many cells have one.
    pub unseen: Vec<(String, usize)>,
}

impl Supervised {
    /// The rows of `reader`, all kinds of columns guessed; as [`read_as`](Self::read_as).
    ///
    /// # Errors
    /// As [`read_as`](Self::read_as).
    pub fn read(reader: &mut Reader, roles: &Roles) -> Result<Self> {
        Self::read_as(reader, roles, &Kinds::default())
    }

    /// The rows of `reader`; all columns that it does not ignore and that have no role are
    /// features, of kinds that are given or guessed from the rows that have a target. Columns are checked
    /// before the first row is read, cells as they come.
    ///
    /// # Errors
    /// Those of [`Reader::next_row`]; [`Error::AbsentColumn`], [`Error::SharedColumn`],
    /// [`Error::NoFeatures`], [`Error::HeaderOnly`], [`Error::NoRows`], [`Error::NoTarget`], and
    /// [`Error::Incomplete`], [`Error::NegativeWeight`], [`Error::NotTime`] or [`Error::Unlike`] in a row
    /// that has a target; [`Error::MixedTarget`], [`Error::UnknownClass`], [`Error::TooManyClasses`] and
    /// [`Error::OneClass`]; [`Error::NoWeight`], [`Error::Ids`] and [`Error::Clash`].
    pub fn read_as(reader: &mut Reader, roles: &Roles, kinds: &Kinds) -> Result<Self> {
        let places = checked_places(reader, roles, kinds)?;
        let mut guesses = Guesses::new(reader, &places.features, kinds);
        guesses.reserve(reader.n_rows().unwrap_or(0));
        let mut rows = Rows::new(Features::Guessed(guesses), roles);
        rows.read(reader, &places)?;
        rows.finish(reader, roles, kinds)
    }

    /// The rows of `reader`, with the features of a schema.
    ///
    /// # Errors
    /// As [`read_as`](Self::read_as).
    pub fn read_encoded(reader: &mut Reader, roles: &Roles, schema: &Schema) -> Result<Self> {
        reader.check_roles(roles.named())?;
        let places = Places::of(reader, roles)?;
        let features = MaskedMatrix::new(schema.n_features());
        let encoder = Encoder::new(reader, schema);
        let mut rows = Rows::new(Features::Encoded(encoder, features, schema), roles);
        rows.read(reader, &places)?;
        rows.finish(reader, roles, &Kinds::default())
    }
}

/// Where everything stands, once it is clear that the columns that are named are there, each for one purpose, and
/// that features are left.
fn checked_places(reader: &mut Reader, roles: &Roles, kinds: &Kinds) -> Result<Places> {
    reader.check_roles(roles.named().chain(kinds.named()))?;
    let places = Places::of(reader, roles)?;
    if places.features.is_empty() {
        let file = reader.file().to_owned();
        return Err(Error::NoFeatures { file });
    }
    Ok(places)
}
