//! Where bytes come from: a file or standard input.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};

/// A file or, written `-`, standard input.
///
/// ```
/// use gapfit_io::Source;
/// assert_eq!(Source::from("-"), Source::Stdin);
/// assert_eq!(Source::from("houses.csv").name(), "houses.csv");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// Standard input.
    Stdin,
    /// A file.
    File(PathBuf),
}

impl From<&str> for Source {
    fn from(path: &str) -> Self {
        Path::new(path).into()
    }
}

impl From<&Path> for Source {
    fn from(path: &Path) -> Self {
        match path.to_str() {
            Some("-") => Self::Stdin,
            _ => Self::File(path.to_owned()),
        }
    }
}

impl Source {
    /// The name that messages use.
    pub fn name(&self) -> String {
        match self {
            Self::Stdin => "standard input".to_owned(),
            Self::File(path) => path.display().to_string(),
        }
    }

    /// Its bytes.
    ///
    /// # Errors
    /// [`Error::Unreadable`] when the system cannot open it.
    pub fn open(&self) -> Result<Box<dyn Read + Send>> {
        match self {
            Self::Stdin => Ok(Box::new(std::io::stdin())),
            Self::File(path) => match File::open(path) {
                Ok(file) => Ok(Box::new(file)),
                Err(cause) => Err(self.unreadable(cause)),
            },
        }
    }

    /// All its bytes at once.
    ///
    /// # Errors
    /// [`Error::Unreadable`] when the system cannot open or read it.
    pub fn read_all(&self) -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        match self.open()?.read_to_end(&mut bytes) {
            Ok(_) => Ok(bytes),
            Err(cause) => Err(self.unreadable(cause)),
        }
    }

    /// The number of bytes, where it is known beforehand.
    pub fn size(&self) -> Option<u64> {
        match self {
            Self::Stdin => None,
            Self::File(path) => {
                let about = path.metadata().ok()?;
                about.is_file().then_some(about.len())
            }
        }
    }

    fn unreadable(&self, cause: std::io::Error) -> Error {
        Error::Unreadable {
            file: self.name(),
            cause,
        }
    }
}
