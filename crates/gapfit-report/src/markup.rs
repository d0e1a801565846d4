//! Text that is safe inside a page or a picture.

/// The text with everything that could end it, or an attribute around it, written as a reference.
/// Characters that XML does not know are left out.
pub(crate) fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            '\n' | '\r' | '\t' => safe.push(' '),
            '\u{fffe}' | '\u{ffff}' => {}
            c if c.is_control() => {}
            c => safe.push(c),
        }
    }
    safe
}

/// The name in at most this many characters; what is left out is in the middle, since names of a
/// family often differ at their ends.
pub(crate) fn clipped(name: &str, most: usize) -> String {
    let letters: Vec<char> = name.chars().collect();
    if letters.len() <= most {
        return name.to_owned();
    }
    let tail = (most - 1) / 3;
    let head: String = letters[..most - 1 - tail].iter().collect();
    let tail: String = letters[letters.len() - tail..].iter().collect();
    format!("{}…{}", head.trim_end(), tail.trim_start())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_ends_a_text_or_an_attribute() {
        let hostile = "</title><script>\"'&\u{0}\n";
        assert_eq!(
            escaped(hostile),
            "&lt;/title&gt;&lt;script&gt;&quot;&#39;&amp; "
        );
    }

    #[test]
    fn long_names_are_cut_between_characters() {
        assert_eq!(clipped("größe", 5), "größe");
        assert_eq!(clipped("größe des gartens", 9), "größe…ns");
        assert_eq!(clipped("measurement_25", 9), "measur…25");
    }
}
