//! The group or the time of each row, from the text of a column.

use std::collections::HashMap;

use gapfit::tune::Folding;

use crate::cell::excerpt;
use crate::time::{self, seconds};

/// The column that says which rows are held out together.
///
/// It is no feature, and it must have an entry in every row that has a target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FoldsBy {
    /// Rows with the same text in this column stay together.
    Group(String),
    /// Models are judged on rows that are later than those they learnt from, by this column of
    /// numbers or of dates such as `2024-03-01` or `2024-03-01T12:30:00Z` (ISO 8601).
    Time(String),
}

impl FoldsBy {
    /// The name of the column.
    pub fn column(&self) -> &str {
        match self {
            Self::Group(column) | Self::Time(column) => column,
        }
    }

    /// What the column is for, in messages.
    pub(crate) fn role(&self) -> &'static str {
        match self {
            Self::Group(_) => "group",
            Self::Time(_) => "time",
        }
    }
}

/// The labels of the rows read so far.
pub(crate) enum Labels {
    None,
    Groups {
        numbers: HashMap<Vec<u8>, u32>,
        groups: Vec<u32>,
    },
    Times {
        /// Whether they are dates, once the first is read: seconds and other numbers do not mix.
        are_dates: Option<bool>,
        times: Vec<f64>,
    },
}

/// What is wrong with a label.
pub(crate) enum BadLabel {
    /// There is none; the role of the column.
    Missing(&'static str),
    NotTime {
        expected: &'static str,
        got: String,
    },
}

impl Labels {
    pub(crate) fn new(by: Option<&FoldsBy>) -> Self {
        match by {
            None => Self::None,
            Some(FoldsBy::Group(_)) => Self::Groups {
                numbers: HashMap::new(),
                groups: Vec::new(),
            },
            Some(FoldsBy::Time(_)) => Self::Times {
                are_dates: None,
                times: Vec::new(),
            },
        }
    }

    /// Takes the text of the next row, `None` where it is missing.
    pub(crate) fn push(&mut self, text: Option<&[u8]>) -> Result<(), BadLabel> {
        match self {
            Self::None => {}
            Self::Groups { numbers, groups } => {
                let text = text.ok_or(BadLabel::Missing("group"))?;
                let number = match numbers.get(text) {
                    Some(&number) => number,
                    None => {
                        let next =
                            u32::try_from(numbers.len()).expect("a table has at most 2^32 rows");
                        numbers.insert(text.to_vec(), next);
                        next
                    }
                };
                groups.push(number);
            }
            Self::Times { are_dates, times } => {
                let text = text.ok_or(BadLabel::Missing("time"))?;
                times.push(time(text, are_dates)?);
            }
        }
        Ok(())
    }

    pub(crate) fn finish(self) -> Folding {
        match self {
            Self::None => Folding::default(),
            Self::Groups { groups, .. } => Folding::Grouped(groups),
            Self::Times { times, .. } => Folding::Timed(times),
        }
    }
}

/// The time that a text says: a number as it is, a date in seconds.
fn time(text: &[u8], are_dates: &mut Option<bool>) -> Result<f64, BadLabel> {
    let not = |expected| BadLabel::NotTime {
        expected,
        got: excerpt(text),
    };
    let written = std::str::from_utf8(text).map_err(|_| not(time::EXPECTED))?;
    let number = written.parse().ok().filter(|time: &f64| time.is_finite());
    let is_date = number.is_none();
    let time = number.or_else(|| seconds(written));
    let time = time.ok_or_else(|| not(time::EXPECTED))?;
    match are_dates.replace(is_date) {
        Some(true) if !is_date => Err(not("a date as in the rows before")),
        Some(false) if is_date => Err(not("a number as in the rows before")),
        _ => Ok(time),
    }
}
