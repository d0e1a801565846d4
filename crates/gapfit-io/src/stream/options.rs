//! How a stream is written, and which of its columns are no features.

use std::path::Path;

use crate::cell::{Missing, NotNumber};

/// How a stream is written.
///
/// | name | default | purpose |
/// |---|---|---|
/// | `format` | recognised from the name of the file, else from the first byte | CSV or NDJSON |
/// | `delimiter` | recognised from the header: `,` `;` or tab | the byte between cells of CSV |
/// | `missing` | empty, NA, N/A, NaN, nan, null, None, ? | the texts that mark a hole |
/// | `infinite` | a fault of the row | what an infinite number is |
/// | `ignore` | none | columns that are not looked at |
/// | `row_limit` | 64 MiB | bytes that a row may have |
///
/// ```
/// use gapfit_io::stream::{Infinite, Options, Reader, Roles};
/// let options = Options {
///     infinite: Infinite::Hole,
///     ignore: vec!["note".to_owned()],
///     ..Options::default()
/// };
/// let roles = Roles { target: "price".to_owned(), weight: None, id: Some("hut".to_owned()) };
/// let text = "hut,size,note,price\n7,inf,by the lake,3.5\n";
/// let mut reader = Reader::new(text.as_bytes(), "huts.csv", &roles, &options)?;
/// assert_eq!(reader.names(), ["size"]);
/// let row = reader.next_row()?.unwrap();
/// assert_eq!((row.id, row.features.get(0)), (Some("7"), None));
/// # Ok::<_, gapfit_io::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Options {
    /// CSV or NDJSON; recognised when absent.
    pub format: Option<Format>,
    /// The byte between cells of CSV; recognised from the header when absent.
    pub delimiter: Option<u8>,
    /// The texts that mark a hole.
    pub missing: Missing,
    /// What an infinite number is.
    pub infinite: Infinite,
    /// Columns that are not looked at, whatever stands in them. The header of CSV must have them.
    pub ignore: Vec<String>,
    /// Bytes that a row may have: a line, or in CSV the lines that quotes hold together. After a
    /// longer one, reading goes on with its second line.
    pub row_limit: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            format: None,
            delimiter: None,
            missing: Missing::default(),
            infinite: Infinite::default(),
            ignore: Vec::new(),
            row_limit: 1 << 26,
        }
    }
}

/// How rows are written.
///
/// ```
/// use gapfit_io::stream::Format;
/// assert_eq!(Format::of_name("rows.jsonl"), Some(Format::Ndjson));
/// assert_eq!(Format::of_name("standard input"), None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Delimited text: a header line, then one row a line.
    Csv,
    /// One JSON object a line.
    Ndjson,
}

impl Format {
    /// The format that the name of a file promises by its ending.
    pub fn of_name(file: &str) -> Option<Self> {
        let ending = Path::new(file).extension()?.to_str()?;
        match ending.to_ascii_lowercase().as_str() {
            "csv" | "tsv" | "txt" => Some(Self::Csv),
            "ndjson" | "jsonl" | "json-lines" => Some(Self::Ndjson),
            _ => None,
        }
    }
}

/// What an infinite number, or one too large to be held, is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Infinite {
    /// A hole. (A weight must be finite all the same.)
    Hole,
    /// A fault of the row.
    #[default]
    Fault,
}

/// Which columns are not features.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Roles {
    /// Name of the target column.
    pub target: String,
    /// Name of the column of row weights.
    pub weight: Option<String>,
    /// Name of the column that tells rows apart.
    pub id: Option<String>,
}

impl Roles {
    /// What each named column is for.
    pub(super) fn named(&self) -> impl Iterator<Item = (&'static str, &str)> + Clone {
        let weight = self.weight.iter().map(|name| ("weight", name.as_str()));
        let id = self.id.iter().map(|name| ("id", name.as_str()));
        [("target", self.target.as_str())]
            .into_iter()
            .chain(weight)
            .chain(id)
    }
}

impl Options {
    /// These names and the ignored ones, each with what it is for.
    pub(super) fn and_ignored<'a>(
        &'a self,
        roles: &'a Roles,
    ) -> impl Iterator<Item = (&'static str, &'a str)> + Clone {
        let ignored = self.ignore.iter().map(|name| ("ignored", name.as_str()));
        roles.named().chain(ignored)
    }
}

/// The rules for one cell.
#[derive(Clone, Debug)]
pub(super) struct Rules {
    pub(super) missing: Missing,
    pub(super) infinite: Infinite,
}

impl Rules {
    pub(super) fn of(options: &Options) -> Self {
        Self {
            missing: options.missing.clone(),
            infinite: options.infinite,
        }
    }

    /// The number in the cell of a feature, `None` where it is missing.
    pub(super) fn number(&self, cell: &[u8]) -> Result<Option<f64>, NotNumber> {
        match self.missing.parse(cell) {
            Err(NotNumber::Infinite) if self.infinite == Infinite::Hole => Ok(None),
            result => result,
        }
    }

    /// A text without spaces around it; empty where it is missing.
    pub(super) fn text<'a>(&self, text: &'a str) -> &'a str {
        let text = text.trim_ascii();
        if self.missing.matches(text.as_bytes()) {
            return "";
        }
        text
    }
}
