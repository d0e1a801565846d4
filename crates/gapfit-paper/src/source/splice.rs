//! The LIBSVM selection of the splice set: 1 where a stretch of 60 bases has no junction, else -1.

use super::file::{Folder, number};
use super::park::finish;
use super::unexpected;
use crate::Result;
use gapfit::data::{Dataset, MaskedMatrix};

const BASES: usize = 60;

pub(super) fn read(folder: &Folder<'_>) -> Result<Dataset> {
    let text = folder.read(&["splice.csv", "splice", "splice.txt", "splice_scale"])?;
    let (mut table, mut target) = (MaskedMatrix::new(BASES), Vec::new());
    let is_csv = text.name == "splice.csv";
    for (place, line) in text.lines().skip(usize::from(is_csv)) {
        let (label, row) = match is_csv {
            true => commas(&place, line)?,
            false => pairs(&place, line)?,
        };
        let label = match label {
            "1" | "+1" => 1.0,
            "-1" => -1.0,
            other => {
                let got = format!("'{}'", other.chars().take(40).collect::<String>());
                return Err(unexpected(place, "the label 1 or -1", got));
            }
        };
        let given = row.iter().flatten().count();
        if given != BASES {
            let expected = format!("{BASES} features");
            return Err(unexpected(place, &expected, given.to_string()));
        }
        table.push_row(row)?;
        target.push(label);
    }
    finish(&text, table, target)
}

type Record<'a> = (&'a str, Vec<Option<f64>>);

/// Values, then the label, between commas.
fn commas<'a>(place: &str, line: &'a str) -> Result<Record<'a>> {
    let mut cells: Vec<&str> = line.split(',').map(str::trim).collect();
    let label = cells.pop().unwrap_or_default();
    let row = cells.iter().map(|cell| number(place, cell));
    Ok((label, row.collect::<Result<_>>()?))
}

/// The label, then `number:value` pairs, as LIBSVM writes them.
fn pairs<'a>(place: &str, line: &'a str) -> Result<Record<'a>> {
    let mut words = line.split_ascii_whitespace();
    let label = words.next().unwrap_or_default();
    let mut row = vec![None; BASES];
    for word in words {
        let (index, value) = word.split_once(':').unwrap_or((word, ""));
        let at = index
            .parse::<usize>()
            .ok()
            .filter(|j| (1..=BASES).contains(j));
        let expected = format!("a feature from 1 to {BASES}");
        let at = at.ok_or_else(|| unexpected(place, &expected, format!("'{index}'")))?;
        row[at - 1] = number(place, value)?;
    }
    Ok((label, row))
}
