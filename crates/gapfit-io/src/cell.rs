//! The rules for one cell of text, the same for every text format.

use crate::error::Error;
use crate::location::Location;

/// The texts that stand for a missing cell. An empty cell is always missing.
///
/// Spaces around a cell do not count; otherwise the text must match letter by letter.
///
/// ```
/// use gapfit_io::Missing;
/// assert!(Missing::default().matches(b"NA"));
/// assert!(Missing::new(["-999"]).matches(b"-999"));
/// assert!(!Missing::new(["-999"]).matches(b"NA"));
/// ```
#[derive(Clone, Debug)]
pub struct Missing {
    marks: Vec<Vec<u8>>,
    /// Whether some mark starts with this byte: most cells need no look at the marks.
    starts: [bool; 256],
    /// The marks that are numbers.
    #[cfg(feature = "arrow")]
    numbers: Vec<f64>,
}

impl Missing {
    /// The marks besides the empty cell that count unless others are given.
    pub const MARKS: [&str; 7] = ["NA", "N/A", "NaN", "nan", "null", "None", "?"];

    /// These marks, and the empty cell.
    pub fn new<S: AsRef<str>>(marks: impl IntoIterator<Item = S>) -> Self {
        let marks: Vec<Vec<u8>> = marks
            .into_iter()
            .map(|mark| mark.as_ref().trim_ascii().as_bytes().to_vec())
            .filter(|mark| !mark.is_empty())
            .collect();
        let mut starts = [false; 256];
        for mark in &marks {
            starts[usize::from(mark[0])] = true;
        }
        #[cfg(feature = "arrow")]
        let number = |mark: &Vec<u8>| fast_float2::parse::<f64, _>(mark).ok();
        #[cfg(feature = "arrow")]
        let numbers = marks.iter().filter_map(number).collect();
        Self {
            marks,
            starts,
            #[cfg(feature = "arrow")]
            numbers,
        }
    }

    /// Whether a cell without surrounding spaces is missing.
    pub fn matches(&self, cell: &[u8]) -> bool {
        match cell.first() {
            None => true,
            Some(&first) if self.starts[usize::from(first)] => self.marks.iter().any(|m| m == cell),
            Some(_) => false,
        }
    }

    /// Whether a number that was never written as text is missing: whether some mark writes it.
    #[cfg(feature = "arrow")]
    pub(crate) fn matches_number(&self, number: f64) -> bool {
        self.numbers
            .iter()
            .any(|mark| mark.total_cmp(&number).is_eq())
    }

    /// Whether some mark writes a number; NaN is none.
    #[cfg(feature = "arrow")]
    pub(crate) fn has_numbers(&self) -> bool {
        self.numbers.iter().any(|mark| !mark.is_nan())
    }

    /// The number in a cell, `None` where it is missing.
    pub(crate) fn parse(&self, cell: &[u8]) -> Result<Option<f64>, NotNumber> {
        let cell = cell.trim_ascii();
        if self.matches(cell) {
            return Ok(None);
        }
        match fast_float2::parse::<f64, _>(cell) {
            Ok(number) if number.is_finite() => Ok(Some(number)),
            Ok(number) if number.is_infinite() => Err(NotNumber::Infinite),
            _ => Err(NotNumber::Text),
        }
    }
}

impl Default for Missing {
    fn default() -> Self {
        Self::new(Self::MARKS)
    }
}

/// Why a cell is neither a number nor missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NotNumber {
    Text,
    Infinite,
}

impl NotNumber {
    /// The error that says where, and what stands there.
    pub(crate) fn error(self, at: Location, cell: &[u8]) -> Error {
        let got = excerpt(cell);
        match self {
            Self::Text => Error::Text { at, got },
            Self::Infinite => Error::Infinite { at, got },
        }
    }
}

/// The text of a cell as error messages quote it: decoded as far as possible, and short.
pub(crate) fn excerpt(cell: &[u8]) -> String {
    const SHOWN: usize = 40;
    let text = String::from_utf8_lossy(cell.trim_ascii());
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.into_owned(),
    }
}

/// The first of these bytes in hexadecimal digits.
pub(crate) fn hexadecimal(bytes: &[u8]) -> String {
    let shown: Vec<_> = bytes.iter().take(16).map(|b| format!("{b:02X}")).collect();
    shown.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Texts that are numbers, and texts that are nearly.
    fn texts() -> impl Strategy<Value = String> {
        prop_oneof![
            any::<f64>().prop_map(|x| x.to_string()),
            any::<f64>().prop_map(|x| format!("{x:e}")),
            (-1e9..1e9f64, 0usize..25).prop_map(|(x, digits)| format!("{x:.digits$}")),
            "[-+]?[0-9]{0,30}[.]?[0-9]{0,30}([eE][-+]?[0-9]{0,4})?",
            "[-+]?(inf|nan|INFINITY|Infinity|infinit|e5|[.]|_1|0x1|1 1|1é)?",
            "[-+0-9.eE]{0,8}",
        ]
    }

    proptest! {
        #[test]
        fn numbers_are_those_of_the_standard_library(text in texts()) {
            let expected = match text.parse::<f64>() {
                _ if text.is_empty() => Ok(None),
                Ok(number) if number.is_finite() => Ok(Some(number.to_bits())),
                Ok(number) if number.is_infinite() => Err(NotNumber::Infinite),
                _ => Err(NotNumber::Text),
            };
            let found = Missing::new(["?"]).parse(text.as_bytes());
            prop_assert_eq!(found.map(|cell| cell.map(f64::to_bits)), expected);
        }
    }

    #[test]
    fn numbers_holes_text_and_infinities_are_told_apart() {
        let missing = Missing::default();
        for mark in ["", "  ", "NA", " N/A ", "NaN", "nan", "null", "None", "?"] {
            assert_eq!(missing.parse(mark.as_bytes()), Ok(None), "{mark:?}");
        }
        for (text, number) in [
            ("0", 0.0),
            (" -1.5e3 ", -1500.0),
            ("+.5", 0.5),
            ("1e-400", 0.0),
        ] {
            assert_eq!(missing.parse(text.as_bytes()), Ok(Some(number)), "{text:?}");
        }
        for text in ["inf", "-Infinity", "1e999"] {
            assert_eq!(
                missing.parse(text.as_bytes()),
                Err(NotNumber::Infinite),
                "{text:?}"
            );
        }
        for text in ["x", "1,5", "1 2", "0x10", "na", "NAN", "-", "--"] {
            assert_eq!(
                missing.parse(text.as_bytes()),
                Err(NotNumber::Text),
                "{text:?}"
            );
        }
        assert_eq!(missing.parse(b"\xff1"), Err(NotNumber::Text));
    }

    #[test]
    fn given_marks_replace_the_usual_ones_even_when_they_are_numbers() {
        let missing = Missing::new(["-999", " . ", ""]);
        assert_eq!(missing.parse(b"-999"), Ok(None));
        assert_eq!(missing.parse(b"."), Ok(None));
        assert_eq!(missing.parse(b""), Ok(None));
        assert_eq!(missing.parse(b"-99"), Ok(Some(-99.0)));
        assert_eq!(missing.parse(b"NA"), Err(NotNumber::Text));
        assert_eq!(missing.parse(b"NaN"), Err(NotNumber::Text));
    }

    #[test]
    fn a_long_cell_is_quoted_by_its_beginning() {
        let text = excerpt("é".repeat(50).as_bytes());
        assert_eq!(text.chars().count(), 43);
        assert_eq!(excerpt(b" a\xff "), "a\u{fffd}");
    }
}
