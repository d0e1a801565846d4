//! Opening the tables that a command reads.

use std::io::Read;
use std::path::Path;

use anyhow::{Result, anyhow};
use gapfit_io::csv::{Options, Reader};
use gapfit_io::{Roles, Source, Supervised};

use crate::talk::Talk;

/// A reader of the table at `path`, with a progress bar over its bytes.
pub(crate) fn open(path: &Path, options: &Options, talk: &Talk) -> Result<Reader<Box<dyn Read>>> {
    let source = Source::from(path);
    let bar = talk.bytes("reading", source.size());
    let bytes: Box<dyn Read> = Box::new(bar.wrap_read(source.open()?));
    Ok(Reader::new(bytes, &source.name(), options)?)
}

/// The rows of `reader` that have a target; warns of those that do not.
pub(crate) fn supervised<R: Read>(
    reader: &mut Reader<R>,
    roles: &Roles,
    talk: &Talk,
) -> Result<Supervised> {
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
