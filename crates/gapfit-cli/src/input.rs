//! Opening the tables that a command reads.

use std::path::Path;

use anyhow::Result;
use gapfit::data::{Kind, Schema};
use gapfit_io::csv::Options;
use gapfit_io::{Kinds, Reader, Rewriter, Roles, Source, Supervised, is_date};

use crate::hint::Hinted;
use crate::talk::Talk;

/// A reader of the table at `path`, with a progress bar over its bytes.
pub(crate) fn open(path: &Path, options: &Options, talk: &Talk) -> gapfit_io::Result<Reader> {
    let source = Source::from(path);
    let bar = talk.bytes("reading", source.size());
    let watch = move |count| bar.inc(count);
    Reader::open_watched(&source, options, watch)
}

/// As [`open`], and a writer of the same rows that follows the reader.
pub(crate) fn open_twice(
    path: &Path,
    options: &Options,
    talk: &Talk,
) -> Result<(Reader, Rewriter)> {
    let source = Source::from(path);
    let bar = talk.bytes("reading", source.size());
    let watch = move |count| bar.inc(count);
    Ok(Reader::open_twice(&source, options, watch)?)
}

/// The rows of `reader` that have a target; warns of those that do not.
pub(crate) fn supervised(
    reader: &mut Reader,
    roles: &Roles,
    kinds: &Kinds,
    talk: &Talk,
) -> Result<Supervised> {
    let table =
        Supervised::read_as(reader, roles, kinds).map_err(|fault| about_several(fault, roles))?;
    warn_of_dropped(&table, reader, roles, talk);
    warn_of_dates(&table, kinds, reader.file(), talk);
    Ok(table)
}

/// The error, with a hint of its own where one of several targets is text.
fn about_several(fault: gapfit_io::Error, roles: &Roles) -> anyhow::Error {
    match fault {
        gapfit_io::Error::Text { .. } if !roles.further_targets.is_empty() => Hinted::error(
            fault.to_string(),
            "many targets: numbers only; fit classes one target at a time, --missing names texts that stand for a hole",
        ),
        fault => fault.into(),
    }
}

/// Points out dates that are taken for categories though nobody asked for that.
fn warn_of_dates(table: &Supervised, kinds: &Kinds, file: &str, talk: &Talk) {
    let columns = table
        .data
        .schema()
        .map_or(&[][..], |schema| schema.columns());
    let has_dates = |kind: &Kind| match kind {
        Kind::Categorical(levels) => {
            let mut texts = levels.kept().iter().chain(levels.pooled());
            texts.all(|text| is_date(text))
        }
        _ => false,
    };
    for column in columns.iter().filter(|column| has_dates(&column.kind)) {
        let name = &column.name;
        if !kinds.categorical.contains(name) {
            talk.warn(format_args!(
                "{file}: the dates in {name:?} are taken as categories; --dates {name} makes days of them"
            ));
        }
    }
}

/// As [`supervised`], with the features of a model; also warns of levels that it does not know.
pub(crate) fn encoded(
    reader: &mut Reader,
    roles: &Roles,
    schema: &Schema,
    talk: &Talk,
) -> Result<Supervised> {
    let table = Supervised::read_encoded(reader, roles, schema)?;
    warn_of_dropped(&table, reader, roles, talk);
    let unseen = table.unseen.iter().map(|(name, n)| (name.as_str(), *n));
    warn_of_levels(unseen, reader.file(), talk);
    Ok(table)
}

fn warn_of_dropped(table: &Supervised, reader: &Reader, roles: &Roles, talk: &Talk) {
    let dropped = table.dropped;
    if dropped > 0 {
        let of = reader.file();
        let n_rows = dropped + table.data.n_rows();
        let lack = match roles.further_targets.len() {
            0 => format!("have no target {:?}", roles.target),
            n => format!("lack one of the {} targets", n + 1),
        };
        talk.warn(format_args!(
            "{of}: {dropped} of {n_rows} rows {lack} and are left out"
        ));
    }
}

/// Warns of columns with levels that training did not have, given the number of cells that have one.
pub(crate) fn warn_of_levels<'a>(
    unseen: impl Iterator<Item = (&'a str, usize)>,
    file: &str,
    talk: &Talk,
) {
    let names: Vec<_> = unseen.map(|(name, n)| format!("'{name}' ({n})")).collect();
    if !names.is_empty() {
        let names = names.join(", ");
        talk.warn(format_args!(
            "{file}: categories that training did not have: {names}; taken as missing"
        ));
    }
}

/// What the library says of the table that messages call `file`: a setting is a flag by that name.
pub(crate) fn fault(file: &str, error: gapfit::Error) -> anyhow::Error {
    match error {
        gapfit::Error::Setting { .. } => Hinted {
            message: format!("{file}: --{error}"),
            hint: "give the flag another value, or take more rows",
        }
        .into(),
        error => anyhow::Error::new(error).context(file.to_owned()),
    }
}
