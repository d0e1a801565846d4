//! What can be done about an error, in a line of its own.

use std::fmt;

use gapfit_io::Error;

/// An error of a command, and what can be done about it.
#[derive(Debug)]
pub(crate) struct Hinted {
    pub(crate) message: String,
    pub(crate) hint: &'static str,
}

impl fmt::Display for Hinted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Hinted {}

/// What the user can do about it, where that is known.
pub(crate) fn hint(error: &anyhow::Error) -> Option<&'static str> {
    if let Some(hinted) = error.downcast_ref::<Hinted>() {
        return Some(hinted.hint);
    }
    error.chain().find_map(|cause| {
        if let Some(fault) = cause.downcast_ref::<Error>() {
            return about_table(fault);
        }
        match cause.downcast_ref::<gapfit::Error>()? {
            gapfit::Error::Model { .. } => Some(
                "the file is damaged, of another version or no model: copy it again, or fit again",
            ),
            gapfit::Error::Empty { .. } => Some("rows need a target and a positive weight"),
            _ => None,
        }
    })
}

fn about_table(fault: &Error) -> Option<&'static str> {
    Some(match fault {
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
            "--missing names texts that stand for a hole, --ignore leaves a column out"
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
        Error::Incomplete { .. } => "fill the cell or remove the row",
        Error::NotTime { .. } => "--group takes any text, --time needs times",
        Error::NegativeWeight { .. } | Error::NoWeight { .. } => {
            "weights count rows: 0 leaves one out, 2 counts it twice"
        }
        Error::SharedColumn { .. } => "each column has one role",
        Error::NoFeatures { .. } => "a model needs a column to predict from",
        _ => return None,
    })
}
