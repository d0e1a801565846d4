//! Which format a file has, by its content and its name.

use crate::buffer::BOM;

/// How a table is written.
///
/// ```
/// use gapfit_io::Format;
/// assert_eq!(Format::Parquet.to_string(), "Parquet");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Format {
    /// Delimited text: a header line, then one row a line.
    Csv,
    /// One JSON object a line.
    Ndjson,
    /// Apache Parquet.
    Parquet,
    /// An Arrow file: IPC with a footer, as in Feather version 2.
    ArrowFile,
    /// An Arrow stream: IPC without a footer.
    ArrowStream,
}

/// Bytes that are enough to tell formats apart.
pub(crate) const PEEKED: usize = 64;

/// How compressed text begins.
pub(crate) const GZIP: &[u8] = b"\x1F\x8B";

impl std::fmt::Display for Format {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Csv => "CSV",
            Self::Ndjson => "NDJSON",
            Self::Parquet => "Parquet",
            Self::ArrowFile => "Arrow",
            Self::ArrowStream => "Arrow stream",
        })
    }
}

impl Format {
    /// The format of a file that starts with these bytes; between texts, the name decides first. `Err`
    /// has what the name promises and the bytes do not keep.
    pub(crate) fn recognise(start: &[u8], file: &str) -> Result<Self, Self> {
        let binary = [
            (&b"PAR1"[..], Self::Parquet),
            (b"ARROW1", Self::ArrowFile),
            (b"\xFF\xFF\xFF\xFF", Self::ArrowStream),
        ];
        if let Some((_, format)) = binary.iter().find(|(magic, _)| start.starts_with(magic)) {
            return Ok(*format);
        }
        match Self::of_name(file) {
            Some(format @ (Self::Csv | Self::Ndjson)) => Ok(format),
            // empty files have a message of their own
            Some(format) if !start.is_empty() => Err(format),
            _ if is_object(start) => Ok(Self::Ndjson),
            _ => Ok(Self::Csv),
        }
    }

    /// The format that the name of a file promises by its ending.
    fn of_name(file: &str) -> Option<Self> {
        let name = file.to_ascii_lowercase();
        let name = name.strip_suffix(".gz").unwrap_or(&name);
        let (_, ending) = name.rsplit_once('.')?;
        match ending {
            "csv" | "tsv" | "txt" => Some(Self::Csv),
            "ndjson" | "jsonl" | "json-lines" | "json" => Some(Self::Ndjson),
            "parquet" | "pq" => Some(Self::Parquet),
            "arrow" | "feather" | "ipc" => Some(Self::ArrowFile),
            "arrows" => Some(Self::ArrowStream),
            _ => None,
        }
    }
}

/// Whether the first byte that is neither blank nor a byte order mark opens a JSON object.
fn is_object(start: &[u8]) -> bool {
    let text = start.strip_prefix(BOM).unwrap_or(start);
    text.trim_ascii_start().first() == Some(&b'{')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn content_comes_before_the_name_and_the_name_before_the_first_letter() {
        for (start, file, expected) in [
            (&b"PAR1\x15"[..], "t.csv", Ok(Format::Parquet)),
            (b"ARROW1\0\0", "-", Ok(Format::ArrowFile)),
            (b"\xFF\xFF\xFF\xFF\x10", "-", Ok(Format::ArrowStream)),
            (b"\xEF\xBB\xBF \n{\"a\":1}", "-", Ok(Format::Ndjson)),
            (b"{a},b\n", "t.csv", Ok(Format::Csv)),
            (b"{a},b\n", "t.CSV.gz", Ok(Format::Csv)),
            (b"a,b\n", "t.jsonl", Ok(Format::Ndjson)),
            (b"a,b\n", "houses", Ok(Format::Csv)),
            (b"", "t.parquet", Ok(Format::Csv)),
            (b"a,b\n", "t.parquet", Err(Format::Parquet)),
            (b"a,b\n", "t.feather", Err(Format::ArrowFile)),
        ] {
            assert_eq!(Format::recognise(start, file), expected, "{file}");
        }
    }
}
