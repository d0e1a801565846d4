//! Output that grows while a command runs: what is written stays, also if the run is cut short.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::Path;

use anyhow::{Context, Result, bail};

use crate::hint::Hinted;

/// A file that grows, a pipe, or standard output.
#[derive(Debug)]
pub(crate) struct Growing {
    name: String,
    out: BufWriter<To>,
    bytes: u64,
}

#[derive(Debug)]
enum To {
    Stdout,
    File(File),
}

impl Write for To {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Stdout => io::stdout().write(bytes),
            Self::File(file) => file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Stdout => io::stdout().flush(),
            Self::File(file) => file.flush(),
        }
    }
}

impl Growing {
    /// The output at `path`, `-` for standard output; of a file that is there, the first `keep` bytes
    /// stay.
    pub(crate) fn open(path: &Path, keep: u64) -> Result<Self> {
        let name = path.display().to_string();
        let to = Self::to(path, keep).with_context(|| Hinted {
            message: format!("{name}: cannot be written"),
            hint: "give another place; to begin anew, remove the checkpoint or leave out --resume",
        })?;
        Ok(Self {
            name,
            out: BufWriter::with_capacity(1 << 16, to),
            bytes: keep,
        })
    }

    fn to(path: &Path, keep: u64) -> Result<To> {
        if path == Path::new("-") || path == Path::new("/dev/stdout") {
            return Ok(To::Stdout);
        }
        let mut options = OpenOptions::new();
        options.write(true);
        match fs::metadata(path) {
            Ok(about) if about.is_dir() => bail!("expected a file, got a folder"),
            Ok(about) if !about.is_file() => return Ok(To::File(options.open(path)?)),
            _ => {}
        }
        let mut file = options.create(true).truncate(false).open(path)?;
        let length = file.metadata()?.len();
        if length < keep {
            bail!("expected the {keep} bytes written before the checkpoint, got {length}");
        }
        file.set_len(keep)?;
        file.seek(SeekFrom::End(0))?;
        Ok(To::File(file))
    }

    /// Whether this is standard output.
    pub(crate) fn is_stdout(&self) -> bool {
        matches!(self.out.get_ref(), To::Stdout)
    }

    /// Bytes written, those kept included.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    pub(crate) fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.bytes += bytes.len() as u64;
        let written = self.out.write_all(bytes);
        written.with_context(|| self.name.clone())
    }

    /// Hands on what is buffered.
    pub(crate) fn flush(&mut self) -> Result<()> {
        let flushed = self.out.flush();
        flushed.with_context(|| self.name.clone())
    }

    /// Makes sure that a file keeps what was written, whatever happens next.
    pub(crate) fn sync(&mut self) -> Result<()> {
        self.flush()?;
        match self.out.get_ref() {
            // A pipe cannot be synchronised and need not be.
            To::File(file) if file.metadata().is_ok_and(|about| about.is_file()) => {
                file.sync_data().with_context(|| self.name.clone())
            }
            _ => Ok(()),
        }
    }
}
