//! What is read from streams of either format, what is said about a bad row, and that reading goes on.

mod fault;
mod latency;
mod property;
mod row;

use std::io::Read;

use gapfit_io::stream::{Options, Reader, Roles, Row};

const CSV: &str = "t.csv";
const NDJSON: &str = "t.ndjson";

/// A row that owns what it holds.
#[derive(Clone, Debug, PartialEq)]
struct Owned {
    line: u64,
    cells: Vec<Option<f64>>,
    target: Option<String>,
    weight: f64,
    id: Option<String>,
}

impl From<Row<'_>> for Owned {
    fn from(row: Row<'_>) -> Self {
        let width = row.features.values().len();
        Self {
            line: row.line,
            cells: (0..width).map(|j| row.features.get(j)).collect(),
            target: row.target.map(str::to_owned),
            weight: row.weight,
            id: row.id.map(str::to_owned),
        }
    }
}

/// The target `y` and nothing else.
fn target() -> Roles {
    Roles {
        target: "y".to_owned(),
        weight: None,
        id: None,
    }
}

/// The target `y`, the weight `w` and the id `i`.
fn all_roles() -> Roles {
    Roles {
        weight: Some("w".to_owned()),
        id: Some("i".to_owned()),
        ..target()
    }
}

fn reader<'a>(text: &'a [u8], file: &str) -> Reader<&'a [u8]> {
    Reader::new(text, file, &target(), &Options::default()).expect("a stream")
}

/// All rows, and the messages of those that are refused.
fn outcomes<R: Read>(reader: &mut Reader<R>) -> Vec<std::result::Result<Owned, String>> {
    let mut found = Vec::new();
    loop {
        match reader.next_row() {
            Ok(Some(row)) => found.push(Ok(row.into())),
            Ok(None) => return found,
            Err(error) => {
                assert!(error.is_row_fault(), "{error}");
                found.push(Err(error.to_string()));
            }
        }
    }
}

/// All rows, none of them refused.
fn rows<R: Read>(reader: &mut Reader<R>) -> Vec<Owned> {
    let found: std::result::Result<Vec<_>, _> = outcomes(reader).into_iter().collect();
    found.expect("no row is refused")
}
