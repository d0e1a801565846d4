//! One record and its cells.

use std::borrow::Cow;

use super::scan::QUOTE;

/// One record: its line and its cells as they stand in the file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Record<'a> {
    /// One-based line on which it starts.
    pub(crate) line: u64,
    /// All of it, its end included.
    pub(super) bytes: &'a [u8],
    /// End of each cell; the next one starts a byte later.
    pub(super) ends: &'a [usize],
}

impl<'a> Record<'a> {
    /// The number of cells.
    pub(crate) fn len(self) -> usize {
        self.ends.len()
    }

    /// The raw bytes of cell `j`, quotes included.
    pub(crate) fn raw(self, j: usize) -> &'a [u8] {
        &self.bytes[self.span(j)]
    }

    /// The content of cell `j`, without quotes.
    pub(crate) fn content(self, j: usize) -> Cow<'a, [u8]> {
        unquoted(self.raw(j))
    }

    /// Where cell `j` lies in the record.
    pub(super) fn span(self, j: usize) -> std::ops::Range<usize> {
        let start = if j == 0 { 0 } else { self.ends[j - 1] + 1 };
        start..self.ends[j]
    }

    /// Whether it is a blank line, which does not count.
    pub(super) fn is_blank(self) -> bool {
        self.ends == [0]
    }
}

/// A cell without its quotes; nothing is copied unless a quote stands inside.
fn unquoted(raw: &[u8]) -> Cow<'_, [u8]> {
    let Some(inside) = raw.strip_prefix(b"\"") else {
        return Cow::Borrowed(raw);
    };
    if let Some(content) = inside.strip_suffix(b"\"")
        && !content.contains(&QUOTE)
    {
        return Cow::Borrowed(content);
    }
    let (mut content, mut rest) = (Vec::with_capacity(inside.len()), inside);
    while let Some(quote) = rest.iter().position(|&b| b == QUOTE) {
        content.extend_from_slice(&rest[..quote]);
        rest = &rest[quote + 1..];
        match rest.strip_prefix(b"\"") {
            Some(after) => {
                content.push(QUOTE);
                rest = after;
            }
            None => break,
        }
    }
    content.extend_from_slice(rest);
    Cow::Owned(content)
}
