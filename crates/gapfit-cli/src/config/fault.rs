//! What clap says of a value, said of the place in the file that it comes from.

use std::error::Error as _;
use std::fmt;

use clap::error::{ContextKind, ContextValue, ErrorKind};

use super::entry::Entry;
use crate::args::Usage;

/// Which flags a file has set, for who did not type them.
#[derive(Debug)]
pub(crate) struct FromFile(String);

impl fmt::Display for FromFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The error with the file in it: as the place, if one of its values is at fault.
pub(super) fn place(error: clap::Error, entries: &[Entry], file: &str) -> anyhow::Error {
    let flag = text(&error, ContextKind::InvalidArg);
    let entry = entries
        .iter()
        .find(|entry| Some(&entry.flag) == flag.as_ref());
    match (entry, error.kind()) {
        (Some(entry), ErrorKind::ValueValidation | ErrorKind::InvalidValue) => {
            Usage(format!("{}: {}", entry.at, complaint(&error))).into()
        }
        // what a file sets may need another flag, or stand against one
        (_, ErrorKind::MissingRequiredArgument | ErrorKind::ArgumentConflict)
            if !entries.is_empty() =>
        {
            let flags: Vec<&str> = entries.iter().map(|entry| entry.flag.as_str()).collect();
            let note = format!("{file} sets {}", flags.join(", "));
            anyhow::Error::new(error).context(FromFile(note))
        }
        _ => error.into(),
    }
}

fn complaint(error: &clap::Error) -> String {
    let got = text(error, ContextKind::InvalidValue).unwrap_or_default();
    let near = text(error, ContextKind::SuggestedValue);
    let near = near.map_or(String::new(), |near| format!("; did you mean {near:?}?"));
    let why = error.source().map(ToString::to_string);
    let expected = match (why, error.get(ContextKind::ValidValue)) {
        // the library's word on a setting, which begins with its name and ends with what it got
        (Some(why), _) if why.contains(", got ") && why.contains(": expected") => {
            return why
                .split_once(": ")
                .map_or(why.clone(), |(_, why)| why.to_owned());
        }
        (Some(why), _) if why.starts_with("expected") => why,
        (Some(why), _) => format!("expected another value ({why})"),
        (None, Some(ContextValue::Strings(names))) => format!("expected {}", names.join(" or ")),
        (None, _) => "expected another value".to_owned(),
    };
    format!("{expected}, got {got:?}{near}")
}

fn text(error: &clap::Error, kind: ContextKind) -> Option<String> {
    match error.get(kind)? {
        ContextValue::String(text) => Some(text.clone()),
        ContextValue::Strings(texts) => texts.first().cloned(),
        _ => None,
    }
}
