//! What the user says of the columns.

use gapfit::data::LevelRule;
use serde::{Deserialize, Serialize};

use crate::reader::Reading;

/// Kinds of columns that are not guessed, and how categories become levels.
///
/// A column that no list names is numeric where all its cells are numbers or holes, boolean where all are
/// true or false, and otherwise categorical.
///
/// ```
/// use gapfit_io::{Kinds, Reader, Roles, Supervised, Task, csv};
/// let text = "zip,price\n01234,3\n01234,4\n99999,1\n";
/// let mut reader = Reader::new(text.as_bytes(), "huts.csv", &csv::Options::default())?;
/// let roles = Roles {
///     target: "price".to_owned(),
///     further_targets: vec![],
///     weight: None,
///     folds_by: None,
///     task: Task::Auto,
/// };
/// let kinds = Kinds { categorical: vec!["zip".to_owned()], ..Kinds::default() };
/// let table = Supervised::read_as(&mut reader, &roles, &kinds)?;
/// assert_eq!(table.data.names(), ["zip=01234", "zip=99999"]);
/// # Ok::<_, gapfit_io::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Kinds {
    /// Columns of numbers; anything else in them is a fault.
    pub numeric: Vec<String>,
    /// Columns of categories, even if they look like numbers.
    pub categorical: Vec<String>,
    /// Columns of dates, which become days.
    pub dates: Vec<String>,
    /// Which levels share a feature.
    pub level_rule: LevelRule,
}

/// The kind that a column has by the word of the user.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Declared {
    Nothing,
    Numeric,
    Categorical,
    Date,
}

impl Declared {
    /// What its cells can be.
    pub(super) fn reading(self) -> Reading {
        match self {
            Self::Nothing => Reading::Any,
            Self::Numeric => Reading::Number,
            Self::Categorical | Self::Date => Reading::Text,
        }
    }
}

impl Kinds {
    /// What each named column is for.
    pub(crate) fn named(&self) -> impl Iterator<Item = (&'static str, &str)> + Clone {
        [
            ("numeric", &self.numeric),
            ("categorical", &self.categorical),
            ("date", &self.dates),
        ]
        .into_iter()
        .flat_map(|(role, names)| names.iter().map(move |name| (role, name.as_str())))
    }

    pub(super) fn declared(&self, name: &str) -> Declared {
        let is_in = |names: &[String]| names.iter().any(|other| other == name);
        match () {
            () if is_in(&self.numeric) => Declared::Numeric,
            () if is_in(&self.categorical) => Declared::Categorical,
            () if is_in(&self.dates) => Declared::Date,
            () => Declared::Nothing,
        }
    }
}
