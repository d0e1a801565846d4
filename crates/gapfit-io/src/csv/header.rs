//! The header line: delimiter, encoding, column names.

use std::collections::HashMap;
use std::io::{self, Read};

use super::record::Record;
use super::records::Records;
use crate::buffer::BOM;
use crate::cell::{excerpt, hexadecimal};
use crate::error::{Error, Result};
use crate::location::{Column, Location};

/// What starts with these bytes is not UTF-8.
const FOREIGN: [(&[u8], &str); 6] = [
    (b"\xFF\xFE", "UTF-16"),
    (b"\xFE\xFF", "UTF-16"),
    (b"\x1F\x8B", "gzip data"),
    (b"PAR1", "a Parquet file"),
    (b"PK\x03\x04", "a zip file or spreadsheet"),
    (b"SQLite format 3\0", "a SQLite file"),
];

/// Steps over a byte order mark and returns the delimiter: the given one, or that of the header.
pub(super) fn prepare<R: Read>(records: &mut Records<R>, given: Option<u8>) -> io::Result<u8> {
    let line = records.peek_line()?;
    let bom = if line.starts_with(BOM) { BOM.len() } else { 0 };
    let delimiter = given.unwrap_or_else(|| recognised(&line[bom..]));
    records.skip(bom);
    records.set_delimiter(delimiter);
    Ok(delimiter)
}

/// The delimiter of a header line: the commonest of `,` `;` tab outside quotes, else `,`.
fn recognised(line: &[u8]) -> u8 {
    let mut counts = [(b',', 0), (b';', 0), (b'\t', 0)];
    let mut quoted = false;
    for &byte in line {
        quoted ^= byte == b'"';
        for (candidate, count) in &mut counts {
            *count += usize::from(byte == *candidate && !quoted);
        }
    }
    let most = counts.iter().map(|c| c.1).max().expect("three candidates");
    let (winner, _) = counts
        .iter()
        .find(|c| c.1 == most)
        .expect("the maximum is among them");
    *winner
}

/// Refuses a file that is recognisably something else than UTF-8 text.
pub(crate) fn check_encoding(start: &[u8], file: &str) -> Result<()> {
    let known = FOREIGN.iter().find(|(magic, _)| start.starts_with(magic));
    let got = match known {
        Some((_, what)) => what,
        // text has no such byte, most other files (models among them) have one soon
        None if start.contains(&0) => "binary data",
        None => return Ok(()),
    };
    Err(Error::NotUtf8 {
        at: Location::new(file, Some(1)),
        got: got.to_owned(),
    })
}

/// The columns that a header record names, in file order.
pub(super) fn columns(record: Record<'_>, file: &str) -> Result<Vec<Column>> {
    let at = Location::new(file, Some(record.line));
    let mut columns: Vec<Column> = Vec::with_capacity(record.len());
    let mut seen = HashMap::with_capacity(record.len());
    for index in 0..record.len() {
        let content = record.content(index);
        let Ok(name) = std::str::from_utf8(content.trim_ascii()) else {
            let name = excerpt(&content);
            return Err(Error::NotUtf8 {
                got: format!("the bytes {}", hexadecimal(&content)),
                at: at.in_column(Some(&Column { index, name })),
            });
        };
        if let Some(first) = seen.insert(name.to_owned(), index) {
            return Err(Error::DuplicateColumn {
                at,
                name: name.to_owned(),
                first: first + 1,
                second: index + 1,
            });
        }
        let name = name.to_owned();
        columns.push(Column { index, name });
    }
    Ok(columns)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_commonest_delimiter_outside_quotes_wins() {
        for (line, expected) in [
            ("a,b,c", b','),
            ("a;b;c", b';'),
            ("a\tb", b'\t'),
            ("a", b','),
            ("\"x,y,z\";b", b';'),
            ("price, net;price, gross;tax", b','),
            ("a;b,c;d", b';'),
        ] {
            assert_eq!(recognised(line.as_bytes()), expected, "{line}");
        }
    }
}
