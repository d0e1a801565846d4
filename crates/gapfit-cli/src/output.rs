//! Where results go: files that appear whole or not at all, streams, standard output.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use serde::Serialize;
use tempfile::NamedTempFile;

use crate::args::Usage;
use crate::hint::Hinted;
use crate::interrupt::Unfinished;

/// A place to write to, checked when it is made so that a long run does not fail at its end.
#[derive(Debug)]
pub(crate) struct Output {
    name: String,
    place: Place,
}

#[derive(Debug)]
enum Place {
    Stdout,
    /// A device or pipe: opened and written, never replaced.
    Stream(PathBuf),
    /// A regular file, there or not: replaced by a finished one.
    File(PathBuf),
}

/// Content that is written but, for a file, not yet in its place.
#[derive(Debug)]
#[must_use = "a file appears when it is committed"]
pub(crate) struct Staged {
    name: String,
    file: Option<StagedFile>,
}

/// A finished file beside its place.
#[derive(Debug)]
struct StagedFile {
    file: NamedTempFile,
    place: PathBuf,
    unfinished: Unfinished,
}

impl Output {
    /// The output at `path`, where `-` is standard output.
    pub(crate) fn new(path: &Path) -> Result<Self> {
        let name = path.display().to_string();
        let place = Self::place(path).with_context(|| Hinted {
            message: format!("{name}: cannot be written"),
            hint: "give another place by -o, or make the folder and see to its permissions",
        })?;
        Ok(Self { name, place })
    }

    /// Standard output.
    pub(crate) fn stdout() -> Self {
        Self {
            name: "standard output".to_owned(),
            place: Place::Stdout,
        }
    }

    fn place(path: &Path) -> Result<Place> {
        if path == Path::new("-") || path == Path::new("/dev/stdout") {
            return Ok(Place::Stdout);
        }
        match fs::metadata(path) {
            Ok(about) if about.is_dir() => bail!("expected a file, got a folder"),
            Ok(about) if !about.is_file() => return Ok(Place::Stream(path.to_owned())),
            _ => {}
        }
        let file = resolved(path)?;
        drop(temporary(&file)?);
        Ok(Place::File(file))
    }

    /// Whether this is standard output.
    pub(crate) fn is_stdout(&self) -> bool {
        matches!(self.place, Place::Stdout)
    }

    /// Refuses standard output where that has the JSON.
    pub(crate) fn check_beside_json(&self, is_json: bool) -> Result<(), Usage> {
        if is_json && self.is_stdout() {
            let message = "--json: expected a file for --output, got standard output for both";
            return Err(Usage(message.to_owned()));
        }
        Ok(())
    }

    /// Refuses to replace one of the files that a command reads.
    pub(crate) fn check_keeps(&self, inputs: &[&Path]) -> Result<(), Usage> {
        match inputs.iter().find(|path| self.replaces(path)) {
            None => Ok(()),
            Some(path) => Err(Usage(format!(
                "--output: expected another file than the input, got {} for both",
                path.display()
            ))),
        }
    }

    /// Whether writing would replace the file at `path`.
    pub(crate) fn replaces(&self, path: &Path) -> bool {
        let Place::File(file) = &self.place else {
            return false;
        };
        fs::canonicalize(path).is_ok_and(|there| there == *file)
    }

    /// Whether both are one file or stream.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        match (&self.place, &other.place) {
            (Place::Stdout, Place::Stdout) => true,
            (Place::Stream(a), Place::Stream(b)) | (Place::File(a), Place::File(b)) => a == b,
            _ => false,
        }
    }

    /// Writes what `fill` gives; a file appears at its end, or not at all.
    pub(crate) fn write(&self, fill: impl FnOnce(&mut dyn Write) -> Result<()>) -> Result<()> {
        self.stage(fill)?.commit()
    }

    /// Writes `value` as indented JSON and a line end.
    pub(crate) fn write_json(&self, value: &impl Serialize) -> Result<()> {
        self.write(|out| {
            serde_json::to_writer_pretty(&mut *out, value).map_err(io::Error::from)?;
            Ok(writeln!(out)?)
        })
    }

    /// Writes what `fill` gives: to a stream at once, to a file once it is committed.
    pub(crate) fn stage(&self, fill: impl FnOnce(&mut dyn Write) -> Result<()>) -> Result<Staged> {
        let name = self.name.clone();
        match self.stage_file(fill) {
            Ok(file) => Ok(Staged { name, file }),
            // what `fill` reads has a name of its own, what it writes has ours
            Err(error) if error.is::<io::Error>() => Err(error.context(unwritten(name))),
            Err(error) => Err(error),
        }
    }

    fn stage_file(
        &self,
        fill: impl FnOnce(&mut dyn Write) -> Result<()>,
    ) -> Result<Option<StagedFile>> {
        match &self.place {
            Place::Stdout => fill_and_flush(io::stdout().lock(), fill)?,
            Place::Stream(path) => {
                fill_and_flush(OpenOptions::new().write(true).open(path)?, fill)?;
            }
            Place::File(path) => {
                let file = temporary(path)?;
                let unfinished = Unfinished::new(file.path());
                fill_and_flush(file.as_file(), fill)?;
                file.as_file().sync_all()?;
                return Ok(Some(StagedFile {
                    file,
                    place: path.clone(),
                    unfinished,
                }));
            }
        }
        Ok(None)
    }
}

impl Staged {
    /// Puts a file in its place.
    pub(crate) fn commit(self) -> Result<()> {
        if let Some(staged) = self.file {
            let persisted = staged.file.persist(staged.place).map_err(|e| e.error);
            persisted.with_context(|| unwritten(self.name))?;
            drop(staged.unfinished);
        }
        Ok(())
    }
}

/// The error about a place that broke while it was written to.
fn unwritten(name: String) -> Hinted {
    Hinted {
        message: name,
        hint: "make room there, or give another place by -o; nothing was changed",
    }
}

fn fill_and_flush(to: impl Write, fill: impl FnOnce(&mut dyn Write) -> Result<()>) -> Result<()> {
    let mut to = BufWriter::with_capacity(1 << 16, to);
    fill(&mut to)?;
    Ok(to.flush()?)
}

/// The one path of a file: the file behind a link is replaced, not the link.
fn resolved(path: &Path) -> Result<PathBuf> {
    if let Ok(file) = fs::canonicalize(path) {
        return Ok(file);
    }
    let Some(name) = path.file_name() else {
        bail!("expected a file name, got none");
    };
    let folder = match path.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    };
    match fs::canonicalize(folder) {
        Ok(folder) if folder.is_dir() => Ok(folder.join(name)),
        _ => bail!("expected a folder {}, got none", folder.display()),
    }
}

/// A file beside `path` that vanishes unless it is renamed; it has the permissions of the file at
/// `path`, or those of any new file.
fn temporary(path: &Path) -> Result<NamedTempFile> {
    let folder = path.parent().expect("a resolved path has a folder");
    let mut builder = tempfile::Builder::new();
    builder.prefix(".gapfit-");
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    // the system's own words name the temporary file, which says nothing to the user
    let file = builder
        .tempfile_in(folder)
        .map_err(|error| io::Error::from(error.kind()))?;
    if let Ok(about) = fs::metadata(path) {
        let file: &File = file.as_file();
        file.set_permissions(about.permissions())?;
    }
    Ok(file)
}
