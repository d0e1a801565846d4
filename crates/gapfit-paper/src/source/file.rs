//! Text files of a folder that the user named.

use super::unexpected;
use crate::{Error, Result};
use std::fs;
use std::path::Path;

/// A folder of data files, if one was named.
pub(super) struct Folder<'a> {
    path: Option<&'a Path>,
}

/// The text of a file, and its name for messages.
pub(super) struct Text {
    pub(super) name: String,
    text: String,
}

/// The largest file that is read: each of the paper's is below a megabyte.
const LIMIT: u64 = 50_000_000;

impl<'a> Folder<'a> {
    pub(super) fn new(path: Option<&'a Path>) -> Self {
        Self { path }
    }

    /// The first of these files that is there.
    pub(super) fn read(&self, names: &[&str]) -> Result<Text> {
        let missing = |place: String| Error::NotFound {
            names: names.join(" or "),
            place,
        };
        let Some(folder) = self.path else {
            return Err(missing("--data-dir, which was not given".to_owned()));
        };
        let found = names.iter().find(|name| folder.join(name).is_file());
        let Some(name) = found else {
            return Err(missing(folder.display().to_string()));
        };
        let path = folder.join(name);
        let io = |source| Error::Io {
            path: path.clone(),
            source,
        };
        let size = fs::metadata(&path).map_err(io)?.len();
        if size > LIMIT {
            let expected = format!("at most {LIMIT} bytes");
            return Err(unexpected(*name, &expected, size.to_string()));
        }
        let bytes = fs::read(&path).map_err(io)?;
        let text = String::from_utf8(bytes);
        let text = text.map_err(|_| unexpected(*name, "text", "bytes that are none"))?;
        Ok(Text {
            name: (*name).to_owned(),
            text,
        })
    }
}

impl Text {
    /// Every line that is not blank, as cells between commas, with its place for messages.
    pub(super) fn records(&self) -> impl Iterator<Item = (String, Vec<&str>)> {
        self.lines()
            .map(|(place, line)| (place, line.split(',').map(str::trim).collect()))
    }

    /// Every line that is not blank, with its place for messages.
    pub(super) fn lines(&self) -> impl Iterator<Item = (String, &str)> {
        let lines = self.text.lines().enumerate();
        lines
            .filter(|(_, line)| !line.trim().is_empty())
            .map(|(i, line)| (format!("{}, line {}", self.name, i + 1), line.trim()))
    }
}

/// The finite number in a cell, `None` where it is empty or `?`.
pub(super) fn number(place: &str, cell: &str) -> Result<Option<f64>> {
    if cell.is_empty() || cell == "?" {
        return Ok(None);
    }
    let number = cell.parse::<f64>().ok().filter(|x| x.is_finite());
    let got = || format!("'{}'", cell.chars().take(40).collect::<String>());
    number
        .map(Some)
        .ok_or_else(|| unexpected(place, "a number", got()))
}
