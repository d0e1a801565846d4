//! Numbers that JSON does not know and that are written all the same, by Python among others.

const WORDS: [&str; 3] = ["NaN", "Infinity", "-Infinity"];

/// The line with quotes around each such word outside quotes; `None` where there is none.
pub(crate) fn quoted(line: &str) -> Option<String> {
    if !WORDS.iter().any(|word| line.contains(word)) {
        return None;
    }
    let (mut copy, mut rest, mut is_inside) = (String::with_capacity(2 * line.len()), line, false);
    while let Some(first) = rest.chars().next() {
        let word = WORDS
            .iter()
            .find(|word| !is_inside && rest.starts_with(**word));
        let length = match (word, first) {
            (Some(word), _) => word.len(),
            // what is escaped cannot end the quotes
            (None, '\\') => 1 + rest[1..].chars().next().map_or(0, char::len_utf8),
            (None, _) => first.len_utf8(),
        };
        is_inside ^= first == '"';
        let quote = if word.is_some() { "\"" } else { "" };
        copy.extend([quote, &rest[..length], quote]);
        rest = &rest[length..];
    }
    Some(copy)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bare_words_are_quoted_and_texts_left_alone() {
        let line = r#"{"NaN": NaN, "a\"NaN": [-Infinity,Infinity], "é": "\\", "b": NaN}"#;
        let expected =
            r#"{"NaN": "NaN", "a\"NaN": ["-Infinity","Infinity"], "é": "\\", "b": "NaN"}"#;
        assert_eq!(quoted(line).as_deref(), Some(expected));
        assert_eq!(quoted(r#"{"a": 1}"#), None);
        assert_eq!(quoted("NaN\\").as_deref(), Some("\"NaN\"\\"));
    }
}
