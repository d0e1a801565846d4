//! Which rows are held out together.

use std::fmt;

use gapfit::tune::Folding;
use gapfit_io::FoldsBy;
use serde::Serialize;

/// The rule by which rows are parted into folds; without a flag they are shuffled, or stratified where the
/// target is classes.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Folds")]
pub(crate) struct FoldRule {
    /// Column of groups, any text, no feature: rows of one group are held out together.
    #[arg(
        long,
        value_name = "COL",
        requires = "file",
        conflicts_with_all = ["time", "stratify"]
    )]
    group: Option<String>,
    /// Column of times, numbers or ISO 8601 dates, no feature: learns from the past, is judged on the
    /// future.
    #[arg(
        long,
        value_name = "COL",
        requires = "file",
        conflicts_with = "stratify"
    )]
    time: Option<String>,
    /// Spreads the values of the target evenly over the folds; classes always are.
    #[arg(long)]
    stratify: bool,
}

/// What is said about it: the JSON, and the words after a sentence on the data.
#[derive(Debug, Serialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub(crate) enum About<'a> {
    Shuffled,
    Stratified,
    Grouped {
        column: &'a str,
    },
    Timed {
        column: &'a str,
    },
    /// By the cells of rows.
    Hashed,
}

impl fmt::Display for About<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Shuffled => Ok(()),
            Self::Stratified => f.write_str("; stratified folds"),
            Self::Grouped { column } => write!(f, "; folds by group {column:?}"),
            Self::Timed { column } => write!(f, "; folds by time {column:?}"),
            Self::Hashed => f.write_str("; folds by the cells of rows"),
        }
    }
}

impl FoldRule {
    /// The column that is read for it.
    pub(crate) fn column(&self) -> Option<FoldsBy> {
        let group = self.group.clone().map(FoldsBy::Group);
        group.or_else(|| self.time.clone().map(FoldsBy::Time))
    }

    /// The rule, given what was read from the column.
    pub(crate) fn folding(&self, read: Folding) -> Folding {
        if self.stratify {
            Folding::Stratified
        } else {
            read
        }
    }

    /// The flag that sums over rows cannot follow.
    pub(crate) fn needs_rows(&self) -> Option<&'static str> {
        match (&self.group, &self.time) {
            (Some(_), _) => Some("--group"),
            (_, Some(_)) => Some("--time"),
            _ => self.stratify.then_some("--stratify"),
        }
    }

    /// What is said of it, for a target of classes or of numbers.
    pub(crate) fn about(&self, has_classes: bool) -> About<'_> {
        match (&self.group, &self.time) {
            (Some(column), _) => About::Grouped { column },
            (_, Some(column)) => About::Timed { column },
            _ if self.stratify || has_classes => About::Stratified,
            _ => About::Shuffled,
        }
    }
}
