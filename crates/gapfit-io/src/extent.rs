//! How large a table is once it is read, before it is.

use std::io::Read;

use crate::csv::Options;
use crate::format::Format;
use crate::input::Input;
use crate::reader::Reader;
use crate::source::Source;

/// Bytes of text that are looked at.
const LOOKED_AT: usize = 1 << 16;
/// What text is about that takes one byte compressed.
const UNPACKED: f64 = 4.0;

impl Source {
    /// About how many bytes the cells of the table take as numbers in memory: by the number of rows where the file
    /// knows it, otherwise by its size and the length of its first lines. `None` where neither can be told, or it
    /// cannot be read.
    ///
    /// ```
    /// use gapfit_io::{Source, csv};
    /// let folder = std::env::temp_dir();
    /// let file = folder.join("gapfit-extent-example.csv");
    /// std::fs::write(&file, "a,b\n".to_owned() + &"1,\n".repeat(1000))?;
    /// let bytes = Source::from(file.as_path()).extent(&csv::Options::default());
    /// assert_eq!(bytes, Some(16_016));
    /// std::fs::remove_file(file)?;
    /// # Ok::<_, std::io::Error>(())
    /// ```
    pub fn extent(&self, options: &Options) -> Option<u64> {
        let size = self.size()?;
        let mut input = Input::of(self).ok()?;
        let start = input.unpack_and_peek().ok()?;
        let format = Format::recognise(&start, &self.name()).ok()?;
        let cells = match format {
            Format::Csv | Format::Ndjson => {
                let mut text = Vec::new();
                let looked_at = input.unwatched().ok()?.take(LOOKED_AT as u64);
                { looked_at }.read_to_end(&mut text).ok()?;
                let unpacked = if input.is_packed() { UNPACKED } else { 1.0 };
                let is_between = |byte: &&u8| match format {
                    Format::Csv => {
                        let delimiters =
                            [b',', b';', b'\t', b'|', options.delimiter.unwrap_or(b',')];
                        **byte == b'\n' || delimiters.contains(byte)
                    }
                    _ => **byte == b':',
                };
                let cells = text.iter().filter(is_between).count();
                size as f64 * unpacked * cells as f64 / text.len().max(1) as f64
            }
            _ => {
                let reader = Reader::open(self, options).ok()?;
                match reader.n_rows() {
                    Some(n_rows) => n_rows as f64 * reader.columns().len() as f64,
                    None => size as f64 / 8.0,
                }
            }
        };
        Some((8.0 * cells) as u64)
    }
}
