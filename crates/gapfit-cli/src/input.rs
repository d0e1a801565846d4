//! Opening the tables that a command reads.

use std::io::Read;
use std::path::Path;

use anyhow::{Result, anyhow};
use gapfit::data::Dataset;
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

/// The rows of `reader` that have a target; says how many do not.
pub(crate) fn supervised<R: Read>(
    reader: &mut Reader<R>,
    roles: &Roles,
    talk: &Talk,
) -> Result<Dataset> {
    let Supervised { data, dropped } = Supervised::read(reader, roles)?;
    if dropped > 0 {
        talk.warn(format_args!(
            "{}: {dropped} of {} rows have no target {:?} and are left out",
            reader.file(),
            dropped + data.n_rows(),
            roles.target
        ));
    }
    Ok(data)
}

/// What the library says of the table that messages call `file`: a setting is a flag by that name.
pub(crate) fn fault(file: &str, error: &gapfit::Error) -> anyhow::Error {
    match error {
        gapfit::Error::Setting { .. } => anyhow!("{file}: --{error}"),
        _ => anyhow!("{file}: {error}"),
    }
}
