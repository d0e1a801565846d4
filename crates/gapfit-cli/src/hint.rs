//! What can be done about an error, in a line of its own.

use std::fmt;

use gapfit_io::Error;

use crate::args::Usage;

/// An error of a command, and what can be done about it.
#[derive(Debug)]
pub(crate) struct Hinted {
    pub(crate) message: String,
    pub(crate) hint: &'static str,
}

impl Hinted {
    /// The error of a command that ends here.
    pub(crate) fn error(message: String, hint: &'static str) -> anyhow::Error {
        Self { message, hint }.into()
    }
}

impl fmt::Display for Hinted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Hinted {}

/// What the user can do about it; wrong usage says itself where to look.
pub(crate) fn hint(error: &anyhow::Error) -> Option<&'static str> {
    if error.is::<Usage>() {
        return None;
    }
    let hinted = error.downcast_ref::<Hinted>().map(|hinted| hinted.hint);
    let of_cause = |cause: &(dyn std::error::Error + 'static)| {
        if let Some(fault) = cause.downcast_ref::<Error>() {
            return Some(about_table(fault));
        }
        if let Some(fault) = cause.downcast_ref::<gapfit::Error>() {
            return Some(about_library(fault));
        }
        let is_system = cause.is::<std::io::Error>();
        is_system.then_some("check the path, its permissions and the room on the disk")
    };
    hinted
        .or_else(|| error.chain().find_map(of_cause))
        .or(Some(ELSE))
}

/// The hint that is always true.
const ELSE: &str =
    "gapfit COMMAND --help has every flag and examples; try on fewer rows and columns";

fn about_library(fault: &gapfit::Error) -> &'static str {
    use gapfit::Error;
    match fault {
        Error::Setting { .. } => "give the flag of that name another value",
        Error::Shape { .. } => "model and table do not fit: fit again, or give the table it is for",
        Error::NotFinite { .. } => "leave the cell empty where the value is not known",
        Error::Empty { .. } => "rows need a target and a positive weight",
        Error::NotPositiveDefinite { .. } | Error::Numerical { .. } => {
            "columns differ by too much: try --scale standard, a larger --alpha, or --ignore some"
        }
        Error::TooLarge { .. } => "take --solver exact, which has no such limit, or fewer rows",
        Error::TooWide { .. } => {
            "leave columns out by --ignore, or take --method mean or gapfit stream, which need less"
        }
        Error::Model { .. } => {
            "the file is damaged, of another version or no model: copy it again, or fit again"
        }
        Error::Io { .. } => "check the path, its permissions and the room on the disk",
        Error::Stopped => "run it again to finish",
        _ => ELSE,
    }
}

fn about_table(fault: &Error) -> &'static str {
    match fault {
        Error::Unreadable { .. } => "check the path, its permissions and that the file is whole",
        Error::EmptyFile { .. } | Error::HeaderOnly { .. } | Error::NoRows { .. } => {
            "a table has named columns and one row or more"
        }
        Error::OtherFormat { .. } => {
            "formats are CSV, NDJSON, Parquet and Arrow: name it after its content"
        }
        Error::Damaged { .. } => "copy the file again, or write it again",
        Error::TooLarge { .. } => "give the file itself instead of a pipe",
        Error::NotBuilt { .. } => "build with the feature arrow, or write the table as CSV",
        Error::NotUtf8 { .. } | Error::NotText { .. } => {
            "write the table as CSV in UTF-8, or as Parquet"
        }
        Error::DuplicateColumn { .. } | Error::DuplicateKey { .. } => "rename one of the columns",
        Error::Clash { .. } => "rename one of the columns, or leave it out by --ignore",
        Error::AbsentColumn { .. } => "columns are found by their names, letter by letter",
        Error::Ragged { .. } => "cells that hold the delimiter need quotes; --delimiter sets it",
        Error::UnclosedQuote { .. } | Error::TooLong { .. } => {
            "look for a quote that is never closed"
        }
        Error::Text { .. } => {
            "--missing names texts that stand for a hole, --ignore leaves a column out, --task classification takes a target as labels"
        }
        Error::Unlike { .. } => {
            "--missing names texts that stand for a hole; when fitting, --categorical takes the column as text"
        }
        Error::Ids { .. } => {
            "leave the column out by --id or --ignore; if these are dates, name it in --dates"
        }
        Error::Infinite { .. } => "leave the cell empty where the value is not known",
        Error::Unsupported { .. } | Error::Nested { .. } => "leave the column out by --ignore",
        Error::NotObject { .. } => {
            "NDJSON has one object a line, and no commas or brackets around them"
        }
        Error::NoTarget { .. } => {
            "--target names the column to predict, --missing the texts that stand for a hole"
        }
        Error::MixedTarget { .. } => {
            "--task classification takes numbers for labels, too; --missing names texts that stand for a hole"
        }
        Error::UnknownClass { .. } => {
            "the model tells apart the classes it was fitted to; --missing LABEL leaves rows of another out"
        }
        Error::TooManyClasses { .. } => {
            "--target names the column to predict, --task regression takes numbers as they are; merge rare labels"
        }
        Error::OneClass { .. } => "there is nothing to tell apart: take rows of other classes, too",
        Error::Incomplete { .. } => "fill the cell or remove the row",
        Error::NotTime { .. } => "--group takes any text, --time needs times",
        Error::NegativeWeight { .. } | Error::NoWeight { .. } => {
            "weights count rows: 0 leaves one out, 2 counts it twice"
        }
        Error::SharedColumn { .. } => "each column has one role",
        Error::NoFeatures { .. } => "a model needs a column to predict from",
        _ => ELSE,
    }
}
