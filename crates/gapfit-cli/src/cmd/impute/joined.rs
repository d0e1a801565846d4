//! Tables that follow each other in one.

use std::io::{self, Write};

use anyhow::Result;
use gapfit_io::Rewriter;

use super::unwritten;
use crate::hint::Hinted;

/// An output to which tables go one after the other, under the header of the first.
pub(super) struct Joined<'a> {
    out: &'a mut dyn Write,
    /// Without mark and line end; none before the first table.
    header: Option<Vec<u8>>,
    /// What is written before the next row: nothing goes out for tables without rows.
    pending: Vec<u8>,
    last: Option<u8>,
}

impl<'a> Joined<'a> {
    pub(super) fn new(out: &'a mut dyn Write) -> Self {
        Self {
            out,
            header: None,
            pending: Vec::new(),
            last: None,
        }
    }

    /// Begins with a table, which must have the header of those before.
    pub(super) fn begin(&mut self, table: &mut Rewriter, file: &str) -> Result<()> {
        let mut text = Vec::new();
        table.header(&mut text).map_err(unwritten)?;
        let header = bare(&text);
        match &self.header {
            None => {
                self.header = Some(header.to_vec());
                self.pending = text;
                Ok(())
            }
            Some(first) if *first == header => {
                let is_open = self.last.is_some_and(|byte| byte != b'\n');
                self.pending.extend(is_open.then_some(b'\n'));
                Ok(())
            }
            Some(first) => Err(Hinted::error(
                format!(
                    "{file}: expected the header of the tables before, {:?}, got {:?}",
                    excerpt(first),
                    excerpt(header)
                ),
                "give a folder by -o, for a file of each table",
            )),
        }
    }
}

impl Joined<'_> {
    /// Writes the header of tables without rows.
    pub(super) fn finish(&mut self) -> Result<()> {
        Ok(self.write_pending()?)
    }

    fn write_pending(&mut self) -> io::Result<()> {
        self.out.write_all(&std::mem::take(&mut self.pending))
    }
}

/// A header without mark and line end.
fn bare(header: &[u8]) -> &[u8] {
    let header = header.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(header);
    header.trim_ascii()
}

/// The start of a header, for a message.
fn excerpt(header: &[u8]) -> String {
    const SHOWN: usize = 60;
    let text = String::from_utf8_lossy(header);
    match text.char_indices().nth(SHOWN) {
        None => text.into_owned(),
        Some((end, _)) => format!("{}...", &text[..end]),
    }
}

impl Write for Joined<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.write_pending()?;
        let count = self.out.write(bytes)?;
        self.last = bytes[..count].last().copied().or(self.last);
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}
