//! Text as a cell of CSV.

/// A text as a cell of CSV, in quotes where it needs them.
pub(crate) fn quoted(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_needs_quotes_gets_them() {
        assert_eq!(quoted("price, net"), "\"price, net\"");
        assert_eq!(quoted("5\" pipe"), "\"5\"\" pipe\"");
        assert_eq!(quoted("a;b"), "a;b");
    }
}
