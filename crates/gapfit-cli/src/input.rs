//! Opening the tables that a command reads.

use std::path::Path;

use anyhow::{Result, anyhow};
use gapfit_io::csv::Options;
use gapfit_io::{Reader, Roles, Source, Supervised};

use crate::talk::Talk;

/// A reader of the table at `path`, with a progress bar over its bytes.
pub(crate) fn open(path: &Path, options: &Options, talk: &Talk) -> Result<Reader> {
    let source = Source::from(path);
    let bar = talk.bytes("reading", source.size());
    let watch = move |count| bar.inc(count);
    Ok(Reader::open_watched(&source, options, watch)?)
}

/// The rows of `reader` that have a target; warns of those that do not.
pub(crate) fn supervised(reader: &mut Reader, roles: &Roles, talk: &Talk) -> Result<Supervised> {
    let table = Supervised::read(reader, roles)?;
    let dropped = table.dropped;
    if dropped > 0 {
        talk.warn(format_args!(
            "{}: {dropped} of {} rows have no target {:?} and are left out",
            reader.file(),
            dropped + table.data.n_rows(),
            roles.target
        ));
    }
    Ok(table)
}

/// What the library says of the table that messages call `file`: a setting is a flag by that name.
pub(crate) fn fault(file: &str, error: &gapfit::Error) -> anyhow::Error {
    match error {
        gapfit::Error::Setting { .. } => anyhow!("{file}: --{error}"),
        _ => anyhow!("{file}: {error}"),
    }
}
